// Pictures for two attributes: the map of the four cases, and distortion matrices (chapter two-attributes).

import { line } from "./draw.mjs";
import { twoAttributes } from "./levels.mjs";
import { num, percent } from "./numbers.mjs";
import { short } from "./pictures.mjs";
import { plane } from "./plane.mjs";
import { problem, sum } from "./problem.mjs";

// How far the map reaches.
export const reach = ({ levels }) => Math.max(4.5, ...levels);

// The map and the point on it. `unscale` takes a place to levels, `probe` says what is there.
export function map({ given, names }, most, width) {
  const side = Math.min(width, 400);
  const { x, y, left, right, top, bottom, body } = plane(given.sizes, most, side, names.map(short));
  const shown = [x(given.levels[0]), y(given.levels[1])];
  const guides = line("guide", shown[0], bottom, ...shown, left, shown[1]);
  const unscale = (u, v) => [((u - left) * most) / (right - left), ((bottom - v) * most) / (bottom - top)];
  const probe = (u, v) => {
    const levels = unscale(u, v);
    if (levels.some((level) => level < 0.01 || level > most)) return "";
    const { label, epsilon } = twoAttributes(problem(given.sizes, levels));
    const saved = percent(Math.max(0, 1 - epsilon / sum(levels)));
    return `${levels.map((level) => num(level, 3)).join(" and ")}: case (${label}), saves ${saved}`;
  };
  return { width: side, height: side, body: body + guides, shown, unscale, probe };
}

// The chance of each record: truth, a flip of 1, of 2, of both.
export function chances({ given: { levels }, two }, times) {
  return [
    [sum(levels), levels[1], levels[0], 0],
    [two.truth, ...two.single, 0],
  ].map((heights) => {
    const x = heights.map((h) => Math.exp(h - Math.max(...heights)));
    return x.map((v) => v / sum(x.map((u, s) => times[s] * u)));
  });
}

// A distortion matrix, at most five values of each.
export function matrix({ given }, all, which, width) {
  const [m, n] = given.sizes.map((a) => Math.min(a, 5));
  const cells = ["", "", "", ""];
  for (let c = 0; c < (m * n) ** 2; c++) {
    const [u, v] = [Math.floor(c / (m * n)), c % (m * n)];
    const first = Math.floor(u / n) !== Math.floor(v / n);
    cells[Number(first) + 2 * Number(u % n !== v % n)] += `M${v} ${u}h1v1h-1z`;
  }
  const logs = all.map((row) => row.map((chance) => Math.max(Math.log(chance), -700)));
  const [low, high] = [Math.min(...logs.flat()), Math.max(...logs.flat())];
  const heat = (s) => (0.05 + (0.95 * (logs[which][s] - low)) / (high - low)).toFixed(3);
  const body = cells.map((d, s) => `<path class="heat" fill-opacity="${heat(s)}" d="${d}"/>`).join("");
  const scale = width / (m * n);
  return {
    width,
    height: width,
    body: `<g transform="scale(${scale})" shape-rendering="crispEdges">${body}</g>`,
    probe: (u, v) => {
      const [row, column] = [Math.floor(v / scale), Math.floor(u / scale)];
      const [first, second] = [Math.floor(row / n) !== Math.floor(column / n), row % n !== column % n];
      return num(all[which][Number(first) + 2 * Number(second)], 4);
    },
  };
}
