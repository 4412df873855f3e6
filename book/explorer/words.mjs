// Sentences of the explorer. Names of attributes are a reader's own words: they come out as text, never as markup.

import { attributes, bounds, list, num, outward, percent, where } from "./numbers.mjs";

export const safe = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

// “attributes 1 and 2”, or their names.
const call = (names, places) =>
  places.every((i) => names[i] === `attribute ${i + 1}`)
    ? attributes(places)
    : list(places.map((i) => safe(names[i])));
export const points = (error) => (error > 1 ? "more than 100 points" : `${num(100 * error, 3)} points`);

export function saving({ kronecker, optimum }) {
  const { exact, upper } = optimum;
  if (!exact) return `The optimum costs ${bounds(optimum)}, and Kronecker ${num(kronecker)}.`;
  const saved = kronecker - upper;
  if (saved < 1e-9 * kronecker)
    return `Nothing can be saved: the optimum costs as much as Kronecker, ${num(upper)}.`;
  return `Randomized together, the answers save ${num(saved, 3)} of ${num(kronecker)}, ${percent(saved / kronecker)}.`;
}

// What a total buys, and what Kronecker would buy with it.
function bought({ given, state: { total, levels } }) {
  const scale = total / levels.reduce((all, share) => all + share);
  const [got, apart] = [given.levels, levels.map((share) => scale * share)].map((all) =>
    list(all.map((level) => num(level, 4))),
  );
  return `A total of ${num(total)} buys levels of ${got}. Kronecker would buy ${apart}.`;
}

export function overall(model) {
  const { kronecker, floor, optimum, state } = model;
  const { exact, upper } = optimum;
  const odds = (level) => num(Math.exp(level), 3);
  const [below, above] = outward(optimum, 10);
  return [
    state.total ? bought(model) : saving(model),
    state.total ? saving(model) : "",
    upper < 0.9999 * state.total
      ? "These numbers are too extreme for this page to spend all of it. Try <code>orr.allocate</code>."
      : "",
    upper < 14
      ? `Anybody’s odds change by a factor of ${odds(upper)} at most; with Kronecker, of ${odds(kronecker)}.`
      : "",
    induction(model),
    `No mechanism with these flip probabilities goes below the floor, ${num(floor)}: so much the answers tell about a uniformly random record.`,
    exact
      ? `<em>Proved:</em> no mechanism with these flip probabilities is below ${below}, and the one found has at most ${above}.`
      : "<em>Too extreme for this page:</em> both bounds are proved, but do not meet. Try <code>orr.optimal</code>.",
  ];
}

function induction({ names, heuristic: { epsilon, fellBack, given }, achieved: { lower, upper, exact } }) {
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
  return `The heuristic <em>falls back</em>, and solves another problem: ${call(names, fallen)} got ${got} instead. At the levels achieved it costs ${num(epsilon)}, and ${rival}.`;
}

export function twoCase({ names, given: { q, spare }, two: { label } }) {
  const advice =
    Math.abs(spare) < 1e-6 ? "may do as they like" : `should ${spare > 0 ? "come together" : "stay apart"}`;
  const which = call(names, [["I", "III"].includes(label) ? 0 : 1]);
  const rare = spare < 0 ? "likely as the truth" : "rare as one with both";
  return `Case (${label}): the flip probabilities sum to ${num(q[0] + q[1], 4)}, so flips ${advice}. In the optimum a record with a flip of ${which} alone is as ${rare}.`;
}

export function analyst({ names, given, errors, state: { people, total } }) {
  const i = errors.indexOf(Math.max(...errors));
  const shares = errors.map((error, j) => error * given.sizes[j]);
  const useless = where(shares.map((share) => share > 0.5)); // as a plan of the package says
  return [
    `Among ${people.toLocaleString("en")} people, a share of ${call(names, [i])} is off by ± ${points(errors[i])} (standard error)${errors.length > 1 ? ", and no other by more" : ""}.`,
    useless.length
      ? `Too few people for ${call(names, useless)}: the error passes half of what a value holds on average.`
      : "",
    total
      ? ""
      : "Every method that gives these levels has these errors: what the optimum saves costs a single share nothing.",
  ];
}

export function ball({ given, names, optimum: { weights, unique, exact, states } }, { radius, sets }) {
  if (!exact) return ["Shown are the weights behind the lower bound and the mechanism behind the upper one."];
  const [inside, edge, outside] = sets.map((n) => n.toLocaleString("en"));
  const free = where(weights.map((y) => y === 0));
  const alike = states.kinds.length < given.k ? " that treats equal attributes alike" : "";
  return [
    `Flips of the attributes weigh ${weights.map((y) => num(y, 2)).join(", ")}, those in a release ${num(radius, 4)} on average. A record whose flip set weighs less (${inside} do) is as likely as the truth, one whose set weighs more (${outside}) as rare as can be; on the edge (${edge}) it may be between.`,
    free.length ? `Without ${call(names, free)} the optimum would cost the same: a free ride.` : "",
    unique
      ? `There is no other optimum${alike}.`
      : "There may be other optima, which differ from this one on the edge.",
  ];
}

export function neighbours({ given, names, ratio, optimum: { neighbours: all, released } }) {
  const i = all.findIndex((n, j) => n / given.levels[j] === ratio);
  return `Under ${released ? "the optimum" : "one of the optima"} whoever knows the other answers may learn ${num(all[i], 4)} about ${call(names, [i])}, ${num(ratio, 3)} times its level. Under Kronecker they learn no more than its level.`;
}

export function guarded({ kronecker, optimum: { upper } }, { mine, end, slack }) {
  if (mine === undefined) return "…";
  if (!mine) {
    return `Here this page knows only the ends of the frontier: Kronecker without slack, the optimum from ${percent(end)} on. Use orr.guarded for the rest.`;
  }
  const share = `, ${percent((kronecker - mine.epsilon) / (kronecker - upper))} of what can be saved`;
  return `With a slack of ${percent(slack)} the overall level is ${num(mine.epsilon)}${kronecker - upper > 1e-6 ? share : ""}.`;
}

// Which of the three challenges are met: save a third; find a free ride; save half of what can be saved at a slack of 5%.
export function tasks({ kronecker, optimum: { upper, exact, weights } }, { mine, slack }) {
  const spared = mine && slack <= 0.05 && kronecker - upper > 1e-6 && mine.epsilon <= (kronecker + upper) / 2;
  return [upper <= (2 / 3) * kronecker, exact && weights.includes(0), spared];
}

// How the present state differs from the pinned one.
export function difference(now, then) {
  const [gap, error] = [now.optimum.upper - then.optimum.upper, now.worst - then.worst];
  const by = (change, more, less) => `${num(Math.abs(change), 3)} ${change > 0 ? more : less}`;
  const cost = Math.abs(gap) < 1e-9 ? "as much as" : `${by(gap, "more", "less")} than`;
  const told =
    Math.abs(error) < 1e-12 ? "equally exact" : `${by(100 * error, "points less", "points more")} exact`;
  return `The optimum now costs ${cost} in the pinned state, and the least exact share is ${told}.`;
}

// A letter for letter copy of what a reader typed, as Python writes it, is what JSON writes.
export function python({ given: { sizes }, guardable, state }) {
  const domain = state.names.map(
    (_, i) => `${JSON.stringify(state.names[i] || `attribute ${i + 1}`)}: ${sizes[i]}`,
  );
  const asked = `[${state.levels.join(", ")}]`;
  const guard = `\nprint(orr_release.guarded(sizes, levels, slack=${state.slack / 100}))`;
  return `import orr_release

sizes = ${state.names.some(Boolean) ? `orr_release.Domain({${domain.join(", ")}})` : `[${sizes.join(", ")}]`}
levels = ${state.total ? `orr_release.allocate(${state.total}, sizes, ${asked}).levels.epsilons` : asked}
best = orr_release.optimal(sizes, levels, rel_gap=1e-9)
print(orr_release.inductive(sizes, levels))
print(best)${guardable ? guard : ""}
print(best.plan(${state.people}))`;
}
