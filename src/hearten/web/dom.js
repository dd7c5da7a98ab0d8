/** Making and finding elements. Text only ever enters the page as text: nothing here parses HTML. */

/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/**
 * Make an element; `on…` attributes are listeners, `true` sets an empty attribute, `false` and null leave it out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/**
 * Find the element with this id; a missing one is a mistake in the page.
 *
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @returns {Kind}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element #${id}`);
  return /** @type {Kind} */ (found);
}

/**
 * Make an SVG element.
 *
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** @param {string} text  said once by a screen reader, shown nowhere */
export function announce(text) {
  byId("announcer").textContent = text;
}

/** @param {string} text */
export function capitalised(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}

/**
 * Say when something was, as a person would.
 *
 * @param {string} moment  ISO 8601
 */
export function when(moment) {
  const date = new Date(moment);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short" });
}
