/** How much came in on each day, as stacked bars and as a table. */

import { element, svg } from "./dom.js";

/** @typedef {{day: string, kind: string, count: number}} Count */

const NAMES = { report: "reports", edit: "edits", emotion: "emotions" };
const KINDS = /** @type {(keyof typeof NAMES)[]} */ (Object.keys(NAMES));
const WIDTH = 320;
const HEIGHT = 150;
const FOOT = 22;
const HEAD = 16;
/** The latest days that there is room for. */
const DAYS = 14;

/**
 * Show the counts.
 *
 * @param {Count[]} counts
 * @returns {(HTMLElement | SVGElement)[]}
 */
export function countsView(counts) {
  if (!counts.length) return [element("p", { class: "muted" }, "Nothing has come in yet.")];
  const days = [...new Set(counts.map(({ day }) => day))].sort().slice(-DAYS);
  const table = days.map((day) => ({ day, of: KINDS.map((kind) => total(counts, day, kind)) }));
  return [plot(table), legend(), asTable(table)];
}

/** @param {Count[]} counts @param {string} day @param {string} kind */
function total(counts, day, kind) {
  return counts.filter((one) => one.day === day && one.kind === kind).reduce((sum, { count }) => sum + count, 0);
}

/** @param {{day: string, of: number[]}[]} table */
function plot(table) {
  const sums = table.map(({ of }) => of.reduce((sum, count) => sum + count, 0));
  const most = Math.max(1, ...sums);
  const words = `Between ${table[0].day} and ${table[table.length - 1].day}, at most ${most} on a day`;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": words });
  const step = WIDTH / table.length;
  const base = HEIGHT - FOOT;
  picture.append(svg("line", { x1: 0, x2: WIDTH, y1: base, y2: base, class: "plot-grid" }));
  for (const [at, { day, of }] of table.entries()) {
    const wide = Math.min(26, step * 0.6);
    const x = at * step + (step - wide) / 2;
    let y = base;
    for (const [which, count] of of.entries()) {
      const high = (count / most) * (base - HEAD);
      y -= high;
      picture.append(svg("rect", { x, y, width: wide, height: high, class: `plot-bar series-${KINDS[which]}` }));
    }
    picture.append(
      svg("text", { x: x + wide / 2, y: y - 4, class: "plot-axis", "text-anchor": "middle" }, String(sums[at])),
    );
    if (table.length <= 7 || at % 3 === 0) {
      picture.append(
        svg("text", { x: x + wide / 2, y: HEIGHT - 6, class: "plot-axis", "text-anchor": "middle" }, day.slice(5)),
      );
    }
  }
  return picture;
}

function legend() {
  const rows = KINDS.map((kind) =>
    element("li", {}, element("span", { class: `swatch series-${kind}`, "aria-hidden": "true" }), NAMES[kind]),
  );
  return element("ul", { class: "legend small" }, ...rows);
}

/** @param {{day: string, of: number[]}[]} table */
function asTable(table) {
  const heads = ["Day", ...Object.values(NAMES)].map((name) => element("th", { scope: "col" }, name));
  const rows = table.map(({ day, of }) =>
    element("tr", {}, element("th", { scope: "row" }, day), ...of.map((count) => element("td", {}, String(count)))),
  );
  return element(
    "details",
    { class: "small" },
    element("summary", {}, "As a table"),
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)),
  );
}
