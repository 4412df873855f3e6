// Pictures of the explorer, as strings of SVG in the width that there is. `spots` are what can be read off: a place,
// and what stands there.

import { choose, mix, product } from "./cube.mjs";
import { at, frame, line, mark, text } from "./draw.mjs";
import { bounds, num, percent } from "./numbers.mjs";
import { sum } from "./problem.mjs";
import { safe } from "./words.mjs";

export const short = (name) => safe([...name].length > 13 ? `${[...name].slice(0, 12).join("")}…` : name);

// Overall levels. What the heuristic makes of other levels stands apart, beside its rivals at those levels.
export function overview(model, width) {
  const { given, names, kronecker, floor, information, heuristic, optimum, achieved, fallen } = model;
  const total = sum(heuristic.given.levels);
  const own = ["heuristic", heuristic.epsilon, num(heuristic.epsilon), []];
  const rows = [
    ["Kronecker", kronecker, num(kronecker), given.levels],
    ...(fallen ? [] : [own]),
    ["optimum", optimum.upper, bounds(optimum), [], optimum],
    ["information floor", floor, num(floor), information],
  ];
  const apart = fallen && [
    ["Kronecker", total, num(total), heuristic.given.levels],
    own,
    ["optimum", achieved.upper, bounds(achieved), [], achieved],
  ];
  const bottom = 46 * (rows.length + (fallen ? 4 : 0)) + 8;
  const most = Math.max(kronecker, total, heuristic.epsilon);
  let { x, body } = frame(width, 10, bottom, most, "overall level (nats)");
  const spots = [];
  let y = -10;
  const draw = ([name, value, shown, parts, { exact = true, lower } = {}]) => {
    const method = name.split(" ").at(-1).toLowerCase();
    y += 46;
    body += text(10, y - 12, `<tspan class="bold">${name}</tspan> ${shown}`);
    body += line(`${method} line`, x(0), y, x(value), y);
    let end = 0;
    for (const [i, part] of parts.entries()) {
      spots.push([x(end + part / 2), y, `${names[i]} ${num(part, 4)}`]);
      end += part;
      if (i < parts.length - 1) body += line(`${method} tick`, x(end), y - 6, x(end), y + 6);
    }
    if (!exact) body += mark(method, x(lower), y, "hollow");
    body += mark(method, x(value), y);
    spots.push([x(value), y, `${name} ${shown}`]);
  };
  const saved = (kronecker - optimum.upper) / kronecker;
  const band = 46 * (fallen ? 1 : 2) + 36;
  if (optimum.exact && saved > 1e-9) {
    body += line("saved", x(optimum.upper), band, x(kronecker), band);
    body += text(x(kronecker), band - 12, `saves ${percent(saved)}`, "end small");
  }
  for (const row of rows) draw(row);
  if (apart) {
    y += 46;
    body += text(10, y - 2, "At other levels, which the heuristic achieves:");
    for (const row of apart) draw(row);
  }
  return { width, height: bottom + 40, body, spots };
}

// A row for each attribute, with its name; `draw` says what stands in it at a height.
function table(names, width, most, title, draw) {
  const bottom = 28 * names.length + 16;
  const scales = frame(width, 104, bottom, most, title);
  let { body } = scales;
  names.forEach((name, i) => {
    const y = 28 * i + 26;
    body += text(10, y + 4, short(name), "small") + draw(i, y, scales);
  });
  return { width, height: bottom + 40, body };
}

// For each attribute a mark for each list of levels; `end` is where a line is drawn.
export function rows({ names }, lists, title, end, width) {
  const spots = [];
  const most = Math.max(end, ...lists.flatMap(([, levels]) => levels));
  const drawn = table(names, width, most, title, (i, y, { x }) => {
    const places = lists.map(([, levels]) => x(levels[i]));
    lists.forEach(([method, levels], j) => {
      spots.push([places[j], y, `${names[i]}, ${method}: ${num(levels[i], 4)}`]);
    });
    const marks = lists.map(([method, , more], j) => mark(method, places[j], y, more));
    const limit = end ? line("optimum line thin", x(end), y - 14, x(end), y + 14) : "";
    return limit + line("guide", Math.min(...places), y, Math.max(...places), y) + marks.join("");
  });
  return { ...drawn, spots };
}

// For each attribute the 95% interval of a share of average size.
export function intervals({ names, given, errors }, width) {
  const spots = [];
  const mean = given.sizes.map((size) => 1 / size);
  const high = mean.map((share, i) => Math.min(share + 1.96 * errors[i], 1));
  const drawn = table(names, width, 100 * Math.max(...high), "share (%)", (i, y, { x }) => {
    const [from, middle, to] = [mean[i] - 1.96 * errors[i], mean[i], high[i]].map((v) =>
      x(100 * Math.max(v, 0)),
    );
    spots.push([middle, y, `${names[i]}: ${percent(mean[i])} ± ${num(196 * errors[i], 3)}`]);
    const ends = [from, to].map((place) => line("interval", place, y - 6, place, y + 6));
    return `${line("interval", from, y, to, y)}${ends.join("")}<circle r="5" cx="${middle}" cy="${y}"/>`;
  });
  return { ...drawn, spots };
}

// What flips weigh, the radius of the ball, and how many flip sets are in, on and out of it.
export function shape({ given, optimum: { states, weights } }) {
  const { kinds, flips } = states;
  const cost = mix(
    kinds.map(({ members }) => weights[members[0]]),
    flips,
  );
  const radius = sum(weights.map((y, i) => y * given.q[i]));
  const sets = [0, 0, 0];
  cost.forEach((c, s) => {
    const side = Math.abs(c - radius) <= 1e-8 * radius ? 1 : c < radius ? 0 : 2;
    sets[side] += kinds.reduce((ways, { n }, g) => ways * choose(n, flips[g][s]), 1);
  });
  return { cost, radius, sets };
}

// Which attributes flip in a state.
function flipping({ kinds, flips }, names, s) {
  const parts = kinds.flatMap(({ n, members }, g) => {
    const many = flips[g][s];
    return many === 0 ? [] : many === n ? members.map((i) => names[i]) : [`${many} of ${n} alike`];
  });
  return parts.length ? `flipped: ${parts.join(", ")}` : "the truth";
}

// Heights of all flip sets against their weighted number of flips.
export function ball({ kronecker, names, optimum: { states, heights } }, { cost, radius }, width) {
  const most = Math.max(...cost) || 1;
  let { x, y, top, body } = frame(width, 36, 240, most, "weighted number of flips", [0, kronecker]);
  const spots = [];
  body += line("guide", x(radius), top, x(radius), 240) + text(x(radius), 236, "edge", "middle small");
  for (const [method, all] of Object.entries({ kronecker: product(states), optimum: heights })) {
    const places = Array.from(cost, (c, s) => [x(c), y(all[s])]);
    for (const [s, place] of places.entries()) {
      spots.push([...place, `${flipping(states, names, s)}; ${method}: ${num(all[s], 4)}`]);
    }
    if (places.length <= 128) for (const place of places) body += mark(method, ...place, "hollow");
    else body += `<path class="${method} dots" d="${places.map((place) => `M${at(...place)}h0`).join("")}"/>`;
  }
  return { width, height: 280, body, spots };
}

// What each slack costs. `scale` takes a slack to its place, `unscale` back.
export function frontier({ kronecker, optimum: { upper } }, { points, most, end, mine, slack }, width) {
  const low = Math.max(0, upper - 0.2 * (kronecker - upper));
  let { x, y, right, body } = frame(width, 52, 240, 100 * most, "slack (%)", [low, kronecker]);
  const place = (p) => [x(100 * p.slack), y(p.epsilon)];
  body += line("optimum line thin", x(0), y(upper), x(100 * most), y(upper));
  body += line("guarded line", ...points.flatMap(place)) + mark("kronecker", ...place(points[0]));
  if (end <= most) body += mark("optimum", x(100 * end), y(upper));
  const shown = mine ? place({ slack: Math.min(slack, most), epsilon: mine.epsilon }) : null;
  const spots = points.map((p) => [...place(p), `slack ${percent(p.slack)}: ${num(p.epsilon)}`]);
  if (end <= most) spots.push([x(100 * end), y(upper), `optimum, from ${percent(end)} on`]);
  const unscale = (u) => (most * (u - x(0))) / (right - x(0));
  return { width, height: 280, body, spots, shown, unscale };
}
