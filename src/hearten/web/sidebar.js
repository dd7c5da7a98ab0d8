/** The list of conversations with a menu for each, and the drawer that it is on a narrow screen. */

import * as api from "./api.js";
import { attempt, confirm, onsubmit, open } from "./dialogs.js";
import { byId, element, when } from "./dom.js";
import { iconButton } from "./icons.js";
import { save } from "./saving.js";

/** @import { Summary } from "./types.js" */

const NARROW = matchMedia("(max-width: 800px)");

/** Lists the person's conversations. */
export class Sidebar {
  /** @type {Summary[]} */
  conversations = [];
  #renaming = "";
  #asked = 0;
  #shown = 0;

  /**
   * @param {object} around
   * @param {() => string} around.current
   * @param {(id: string) => void} around.onopen
   * @param {(id: string) => void} around.ondeleted
   * @param {() => void} around.onrenamed
   */
  constructor(around) {
    this.around = around;
    this.menu = byId("conversation-menu");
    this.menu.addEventListener("click", () => this.menu.hidePopover());
    onsubmit(/** @type {HTMLDialogElement} */ (byId("rename-dialog")), () => this.#rename());
    byId("open-sidebar").addEventListener("click", () => this.setOpen(true));
    byId("close-sidebar").addEventListener("click", () => this.setOpen(false));
    byId("shade").addEventListener("click", () => this.setOpen(false));
    byId("sidebar").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.setOpen(false);
    });
    NARROW.addEventListener("change", () => this.setOpen(false));
    this.setOpen(false);
  }

  /** Ask the server for the list and show it, unless what was asked later is shown already. */
  async refresh() {
    const asked = ++this.#asked;
    const conversations = await api.conversations();
    if (asked < this.#shown) return;
    this.#shown = asked;
    this.conversations = conversations;
    this.show();
  }

  show() {
    const rows = this.conversations.map((one) => this.#row(one));
    byId("conversations").replaceChildren(...rows);
    byId("no-conversations").hidden = rows.length > 0;
  }

  /** @param {Summary} one */
  #row(one) {
    const isCurrent = one.id === this.around.current();
    const choose = element(
      "button",
      {
        type: "button",
        class: "conversation",
        "aria-current": isCurrent && "true",
        onclick: () => {
          this.setOpen(false);
          this.around.onopen(one.id);
        },
      },
      element("span", { class: "title", dir: "auto" }, one.title),
      element("time", { class: "small muted", datetime: one.updated }, when(one.updated)),
    );
    const more = iconButton("more", `More about “${one.title}”`, () => this.showMenu(one, more), {
      "aria-haspopup": "dialog",
    });
    return element("li", { class: isCurrent && "current" }, choose, more);
  }

  /**
   * Show what can be done with a conversation, beside the button that asks for it.
   *
   * @param {{id: string, title: string}} one
   * @param {HTMLElement} beside
   */
  showMenu(one, beside) {
    /** @type {[string, () => void][]} */
    const choices = [
      ["Rename", () => this.#askName(one)],
      ["Export as Markdown", () => attempt(() => exportAs(one.id, "markdown"))],
      ["Export as JSON", () => attempt(() => exportAs(one.id, "json"))],
      ["Delete", () => attempt(() => this.#delete(one))],
    ];
    this.menu.replaceChildren(
      ...choices.map(([label, onclick]) => element("button", { type: "button", onclick }, label)),
    );
    this.menu.showPopover();
    const { bottom, right } = beside.getBoundingClientRect();
    const left = Math.max(8, Math.min(right, innerWidth - 8) - this.menu.offsetWidth);
    this.menu.style.setProperty("left", `${left}px`);
    this.menu.style.setProperty("top", `${Math.min(bottom + 4, innerHeight - this.menu.offsetHeight - 8)}px`);
    /** @type {HTMLElement} */ (this.menu.firstElementChild).focus();
  }

  /** @param {{id: string, title: string}} one */
  #askName(one) {
    this.#renaming = one.id;
    const field = /** @type {HTMLInputElement} */ (byId("rename-title"));
    field.value = one.title;
    open(/** @type {HTMLDialogElement} */ (byId("rename-dialog")));
    field.select();
  }

  async #rename() {
    const field = /** @type {HTMLInputElement} */ (byId("rename-title"));
    await api.rename(this.#renaming, field.value.trim());
    await this.refresh();
    this.around.onrenamed();
  }

  /** @param {{id: string, title: string}} one */
  async #delete(one) {
    const text = `“${one.title}” will be gone for good, with everything in it.`;
    if (!(await confirm({ title: "Delete this conversation?", text, yes: "Delete" }))) return;
    await api.remove(one.id);
    this.around.ondeleted(one.id);
    await this.refresh();
  }

  /** @param {boolean} isOpen  means something on a narrow screen only */
  setOpen(isOpen) {
    const wasOpen = document.body.classList.contains("sidebar-open");
    document.body.classList.toggle("sidebar-open", isOpen && NARROW.matches);
    byId("sidebar").inert = NARROW.matches && !isOpen;
    byId("main").inert = byId("skip").inert = NARROW.matches && isOpen;
    byId("open-sidebar").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("close-sidebar").focus();
    else if (wasOpen) byId("open-sidebar").focus();
  }
}

/**
 * Save a conversation under the title that the server knows: that of the list may be about to change.
 *
 * @param {string} id
 * @param {"json" | "markdown"} format
 */
async function exportAs(id, format) {
  const [{ title }, blob] = await Promise.all([api.read(id), api.exported(id, format)]);
  const words = title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
  const name = words.replace(/^-|-$/g, "") || "conversation";
  save(blob, `${name}.${format === "json" ? "json" : "md"}`);
}
