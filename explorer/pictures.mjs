// Pictures of the explorer, as strings of SVG in the width that there is.

import { choose, mix, product } from "./cube.mjs";
import { at, frame, line, mark, text } from "./draw.mjs";
import { bounds, num } from "./numbers.mjs";
import { plane } from "./plane.mjs";
import { sum } from "./problem.mjs";

// Overall levels and, where it falls back, the levels that the heuristic achieved.
export function overview({ given, kronecker, floor, information, heuristic, optimum, achieved }, width) {
  const fallen = heuristic.fellBack.includes(true);
  const total = sum(heuristic.given.levels);
  let { x, body } = frame(
    width,
    10,
    190,
    Math.max(kronecker, total, heuristic.epsilon),
    "overall level (nats)",
  );
  const row = (j, method, name, value, shown, parts, others = "") => {
    const y = 46 * j + 36;
    let end = 0;
    body +=
      text(10, y - 12, `<tspan class="bold">${name}</tspan> ${shown}`) +
      line(`${method} line`, x(0), y, x(value), y);
    for (const part of parts.slice(0, -1))
      body += line(`${method} tick`, x((end += part)), y - 6, x(end), y + 6);
    body += others + mark(method, x(value), y);
  };
  const hollow = (method, value, y) => mark(method, x(value), y, "hollow");
  const rivals = fallen ? hollow("kronecker", total, 82) + hollow("optimum", achieved.upper, 82) : "";
  const proved = optimum.exact ? "" : hollow("optimum", optimum.lower, 128);
  row(0, "kronecker", "Kronecker", kronecker, num(kronecker), given.levels);
  row(
    1,
    "heuristic",
    `heuristic${fallen ? ", at the levels it achieved" : ""}`,
    heuristic.epsilon,
    num(heuristic.epsilon),
    [],
    rivals,
  );
  body += line("saved", x(optimum.upper), 128, x(kronecker), 128);
  row(2, "optimum", "optimum", optimum.upper, bounds(optimum), [], proved);
  row(3, "floor", "information floor", floor, num(floor), information);
  if (!fallen) return { width, height: 230, body };
  const lists = [
    ["kronecker", given.levels, "hollow"],
    ["heuristic", heuristic.given.levels],
  ];
  const below = rows(lists, "level achieved, hollow: asked (nats)", 0, width);
  return {
    width,
    height: 234 + below.height,
    body: `${body}<g transform="translate(0 234)">${below.body}</g>`,
  };
}

// A row for each attribute, with a mark for each list of levels; `end` is where a line is drawn.
export function rows(lists, title, end, width) {
  const bottom = 28 * lists[0][1].length + 16;
  let { x, top, body } = frame(
    width,
    92,
    bottom,
    Math.max(end, ...lists.flatMap(([, levels]) => levels)),
    title,
  );
  if (end) body += line("optimum line thin", x(end), top, x(end), bottom);
  lists[0][1].forEach((_, i) => {
    const y = 28 * i + 26;
    const places = lists.map(([, levels]) => x(levels[i]));
    body +=
      text(10, y + 4, `attribute ${i + 1}`, "small") +
      line("guide", Math.min(...places), y, Math.max(...places), y);
    lists.forEach(([method, , more], j) => (body += mark(method, places[j], y, more)));
  });
  return { width, height: bottom + 40, body };
}

// How far the map reaches; while a point is dragged, as far as before.
export const mapRange = ({ levels }) => mapRange.held || Math.max(4.5, ...levels);

// The map of the four cases for two attributes, with the place of the levels.
export function map({ given }, width) {
  const side = Math.min(width, 400);
  const { x, y, body } = plane(given.sizes, mapRange(given), side);
  const [e1, e2] = [x(given.levels[0]), y(given.levels[1])];
  return {
    width: side,
    height: side,
    body: body + line("guide", e1, y(0), e1, e2, x(0), e2) + mark("optimum", e1, e2),
  };
}

// For two attributes, the chance of each record: truth, a lie about 1, about 2, two lies.
export function chances({ given: { sizes, levels }, two }, times) {
  return [
    [sum(levels), levels[1], levels[0], 0],
    [two.truth, ...two.single, 0],
  ].map((heights) => {
    const x = heights.map((h) => Math.exp(h - Math.max(...heights)));
    return x.map((v) => v / sum(x.map((u, s) => times[s] * u)));
  });
}

// A distortion matrix for two attributes, at most five values of each.
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
  return {
    width,
    height: width,
    body: `<g transform="scale(${width / (m * n)})" shape-rendering="crispEdges">${body}</g>`,
  };
}

// What lies weigh, the radius of the ball, and how many flip sets are in, on and out of it.
export function shape({ given, optimum: { states, weights } }) {
  const { kinds, lies } = states;
  const cost = mix(
    kinds.map(({ members }) => weights[members[0]]),
    lies,
  );
  const radius = sum(weights.map((y, i) => y * given.q[i]));
  const sets = [0, 0, 0];
  cost.forEach((c, s) => {
    const side = Math.abs(c - radius) <= 1e-8 * radius ? 1 : c < radius ? 0 : 2;
    sets[side] += kinds.reduce((ways, { n }, g) => ways * choose(n, lies[g][s]), 1);
  });
  return { cost, radius, sets };
}

// Heights of all flip sets against their weighted number of lies.
export function ball({ kronecker, optimum: { states, heights } }, { cost, radius }, width) {
  let { x, y, top, body } = frame(width, 36, 240, Math.max(...cost) || 1, "weighted number of lies", [
    0,
    kronecker,
  ]);
  body += line("guide", x(radius), top, x(radius), 240);
  for (const [method, all] of Object.entries({ kronecker: product(states), optimum: heights })) {
    const places = Array.from(cost, (c, s) => [x(c), y(all[s])]);
    if (places.length <= 128) for (const place of places) body += mark(method, ...place, "faint");
    else body += `<path class="${method} dots" d="${places.map((place) => `M${at(...place)}h0`).join("")}"/>`;
  }
  return { width, height: 280, body };
}

export function frontier({ kronecker, optimum: { upper } }, { points, most, end, mine, slack }, width) {
  const low = Math.max(0, upper - 0.2 * (kronecker - upper));
  let { x, y, top, body } = frame(width, 52, 240, 100 * most, "slack (%)", [low, kronecker]);
  const place = (p) => [x(100 * p.slack), y(p.epsilon)];
  body += line("optimum line thin", x(0), y(upper), x(100 * most), y(upper));
  body += line("guarded line", ...points.flatMap(place)) + mark("kronecker", ...place(points[0]));
  if (end <= most) body += mark("optimum", x(100 * end), y(upper));
  if (mine && slack <= most) {
    body +=
      line("guide", x(100 * slack), top, x(100 * slack), 240) + mark("guarded", ...place({ ...mine, slack }));
  }
  return { width, height: 280, body };
}
