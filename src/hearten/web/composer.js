/** The box that is written in: draft, way of answering, send and stop, and trouble in plain words. */

import { byId, element } from "./dom.js";
import { draft, keepDraft } from "./keeping.js";

/** @import { Intent } from "./types.js" */

/** The share of the allowed length from which on the rest is counted. */
const COUNTED = 0.8;

/** Where the person writes. */
export class Composer {
  #box = /** @type {HTMLTextAreaElement} */ (byId("box"));
  #send = /** @type {HTMLButtonElement} */ (byId("send"));
  #stop = /** @type {HTMLButtonElement} */ (byId("stop"));
  #conversation = "";
  #isBusy = false;

  /**
   * @param {{limit: number, intents: Intent[], onsend: (text: string) => void, onstop: () => void}} given
   */
  constructor({ limit, intents, onsend, onstop }) {
    this.limit = limit;
    this.onsend = onsend;
    this.#box.addEventListener("input", () => this.#changed());
    this.#box.addEventListener("keydown", (event) => this.#pressed(event));
    this.#stop.addEventListener("click", onstop);
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    fillIntents(intents);
  }

  /** The chosen way of answering; null: as it comes. */
  get intent() {
    const chosen = /** @type {HTMLInputElement | null} */ (document.querySelector("#intents input:checked"));
    return chosen?.value || null;
  }

  /** @param {string} conversation */
  open(conversation) {
    this.#conversation = conversation;
    this.#write(draft(conversation));
    this.untrouble();
    this.note("");
  }

  /** @param {string} conversation  the one that has just begun: the draft goes with it */
  moved(conversation) {
    keepDraft(this.#conversation, "");
    this.#conversation = conversation;
    keepDraft(conversation, this.#box.value);
  }

  focus() {
    this.#box.focus();
  }

  submit() {
    const text = this.#box.value.trim();
    if (!text || this.#isBusy) return this.focus();
    const over = Array.from(text).length - this.limit;
    if (over > 0)
      return this.trouble(`This is ${over} characters longer than I can read at once. Please shorten it a little.`);
    this.onsend(text);
  }

  /** The text is on its way. */
  taken() {
    this.untrouble();
    this.#write("");
    this.focus();
  }

  /** @param {string} text  did not arrive, so it returns into the box, before what was written since */
  giveBack(text) {
    const since = this.#box.value.trim();
    this.#write(since && since !== text ? `${text}\n${since}` : text);
  }

  /** @param {string} text  put into the box to go on from */
  suggest(text) {
    this.#write(text);
    this.focus();
    this.#box.setSelectionRange(text.length, text.length);
  }

  /** @param {boolean} isBusy */
  setBusy(isBusy) {
    const hadFocus = document.activeElement === this.#stop || document.activeElement === this.#send;
    this.#isBusy = isBusy;
    this.#stop.hidden = !isBusy;
    this.#send.hidden = isBusy;
    if (hadFocus) this.focus();
  }

  /** @param {string} text  in passing, below the conversation */
  note(text) {
    byId("note").textContent = text;
  }

  /**
   * @param {string} message
   * @param {string} [label]
   * @param {() => void} [retry]
   */
  trouble(message, label, retry) {
    const again = () => {
      this.untrouble();
      retry?.();
    };
    const button = label ? element("button", { type: "button", class: "button small", onclick: again }, label) : null;
    byId("trouble").replaceChildren(element("p", {}, message), ...(button ? [button] : []));
  }

  untrouble() {
    byId("trouble").replaceChildren();
  }

  /** @param {string} text */
  #write(text) {
    this.#box.value = text;
    this.#changed();
  }

  #changed() {
    const { value } = this.#box;
    keepDraft(this.#conversation, value);
    this.#box.style.setProperty("height", "auto");
    this.#box.style.setProperty("height", `${this.#box.scrollHeight}px`);
    this.#send.classList.toggle("ready", value.trim() !== "");
    const left = this.limit - Array.from(value).length;
    byId("counter").textContent = left < this.limit * (1 - COUNTED) ? `${left} characters left` : "";
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.key === "Escape" && this.#isBusy) this.#stop.click();
    const isTouch = matchMedia("(pointer: coarse)").matches; // there, Enter is the only way to a new line
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || isTouch) return;
    event.preventDefault();
    this.submit();
  }
}

/** @param {Intent[]} intents */
function fillIntents(intents) {
  const panel = /** @type {HTMLDetailsElement} */ (byId("intent"));
  const choices = [{ id: "", label: "As it comes", about: "Whatever fits best." }, ...intents];
  const rows = choices.map(({ id, label, about }) => {
    const input = element("input", { type: "radio", name: "intent", value: id, checked: id === "" });
    input.addEventListener("change", () => (byId("intent-chosen").textContent = label));
    const close = (/** @type {MouseEvent} */ event) => {
      if (event.detail > 0) panel.open = false; // by pointer; arrow keys go on choosing
    };
    const words = element(
      "span",
      { class: "chip" },
      element("b", {}, label),
      element("span", { class: "small muted" }, about),
    );
    return element("label", { onclick: close }, input, words);
  });
  byId("intents").append(...rows);
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    panel.open = false;
    panel.querySelector("summary")?.focus();
  });
  document.addEventListener("click", (event) => {
    if (!panel.contains(/** @type {Node} */ (event.target))) panel.open = false;
  });
}
