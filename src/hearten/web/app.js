/** The chat page: puts its parts together. */

import * as api from "./api.js";
import { Composer } from "./composer.js";
import { ConversationView } from "./conversation.js";
import { country } from "./crisis.js";
import { attempt, plain, prepare, toast } from "./dialogs.js";
import { announce, byId, element } from "./dom.js";
import { icon } from "./icons.js";
import { notice } from "./notice.js";
import { feedbackDialogs } from "./report.js";
import { copy } from "./saving.js";
import { settings, systemChoice } from "./settings.js";
import { Sidebar } from "./sidebar.js";
import { Talk } from "./talk.js";
import { showTrajectory } from "./trajectory.js";

/** @import { Session, Turn } from "./types.js" */

const LENGTH = 4000;
const PLACE = "#/c/";

/** @param {Session} session */
function start(session) {
  const emotions = new Map(session.emotions.map((one) => [one.id, one]));
  const system = systemChoice(session);
  const view = new ConversationView(byId("turns"), byId("scroller"), {
    emotions,
    intents: new Map(session.intents.map((one) => [one.id, one])),
    countries: session.countries,
    correct: (turn, emotion) => worked(() => api.correctEmotion(turn.id, emotion), "Thank you, noted."),
    rate: (turn, value) => worked(() => api.rate(turn.id, value), value ? "Thank you." : ""),
    copy: (turn) => attempt(() => copy(turn.text).then(() => toast("Copied."))),
    edit: (turn) => dialogs.edit(turn),
    report: (turn) => dialogs.report(turn),
    regenerate: () => talk.regenerate(),
  });
  const dialogs = feedbackDialogs((/** @type {Turn} */ turn) => {
    view.put(turn);
    toast("Thank you. It will be looked at.");
  });
  const composer = new Composer({
    limit: session.limits.text ?? LENGTH,
    intents: session.intents,
    onsend: (text) => talk.send(text),
    onstop: () => talk.stop(),
  });
  const talk = new Talk(view, composer, {
    system,
    country: () => country(session.countries),
    onchange: () => changed(),
    onbusy: (isBusy) => document.body.classList.toggle("busy", isBusy),
  });
  const sidebar = new Sidebar({
    current: () => talk.id,
    onopen: (id) => (location.hash = PLACE + id),
    ondeleted: (id) => {
      if (id === talk.id) begin();
    },
    onrenamed: () => head(),
  });

  const head = () => {
    const summary = sidebar.conversations.find(({ id }) => id === talk.id);
    const title = summary?.title ?? talk.conversation?.title ?? "New conversation";
    byId("title").textContent = title;
    document.title = talk.id ? `${title} · hearten` : "hearten";
    document.body.classList.toggle("blank", !talk.id && view.turns.length === 0);
    const used = session.systems.find(({ id }) => id === talk.conversation?.system);
    byId("system-used").textContent = used && session.systems.length > 1 ? used.title : "";
  };
  const changed = async () => {
    if (talk.id && location.hash !== PLACE + talk.id) history.replaceState(null, "", PLACE + talk.id);
    head();
    await sidebar.refresh().catch(() => {}); // the list is only late; the conversation itself is there
    head();
  };
  const begin = () => {
    history.replaceState(null, "", location.pathname);
    talk.open(null);
    sidebar.show();
    head();
  };
  const visit = () =>
    attempt(async () => {
      const id = location.hash.startsWith(PLACE) ? location.hash.slice(PLACE.length) : "";
      if (id === talk.id && id) return;
      const conversation = id ? await api.read(id).catch(gone) : null;
      if (!conversation) return begin();
      talk.open(conversation);
      sidebar.show();
      head();
      announce(`Opened ${conversation.title}`);
    });

  prepareHead(talk, sidebar, () => showTrajectory(talk.id, emotions));
  byId("new").addEventListener("click", () => {
    begin();
    sidebar.setOpen(false);
    composer.focus();
  });
  for (const button of document.querySelectorAll("[data-starter]")) {
    button.addEventListener("click", () => composer.suggest(button.getAttribute("data-starter") ?? ""));
  }
  addEventListener("hashchange", visit);
  settings(session);
  notice(session, () => composer.focus());
  attempt(() => sidebar.refresh().then(head));
  visit();
}

/**
 * @param {Talk} talk
 * @param {Sidebar} sidebar
 * @param {() => void} onpath
 */
function prepareHead(talk, sidebar, onpath) {
  byId("open-trajectory").addEventListener("click", onpath);
  const more = byId("conversation-more");
  more.addEventListener("click", () => sidebar.showMenu({ id: talk.id, title: byId("title").textContent ?? "" }, more));
}

/** @param {unknown} error @returns {null} */
function gone(error) {
  if (!(error instanceof api.ApiError && error.status === 404)) throw error;
  toast("That conversation is no longer here.");
  return null;
}

/**
 * Do something small and say so; returns whether it worked.
 *
 * @param {() => Promise<unknown>} act
 * @param {string} done
 */
async function worked(act, done) {
  try {
    await act();
    if (done) toast(done);
    return true;
  } catch (error) {
    toast(plain(error), "alert");
    return false;
  }
}

/** Draw the icons of the buttons that are part of the page. */
function drawIcons() {
  for (const place of document.querySelectorAll("[data-icon]")) {
    place.prepend(icon(/** @type {any} */ (place.getAttribute("data-icon"))));
  }
}

async function open() {
  try {
    start(await api.session());
  } catch (error) {
    const again = element("button", { type: "button", class: "button", onclick: () => location.reload() }, "Try again");
    byId("trouble").replaceChildren(element("p", {}, plain(error)), again);
  }
}

drawIcons();
prepare();
open();
