/** Saying what this is: at the start, and again every three hours of use. */

import * as api from "./api.js";
import { onsubmit, open } from "./dialogs.js";
import { byId } from "./dom.js";
import { keepSetting, setting } from "./keeping.js";

/** @import { Session } from "./types.js" */

const EVERY = 3 * 60 * 60 * 1000;
const LOOK = 60 * 1000;

/**
 * Show the notice to whoever has not seen it, and remind the others.
 *
 * @param {Session} session
 * @param {() => void} onread
 */
export function notice(session, onread) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("notice-dialog"));
  onsubmit(dialog, async (form) => {
    const research = new FormData(form).has("research");
    if (research !== session.consent.research) session.consent = await consented(research);
  });
  dialog.addEventListener("close", () => {
    keepSetting("noticed", String(Date.now()));
    onread();
  });
  byId("reminder-close").addEventListener("click", () => {
    byId("reminder").hidden = true;
  });
  if (!setting("noticed", "")) open(dialog);
  setInterval(remind, LOOK);
  remind();
}

/** @param {boolean} research @returns {Promise<Session["consent"]>} */
export async function consented(research) {
  await api.consent(research);
  return { research, at: new Date().toISOString() };
}

function remind() {
  const last = Number(setting("noticed", ""));
  if (!last || Date.now() - last < EVERY) return;
  byId("reminder").hidden = false;
  keepSetting("noticed", String(Date.now()));
}
