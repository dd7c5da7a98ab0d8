/** The page's own icons, drawn as strokes on a grid of 24. */

import { element, svg } from "./dom.js";

/** @import { Attributes } from "./dom.js" */

const ICONS = {
  copy: "M9 9V5.5A1.5 1.5 0 0 1 10.5 4h8A1.5 1.5 0 0 1 20 5.5v8a1.5 1.5 0 0 1-1.5 1.5H15M5.5 9h8A1.5 1.5 0 0 1 15 10.5v8a1.5 1.5 0 0 1-1.5 1.5h-8A1.5 1.5 0 0 1 4 18.5v-8A1.5 1.5 0 0 1 5.5 9Z",
  done: "m5 12.5 4.5 4.5L19 7.5",
  again: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9M19.5 4.5V9H15",
  edit: "M4 20h4L19.2 8.8a2.1 2.1 0 0 0-3-3L5 17v3M14 8l3 3",
  report: "M6 21V4.5M6 5c4-2.5 8 2.5 12 0v9c-4 2.5-8-2.5-12 0",
  up: "M7.5 10.5v9H4.5v-9h3Zm0 0L11.5 3.5a2 2 0 0 1 2 2.3L13 9h5a2 2 0 0 1 2 2.3l-1 6.5a2 2 0 0 1-2 1.7H7.5",
  down: "M16.5 13.5v-9h3v9h-3Zm0 0-4 7a2 2 0 0 1-2-2.3L11 15H6a2 2 0 0 1-2-2.3l1-6.5a2 2 0 0 1 2-1.7h9.5",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  plus: "M12 5v14M5 12h14",
  close: "m6 6 12 12M18 6 6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7.5 7.5h9v9h-9z",
  path: "M4 16c3 0 3.5-7 7-7s4 5 9-3M4 20h16",
  theme: "M12 4a8 8 0 1 0 0 16V4Zm0 0a8 8 0 0 1 0 16",
  settings: "M4 8h9M17 8h3M4 16h3M11 16h9M15 5.8v4.4M9 13.8v4.4",
  help: "M12 20s-7.5-4.4-7.5-10A4.2 4.2 0 0 1 12 7.3 4.2 4.2 0 0 1 19.5 10c0 5.6-7.5 10-7.5 10Z",
};

/**
 * Draw one of the page's own icons; it says nothing to a screen reader, so its button needs a label.
 *
 * @param {keyof typeof ICONS} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const picture = svg("svg", {
    viewBox: "0 0 24 24",
    "aria-hidden": "true",
    class: `icon ${name}`,
    focusable: "false",
  });
  picture.append(svg("path", { d: ICONS[name] }));
  return picture;
}

/**
 * Make a button that shows only an icon and says its label.
 *
 * @param {keyof typeof ICONS} name
 * @param {string} label
 * @param {(event: Event) => void} onclick
 * @param {Attributes} [attributes]
 */
export function iconButton(name, label, onclick, attributes = {}) {
  const given = { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...attributes };
  return element("button", given, icon(name));
}
