/** What a person can say about a reply: report it, or write what it should have said. */

import * as api from "./api.js";
import { onsubmit, open } from "./dialogs.js";
import { byId } from "./dom.js";

/** @import { Turn } from "./types.js" */

/**
 * Prepare the dialogs of a reply; each calls back with the turn as it is afterwards.
 *
 * @param {(turn: Turn) => void} onchange
 */
export function feedbackDialogs(onchange) {
  return { report: reportDialog(onchange), edit: editDialog(onchange) };
}

/** @param {(turn: Turn) => void} onchange */
function reportDialog(onchange) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("report-dialog"));
  /** @type {Turn} */
  let turn;
  onsubmit(dialog, async (form) => {
    const given = new FormData(form);
    await api.report(turn.id, String(given.get("reason")), String(given.get("note") ?? "").trim());
    form.reset();
    onchange({ ...turn, reported: true });
  });
  return (/** @type {Turn} */ about) => {
    turn = about;
    byId("report-quote").textContent = about.text;
    open(dialog);
  };
}

/** @param {(turn: Turn) => void} onchange */
function editDialog(onchange) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("edit-dialog"));
  const box = /** @type {HTMLTextAreaElement} */ (byId("edit-text"));
  /** @type {Turn} */
  let turn;
  onsubmit(dialog, async () => {
    const text = box.value.trim();
    if (text === turn.text) return;
    await api.edit(turn.id, text);
    onchange({ ...turn, edited: text });
  });
  return (/** @type {Turn} */ about) => {
    turn = about;
    box.value = about.edited || about.text;
    open(dialog);
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
  };
}
