/** One turn on the page: the person's words with what was read in them, or a reply with its actions. */

import { crisisCard } from "./crisis.js";
import { element, when } from "./dom.js";
import { emotionView } from "./emotions.js";
import { iconButton } from "./icons.js";

/** @import { Emotion, Intent, Turn } from "./types.js" */

/**
 * What a turn needs from around it.
 *
 * @typedef {object} Surroundings
 * @property {Map<string, Emotion>} emotions
 * @property {Map<string, Intent>} intents
 * @property {string[]} countries
 * @property {(turn: Turn, emotion: string) => Promise<boolean>} correct
 * @property {(turn: Turn, value: number) => Promise<boolean>} rate
 * @property {(turn: Turn) => void} copy
 * @property {(turn: Turn) => void} edit
 * @property {(turn: Turn) => void} report
 * @property {() => void} regenerate
 */

/**
 * Show a turn.
 *
 * @param {Turn} turn
 * @param {Surroundings} around
 */
export function turnView(turn, around) {
  const isSpeaker = turn.role === "speaker";
  const words = element("p", { class: "words", dir: "auto" }, turn.text);
  const head = element("h3", { class: "visually-hidden" }, isSpeaker ? "You" : "Hearten");
  const shown = element("article", { class: `turn ${turn.role}`, "data-turn": turn.id }, head);
  if (turn.crisis) shown.append(crisisCard(turn.crisis, around.countries));
  else shown.append(words);
  if (isSpeaker) shown.append(below(turn, words, around));
  else if (turn.id)
    shown.append(notes(turn), element("div", { class: "foot" }, actions(turn, around), reasons(turn, around)));
  return shown;
}

/** @param {Turn} turn @param {HTMLElement} words @param {Surroundings} around */
function below(turn, words, around) {
  const row = element("div", { class: "below" });
  if (turn.reading?.emotions.length) {
    row.append(emotionView(turn, words, around.emotions, (emotion) => around.correct(turn, emotion)));
  }
  if (turn.created) row.append(element("time", { datetime: turn.created, class: "small muted" }, when(turn.created)));
  return row;
}

/** @param {Turn} turn */
function notes(turn) {
  const made = element("div", { class: "notes small" });
  if (turn.stopped) made.append(element("p", { class: "muted" }, "Stopped here."));
  if (turn.edited) {
    made.append(
      element("p", { class: "muted" }, "Your version, thank you:"),
      element("blockquote", { dir: "auto" }, turn.edited),
    );
  }
  if (turn.reported) made.append(element("p", { class: "muted" }, "You reported this reply. Thank you for saying so."));
  return made;
}

/** @param {Turn} turn @param {Surroundings} around */
function actions(turn, around) {
  const row = element("div", { class: "actions", role: "group", "aria-label": "About this reply" });
  if (!turn.crisis)
    row.append(thumb("up", "This helped", 1, turn, around), thumb("down", "This did not help", -1, turn, around));
  row.append(iconButton("copy", "Copy this reply", () => around.copy(turn)));
  if (!turn.crisis) {
    row.append(
      iconButton("again", "Answer again", () => around.regenerate(), { "data-again": true }),
      iconButton("edit", "Write what it should have said", () => around.edit(turn)),
    );
  }
  row.append(iconButton("report", "Report this reply", () => around.report(turn)));
  return row;
}

/**
 * A thumb that is pressed or not; pressing it again takes the rating back.
 *
 * @param {"up" | "down"} name
 * @param {string} label
 * @param {number} value
 * @param {Turn} turn
 * @param {Surroundings} around
 */
function thumb(name, label, value, turn, around) {
  const button = iconButton(
    name,
    label,
    async () => {
      const wanted = turn.rating === value ? 0 : value;
      if (!(await around.rate(turn, wanted))) return;
      turn.rating = wanted;
      for (const one of button.parentElement?.querySelectorAll("[aria-pressed]") ?? []) {
        one.setAttribute("aria-pressed", String(one.getAttribute("data-value") === String(wanted)));
      }
    },
    { "data-value": value, "aria-pressed": String(turn.rating === value) },
  );
  return button;
}

/** @param {Turn} turn @param {Surroundings} around */
function reasons(turn, around) {
  const others = turn.alternatives ?? [];
  if (turn.crisis || (!turn.plan && !others.length)) return null;
  const parts = [];
  if (turn.plan) parts.push(element("p", {}, `Meant as: ${around.intents.get(turn.plan)?.label ?? turn.plan}.`));
  if (others.length) {
    const rows = others.slice(0, 3).map((one) => element("li", { dir: "auto" }, one.text));
    parts.push(element("p", {}, "It also thought of saying:"), element("ul", {}, ...rows));
  }
  return element("details", { class: "reasons small" }, element("summary", {}, "Why this reply?"), ...parts);
}
