/** Sending a message and receiving its reply, so that no word is lost and none is sent twice. */

import * as api from "./api.js";
import { plain } from "./dialogs.js";
import { announce } from "./dom.js";
import { keepUnanswered, unanswered } from "./keeping.js";
import { deliver, newKey } from "./stream.js";

/** @import { ApiError } from "./api.js" */
/** @import { Composer } from "./composer.js" */
/** @import { ConversationView } from "./conversation.js" */
/** @import { Message } from "./keeping.js" */
/** @import { ServerEvent } from "./stream.js" */
/** @import { Conversation, Turn } from "./types.js" */

/** Milliseconds that a stopped reply has to arrive as far as it got. */
const STOPPING = 3000;

/** One conversation with the server. */
export class Talk {
  /** @type {Conversation | null} */
  conversation = null;
  /** @type {{controller: AbortController, turn: string | null} | null} */
  #running = null;

  /**
   * @param {ConversationView} view
   * @param {Composer} composer
   * @param {object} around
   * @param {() => string | null} around.system
   * @param {() => string | null} around.country
   * @param {() => void} around.onchange
   * @param {(isBusy: boolean) => void} around.onbusy
   */
  constructor(view, composer, around) {
    this.view = view;
    this.composer = composer;
    this.around = around;
  }

  get id() {
    return this.conversation?.id ?? "";
  }

  /** @param {Conversation | null} conversation  null: one that has not begun */
  open(conversation) {
    this.#leave();
    this.conversation = conversation;
    this.view.show(conversation?.turns ?? []);
    this.composer.open(this.id);
    this.#resume(unanswered(this.id));
  }

  /** @param {Message | null} message  sent before, and not answered as far as we know */
  #resume(message) {
    const { turns } = this.view;
    const isWaiting = turns.at(-1)?.role === "speaker";
    if (message && turns.length <= message.after) this.composer.giveBack(message.text);
    else if (message && isWaiting) this.#exchange(message);
    else if (isWaiting)
      this.composer.trouble("Your last message has no reply yet.", "Answer now", () => this.regenerate());
    else keepUnanswered(this.id, null);
  }

  /** @param {string} text */
  async send(text) {
    if (this.#running) return;
    const kept = unanswered(this.id);
    const { intent } = this.composer;
    const isSame = kept?.text === text && kept.intent === intent;
    const after = this.view.turns.length;
    const message = isSame ? kept : { key: newKey(), text, intent, country: this.around.country(), after };
    this.composer.taken();
    this.view.addPending(text);
    await this.#exchange(message);
  }

  /** @param {Message} message */
  async #exchange(message) {
    const running = this.#begin();
    keepUnanswered(this.id, message);
    try {
      await this.#ensureConversation(message, running);
      const { key, text, intent, country } = message;
      await this.#deliver(api.turnsPath(this.id), withoutNull({ key, text, intent, country }), null, running);
      keepUnanswered(this.id, null);
    } catch (error) {
      if (this.#isCurrent(running)) this.#failed(error, message, running);
    } finally {
      this.#end(running);
    }
  }

  /** Ask for another reply to the last message. */
  async regenerate(key = newKey()) {
    if (this.#running || !this.conversation) return;
    const running = this.#begin();
    running.turn = this.view.last("speaker")?.id ?? null;
    const replaced = this.view.turns.at(-1)?.role === "listener" ? this.view.last("listener") : null;
    try {
      const body = withoutNull({ key, country: this.around.country() });
      await this.#deliver(api.regeneratePath(this.id), body, replaced, running);
    } catch (error) {
      if (!this.#isCurrent(running)) return;
      this.view.dropReply();
      if (!isStopped(error, running)) this.composer.trouble(plain(error), "Try again", () => this.regenerate(key));
    } finally {
      this.#end(running);
    }
  }

  /** Stop the reply that is being written; what is there of it stays. */
  async stop() {
    const running = this.#running;
    if (!running) return;
    announce("Stopped.");
    if (!running.turn) return running.controller.abort();
    setTimeout(() => running.controller.abort(), STOPPING);
    await api.stop(running.turn).catch(() => running.controller.abort());
  }

  /** @param {Message} message @param {{controller: AbortController}} running */
  async #ensureConversation(message, running) {
    if (this.conversation) return;
    const begun = await api.create(this.around.system());
    running.controller.signal.throwIfAborted(); // the person went elsewhere meanwhile
    this.conversation = begun;
    keepUnanswered("", null);
    keepUnanswered(this.id, message);
    this.composer.moved(this.id);
    this.around.onchange();
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {Turn | null} replaced
   * @param {{controller: AbortController, turn: string | null}} running
   */
  async #deliver(path, body, replaced, running) {
    const { signal } = running.controller;
    const watcher = {
      onattempt: () => {
        this.composer.note("");
        this.view.beginReply(replaced);
      },
      onevent: (/** @type {ServerEvent} */ event) => signal.aborted || this.#receive(event, running),
      onpause: (/** @type {ApiError} */ error, /** @type {number} */ seconds) => {
        this.view.dropReply();
        this.composer.note(`${error.message} Trying again in ${seconds} s…`);
      },
    };
    await deliver(path, body, watcher, signal);
    this.around.onchange();
  }

  /** @param {ServerEvent} event @param {{turn: string | null}} running */
  #receive({ event, data }, running) {
    if (event === "turn") {
      running.turn = data.turn.id;
      this.view.confirm(data.turn);
      if (this.view.turns.length === 1) this.around.onchange(); // the first words are its title
    } else if (event === "reading") this.view.setReading(data.turn_id, data);
    else if (event === "piece") this.view.append(data.text);
    else if (event === "reply") this.view.finishReply(data.turn);
  }

  /**
   * @param {unknown} error
   * @param {Message} message
   * @param {{controller: AbortController, turn: string | null}} running
   */
  #failed(error, message, running) {
    this.view.dropReply();
    if (running.turn && isStopped(error, running)) {
      keepUnanswered(this.id, null); // the server remembers the stop, so only another reply can be asked for
      this.composer.trouble("Stopped before there was a reply.", "Answer now", () => this.regenerate());
    } else if (running.turn) {
      this.composer.trouble(plain(error), "Try again", () => this.#exchange(message));
    } else {
      this.view.dropPending();
      this.composer.giveBack(message.text);
      if (!isStopped(error, running)) this.composer.trouble(plain(error), "Try again", () => this.composer.submit());
    }
  }

  #begin() {
    const running = { controller: new AbortController(), turn: /** @type {string | null} */ (null) };
    this.#running = running;
    this.composer.setBusy(true);
    this.around.onbusy(true);
    return running;
  }

  /** @param {object} running  false once the person has gone to another conversation */
  #isCurrent(running) {
    return running === this.#running;
  }

  /** Let go of what is under way; whoever comes back to it finds it resumed. */
  #leave() {
    const running = this.#running;
    if (!running) return;
    this.#end(running);
    running.controller.abort();
  }

  /** @param {object} running */
  #end(running) {
    if (!this.#isCurrent(running)) return;
    this.#running = null;
    this.composer.setBusy(false);
    this.composer.note("");
    this.around.onbusy(false);
  }
}

/**
 * Say whether the person ended it, by what the server says or by hanging up here.
 *
 * @param {unknown} error
 * @param {{controller: AbortController}} running
 */
function isStopped(error, running) {
  return running.controller.signal.aborted || (error instanceof api.ApiError && error.code === "stopped");
}

/** @param {object} body */
function withoutNull(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
