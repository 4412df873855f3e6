// All that the explorer computes, in a worker where there is one, so that the page never waits.

import { frontier, MOST_STATES } from "./guarded.mjs";
import { heuristic as induce, twoAttributes } from "./levels.mjs";
import { released, optimum as solve } from "./optimum.mjs";
import { information, problem, sum } from "./problem.mjs";

// The largest levels in proportion to the shares that a total pays for, as orr.allocate finds them. Kronecker's fit,
// and if the largest level is the total, none above does: between the two, by false position (chapter budget).
export function spend(sizes, shares, total) {
  const most = Math.max(...shares);
  const levels = (x) => shares.map((share) => Math.min(Math.max(Math.exp(x) * (share / most), 1e-12), 700));
  const hair = (1e-6 * Math.min(1, total)) / total / 2; // a millionth of a nat, as in the package
  const excess = (x) => Math.log(solve(problem(sizes, levels(x))).upper / total) + hair;
  let [low, high, stays] = [Math.log((total * most) / sum(shares)) - hair / 4, Math.log(total), ""];
  let left = excess(low);
  let [below, above] = [left, excess(high)];
  for (let step = 0; step < 40 && left < -hair && high - low > 1e-15; step++) {
    const middle = low - (below * (high - low)) / (above - below);
    const now = excess(middle);
    // An end that stays for the second time is taken to be half as far off.
    if (now <= hair) {
      if (stays === "high") above /= 2;
      [low, left, below, stays] = [middle, now, now, "high"];
    } else {
      if (stays === "low") below /= 2;
      [high, above, stays] = [middle, now, "low"];
    }
  }
  return levels(low);
}

// All that is shown, but for the guarded frontier.
export function compute({ sizes, levels: asked, total }) {
  const given = problem(sizes, total ? spend(sizes, asked, total) : asked);
  const [heuristic, optimum, told] = [induce(given), released(solve(given)), information(given)];
  const fallen = heuristic.fellBack.includes(true);
  return {
    given,
    kronecker: sum(given.levels),
    information: told,
    floor: sum(told),
    heuristic,
    fallen,
    optimum,
    // The heuristic may be compared only at the levels that it achieved.
    achieved: fallen ? solve(heuristic.given) : optimum,
    two: given.k === 2 && twoAttributes(given),
    guardable: optimum.states.count <= MOST_STATES,
    ratio: Math.max(...optimum.neighbours.map((n, i) => n / given.levels[i])),
  };
}

// The frontier from Kronecker on, of which the rest is still to come.
function begin({ kronecker, optimum, guardable, ratio }) {
  const end = Math.max(0, ratio - 1);
  const most = end < 1e-6 ? 0.5 : Math.min(1.08 * end, 2);
  const slacks = Array.from({ length: guardable ? 20 : 0 }, (_, j) => most * ((j + 1) / 20) ** 1.7);
  return {
    points: [{ slack: 0, epsilon: kronecker }],
    end,
    most,
    rest: frontier(optimum.states, slacks, optimum.lower),
  };
}

// Take the reader's slack. What it gives is known at the ends; else it is undefined until it is computed.
function aim(curve, { kronecker, optimum, given, guardable }, slack) {
  Object.assign(curve, { slack, mine: guardable ? undefined : null });
  if (slack === 0) curve.mine = { epsilon: kronecker, neighbours: given.levels };
  else if (optimum.exact && slack >= curve.end) curve.mine = { ...optimum, epsilon: optimum.upper };
}

const problemOf = (state) => JSON.stringify([state.sizes, state.levels, state.total]);

// Answer states one after another: with all that is shown at first, then with the frontier, a little at a time.
export function engine(answer) {
  const known = new Map(); // of the present state and the pinned one
  let [model, curve, timer] = [];
  const look = (state) => known.get(problemOf(state)) ?? compute(state);
  const tell = (news) => {
    const { rest, ...shown } = curve;
    answer({ curve: shown, ...news });
  };
  const go = () => {
    const begun = Date.now();
    if (curve.mine === undefined) {
      curve.mine = frontier(model.optimum.states, [curve.slack], model.optimum.lower).next().value;
      tell();
    }
    let next = {};
    while (!next.done && Date.now() - begun < 12) {
      next = curve.rest.next();
      if (next.value) curve.points.push(next.value);
    }
    tell();
    if (!next.done) timer = setTimeout(go);
  };
  return (state) => {
    clearTimeout(timer);
    const found = look(state);
    const pinned = state.pin && look(state.pin);
    if (found !== model) curve = begin(found);
    model = found;
    known.clear();
    known.set(problemOf(state), model);
    if (pinned) known.set(problemOf(state.pin), pinned);
    aim(curve, model, state.slack / 100);
    tell({ model, pinned, state });
    if (model.guardable) timer = setTimeout(go);
  };
}

// Ask an engine: one state at a time, and next the latest. It works in a worker, whose text is that of the page, since
// a page from a disk may load no file for it; where workers are not to be had, here.
export function ask(hear) {
  let [busy, next, last, send] = [false, null];
  const answer = (news) => {
    if (news.state) busy = false;
    hear(news);
    if (!busy && next) go(next);
  };
  const go = (state) => {
    [busy, next, last] = [true, null, state];
    send(state);
  };
  const here = () => {
    const local = engine(answer);
    send = (state) => setTimeout(local, 0, state);
  };
  try {
    const text = `onmessage = (${orr.source})("engine").listen()`;
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    worker.onmessage = ({ data }) => answer(data);
    worker.onerror = () => {
      worker.terminate();
      here();
      if (busy) go(next ?? last);
    };
    send = (state) => worker.postMessage(state);
  } catch {
    here();
  }
  return (state) => {
    if (busy) next = state;
    else go(state);
  };
}

// What a worker does with messages.
export function listen() {
  const take = engine((news) => postMessage(news));
  return ({ data }) => take(data);
}
