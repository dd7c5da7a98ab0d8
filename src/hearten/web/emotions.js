/** The emotion that was read in a message: a quiet line, bars on request, the words that spoke for it, a correction. */

import { capitalised, element } from "./dom.js";

/** @import { Emotion, Evidence, Reading, Turn } from "./types.js" */

const MOST_WORDS = 6;
/** Log-odds that a word must carry to be underlined at all. */
const LEAST_WEIGHT = 0.1;
let views = 0;

/**
 * Show what was read in a turn, below its text.
 *
 * @param {Turn} turn
 * @param {HTMLElement} words  where the text of the turn stands
 * @param {Map<string, Emotion>} emotions
 * @param {(emotion: string) => Promise<boolean>} correct  returns whether it was kept
 */
export function emotionView(turn, words, emotions, correct) {
  const reading = /** @type {Reading} */ (turn.reading);
  const id = `feeling-${(views += 1)}`;
  const panel = element("div", { class: "feeling-panel", id, hidden: true });
  const toggle = element("button", { type: "button", class: "feeling-toggle", "aria-controls": id });
  const setOpen = (/** @type {boolean} */ isOpen) => {
    toggle.setAttribute("aria-expanded", String(isOpen));
    panel.hidden = !isOpen;
    words.replaceChildren(...(isOpen ? underlined(turn.text, reading.evidence) : [turn.text]));
  };
  const name = () => toggle.replaceChildren(dot(turn, emotions), summary(turn));
  const onkept = async (/** @type {string} */ emotion) => {
    if (!(await correct(emotion))) return;
    turn.correction = emotion;
    name();
    toggle.focus();
    setOpen(false);
  };
  panel.append(bars(reading, emotions), unsureNote(reading), correction(reading, emotions, onkept));
  toggle.addEventListener("click", () => setOpen(panel.hidden));
  name();
  setOpen(false);
  return element("div", { class: "feeling" }, toggle, panel);
}

/** @param {Turn} turn */
function summary(turn) {
  if (turn.correction) return `you said: ${turn.correction}`;
  const reading = /** @type {Reading} */ (turn.reading);
  const first = reading.emotions[0].id;
  return reading.unsure ? `perhaps ${first}` : `sounds ${first}`;
}

/** @param {Turn} turn @param {Map<string, Emotion>} emotions */
function dot(turn, emotions) {
  const name = turn.correction ?? turn.reading?.emotions[0].id ?? "";
  const made = element("span", { class: "dot", "aria-hidden": "true" });
  made.style.setProperty("--colour", emotions.get(name)?.colour ?? "currentColor");
  return made;
}

/** @param {Reading} reading @param {Map<string, Emotion>} emotions */
function bars(reading, emotions) {
  const rows = reading.emotions.slice(0, 3).map(({ id, probability }) => {
    const fill = element("span", { class: "bar-fill" });
    fill.style.setProperty("--part", `${Math.round(probability * 100)}%`);
    fill.style.setProperty("--colour", emotions.get(id)?.colour ?? "currentColor");
    const percent = element("span", { class: "bar-number" }, `${Math.round(probability * 100)}%`);
    const name = element("span", { class: "bar-name", title: emotions.get(id)?.gloss }, id);
    return element("li", {}, name, element("span", { class: "bar", "aria-hidden": "true" }, fill), percent);
  });
  return element("ul", { class: "bars", "aria-label": "What I read in this message" }, ...rows);
}

/** @param {Reading} reading */
function unsureNote(reading) {
  return reading.unsure ? element("p", { class: "small muted" }, `I am not sure: ${reading.unsure}.`) : "";
}

/**
 * @param {Reading} reading
 * @param {Map<string, Emotion>} emotions
 * @param {(emotion: string) => void} onkept
 */
function correction(reading, emotions, onkept) {
  const names = [...emotions.keys()].sort();
  const options = names.map((name) => element("option", { value: name }, capitalised(name)));
  const select = element("select", {}, element("option", { value: "" }, "choose…"), ...options);
  const keep = element("button", { type: "submit", class: "button small" }, "Correct");
  const gloss = element("p", { class: "small muted gloss", "aria-live": "polite" });
  select.addEventListener("change", () => {
    gloss.textContent = select.value ? `${capitalised(select.value)}: ${emotions.get(select.value)?.gloss}.` : "";
  });
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (select.value) onkept(select.value);
  };
  const label = element("label", {}, "More like ", select);
  return element("form", { class: "correction", onsubmit }, element("div", { class: "row" }, label, keep), gloss);
}

/**
 * Divide a text into plain parts and parts that spoke for the reading.
 *
 * @param {string} text
 * @param {Evidence[]} evidence  offsets count characters as Python does, not UTF-16 units
 * @returns {(Node | string)[]}
 */
export function underlined(text, evidence) {
  const characters = Array.from(text);
  const weightiest = evidence
    .filter((one) => one.weight > LEAST_WEIGHT)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_WORDS)
    .sort((one, other) => one.start - other.start);
  const parts = [];
  let at = 0;
  for (const { start, end } of weightiest) {
    if (start < at) continue;
    parts.push(characters.slice(at, start).join(""));
    parts.push(element("mark", { class: "evidence" }, characters.slice(start, end).join("")));
    at = end;
  }
  parts.push(characters.slice(at).join(""));
  return parts.filter((part) => part !== "");
}
