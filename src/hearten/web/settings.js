/** What a person can set, take along, and delete. */

import * as api from "./api.js";
import { helplinesView } from "./crisis.js";
import { attempt, confirm, open, plain, toast } from "./dialogs.js";
import { byId, element } from "./dom.js";
import { forget, keepSetting, setting } from "./keeping.js";
import { consented } from "./notice.js";
import { save } from "./saving.js";

/** @import { Session } from "./types.js" */

/**
 * Prepare the settings, the help dialog and the switch between light and dark.
 *
 * @param {Session} session
 */
export function settings(session) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("settings-dialog"));
  byId("open-settings").addEventListener("click", () => open(dialog));
  byId("open-help").addEventListener("click", () => showHelp(session));
  byId("export-all").addEventListener("click", () => attempt(exportAll));
  byId("delete-all").addEventListener("click", () => attempt(deleteAll));
  prepareConsent(session);
  prepareThemes();
}

/** @param {Session} session */
function prepareConsent(session) {
  const field = /** @type {HTMLInputElement} */ (byId("consent"));
  byId("open-settings").addEventListener("click", () => (field.checked = session.consent.research));
  field.addEventListener("change", async () => {
    try {
      session.consent = await consented(field.checked);
      toast(field.checked ? "Thank you. You can take this back at any time." : "Your conversations are yours alone.");
    } catch (error) {
      field.checked = session.consent.research;
      toast(plain(error), "alert");
    }
  });
}

function prepareThemes() {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[name=theme]"));
  const show = (/** @type {string} */ name) => {
    document.documentElement.dataset.theme = name;
    keepSetting("theme", name);
    for (const field of fields) field.checked = field.value === name;
  };
  for (const field of fields) field.addEventListener("change", () => show(field.value));
  byId("toggle-theme").addEventListener("click", () => show(isDark() ? "light" : "dark"));
  show(setting("theme", "auto"));
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}

/** @param {Session} session */
function showHelp(session) {
  byId("help-lines").replaceChildren(helplinesView(session.countries, null));
  open(/** @type {HTMLDialogElement} */ (byId("help-dialog")));
}

async function exportAll() {
  const list = await api.conversations();
  const all = [];
  for (const { id } of list) all.push(JSON.parse(await (await api.exported(id, "json")).text()));
  save(new Blob([JSON.stringify(all, null, 2)], { type: "application/json" }), "hearten-everything.json");
}

async function deleteAll() {
  const text =
    "All your conversations, ratings, reports and edits will be deleted from this server, and this browser forgets its settings. Nobody can bring them back.";
  if (!(await confirm({ title: "Delete everything of yours?", text, yes: "Delete everything" }))) return;
  await api.forgetMe();
  forget();
  history.replaceState(null, "", location.pathname);
  location.reload();
}

/**
 * Let the person choose among the installed systems, where there is a choice.
 *
 * @param {Session} session
 * @returns {() => string | null}  the chosen one
 */
export function systemChoice(session) {
  const { systems } = session;
  const select = /** @type {HTMLSelectElement} */ (byId("system"));
  const about = byId("system-about");
  const chosen =
    systems.find((one) => one.id === setting("system", "")) ?? systems.find((one) => one.default) ?? systems[0];
  select.append(
    ...systems.map(({ id, title }) => element("option", { value: id, selected: id === chosen?.id }, title)),
  );
  const describe = () => (about.textContent = systems.find((one) => one.id === select.value)?.about ?? "");
  select.addEventListener("change", () => {
    keepSetting("system", select.value);
    describe();
  });
  describe();
  byId("system-choice").hidden = systems.length < 2;
  return () => select.value || null;
}
