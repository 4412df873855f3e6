// Chapter budget: a total to spend, and the levels that it buys one by one and together.

import { choice, handle } from "./controls.mjs";
import { frame, line, mark, text } from "./draw.mjs";
import { spend } from "./engine.mjs";
import { list, num } from "./numbers.mjs";
import { optimum } from "./optimum.mjs";
import { beside, key, rows, upwards } from "./panels.mjs";
import { problem, sum } from "./problem.mjs";
import { stage } from "./stage.mjs";

const SIZES = [2, 3, 4];
const NAMES = ["yes-or-no", "genotype", "diagnosis"];
const SHARES = ["1,1.5,2", "1,1,1", "1,1,4"];
const [LEAST, MOST] = [0.2, 6]; // totals

const cost = (sizes, shares, scale) =>
  optimum(
    problem(
      sizes,
      shares.map((share) => scale * share),
    ),
  ).upper;

// The largest scale of the shares whose optimum costs no more than the total (theorem budget-thm-scale).
export const scale = (sizes, shares, total) => spend(sizes, shares, total)[0] / shares[0];

export function mount(place) {
  let [shares, total, most, curve, unscale] = [[1, 1.5, 2], 4, 1, [], null];
  const [together, apart] = [() => scale(SIZES, shares, total), () => total / sum(shares)];
  const choose = (next) => {
    shares = next.split(",").map(Number);
    most = scale(SIZES, shares, MOST);
    curve = Array.from({ length: 41 }, (_, j) => (j * most) / 40);
    curve = curve.flatMap((t) => [t, t && cost(SIZES, shares, t)]);
  };
  const left = (width) => {
    let { x, y, top, body } = frame(width, 42, 240, most, "scale of the shares", [0, MOST]);
    unscale = (v) => (MOST * (240 - v)) / (240 - top);
    const [best, alone] = [together(), apart()];
    body +=
      upwards("overall level (nats)") + line("kronecker line", x(0), y(0), x(MOST / sum(shares)), y(MOST));
    body += line("optimum line", ...curve.map((v, j) => (j % 2 ? y(v) : x(v))));
    body += line("guide", x(0), y(total), x(best), y(total), x(best), y(0));
    body += line("guide", x(alone), y(total), x(alone), y(0)) + mark("kronecker", x(alone), y(total));
    point(x(best), y(total), total, `total ${num(total)}`, [LEAST, MOST]);
    return body + text(x(0) + 6, y(total) - 7, `total ${num(total)}`);
  };
  const right = (width) => {
    const lists = [
      ["kronecker", shares.map((share) => apart() * share)],
      ["optimum", shares.map((share) => together() * share)],
    ];
    const words = [
      ["kronecker", "one by one (Kronecker)"],
      ["optimum", "together (optimum)"],
    ];
    return rows(width, NAMES, lists, 6, "level that it gets (nats)") + key(192, ...words);
  };
  const { controls, layer, show } = stage(place, {
    title: "What a total buys",
    ask: "Drag the total up and down, and choose who shall have how much of it.",
    draw: (width) => beside(width, 284, left, right),
    says: () => {
      const levels = (t) => list(shares.map((share) => num(t * share, 4)));
      return `A total of <b>${num(total)}</b> in shares of ${list(shares)} buys levels ${levels(apart())} one by one, and
        <b>${levels(together())}</b> with the optimum: ${num(together() / apart(), 3)} times as much for everyone.`;
    },
    link: () => `#sizes=${SIZES}&levels=${shares}&total=${total}`,
  });
  const go = (to) => {
    total = Math.round(20 * Math.min(Math.max(to, LEAST), MOST)) / 20;
    show();
  };
  const point = handle(layer, {
    label: "total to spend",
    axis: "y",
    move: (_, y) => go(unscale(y)),
    nudge: (across, up) => go(total + 0.05 * (across + up)),
  });
  choice(controls, {
    label: "Shares",
    options: Object.fromEntries(SHARES.map((next) => [next, `shares ${next.replaceAll(",", ", ")}`])),
    value: shares,
    change: (next) => {
      choose(next);
      show();
    },
  });
  choose(SHARES[0]);
}
