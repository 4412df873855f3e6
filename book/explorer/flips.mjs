// Flip laws: how often each set of answers flips, and what that tells somebody who knows the other answers.

import { sum } from "./problem.mjs";

const members = (set, k) => Array.from({ length: k }, (_, i) => (set >> i) & 1);

// Log of x of a flip set (its bits are the attributes), one by one and under an optimum.
export const apart =
  ({ levels }) =>
  (set) =>
    -sum(levels.map((level, i) => level * ((set >> i) & 1)));
export const together =
  ({ states, heights }) =>
  (set) =>
    heights[sum(states.kinds.map(({ members, stride }) => stride * sum(members.map((i) => (set >> i) & 1))))];

// Chances of all flip sets.
export function flipLaw({ sizes }, height) {
  const masses = Array.from({ length: 2 ** sizes.length }, (_, set) =>
    members(set, sizes.length).reduce((v, flip, i) => (flip ? v * (sizes[i] - 1) : v), Math.exp(height(set))),
  );
  const all = sum(masses);
  return masses.map((v) => v / all);
}

// The level at which somebody learns about one attribute who sees the whole release, knows the attributes in `known`,
// and takes all values of the rest for equally likely.
export function learns({ sizes }, height, attribute, known) {
  const own = 1 << attribute;
  const seen = sum(known.map((i) => 1 << i));
  const kept = new Map();
  const flipped = new Map();
  for (let set = 0; set < 2 ** sizes.length; set++) {
    if (set & own) continue;
    const ways = members(set & ~seen, sizes.length).reduce(
      (v, flip, i) => (flip ? v * (sizes[i] - 1) : v),
      1,
    );
    const among = set & seen;
    kept.set(among, (kept.get(among) ?? 0) + ways * Math.exp(height(set)));
    flipped.set(among, (flipped.get(among) ?? 0) + ways * Math.exp(height(set | own)));
  }
  return Math.max(...[...kept].map(([among, v]) => Math.abs(Math.log(v / flipped.get(among)))));
}

// Whole people, as near to the chances as can be, who still sum to all.
export function share(chances, people) {
  const many = chances.map((v) => Math.floor(people * v));
  const order = chances.map((v, i) => [people * v - many[i], i]).sort(([a], [b]) => b - a);
  for (const [, i] of order.slice(0, people - sum(many))) many[i]++;
  return many;
}
