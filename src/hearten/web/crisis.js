/** People to reach: the card that is shown in a crisis, and the same list on request. */

import * as api from "./api.js";
import { plain } from "./dialogs.js";
import { capitalised, element } from "./dom.js";
import { keepSetting, setting } from "./keeping.js";

/** @import { Crisis, Helpline } from "./types.js" */

/** What is called when the server cannot be asked: nobody is left without an answer. */
const WITHOUT_SERVER = [
  { name: "Emergency services in most countries", number: "112", about: "" },
  { name: "Helplines of the world", number: "findahelpline.com", about: "" },
];

/**
 * Return the person's country: chosen before, or guessed from the language of the browser.
 *
 * @param {string[]} countries
 * @returns {string | null}
 */
export function country(countries) {
  const chosen = setting("country", "");
  if (countries.includes(chosen)) return chosen;
  const guessed = new Intl.Locale(navigator.language).region ?? "";
  return countries.includes(guessed) ? guessed : null;
}

/**
 * Show the card of a crisis in place of an ordinary reply.
 *
 * @param {Crisis} crisis
 * @param {string[]} countries
 */
export function crisisCard(crisis, countries) {
  const heading = element("h3", {}, "You don’t have to be alone with this");
  const text = element("p", { class: "words" }, crisis.text);
  return element(
    "section",
    { class: "crisis", "aria-label": "People you can reach now" },
    heading,
    text,
    helplinesView(countries, crisis.helplines),
  );
}

/**
 * Show helplines with a chooser of the country.
 *
 * @param {string[]} countries
 * @param {Helpline[] | null} given  those of the present country; null: ask the server
 */
export function helplinesView(countries, given) {
  const list = element("ul", { class: "helplines" });
  const note = element("p", { class: "small", role: "status" });
  const select = chooser(countries);
  const load = async () => {
    try {
      fill(list, await api.helplines(select.value || null));
      note.textContent = "";
    } catch (error) {
      fill(list, WITHOUT_SERVER);
      note.textContent = plain(error);
    }
  };
  select.addEventListener("change", () => {
    keepSetting("country", select.value);
    load();
  });
  if (given) fill(list, given);
  else load();
  const label = element("label", { class: "small" }, "Your country ", select);
  return element("div", { class: "help" }, list, note, label);
}

/** @param {string[]} countries */
function chooser(countries) {
  const present = country(countries);
  const names = new Intl.DisplayNames(["en"], { type: "region" });
  const named = countries.map((code) => ({ code, name: names.of(code) ?? code }));
  named.sort((one, other) => one.name.localeCompare(other.name));
  const options = named.map(({ code, name }) => element("option", { value: code, selected: code === present }, name));
  return element("select", {}, element("option", { value: "", selected: !present }, "Elsewhere"), ...options);
}

/** @param {HTMLElement} list @param {Helpline[]} helplines */
function fill(list, helplines) {
  const rows = helplines.map(({ name, number, about }) => {
    const who = element(
      "span",
      { class: "who" },
      capitalised(name),
      about ? element("span", { class: "small muted" }, about) : null,
    );
    return element("li", {}, who, element("span", { class: "ways" }, ...ways(number)));
  });
  list.replaceChildren(...rows);
}

/**
 * Make links of "116 123 or 0800 1110", or of a web address.
 *
 * @param {string} number
 */
function ways(number) {
  return number.split(" or ").map((way) => {
    if (/[a-z]\.[a-z]/i.test(way)) {
      const href = `https://${way.replace(/^https?:\/\//, "")}`;
      return element("a", { href, target: "_blank", rel: "noopener noreferrer" }, way);
    }
    return element("a", { href: `tel:${way.replace(/[^\d+*#]/g, "")}` }, way);
  });
}
