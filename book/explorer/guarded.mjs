// The smallest overall level under caps on the neighbour levels (chapter price). But for the levels, every condition
// compares x of two states, or with the largest or smallest x. A step lets a tight condition go where that raises
// the smallest x, and moves until another is tight.

import { inverse, neighbourLevels, product } from "./cube.mjs";
import { sum } from "./problem.mjs";

export const MOST_STATES = 64;
const HAIR = 1e-11; // to tell caps apart, or the search might go in circles

// Yield the guarded optimum for ascending slacks above 0; null where the search fails, or has lost its digits: then it
// is below the bound for all mechanisms, or above Kronecker.
export function* frontier(states, slacks, lower = Math.max(...states.given.levels)) {
  const { kinds, count, given } = states;
  const search = start(states);
  const most = sum(given.levels);
  for (const slack of slacks) {
    const caps = kinds.map(({ level }) => Math.min((1 + slack) * level, most));
    const found = solve(states, search, conditions(states, caps));
    const heights = search.log.map((v) => v - search.log[count]);
    const epsilon = heights[count + 1];
    const sound = found && epsilon > lower * (1 - 1e-6) && epsilon < most * (1 + 1e-6);
    yield sound ? { slack, epsilon, neighbours: neighbourLevels(states, heights) } : null;
  }
}

// Conditions log x[from] - log x[to] <= cap. Number `count` is the smallest x, the next one the largest.
function conditions({ kinds, count, flips }, caps) {
  const all = [];
  const add = (from, to, cap) =>
    all.push({ from, to, cap: cap * (1 - HAIR * ((all.length * 0.618034) % 1)) });
  for (let s = 0; s < count; s++) {
    add(count, s, 0);
    add(s, count + 1, 0);
    kinds.forEach(({ n, stride }, g) => {
      if (flips[g][s] === n) return;
      add(s, s + stride, caps[g]);
      add(s + stride, s, caps[g]);
    });
  }
  return all;
}

// Begin at the Kronecker mechanism, where all x are held but those of the truth and of some single flips.
function start(states) {
  const { count, kinds } = states;
  const log = new Float64Array(count + 2);
  log.set(product(states).map((v) => v - sum(states.given.levels)));
  log[count] = log[count - 1];
  const free = [0, ...kinds.slice(1).map(({ stride }) => stride)];
  const held = [...log.keys()].filter((s) => s <= count && !free.includes(s));
  return { log, tight: held.map((from) => ({ from, to: count + 1 })) };
}

// Improve until nothing helps. Return whether that worked.
function solve({ count, uniform, gains }, { log, tight }, all) {
  tight.forEach(({ from, to }, j) => {
    const now = all.find((c) => c.from === from && c.to === to);
    tight[j] = now?.cap - log[from] + log[to] < 1e-12 ? now : { from, to, held: true };
  });
  for (let step = 0; step < 2000; step++) {
    // Unknown is the relative speed of every x but the largest, which rests.
    const levels = gains.map((row) => [...row.map((v, s) => v * uniform[s] * Math.exp(log[s])), 0]);
    const pairs = tight.map(({ from, to }) => {
      const row = new Array(count + 1).fill(0);
      row[from] = 1;
      if (to <= count) row[to] = -1;
      return row;
    });
    const back = inverse([...levels, ...pairs]);
    if (!back) return false;
    const rates = back[count].slice(gains.length);
    const raised = tight.map(({ held }, j) => (held ? Math.abs(rates[j]) : -rates[j]));
    const place = raised.indexOf(Math.max(...raised));
    if (raised[place] < 1e-12) return true;
    const speed = [...back.map((line) => Math.sign(rates[place]) * line[gains.length + place]), 0];
    let [time, next] = [Infinity, null];
    for (const condition of all) {
      const { from, to, cap } = condition;
      const factor = Math.exp(Math.max(cap - log[from] + log[to], 0));
      const closing = speed[from] - factor * speed[to];
      const rounding = 1e-10 * (Math.abs(speed[from]) + factor * Math.abs(speed[to]));
      if (closing <= rounding || (factor - 1) / closing >= time || tight.includes(condition)) continue;
      [time, next] = [(factor - 1) / closing, condition];
    }
    if (!next) return false;
    for (const [s, v] of speed.entries()) log[s] += Math.log1p(time * v);
    tight[place] = next;
  }
  return false;
}
