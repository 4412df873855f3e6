// Sentences of the explorer.

import { attributes, bounds, list, num, outward, percent, where } from "./numbers.mjs";

export function saving({ kronecker, optimum }) {
  const { exact, upper } = optimum;
  if (!exact) return `The optimum costs ${bounds(optimum)}, and Kronecker ${num(kronecker)}.`;
  const saved = kronecker - upper;
  if (saved < 1e-9 * kronecker)
    return `Nothing can be saved: the optimum costs as much as Kronecker, ${num(upper)}.`;
  return `Joint randomization saves ${num(saved, 3)} of ${num(kronecker)}, ${percent(saved / kronecker)}.`;
}

export function overall(model) {
  const { kronecker, floor, heuristic, achieved, optimum } = model;
  const { exact, upper } = optimum;
  const odds = (level) => num(Math.exp(level), 3);
  const [below, above] = outward(optimum, 10);
  return [
    saving(model),
    upper < 14
      ? `Anybody’s odds change by a factor of ${odds(upper)} at most; with Kronecker, of ${odds(kronecker)}.`
      : "",
    induction(heuristic, achieved),
    `Nothing goes below the floor, ${num(floor)}: so much the answers tell about a uniformly random record.`,
    exact
      ? `<em>Proved:</em> no mechanism is below ${below}, and the one found has at most ${above}.`
      : "<em>Too extreme for this page:</em> both bounds are proved, but do not meet. Try <code>orr.optimal</code>.",
  ];
}

function induction({ epsilon, fellBack, given }, { lower, upper, exact }) {
  const fallen = where(fellBack);
  const close = exact && epsilon - upper <= 1e-8 * upper;
  if (!fallen.length) {
    const loss = `costs ${exact ? "" : "at most "}${num(epsilon - lower, 3)} more than the optimum`;
    return `The heuristic gives every attribute its level, and ${close ? "is optimal here" : loss}.`;
  }
  const got = list(fallen.map((i) => num(given.levels[i], 4)));
  const rival = close
    ? "so does the optimum"
    : `the optimum ${bounds({ exact, lower, upper: Math.min(upper, epsilon) })}`;
  return `The heuristic <em>falls back</em>: ${attributes(fallen)} got ${got} instead. At the levels achieved it costs ${num(epsilon)}, and ${rival}. Hollow: Kronecker and the optimum at those levels.`;
}

export function twoCase({ given: { q, spare }, two: { label } }) {
  const advice =
    Math.abs(spare) < 1e-6 ? "may do as they like" : `should ${spare > 0 ? "come together" : "stay apart"}`;
  const lie = `attribute ${["I", "III"].includes(label) ? 1 : 2} alone is as ${spare < 0 ? "likely as the truth" : "rare as two lies"}`;
  return `Case (${label}): the flip probabilities sum to ${num(q[0] + q[1], 4)}, so lies ${advice}. In the optimum a lie about ${lie}.`;
}

export function ball({ given, optimum: { weights, unique, exact, states } }, { radius, sets }) {
  if (!exact) return ["Shown are the weights behind the lower bound and the mechanism behind the upper one."];
  const [inside, edge, outside] = sets.map((n) => n.toLocaleString("en"));
  const free = where(weights.map((y) => y === 0));
  const alike = states.kinds.length < given.k ? " that treats equal attributes alike" : "";
  return [
    `Lies about the attributes weigh ${weights.map((y) => num(y, 2)).join(", ")}, those in a release ${num(radius, 4)} on average. Flip sets that weigh less (${inside}) are as likely as the truth, those that weigh more (${outside}) as rare as can be, those on the edge (${edge}) may lie between.`,
    free.length ? `Without ${attributes(free)} the optimum would cost the same: a free ride.` : "",
    unique
      ? `There is no other optimum${alike}.`
      : "There may be other optima, which differ from this one on the edge.",
  ];
}

export function neighbours({ given, optimum: { neighbours: all } }) {
  const ratio = all.map((n, i) => n / given.levels[i]);
  const i = ratio.indexOf(Math.max(...ratio));
  return `Under the optimum whoever knows the other answers may learn ${num(all[i], 4)} about attribute ${i + 1}, ${num(ratio[i], 3)} times its level. Under Kronecker nobody learns more than the level.`;
}

export function guarded({ kronecker, optimum: { upper } }, { mine, end, slack }) {
  if (mine === undefined) return "…";
  if (!mine) {
    return `Here this page knows only the ends of the frontier: Kronecker without slack, the optimum from ${percent(end)} on. Use orr.guarded for the rest.`;
  }
  const share = `, ${percent((kronecker - mine.epsilon) / (kronecker - upper))} of what can be saved`;
  return `With a slack of ${percent(slack)} the overall level is ${num(mine.epsilon)}${kronecker - upper > 1e-6 ? share : ""}.`;
}

export function python({ given, guardable }, slack) {
  return `import orr

sizes = [${given.sizes.join(", ")}]
levels = [${given.levels.join(", ")}]
print(orr.inductive(sizes, levels))
print(orr.optimal(sizes, levels, rel_gap=1e-9))${guardable ? `\nprint(orr.guarded(sizes, levels, slack=${slack / 100}))` : ""}`;
}
