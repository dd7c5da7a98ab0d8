/** What this browser remembers: settings for good, words that are not sent yet only as long as the tab is open. */

/**
 * Something said, with its idempotency key; `after` counts the turns before it, to see later whether it arrived.
 *
 * @typedef {{key: string, text: string, intent: string | null, country: string | null, after: number}} Message
 */

const PREFIX = "hearten.";

/**
 * Read a setting; a browser that keeps nothing gives the default.
 *
 * @param {string} name
 * @param {string} otherwise
 */
export function setting(name, otherwise) {
  return get(() => localStorage, name) ?? otherwise;
}

/** @param {string} name @param {string} value */
export function keepSetting(name, value) {
  put(() => localStorage, name, value);
}

/** @param {string} conversation  "" for one that has not begun */
export function draft(conversation) {
  return get(() => sessionStorage, `draft.${conversation}`) ?? "";
}

/** @param {string} conversation @param {string} text */
export function keepDraft(conversation, text) {
  put(() => sessionStorage, `draft.${conversation}`, text || null);
}

/**
 * Return the message that was sent without an answer so far, to be sent again with the same key.
 *
 * @param {string} conversation
 * @returns {Message | null}
 */
export function unanswered(conversation) {
  const kept = get(() => sessionStorage, `message.${conversation}`);
  return kept ? JSON.parse(kept) : null;
}

/** @param {string} conversation @param {Message | null} message */
export function keepUnanswered(conversation, message) {
  put(() => sessionStorage, `message.${conversation}`, message && JSON.stringify(message));
}

/** Forget everything, settings too. */
export function forget() {
  for (const storage of [localStorage, sessionStorage]) {
    const own = Object.keys(storage).filter((name) => name.startsWith(PREFIX));
    for (const name of own) storage.removeItem(name);
  }
}

/** @param {() => Storage} storage @param {string} name */
function get(storage, name) {
  try {
    return storage().getItem(PREFIX + name);
  } catch {
    return null; // storage is switched off: the page works without
  }
}

/** @param {() => Storage} storage @param {string} name @param {string | null} value */
function put(storage, name, value) {
  try {
    if (value === null) storage().removeItem(PREFIX + name);
    else storage().setItem(PREFIX + name, value);
  } catch {
    // storage is switched off or full: the page works without
  }
}
