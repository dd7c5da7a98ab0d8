/** The server's API, one function for each endpoint, and its errors in plain words. */

/** @import { Conversation, Helpline, Moment, Session, Summary } from "./types.js" */

const ROOT = new URL("../", import.meta.url);

const PLAIN = /** @type {Record<number, string>} */ ({
  401: "That token was not accepted. Please check it and try again.",
  403: "The server did not accept this from this page. Please reload the page and try again.",
  404: "This is no longer here. It may have been deleted.",
  413: "That is more than can be read at once. Please make it shorter.",
  422: "The server could not read that. Please change it a little and try again.",
  429: "That was a lot at once. Please wait a moment and try again.",
  503: "Many people are writing just now. Please try again in a moment.",
  507: "The server has no room left to keep your words. Please try again later.",
});

/** A request that did not work out; `message` is meant for people. */
export class ApiError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {{status?: number, retryAfter?: number | null, isPassing?: boolean}} [more]
   */
  constructor(code, message, { status = 0, retryAfter = null, isPassing = false } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    /** Whether the same request may well succeed in a moment. */
    this.isPassing = isPassing;
  }
}

/** @param {string} [message] */
export function disconnected(message = "The connection was lost. Nothing you wrote is gone.") {
  return new ApiError("disconnected", message, { isPassing: true });
}

/**
 * Make a request; whatever fails is thrown as an ApiError.
 *
 * @param {string} method
 * @param {string} path  without a leading slash
 * @param {{body?: unknown, token?: string, signal?: AbortSignal, accept?: string}} [options]
 * @returns {Promise<Response>}
 */
export async function request(method, path, { body, token, signal, accept = "application/json" } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: accept };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  let response;
  try {
    response = await fetch(new URL(path, ROOT), { method, headers, body: sent, signal, credentials: "same-origin" });
  } catch (error) {
    if (signal?.aborted) throw error;
    const words = navigator.onLine ? "The server cannot be reached just now." : "You seem to be offline.";
    throw disconnected(`${words} Nothing you wrote is gone.`);
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** @param {Response} response */
async function refusal(response) {
  const status = response.status;
  const told = await response.json().catch(() => null);
  const wait = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const general =
    status >= 500
      ? "Something went wrong on our side. Please try again in a moment."
      : "That did not work. Please try again.";
  const message = told?.error?.message ?? PLAIN[status] ?? general;
  const isPassing = [429, 502, 503, 504].includes(status);
  return new ApiError(told?.error?.code ?? String(status), message, {
    status,
    retryAfter: Number.isNaN(wait) ? null : wait,
    isPassing,
  });
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, token?: string}} [options]
 * @returns {Promise<any>}
 */
export async function json(method, path, options) {
  const response = await request(method, path, options);
  return response.status === 204 ? null : response.json().catch(() => null);
}

/** @param {string} id */
const conversation = (id) => `api/conversations/${encodeURIComponent(id)}`;
/** @param {string} id */
const turn = (id) => `api/turns/${encodeURIComponent(id)}`;

/** @returns {Promise<Session>} */
export const session = () => json("GET", "api/session");
/** @param {boolean} research */
export const consent = (research) => json("PUT", "api/consent", { body: { research } });
/** @returns {Promise<Summary[]>} */
export const conversations = () => json("GET", "api/conversations");
/** @param {string | null} system @returns {Promise<Conversation>} */
export const create = (system) => json("POST", "api/conversations", { body: system ? { system } : {} });
/** @param {string} id @returns {Promise<Conversation>} */
export const read = (id) => json("GET", conversation(id));
/** @param {string} id @param {string} title */
export const rename = (id, title) => json("PATCH", conversation(id), { body: { title } });
/** @param {string} id */
export const remove = (id) => json("DELETE", conversation(id));
/** @param {string} id @returns {Promise<Moment[]>} */
export const trajectory = (id) => json("GET", `${conversation(id)}/trajectory`);
/** @param {string} id */
export const turnsPath = (id) => `${conversation(id)}/turns`;
/** @param {string} id */
export const regeneratePath = (id) => `${conversation(id)}/regenerate`;
/** @param {string} id */
export const stop = (id) => json("POST", `${turn(id)}/stop`);
/** @param {string} id @param {string} reason @param {string} note */
export const report = (id, reason, note) =>
  json("POST", `${turn(id)}/report`, { body: note ? { reason, note } : { reason } });
/** @param {string} id @param {string} text */
export const edit = (id, text) => json("POST", `${turn(id)}/edit`, { body: { text } });
/** @param {string} id @param {number} value */
export const rate = (id, value) => json("POST", `${turn(id)}/rating`, { body: { value } });
/** @param {string} id @param {string} emotion */
export const correctEmotion = (id, emotion) => json("POST", `${turn(id)}/emotion`, { body: { emotion } });
/** @param {string | null} country @returns {Promise<Helpline[]>} */
export const helplines = (country) =>
  json("GET", `api/helplines${country ? `?country=${encodeURIComponent(country)}` : ""}`);
export const forgetMe = () => json("DELETE", "api/me");
/** @param {string} id @param {"json" | "markdown"} format */
export const exported = async (id, format) =>
  (await request("GET", `${conversation(id)}/export?format=${format}`, { accept: "*/*" })).blob();
