// Which optimum is meant where there are several: as in the package, the one with the softest edge that costs next to
// nothing (orr/optimum/cell_program.py). Each state gets the share 1 / (1 + exp(-x)) of the largest lift, where x mixes the
// gains of the state by weights of the kinds. All kinds get the supply that a level wants where the mean of
// log(1 + exp(x)), in units of this supply and less the sum of the weights, is smallest: a smooth convex problem.

import { inverse, mix } from "./cube.mjs";
import { softplus, sum } from "./problem.mjs";

const CHOSEN = 2.25e-10; // share of the level that the choice costs: the package's for the Python that the page offers
const FALL = 4; // of this cost from a problem to the next, whose solution is then near
const STEPS = 50; // of Newton's method, where a few are needed
const NOISE = 1e-12; // share of the sums that rounding alone may change
const SLOWED = 0.3; // of its slope, by which a weight that should grow is held back: there may be nothing at the edge

// Shares of the states for an optimal level; null where doubles cannot hold them.
export function softest({ gains, uniform }, level) {
  const least = CHOSEN * level;
  const excess = level > 30 ? level : Math.log(Math.expm1(level)); // the same there, and finite
  let weights = gains.map(([truth]) => 1 / (truth * gains.length));
  for (let cost = Math.max(1, least); ; cost = Math.max(cost / FALL, least)) {
    const room = uniform.map((v) => v * Math.exp(excess + cost));
    weights = settled(weights, gains, room, cost / 10);
    if (!weights || cost === least) return weights && mix(weights, gains).map(share);
  }
}

const share = (x) => 1 / (1 + Math.exp(-x));

// Sum of the products of two or three rows.
function dot(a, b, c) {
  let total = 0;
  for (let s = 0; s < a.length; s++) total += a[s] * b[s] * (c ? c[s] : 1);
  return total;
}

// Weights whose supplies are 1, or more where the weight is 0, but for so little; null if they are not found.
function settled(first, gains, room, little) {
  let weights = first;
  for (let step = 0; step < STEPS; step++) {
    const inside = mix(weights, gains).map(share);
    const off = gains.map((row) => dot(row, room, inside) - 1);
    const slope = off.map((v, g) => v * weights[g]);
    if (Math.min(...off) > -little && sum(slope) < little * sum(weights)) return weights;
    weights = improved(weights, gains, room, slope, inside);
    if (!weights) return null;
  }
  return null;
}

// Take as much of Newton's step in the logarithms of the weights as helps; null if nothing does.
function improved(weights, gains, room, slope, inside) {
  const edge = inside.map((v, s) => room[s] * v * (1 - v));
  const bend = gains.map((row, g) =>
    gains.map((other, h) => weights[g] * weights[h] * dot(row, other, edge)),
  );
  for (const [g, v] of slope.entries()) bend[g][g] = bend[g][g] * (1 + 1e-13) + Math.max(v, -SLOWED * v);
  const move = inverse(bend)?.map((row) => -dot(row, slope)) ?? [NaN];
  const value = (y) => dot(room, mix(y, gains).map(softplus)) - sum(y);
  const [here, promised] = [value(weights), -dot(move, slope)];
  for (let part = 1 / Math.max(1, ...move.map(Math.abs)); part > 1e-6; part *= 0.4) {
    // No weight falls by more than half in a straight line.
    const next = weights.map(
      (y, g) => y * (part * move[g] > -0.5 ? 1 + part * move[g] : Math.exp(part * move[g] + 0.5) / 2),
    );
    if (here - value(next) > 0.1 * part * promised || promised < NOISE * sum(weights)) return next;
  }
  return null;
}
