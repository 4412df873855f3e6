// Chapter shape: a ball grows around the truth on the lattice of flip sets. How high must it be at each radius?

import { flipSets } from "./bars.mjs";
import { button, choice, glide, slider } from "./controls.mjs";
import { frame, line, mark, text } from "./draw.mjs";
import { num, percent } from "./numbers.mjs";
import { optimum } from "./optimum.mjs";
import { beside, upwards } from "./panels.mjs";
import { problem, sum } from "./problem.mjs";
import { stage } from "./stage.mjs";

const SIZES = [3, 3, 3, 3];
const EXAMPLES = [
  ["2.2 each", [2.2, 2.2, 2.2, 2.2]],
  ["0.6 each", [0.6, 0.6, 0.6, 0.6]],
  ["2, 0.6, 0.6, 0.6", [2, 0.6, 0.6, 0.6]],
  ["0.5, 1, 1.5, 2", [0.5, 1, 1.5, 2]],
];
const HAIR = 1e-9; // weights that differ by less are the same

// All flip sets with their weights.
export const sets = (given, weights) =>
  flipSets(given).map((set) => ({ ...set, weight: sum(set.flips.map((flip, i) => flip * weights[i])) }));

// A ball of flip sets that are all equally likely, and likelier than the rest. A unit of excess on it supplies part of
// what the attributes demand; so the weighted mean of these parts says how high the ball must be at least.
export function ball({ q, d }, all, weights, radius) {
  const inside = all.filter(({ weight }) => weight <= radius + HAIR);
  const [expected, demand] = [q, d].map((list) => sum(list.map((v, i) => v * weights[i])));
  const share = sum(inside.map(({ chance }) => chance));
  const supply = sum(inside.map(({ chance, weight }) => chance * (expected - weight))) / demand;
  const level = supply > 1e-12 ? Math.log1p(1 / supply) : Infinity;
  return { count: inside.length, share, level, likely: (share * (supply + 1)) / (supply + share) };
}

const title = (flips) => flips.map((flip, i) => (flip ? i + 1 : "")).join("");

function lattice(all, radius, edge, width) {
  const place = {};
  for (let r = 0; r <= SIZES.length; r++) {
    const row = all.map(({ flips }) => title(flips)).filter((name) => name.length === r);
    for (const [j, name] of row.sort().entries())
      place[name] = [width / 2 + (j - (row.length - 1) / 2) * (width / 6), 22 + 62 * r];
  }
  let [links, nodes] = ["", ""];
  for (const { flips, weight } of all) {
    const [x, y] = place[title(flips)];
    for (const [i, flip] of flips.entries())
      if (!flip) links += line("grid", x, y, ...place[title(flips.map((f, j) => (i === j ? 1 : f)))]);
    const lit = weight <= radius + HAIR ? "lattice-lit" : "";
    if (Math.abs(weight - edge) < HAIR) nodes += mark("guarded", x, y, `lattice-node lattice-edge ${lit}`);
    else nodes += `<circle class="lattice-node ${lit}" cx="${x}" cy="${y}" r="8"/>`;
    nodes += text(x, y + 24, title(flips) || "truth", "middle small");
  }
  return links + nodes;
}

// The level that a ball needs, over its radius.
function curve({ given, all, weights, edge, best }, radius, width) {
  const [bottom, most] = [236, sum(weights)];
  const needs = (r) => ball(given, all, weights, r).level;
  let { x, y, top, right, body } = frame(width, 32, bottom, most, "radius of the ball", [0, 1.2 * needs(0)]);
  const stops = [...new Set(all.map(({ weight }) => weight)), most].sort((a, b) => a - b);
  const points = [];
  for (let j = 0; j + 1 < stops.length; j++) {
    const level = needs(stops[j]);
    if (y(level) >= top) points.push(x(stops[j]), y(level), x(stops[j + 1]), y(level));
  }
  body += line("optimum line thin", 32, y(best), right, y(best)) + line("border heavy", ...points);
  body +=
    text(right, y(best) + 17, `optimum ${num(best, 4)}`, "end") +
    line("guide", x(edge), top, x(edge), bottom);
  if (right - points.at(-2) > 40) body += text(right, top + 14, "no height is enough", "end small");
  const now = y(needs(radius));
  if (now >= top) body += `<circle class="dial-point" cx="${x(radius)}" cy="${now}" r="8"/>`;
  else body += line("border heavy", x(radius), top, x(radius), bottom);
  return body + upwards("overall level it needs");
}

export function mount(place) {
  let [which, radius, still] = [1, 0, () => {}];
  const cases = EXAMPLES.map(([, levels]) => {
    const given = problem(SIZES, levels);
    const { upper, weights } = optimum(given);
    const edge = sum(weights.map((y, i) => y * given.q[i]));
    return { given, weights, all: sets(given, weights), best: upper, edge };
  });
  const { controls, show } = stage(place, {
    title: "A ball that grows on the lattice of flip sets",
    ask: "Grow the ball from the truth alone. Where does it need the lowest level?",
    draw: (width) => {
      const { all, edge } = cases[which];
      const [nodes, levels] = [(w) => lattice(all, radius, edge, w), (w) => curve(cases[which], radius, w)];
      return beside(width, 300, nodes, levels);
    },
    says: () => {
      const { given, weights, all, best, edge } = cases[which];
      const { count, share, level, likely } = ball(given, all, weights, radius);
      const many = `The ball holds ${count} of 16 flip sets, ${percent(share)} of all records.`;
      if (level === Infinity)
        return `${many} However likely they are made, the attributes do not get their levels: <b>no height is enough</b>.`;
      const soft = level - best < 1e-6 && all.some(({ weight }) => Math.abs(weight - edge) < HAIR);
      const end = soft
        ? "That is the optimum; heights in between on the edge, the yellow diamonds, give each attribute its due."
        : "That is the optimum.";
      const come = soft ? "" : `, and come out in ${percent(likely)} of releases`;
      const off = `The optimum, ${num(best, 4)}, has a ${radius < edge ? "larger" : "smaller"} ball.`;
      return `${many} To supply what the attributes demand they must be at least ${num(Math.exp(level), 3)} times as likely
        as the others${come}: <b>overall level ${num(level, 4)}</b>.
        ${level - best < 1e-6 ? end : off}`;
    },
    link: () => `#sizes=${SIZES}&levels=${EXAMPLES[which][1]}`,
  });
  const go = (to) => {
    radius = to;
    set(radius);
    show();
  };
  const set = slider(controls, {
    label: "radius",
    min: 0,
    max: 4,
    step: 0.01,
    value: radius,
    say: (v) => num(v, 3),
    // The best radius lies between two steps, and holds on to the slider.
    change: (value) => {
      still();
      const { edge, weights } = cases[which];
      radius = Math.abs(value - edge) < 0.006 ? edge : Math.min(value, sum(weights));
      show();
    },
  });
  button(controls, "Best radius", () => {
    still();
    still = glide(radius, cases[which].edge, go);
  });
  choice(controls, {
    label: "Levels of the four attributes",
    options: EXAMPLES.map(([name]) => name),
    value: which,
    change: (chosen) => {
      still();
      which = Number(chosen);
      controls.querySelector("input").max = Math.ceil(100 * sum(cases[which].weights)) / 100;
      go(cases[which].edge);
    },
  });
  go(cases[which].edge);
}
