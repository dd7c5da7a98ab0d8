/** Server-sent events over fetch, and a message that is delivered once over as many attempts as it takes. */

import { ApiError, disconnected, request } from "./api.js";

/** @typedef {{event: string, data: any}} ServerEvent */

/** Seconds between attempts when the server names none. */
const PAUSES = [1, 3, 8];
/** The longest wait, in seconds, that is taken without asking the person. */
const PATIENCE = 20;

/**
 * Read the events of a response.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* events(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value.replaceAll("\r", "")).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const parsed = parse(block);
        if (parsed) yield parsed;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * @param {string} block  the lines of one event
 * @returns {ServerEvent | null}
 */
export function parse(block) {
  let event = "message";
  /** @type {string[]} */
  const data = [];
  for (const line of block.split("\n")) {
    const [field, value] = divide(line);
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}

/** @param {string} line @returns {[string, string]} */
function divide(line) {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}

/**
 * Post a body, with its idempotency key, until the reply is here; each attempt sends the very same body.
 *
 * @param {string} path
 * @param {object} body
 * @param {object} watcher
 * @param {(event: ServerEvent) => void} watcher.onevent
 * @param {() => void} watcher.onattempt  before each attempt: what was streamed so far will come again
 * @param {(error: ApiError, seconds: number) => void} watcher.onpause  between attempts
 * @param {AbortSignal} signal
 */
export async function deliver(path, body, watcher, signal) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      watcher.onattempt();
      await once(path, body, watcher.onevent, signal);
      return;
    } catch (error) {
      const seconds = error instanceof ApiError ? patience(error, attempt) : null;
      if (signal.aborted || seconds === null) throw error;
      watcher.onpause(/** @type {ApiError} */ (error), seconds);
      await pause(seconds, signal);
    }
  }
}

/**
 * Say how long to wait before another attempt, in seconds; null: the person has to decide.
 *
 * @param {ApiError} error
 * @param {number} attempt
 */
function patience(error, attempt) {
  if (!error.isPassing || attempt >= PAUSES.length) return null;
  const seconds = error.retryAfter ?? PAUSES[attempt];
  return seconds <= PATIENCE ? seconds : null;
}

/**
 * @param {string} path
 * @param {object} body
 * @param {(event: ServerEvent) => void} onevent
 * @param {AbortSignal} signal
 */
async function once(path, body, onevent, signal) {
  const response = await request("POST", path, { body, signal, accept: "text/event-stream" });
  try {
    for await (const event of events(response)) {
      if (event.event === "error") throw new ApiError(event.data.code, event.data.message);
      onevent(event);
      if (event.event === "reply") return;
    }
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error;
  }
  throw disconnected("The connection was lost before the reply was complete.");
}

/**
 * Wait, but not longer than until the device is online again.
 *
 * @param {number} seconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(seconds, signal) {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      window.removeEventListener("online", finish);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, seconds * 1000);
    window.addEventListener("online", finish);
    signal.addEventListener("abort", finish);
  });
}

/** Make an idempotency key; works without a secure context, where crypto.randomUUID is missing. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
