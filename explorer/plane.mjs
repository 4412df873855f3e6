// The map of the four cases for two attributes, with the borders of chapter two-attributes.

import { frame, line, text } from "./draw.mjs";
import { twoAttributes } from "./levels.mjs";
import { problem, sum } from "./problem.mjs";

const CELLS = 46; // the map is drawn in so many squares each way

// The map up to levels of `most`; the darker, the more is saved on the sum of the levels.
export function plane(sizes, most, side) {
  const [m, n] = sizes;
  let { x, y, top, right, body } = frame(side, 42, side - 42, most, "level of attribute 1", [0, most]);
  const [cases, tints] = [{}, new Array(6).fill("")];
  for (let c = 0; c < CELLS ** 2; c++) {
    const place = [c % CELLS, Math.floor(c / CELLS)];
    const levels = place.map((v) => ((v + 0.5) * most) / CELLS);
    const { label, epsilon } = twoAttributes(problem(sizes, levels));
    cases[label] ??= [];
    cases[label].push(levels);
    tints[Math.max(0, Math.min(Math.floor(14 * (1 - epsilon / sum(levels))), 5))] +=
      `M${place[0]} ${CELLS - 1 - place[1]}h1v1h-1z`;
  }
  const scale = `translate(42 ${top}) scale(${(right - 42) / CELLS} ${(side - 42 - top) / CELLS})`;
  const cells = tints.map((d, t) => `<path class="tint" fill-opacity="${0.02 + 0.08 * t}" d="${d}"/>`);
  body += `<g id="ex-plane" transform="${scale}" shape-rendering="crispEdges">${cells.join("")}</g>`;
  const total = Math.log((m - 1) * (n - 1));
  const border = (style, height, part) => {
    const all = Array.from({ length: 201 }, (_, i) => [(most * i) / 200, height((most * i) / 200)]);
    const kept = all.filter(([a, b]) => b >= 0 && b <= most && part * (a + b - total) >= -1e-9);
    if (kept.length > 1) body += line(`border ${style}`, ...kept.flatMap(([a, b]) => [x(a), y(b)]));
  };
  border("heavy", (e) => total - e, 0);
  border("dashed", (e) => Math.log1p((n * Math.expm1(e)) / m), 1);
  border("dotted", (e) => -Math.log1p((((m - 1) * n) / (m * (n - 1))) * Math.expm1(-e)), -1);
  for (const [label, places] of Object.entries(cases)) {
    const [a, b] = [0, 1].map((i) => sum(places.map((place) => place[i])) / places.length);
    if (places.length > 20) body += text(x(a), y(b) + 5, label, "middle bold");
  }
  body += `<text class="small end" transform="translate(12 ${top}) rotate(-90)">level of attribute 2</text>`;
  return { x, y, left: 42, right, top, bottom: side - 42, body };
}
