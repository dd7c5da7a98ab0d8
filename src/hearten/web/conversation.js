/** The turns on the page, and the reply that is just being written. Knows nothing of the server. */

import { announce, element } from "./dom.js";
import { turnView } from "./turns.js";

/** @import { Reading, Turn } from "./types.js" */
/** @import { Surroundings } from "./turns.js" */

/** Pixels from the end within which the page keeps following what is written. */
const NEAR = 160;

/** Shows one conversation. */
export class ConversationView {
  /** @type {Turn[]} */
  turns = [];
  /** @type {Map<string, HTMLElement>} */
  #nodes = new Map();
  /** @type {HTMLElement | null} */
  #pending = null;
  /** @type {HTMLElement | null} */
  #live = null;
  /** @type {HTMLElement | null} */
  #replaced = null;

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} scroller
   * @param {Surroundings} around
   */
  constructor(list, scroller, around) {
    this.list = list;
    this.scroller = scroller;
    this.around = around;
  }

  /** @param {Turn[]} turns */
  show(turns) {
    this.turns = [];
    this.#nodes.clear();
    this.#pending = this.#live = this.#replaced = null;
    this.list.replaceChildren();
    for (const turn of turns) this.put(turn);
    this.toEnd();
  }

  /** @param {"speaker" | "listener"} role */
  last(role) {
    return this.turns.findLast((turn) => turn.role === role) ?? null;
  }

  /**
   * Add a turn, or show it anew.
   *
   * @param {Turn} turn
   */
  put(turn) {
    const node = turnView(turn, this.around);
    const before = this.#nodes.get(turn.id);
    if (before) replace(before, node);
    else this.list.append(node);
    this.#nodes.set(turn.id, node);
    const at = this.turns.findIndex((one) => one.id === turn.id);
    if (at >= 0) this.turns[at] = turn;
    else this.turns.push(turn);
  }

  /** @param {string} text  shown at once, before the server has it */
  addPending(text) {
    this.dropPending();
    this.#pending = turnView({ id: "", role: "speaker", text, created: "" }, this.around);
    this.#pending.classList.add("pending");
    this.list.append(this.#pending);
    this.toEnd();
  }

  dropPending() {
    this.#pending?.remove();
    this.#pending = null;
  }

  /** @param {Turn} turn  the person's, now kept by the server */
  confirm(turn) {
    this.dropPending();
    this.put(turn);
    if (this.#live) this.list.append(this.#live);
    this.toEnd();
  }

  /** @param {string} id @param {Reading} reading */
  setReading(id, reading) {
    const turn = this.turns.find((one) => one.id === id);
    if (turn) this.#followed(() => this.put({ ...turn, reading }));
  }

  /** @param {Turn | null} replaced  the reply that gives way to the new one */
  beginReply(replaced) {
    this.dropReply();
    this.#replaced = (replaced && this.#nodes.get(replaced.id)) ?? null;
    if (this.#replaced) this.#replaced.hidden = true;
    const dots = element("span", { class: "thinking", "aria-hidden": "true" }, ...["", "", ""].map(() => element("i")));
    const words = element("p", { class: "words", dir: "auto" }, dots);
    this.#live = element(
      "article",
      { class: "turn listener live", "aria-busy": "true" },
      element("h3", { class: "visually-hidden" }, "Hearten is writing"),
      words,
    );
    this.#followed(() => this.list.append(/** @type {Node} */ (this.#live)));
  }

  /** @param {string} piece */
  append(piece) {
    const words = this.#live?.querySelector(".words");
    if (!words) return;
    words.querySelector(".thinking")?.remove();
    this.#followed(() => words.append(piece));
  }

  /** @param {Turn} turn */
  finishReply(turn) {
    this.#live?.remove();
    this.#live = null;
    if (this.#replaced) {
      const id = this.#replaced.dataset.turn ?? "";
      this.#replaced.remove();
      this.#nodes.delete(id);
      this.turns = this.turns.filter((one) => one.id !== id);
      this.#replaced = null;
    }
    this.#followed(() => this.put(turn));
    announce(`Hearten says: ${turn.crisis?.text || turn.text}`);
  }

  /** Take the unfinished reply away; what it would have replaced is shown again. */
  dropReply() {
    this.#live?.remove();
    this.#live = null;
    if (this.#replaced) this.#replaced.hidden = false;
    this.#replaced = null;
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  /** @param {() => void} change  followed only by whoever is already reading the end */
  #followed(change) {
    const left = this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight;
    change();
    if (left < NEAR) this.toEnd();
  }
}

/**
 * Show a turn anew; what was unfolded stays so.
 *
 * @param {HTMLElement} before
 * @param {HTMLElement} after
 */
function replace(before, after) {
  const isOpen = before.querySelector(".feeling-toggle[aria-expanded=true]") !== null;
  before.replaceWith(after);
  if (isOpen) /** @type {HTMLElement | null} */ (after.querySelector(".feeling-toggle"))?.click();
}
