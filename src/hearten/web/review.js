/** The review page: signs in with a token that stays in this tab, shows the queue, takes decisions. */

import { ApiError, json, request, session } from "./api.js";
import { countsView } from "./counts.js";
import { attempt, plain, toast } from "./dialogs.js";
import { byId } from "./dom.js";
import { itemView } from "./queue.js";
import { save } from "./saving.js";

/** @import { Decision, Item } from "./queue.js" */

const KEPT = "hearten.review-token";
const field = /** @type {HTMLInputElement} */ (byId("token"));
const states = /** @type {HTMLSelectElement} */ (byId("state"));
const kinds = /** @type {HTMLSelectElement} */ (byId("kind"));

/** The most that the server sends at once. */
const PAGE = 100;

const token = () => sessionStorage.getItem(KEPT) ?? "";

/** Show the queue as the filters say, and the counts. */
async function show() {
  const asked = new URLSearchParams({ state: states.value });
  if (kinds.value) asked.set("kind", kinds.value);
  /** @type {Item[]} */
  const items = await json("GET", `api/review/queue?${asked}`, { token: token() });
  const counts = await json("GET", "api/review/counts", { token: token() });
  const emotions = (await session()).emotions.map(({ id }) => id);
  document.body.classList.remove("signed-out");
  byId("queue").replaceChildren(...items.map((item) => itemView(item, emotions, (decision) => decide(item, decision))));
  byId("counts").replaceChildren(...countsView(counts));
  note();
}

function note() {
  const left = byId("queue").childElementCount;
  const more = left === PAGE ? ", the oldest ones; reload for the rest" : "";
  byId("queue-note").textContent = left
    ? `${left} ${left === 1 ? "item" : "items"}${more}`
    : "Nothing here. Well done.";
}

/** @param {Item} item @param {Decision} decision */
async function decide(item, decision) {
  await json("POST", `api/review/${encodeURIComponent(item.id)}`, { body: decision, token: token() });
  const card = /** @type {HTMLElement} */ (document.querySelector(`[data-item="${CSS.escape(item.id)}"]`));
  const next = /** @type {HTMLElement | null} */ (card.nextElementSibling) ?? byId("queue");
  card.remove();
  next.focus();
  note();
  toast({ accept: "Accepted.", amend: "Amended.", reject: "Rejected." }[decision.decision]);
}

/** @param {string} [message] */
function signOut(message = "") {
  sessionStorage.removeItem(KEPT);
  document.body.classList.add("signed-out");
  byId("queue").replaceChildren();
  byId("counts").replaceChildren();
  byId("sign-in-error").textContent = message;
  field.focus();
}

/** Show the queue; a token that is not accepted leads back to the field. */
async function enter() {
  try {
    await show();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signOut(error.message);
    else if (document.body.classList.contains("signed-out")) byId("sign-in-error").textContent = plain(error);
    else toast(plain(error), "alert");
  }
}

async function exportAll() {
  const part = /** @type {HTMLSelectElement} */ (byId("part")).value;
  const response = await request("GET", `api/review/export?part=${part}`, { token: token(), accept: "*/*" });
  save(await response.blob(), "hearten-review.jsonl");
}

byId("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEPT, field.value.trim());
  field.value = "";
  enter();
});
byId("sign-out").addEventListener("click", () => signOut());
byId("export").addEventListener("click", () => attempt(exportAll));
for (const [id, happening] of [
  ["state", "change"],
  ["kind", "change"],
  ["reload", "click"],
]) {
  byId(id).addEventListener(happening, enter);
}
if (token()) enter();
