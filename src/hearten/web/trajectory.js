/** How the conversation felt, message by message: a line of valence, drawn as SVG, and the same as a table. */

import * as api from "./api.js";
import { open, plain } from "./dialogs.js";
import { byId, element, svg } from "./dom.js";

/** @import { Emotion, Moment } from "./types.js" */

/** A narrower picture on a narrow screen, so that its words stay readable. */
const WIDTH = { wide: 640, narrow: 350 };
const HEIGHT = 260;
const NARROW = matchMedia("(max-width: 600px)");
const MARGIN = { left: 84, right: 24, top: 20, bottom: 36 };

/**
 * Ask for the trajectory of a conversation and show it in its dialog.
 *
 * @param {string} conversation
 * @param {Map<string, Emotion>} emotions
 */
export async function showTrajectory(conversation, emotions) {
  const place = byId("trajectory-plot");
  place.replaceChildren(element("p", { class: "muted" }, "One moment…"));
  open(/** @type {HTMLDialogElement} */ (byId("trajectory-dialog")));
  try {
    const moments = await api.trajectory(conversation);
    if (moments.length) place.replaceChildren(plot(moments, emotions), table(moments, emotions));
    else
      place.replaceChildren(
        element("p", { class: "muted" }, "There is nothing to see yet. It begins with your first message."),
      );
  } catch (error) {
    place.replaceChildren(element("p", { role: "alert" }, plain(error)));
  }
}

/**
 * Draw the line.
 *
 * @param {Moment[]} moments
 * @param {Map<string, Emotion>} emotions
 */
export function plot(moments, emotions) {
  const width = NARROW.matches ? WIDTH.narrow : WIDTH.wide;
  const points = moments.map((moment, at) => ({ ...moment, ...position(at, moments.length, moment.valence, width) }));
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    class: "plot",
    role: "img",
    "aria-label": inWords(moments),
  });
  picture.append(...axes(width));
  picture.append(svg("polyline", { class: "plot-line", points: points.map(({ x, y }) => `${x},${y}`).join(" ") }));
  for (const [at, point] of points.entries()) {
    const dot = svg("circle", { cx: point.x, cy: point.y, r: 7, class: "plot-dot" });
    dot.style.setProperty("--colour", emotions.get(point.emotion)?.colour ?? "currentColor");
    dot.append(svg("title", {}, `${at + 1}: ${point.emotion}`));
    picture.append(dot);
    if (isLabelled(at, moments)) {
      const above = point.y > MARGIN.top + 24;
      picture.append(
        svg(
          "text",
          {
            x: point.x,
            y: above ? point.y - 14 : point.y + 24,
            class: "plot-label",
            "text-anchor": anchor(at, moments.length),
          },
          point.emotion,
        ),
      );
    }
  }
  return picture;
}

/** @param {number} at @param {number} count @param {number} valence @param {number} width */
function position(at, count, valence, width) {
  const wide = width - MARGIN.left - MARGIN.right;
  const high = HEIGHT - MARGIN.top - MARGIN.bottom;
  const share = count > 1 ? at / (count - 1) : 0.5;
  return { x: MARGIN.left + share * wide, y: MARGIN.top + ((1 - valence) / 2) * high };
}

/** @param {number} width */
function axes(width) {
  const names = /** @type {[string, number][]} */ ([
    ["pleasant", 1],
    ["", 0],
    ["unpleasant", -1],
  ]);
  return names.flatMap(([name, valence]) => {
    const { y } = position(0, 1, valence, width);
    const line = svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y, class: "plot-grid" });
    return [line, svg("text", { x: 4, y: y + 4, class: "plot-axis" }, name)];
  });
}

/**
 * Label only where the emotion changes, and in long conversations not even each of those.
 *
 * @param {number} at
 * @param {Moment[]} moments
 */
function isLabelled(at, moments) {
  const isChange = at === 0 || moments[at].emotion !== moments[at - 1].emotion;
  return isChange && (moments.length <= 8 || at % Math.ceil(moments.length / 8) === 0 || at === moments.length - 1);
}

/** @param {number} at @param {number} count */
function anchor(at, count) {
  if (count === 1) return "middle";
  return at === 0 ? "start" : at === count - 1 ? "end" : "middle";
}

/** @param {Moment[]} moments */
function inWords(moments) {
  const first = moments[0].emotion;
  const last = moments[moments.length - 1].emotion;
  const ends = moments.length > 1 ? `, from ${first} to ${last}` : `: ${first}`;
  return `How it felt over ${moments.length} ${moments.length === 1 ? "message" : "messages"}${ends}`;
}

/** @param {Moment[]} moments @param {Map<string, Emotion>} emotions */
function table(moments, emotions) {
  const rows = moments.map(({ emotion }, at) =>
    element(
      "tr",
      {},
      element("td", {}, String(at + 1)),
      element("td", {}, emotion),
      element("td", {}, emotions.get(emotion)?.gloss ?? ""),
    ),
  );
  const head = element(
    "tr",
    {},
    ...["Message", "Emotion", "Somebody who"].map((name) => element("th", { scope: "col" }, name)),
  );
  return element(
    "details",
    { class: "small" },
    element("summary", {}, "As a table"),
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)),
  );
}
