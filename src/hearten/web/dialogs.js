/** Dialogs: modal, closed by Escape, by their buttons or by a click beside them; the focus returns to where it was. */

import { ApiError } from "./api.js";
import { byId, element } from "./dom.js";

/**
 * Open a dialog of the page.
 *
 * @param {HTMLDialogElement} dialog
 */
export function open(dialog) {
  if (!dialog.open) dialog.showModal();
}

/** Let every dialog close by its `data-close` buttons and by a click on the backdrop. */
export function prepare() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (target === dialog || target.closest("[data-close]")) dialog.close();
    });
  }
}

/**
 * Let a form in a dialog do something; the dialog closes when that worked and says in words when it did not.
 *
 * @param {HTMLDialogElement} dialog
 * @param {(form: HTMLFormElement) => Promise<void>} act
 */
export function onsubmit(dialog, act) {
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector("form"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    show(dialog, "");
    const buttons = form.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    try {
      await act(form);
      dialog.close();
    } catch (error) {
      show(dialog, plain(error));
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  });
  dialog.addEventListener("close", () => show(dialog, ""));
}

/** @param {HTMLDialogElement} dialog @param {string} message */
function show(dialog, message) {
  const place = /** @type {HTMLElement} */ (dialog.querySelector(".form-error"));
  place.textContent = message;
}

/**
 * Say in words what went wrong; anything that is not the server's answer is a fault of the page.
 *
 * @param {unknown} error
 */
export function plain(error) {
  if (error instanceof ApiError) return error.message;
  console.error(error);
  return "Something went wrong in this page. Please reload it; nothing you wrote is gone.";
}

/**
 * Ask before something that cannot be undone.
 *
 * @param {{title: string, text: string, yes: string}} question
 * @returns {Promise<boolean>}
 */
export function confirm({ title, text, yes }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("confirm-dialog"));
  byId("confirm-title").textContent = title;
  byId("confirm-text").textContent = text;
  const agree = element("button", { type: "button", class: "button danger" }, yes);
  const refuse = element("button", { type: "button", class: "button quiet", autofocus: true }, "Keep it");
  byId("confirm-buttons").replaceChildren(refuse, agree);
  return new Promise((resolve) => {
    let answer = false;
    agree.addEventListener("click", () => {
      answer = true;
      dialog.close();
    });
    refuse.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => resolve(answer), { once: true });
    open(dialog);
  });
}

/**
 * Say something in passing, such as "Copied" or what failed.
 *
 * @param {string} text
 * @param {"status" | "alert"} [kind]
 */
export function toast(text, kind = "status") {
  const shown = element("p", { class: `toast ${kind}`, role: kind }, text);
  byId("toasts").append(shown);
  setTimeout(() => shown.remove(), kind === "alert" ? 8000 : 3000);
}

/**
 * Do something that a button asks for; what fails is said in a toast.
 *
 * @param {() => Promise<void>} act
 */
export async function attempt(act) {
  try {
    await act();
  } catch (error) {
    toast(plain(error), "alert");
  }
}
