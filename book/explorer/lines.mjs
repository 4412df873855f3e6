// Chapter two-attributes: where the levels lie on the map decides which of four stops ends the freedom.

import { choice, handle } from "./controls.mjs";
import { bar, frame, line, mark, text } from "./draw.mjs";
import { twoAttributes } from "./levels.mjs";
import { num } from "./numbers.mjs";
import { plane } from "./plane.mjs";
import { problem, sum } from "./problem.mjs";
import { stage } from "./stage.mjs";

const MOST = { "3,4": 3, "3,12": 4.5, "2,2": 3 }; // how far the map reaches, as in the chapter's own maps
const NAMES = ["I", "II", "III", "IV"];
const ENDS = [
  "come together until a record with a flip of attribute 1 alone is as rare as one with both, <i>x</i><sub>1</sub> = 1",
  "come together until a record with a flip of attribute 2 alone is as rare as one with both, <i>x</i><sub>2</sub> = 1",
  "are kept apart until a record with a flip of attribute 1 alone is as likely as the true one, <i>x</i><sub>1</sub> = <i>x</i><sub>0</sub>",
  "are kept apart until a record with a flip of attribute 2 alone is as likely as the true one, <i>x</i><sub>2</sub> = <i>x</i><sub>0</sub>",
];

// x0, x1 and x2 when both attributes flip with chance b.
export function ratios({ sizes, q }, b) {
  const [m, n] = sizes.map((a) => a - 1);
  return [1 - q[0] - q[1] + b, (q[0] - b) / m, (q[1] - b) / n].map((x) => (x * m * n) / b);
}

// The four values of b at which a rule of the paper ends, and the one at which the optimum stands.
export function compute(sizes, levels) {
  const given = problem(sizes, levels);
  const [[p1, p2], [q1, q2]] = [given.p, given.q];
  const stops = [q1 * p2, p1 * q2, q1 - p1 * (1 - q2), q2 - p2 * (1 - q1)];
  const { label, epsilon } = twoAttributes(given);
  const best = NAMES.indexOf(label);
  return { given, stops, best, b: stops[best], independent: q1 * q2, epsilon, kronecker: sum(levels) };
}

// The ratios over b, the part that is allowed, and the way from independent flips to the optimum.
function curves({ given, stops, best, b, independent, kronecker }, width, bottom) {
  const most = given.p[0] * given.p[1];
  let { x, top, right, body } = frame(width, 40, bottom, most, "b, the chance that both flip");
  const [low, high] = [-0.9, 1.2 * kronecker + 0.4];
  const y = (ratio) => bottom - ((bottom - top) * (Math.log(ratio) - low)) / (high - low);
  for (const v of high > 3 ? [1, 10, 100, 1000] : [0.5, 1, 2, 5, 10]) {
    if (y(v) < top) continue;
    body +=
      line(v === 1 ? "border" : "grid", 40, y(v), right, y(v)) + text(33, y(v) + 4, num(v), "end small");
  }
  const ends = [Math.max(0, stops[2], stops[3]), Math.min(stops[0], stops[1])].map(x);
  body += bar("lines-allowed", ends[0], top, ends[1] - ends[0], bottom - top);
  const path = (i, from, to, style) => {
    const all = Array.from({ length: 161 }, (_, j) => from + ((to - from) * j) / 160);
    const seen = all.map((v) => [x(v), y(ratios(given, v)[i])]);
    const kept = seen.filter(([, height]) => height >= top && height <= bottom);
    if (kept.length > 1) body += line(style, ...kept.flat());
  };
  path(0, independent, b, "saved");
  const at = ratios(given, independent);
  for (const i of [2, 1, 0]) {
    path(i, most / 400, most, `lines-${i}`);
    const [right, up, style] = i === 0 || at[i] > at[3 - i] ? [8, 9, "bold"] : [-8, -17, "bold end"];
    body += text(x(independent) + right, y(at[i]) - up, "x₀x₁x₂".slice(2 * i, 2 * i + 2), style);
  }
  stops.forEach((stop, j) => {
    if (stop <= 0) return;
    const words = text(x(stop), top + 12 + 17 * (j % 2), NAMES[j], `middle ${j === best ? "bold" : ""}`);
    body += line("guide", x(stop), top, x(stop), bottom) + words;
  });
  const [from, to, head] = [x(independent), x(b), b > independent ? -7 : 7];
  body += line("border tick", from, bottom - 14, to, bottom - 14);
  body += line("border tick", to + head, bottom - 19, to, bottom - 14, to + head, bottom - 9);
  return body + mark("kronecker", from, y(at[0])) + mark("optimum", to, y(ratios(given, b)[0]));
}

export function mount(place) {
  let [sizes, levels] = [
    [3, 4],
    [1.5, 2],
  ];
  let [map, drawn] = [null, ""];
  const { controls, layer, show } = stage(place, {
    title: "Map of the four cases, and the ratios over the chance that both flip",
    ask: "Drag the point through all four cases. Where is nothing saved?",
    draw: (width) => {
      const half = width > 560;
      const side = half ? Math.round(width * 0.46) : Math.min(width, 330);
      if (drawn !== `${sizes} ${side}`) map = plane(sizes, MOST[sizes], side);
      drawn = `${sizes} ${side}`;
      const [e1, e2] = levels;
      point(map.x(e1), map.y(e2), e1, `levels ${e1} and ${e2}`, [0, MOST[sizes]]);
      const right = `translate(${half ? side : 0} ${half ? 0 : side})`;
      const body = curves(compute(sizes, levels), half ? width - side : width, half ? side - 42 : 216);
      const guides = line("guide", map.x(e1), map.y(0), map.x(e1), map.y(e2), map.x(0), map.y(e2));
      return {
        height: half ? Math.max(side, 256) : side + 256,
        body: `${map.body}${guides}<g transform="${right}">${body}</g>`,
      };
    },
    says: () => {
      const { best, b, independent, epsilon, kronecker } = compute(sizes, levels);
      return `At levels ${levels[0]} and ${levels[1]} we are in <b>case ${NAMES[best]}</b>: flips ${ENDS[best]}. Both flip
        with chance ${num(b, 3)} (by independent pointers: ${num(independent, 3)}). The overall level
        is <b>${num(epsilon, 4)}</b> in place of ${num(kronecker, 4)}: ${num(kronecker - epsilon, 2)} saved.`;
    },
    link: () => `#sizes=${sizes}&levels=${levels}`,
  });
  const go = (next) => {
    levels = next.map((v) => Number(Math.min(Math.max(v, 0.05), MOST[sizes]).toFixed(2)));
    show();
  };
  const point = handle(layer, {
    label: "levels of both attributes",
    move: (x, y) => {
      const { left, right, top, bottom } = map;
      go([(x - left) / (right - left), (bottom - y) / (bottom - top)].map((v) => v * MOST[sizes]));
    },
    nudge: (right, up) => go([levels[0] + 0.05 * right, levels[1] + 0.05 * up]),
  });
  choice(controls, {
    label: "Sizes of the two attributes",
    options: { "3,4": "sizes 3, 4", "3,12": "sizes 3, 12", "2,2": "sizes 2, 2" },
    value: sizes,
    change: (next) => {
      sizes = next.split(",").map(Number);
      go(levels);
    },
  });
}
