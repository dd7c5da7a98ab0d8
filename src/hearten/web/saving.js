/** Taking text out of the page: as a file, or to the clipboard. */

import { element } from "./dom.js";

/**
 * Save something as a file.
 *
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * Copy a text; where the page is not served securely there is only the old way.
 *
 * @param {string} text
 */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = element("textarea", { class: "visually-hidden", "aria-hidden": "true" });
  box.value = text;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}
