// Chapter certificate: any prices of flips prove a bound, and the best ones prove the optimum.

import { button, choice, glide, slider } from "./controls.mjs";
import { bar, line, text } from "./draw.mjs";
import { num } from "./numbers.mjs";
import { optimum } from "./optimum.mjs";
import { problem, sum } from "./problem.mjs";
import { stage } from "./stage.mjs";

const [SIZES, LEVELS] = [
  [2, 3, 4],
  [1, 1.5, 2],
];
const NAMES = ["yes-or-no, Y", "genotype, G", "diagnosis, D"];

// All flip sets: their flips, their records, and the chance that a uniformly random record has them.
export function flipSets({ k, sizes, p }) {
  return Array.from({ length: 2 ** k }, (_, s) => {
    const flips = sizes.map((_, i) => (s >> i) & 1);
    const records = flips.reduce((ways, flip, i) => ways * (flip ? sizes[i] - 1 : 1), 1);
    const chance = flips.reduce((part, flip, i) => part * (flip ? p[i] : 1 - p[i]), 1);
    return { flips, records, chance };
  });
}

// What prices leave of the budget in each flip set, and the level that they prove (theorem lp-thm-bound).
export function bound(given, prices) {
  const sets = flipSets(given).map((set) => {
    const parts = set.flips.map((flip, i) => prices[i] * (given.q[i] - flip));
    return { ...set, left: sum(parts), exact: Math.abs(sum(parts)) < 1e-9 * sum(parts.map(Math.abs)) };
  });
  const overspent = sum(prices.map((y, i) => y * given.d[i]));
  const earned = sum(sets.map(({ chance, left, exact }) => (exact ? 0 : chance * Math.max(left, 0))));
  return { sets, overspent, earned, proved: earned > 0 ? Math.log1p(overspent / earned) : 0 };
}

// The optimum, and prices that prove it, the first of them 1 unless it is 0.
export function best(given) {
  const { upper, weights } = optimum(given);
  return { level: upper, prices: weights.map((y) => y / (weights[0] || 1)) };
}

// Above what each record leaves of the budget, below the bars that must be filled.
function picture({ sets, proved }, level, record, width) {
  const order = [...sets].sort((a, b) => sum(a.flips) - sum(b.flips));
  const [left, right] = [44, Math.min(width, 600) - 4];
  const wide = (right - left) / sum(order.map(({ records }) => records));
  const reach = Math.max(...sets.map((set) => Math.abs(set.left))) || 1;
  const [zero, floor, high] = [66, 336, Math.exp(level) * 1.1];
  const y = (height) => floor - (170 * height) / high;
  const above = (amount) => zero - (amount < 0 ? 54 : 48) * (amount / reach);
  let body = text(0, 14, "left of the budget", "small") + text(0, 148, "height over the even layer", "small");
  let x = left;
  for (const { flips, records, left: amount, exact } of order) {
    const full = amount > 0 && !exact;
    for (let r = 0; r < records; r++, x += wide) {
      const top = Math.min(above(amount), zero);
      body += bar(
        full ? "bars-full" : "part part-0",
        x,
        top,
        wide,
        exact ? 0 : Math.abs(above(amount) - zero),
      );
      body += bar("part part-0", x, y(1), wide, floor - y(1));
      if (full) body += bar("bars-full", x, y(Math.exp(proved)), wide, y(1) - y(Math.exp(proved)));
      if (exact) body += bar("bars-any", x, y(Math.exp(proved)), wide, y(1) - y(Math.exp(proved)));
    }
    const word = flips.map((flip, i) => (flip ? "YGD"[i] : "")).join("");
    body += text(
      x - (records * wide) / 2,
      floor + 18,
      word || (flips.length < 3 ? "none" : "∅"),
      "middle small",
    );
  }
  body += line("border", left, zero, right, zero) + line("border", left, floor, right, floor);
  for (const v of y(0) - y(1) > 14 ? [0, 1] : [1]) body += text(left - 7, y(v) + 4, num(v), "end small");
  const goal = y(Math.exp(level));
  body += line("optimum line thin", left, goal, right, goal);
  body += text(right, goal - 6, `optimum: ${num(Math.exp(level), 3)}`, "end");
  const now = y(Math.exp(proved));
  body +=
    line("border", left, now, right, now) +
    text(right, now + 18, `proved: ${num(Math.exp(proved), 3)}`, "end bold");
  const most = y(Math.exp(record));
  if (most < now - 1) body += line("guide", left, most, right, most);
  return { height: 380, body: body + text((left + right) / 2, 374, "flips in the record", "middle small") };
}

export function mount(place) {
  const problems = [2, 3].map((k) => problem(SIZES.slice(0, k), LEVELS.slice(0, k)));
  const answers = problems.map(best);
  const records = [0, 0];
  let [which, prices, still] = [0, [1, 1, 1], () => {}];
  const now = () => {
    const found = bound(problems[which], prices.slice(0, which + 2));
    records[which] = Math.max(records[which], found.proved);
    return found;
  };
  const { controls, show } = stage(place, {
    title: "What prices prove",
    ask: "Set the prices of flips. How near can you bring the proof to the optimum?",
    draw: (width) => picture(now(), answers[which].level, records[which], width),
    says: () => {
      const [{ proved, sets }, { level }] = [now(), answers[which]];
      const far = level - proved;
      const bound = `With these prices the highest bar is at least ${num(Math.exp(proved), 3)} times the even layer: no
        symmetric mechanism with these levels has an overall level below <b>${num(proved)}</b>.`;
      return far < 5e-5
        ? `${bound} The optimum has just that, so <b>the gap is closed</b>. Whoever doubts it can check one sum over
          ${sets.length} flip sets.`
        : `${bound} The optimum is ${num(level)}: ${num(far, 2)} missing. Best so far: ${num(records[which])}.`;
    },
    link: () => `#sizes=${problems[which].sizes}&levels=${problems[which].levels}`,
  });
  const sliders = NAMES.map((name, i) =>
    slider(controls, {
      label: name,
      min: 0,
      max: 3,
      step: 0.01,
      value: 1,
      say: (v) => num(v, 3),
      change: (value) => {
        still();
        prices[i] = value;
        show();
      },
    }),
  );
  const third = controls.lastElementChild;
  const go = (next) => {
    prices = next;
    for (const [i, set] of sliders.entries()) set(prices[i]);
    third.hidden = which === 0;
    show();
  };
  choice(controls, {
    label: "Attributes",
    options: ["two answers", "all three"],
    value: 0,
    change: (next) => {
      still();
      which = Number(next);
      go([1, 1, 1]);
    },
  });
  button(controls, "Best prices", () => {
    still();
    const [from, to] = [prices, [...answers[which].prices, 1].slice(0, 3)];
    still = glide(0, 1, (share) => go(to.map((y, i) => (share < 1 ? from[i] + share * (y - from[i]) : y))));
  });
  third.hidden = true;
}
