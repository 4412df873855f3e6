// Chapter price: a little slack for neighbours buys most of what the optimum saves.

import { handle } from "./controls.mjs";
import { cube } from "./cube.mjs";
import { frame, line, mark, text } from "./draw.mjs";
import { frontier } from "./guarded.mjs";
import { list, num, percent } from "./numbers.mjs";
import { optimum } from "./optimum.mjs";
import { beside, key, rows, upwards } from "./panels.mjs";
import { problem, sum } from "./problem.mjs";
import { stage } from "./stage.mjs";

const [SIZES, LEVELS] = [
  [2, 3, 4],
  [1, 1.5, 2],
];
const NAMES = ["yes-or-no", "genotype", "diagnosis"];

// The guarded optimum: its overall level and its neighbour levels. Without slack it is the Kronecker mechanism; where
// no cap is met, the optimum.
export function guard(given, best, slack) {
  if (slack <= 0) return { epsilon: sum(given.levels), neighbours: given.levels };
  const free = best.neighbours.every((n, i) => n <= (1 + slack) * given.levels[i]);
  if (free) return { epsilon: best.upper, neighbours: best.neighbours };
  return frontier(cube(given), [slack]).next().value;
}

export function mount(place) {
  const given = problem(SIZES, LEVELS);
  const best = optimum(given);
  const slacks = Array.from({ length: 41 }, (_, j) => j / 40);
  const curve = [
    sum(LEVELS),
    ...Array.from(frontier(cube(given), slacks.slice(1)), ({ epsilon }) => epsilon),
  ];
  const end = Math.max(...best.neighbours.map((n, i) => n / LEVELS[i])) - 1;
  const kronecker = sum(LEVELS);
  let slack = 0.2;
  let unscale;
  const left = (width) => {
    const { x, y, right, body } = frame(width, 52, 240, 100, "slack of the neighbour levels (%)", [3.3, 4.6]);
    const { epsilon } = guard(given, best, slack);
    point(x(100 * slack), y(epsilon), Math.round(100 * slack), `slack ${percent(slack)}`);
    unscale = (u) => (u - x(0)) / (right - x(0));
    const points = curve.flatMap((level, j) => [x(100 * slacks[j]), y(level)]);
    const goal = line("optimum line thin", x(0), y(best.upper), right, y(best.upper));
    const marks = mark("kronecker", x(0), y(kronecker)) + mark("optimum", x(100 * end), y(best.upper));
    const words =
      text(x(6), y(3.34), "no symmetric mechanism", "small") + text(x(3), y(4.52), "Kronecker", "small");
    return `${body}${upwards("overall level (nats)")}${goal}${words}${line("guarded line", ...points)}${marks}${text(x(100), y(best.upper) - 8, "optimum", "end small")}`;
  };
  const right = (width) => {
    const lists = [
      ["kronecker", LEVELS],
      ["guarded", guard(given, best, slack).neighbours],
      ["optimum", best.neighbours, "hollow"],
    ];
    const words = [
      ["kronecker", "attribute level, Kronecker’s neighbour level"],
      ["guarded", "neighbour level with this slack"],
      ["optimum", "neighbour level of the optimum", "hollow"],
    ];
    return rows(width, NAMES, lists, 3.6, "level (nats)") + key(184, ...words);
  };
  const { layer, show } = stage(place, {
    title: "Overall level and neighbour levels along the frontier",
    ask: "Drag the point. How little slack buys half of the saving?",
    draw: (width) => beside(width, 284, left, right),
    says: () => {
      const { epsilon, neighbours } = guard(given, best, slack);
      const share = (kronecker - epsilon) / (kronecker - best.upper);
      return `With a slack of <b>${percent(slack)}</b> neighbour levels may be ${list(LEVELS.map((e) => num((1 + slack) * e, 3)))}
        at most, and are ${list(neighbours.map((n) => num(n, 3)))}. The overall level is <b>${num(epsilon, 4)}</b> in place of
        ${num(kronecker)}: that buys ${percent(share)} of what the optimum saves.`;
    },
    link: () => `#sizes=${SIZES}&levels=${LEVELS}&slack=${Math.round(100 * slack)}`,
  });
  const go = (to) => {
    slack = Math.round(100 * Math.min(Math.max(to, 0), 1)) / 100;
    show();
  };
  const point = handle(layer, {
    label: "slack",
    axis: "x",
    move: (x) => go(unscale(x)),
    nudge: (across, up) => go(slack + (across + up) / 100),
  });
}
