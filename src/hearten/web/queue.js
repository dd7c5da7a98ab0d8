/** One thing to review: what was said, what somebody objected to or wrote instead, and the decision. */

import { plain } from "./dialogs.js";
import { capitalised, element, when } from "./dom.js";

/**
 * @typedef {object} Item
 * @property {string} id
 * @property {"report" | "edit" | "emotion"} kind
 * @property {string} state
 * @property {string} created
 * @property {{role: string, text: string}[]} context  what was said before
 * @property {string} text  the reply that is meant, or the message whose emotion was corrected
 * @property {string | null} reason
 * @property {string | null} note
 * @property {string | null} edit  what it should have said
 * @property {string | null} read  the emotion that was read
 * @property {string | null} emotion  the emotion that the person named
 * @property {string[]} tags
 * @property {string | null} [model]
 * @property {string | null} [amended]  the operator's text
 * @property {boolean} [dialogue_reported]  kept apart from the others
 * @property {boolean} [consent]  without it an item is never exported
 *
 * @typedef {{decision: "accept" | "amend" | "reject", text?: string, tags: string[]}} Decision
 */

const TITLES = { report: "Report", edit: "Edit", emotion: "Emotion" };

/**
 * Show an item; `decide` throws if the server did not take the decision.
 *
 * @param {Item} item
 * @param {string[]} emotions
 * @param {(decision: Decision) => Promise<void>} decide
 */
export function itemView(item, emotions, decide) {
  const title = item.reason ? `${TITLES[item.kind]}: ${item.reason}` : TITLES[item.kind];
  const told = [item.model, when(item.created)].filter(Boolean).join(" · ");
  const head = element(
    "div",
    { class: "item-head" },
    element("h3", {}, title),
    ...marks(item),
    element("span", { class: "told small muted" }, told),
  );
  return element(
    "article",
    { class: "card item", "data-item": item.id, tabindex: "-1", "aria-label": title },
    head,
    context(item),
    concerned(item),
    ...objection(item),
    item.state === "open" ? decision(item, emotions, decide) : outcome(item),
  );
}

/** @param {Item} item */
function marks(item) {
  const names = [item.dialogue_reported && "reported dialogue", item.consent === false && "no consent: not exported"];
  return names.filter(Boolean).map((name) => element("span", { class: "tag" }, String(name)));
}

/** @param {Item} item */
function context(item) {
  const turns = item.context.map(({ role, text }) =>
    element(
      "p",
      { class: role, dir: "auto" },
      element("span", { class: "visually-hidden" }, role === "speaker" ? "Person: " : "Hearten: "),
      text,
    ),
  );
  return element("div", { class: "said" }, ...turns);
}

/** @param {Item} item */
function concerned(item) {
  const name = item.kind === "emotion" ? "The message" : "The reply";
  return part(name, element("p", { class: "concerned", dir: "auto" }, item.text));
}

/** @param {Item} item @returns {HTMLElement[]} */
function objection(item) {
  const parts = [];
  if (item.note) parts.push(part("What the person says", element("p", { class: "note", dir: "auto" }, item.note)));
  if (item.edit)
    parts.push(part("What it should have said", element("p", { class: "proposed", dir: "auto" }, item.edit)));
  if (item.emotion) {
    const words = element(
      "p",
      {},
      "Read as ",
      element("strong", {}, item.read ?? "nothing"),
      ", but the person says ",
      element("strong", {}, item.emotion),
      ".",
    );
    parts.push(part("The emotion", words));
  }
  return parts;
}

/** @param {string} name @param {HTMLElement} content */
function part(name, content) {
  return element("div", { class: "part" }, element("h4", { class: "small muted" }, name), content);
}

/** @param {Item} item */
function outcome(item) {
  const tags = item.tags.map((tag) => element("li", { class: "tag" }, tag));
  const amended = item.amended
    ? part("Amended to", element("p", { class: "proposed", dir: "auto" }, item.amended))
    : null;
  return element(
    "div",
    { class: "decision" },
    amended,
    element("p", { class: "small muted" }, capitalised(item.state)),
    element("ul", { class: "tags" }, ...tags),
  );
}

/** @param {Item} item @param {string[]} emotions */
function amendment(item, emotions) {
  if (item.kind === "emotion") {
    const names = [...emotions].sort();
    return element(
      "select",
      {},
      ...names.map((name) => element("option", { value: name, selected: name === item.emotion }, capitalised(name))),
    );
  }
  const text = element("textarea", { rows: "3", dir: "auto", maxlength: "4000" });
  text.value = item.edit ?? item.text;
  return text;
}

/** @param {Item} item @param {string[]} emotions @param {(decision: Decision) => Promise<void>} decide */
function decision(item, emotions, decide) {
  const tags = element("input", { type: "text", autocomplete: "off", placeholder: "such as: too short, blames" });
  const text = amendment(item, emotions);
  const better = element(
    "label",
    { class: "field", hidden: true },
    item.kind === "emotion" ? "The right emotion" : "A better reply",
    text,
  );
  const failed = element("p", { class: "form-error", role: "alert" });
  const send = async (/** @type {Decision["decision"]} */ kind) => {
    failed.textContent = "";
    const written = kind === "amend" ? { text: text.value.trim() } : {};
    try {
      await decide({ decision: kind, ...written, tags: split(tags.value) });
    } catch (error) {
      failed.textContent = plain(error);
    }
  };
  const amend = () => {
    if (!better.hidden) return text.value.trim() ? send("amend") : text.focus();
    better.hidden = false;
    text.focus();
  };
  const buttons = element(
    "div",
    { class: "buttons" },
    element("button", { type: "button", class: "button small main", onclick: () => send("accept") }, "Accept"),
    element("button", { type: "button", class: "button small", onclick: amend }, "Amend"),
    element("button", { type: "button", class: "button small danger", onclick: () => send("reject") }, "Reject"),
  );
  return element(
    "div",
    { class: "decision" },
    better,
    element("label", { class: "field small" }, "Tags, with commas", tags),
    failed,
    buttons,
  );
}

/** @param {string} tags */
function split(tags) {
  return tags
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}
