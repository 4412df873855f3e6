// The smallest overall level, proved from both sides (chapters certificate, shape). The smaller the mean of the
// positive gains, the more weights of the attributes prove. They walk from corner to corner, each time as far as this
// mean falls; at the last one, shares of the states whose gain is 0 make a mechanism that is as good.

import { cube, inverse, mix, neighbourLevels, product, spread } from "./cube.mjs";
import { softest } from "./edge.mjs";
import { radiusOne } from "./levels.mjs";
import { information, softplus, sum, ULP } from "./problem.mjs";

const HAIRS = [1e-10, 1e-8, 1e-6]; // to tell ties apart, or the walk might go in circles
const SURE = 14; // level above which the digits of the package's choice among optima depend on its rounding

// The optimum: bounds, weights of the attributes, log of x of every state, neighbour levels.
export function optimum(given) {
  const states = cube(given);
  const closed = radiusOne(given);
  const least = Math.max(sum(information(given)), ...given.levels);
  let [heights, unique, proof, weights] = [product(states), false, 0, []];
  for (const hair of HAIRS) {
    const found = closed ? fromClosedForm(states, closed) : walk(states, hair);
    if (found?.proved > proof) [proof, weights] = [found.proved, found.weights];
    // What is below a bound has lost its digits: one level is far too small beside another.
    const sound = found?.heights[0] >= Math.max(least, found?.proved) * (1 - 1e-9);
    if (sound && found.heights[0] < heights[0]) [heights, unique] = [found.heights, found.unique];
    if (heights[0] - proof <= 1e-10 * proof) break;
  }
  const upper = heights[0];
  const lower = Math.max(proof, least);
  const y = states.kinds.map(({ n, members: [i] }, g) => (weights[g] ?? 0) / (n * given.d[i]));
  return {
    states,
    heights,
    upper,
    lower: Math.min(lower, upper),
    exact: upper - lower < 1e-6 * Math.min(1, upper),
    unique,
    released: unique || closed !== null, // whether it is the one that the package releases
    weights: spread(
      states,
      y.map((v) => v / (Math.max(...y) || 1)),
    ),
    neighbours: neighbourLevels(states, heights),
  };
}

// The optimum that the package releases, where there are several and doubles tell which.
export function released(best) {
  const shares = best.released || !best.exact ? null : softest(best.states, best.upper);
  if (!shares) return best;
  const heights = mechanism(best.states, shares);
  return { ...best, heights, released: best.upper < SURE, neighbours: neighbourLevels(best.states, heights) };
}

function fromClosedForm({ kinds, flips, uniform }, { given, truth, single, weights, star }) {
  const heights = uniform.map((_, s) => {
    const flipping = kinds.flatMap(({ members }, g) => new Array(flips[g][s]).fill(members[0]));
    return flipping.length === 0 ? truth : flipping.length === 1 ? single[flipping[0]] : 0;
  });
  const tie = Math.min(Math.abs(weights[star] - 1), weights[star]);
  const demands = kinds.map(({ members }) => sum(members.map((i) => weights[i] * given.d[i])));
  return { heights, proved: truth * (1 - 1e-14), weights: demands, unique: tie > 1e-9 };
}

// What shares of the states supply to every kind.
function supplies(room, gains, shares) {
  return gains.map((row) => {
    let total = 0;
    for (let s = 0; s < shares.length; s++) total += room[s] * shares[s] * row[s];
    return total;
  });
}

// Walk from corner to corner; null if the way is lost.
function walk(states, hair) {
  const { kinds, count } = states;
  const least = Math.min(...states.gains.map(([truth]) => truth));
  // A further state for each kind, with any room, gains what the weight of the kind is below 0.
  const room = Float64Array.from([...states.uniform, ...kinds.map(() => 1e300)]);
  const gains = states.gains.map((row, g) =>
    Float64Array.from([...row, ...kinds.map((_, h) => (g === h ? -least : 0))]),
  );
  const sizes = gains.map((row) => row.map(Math.abs));
  const tilt = room.map((_, s) => hair * least * ((s * 0.618034 + 0.3) % 1));
  // At a corner the weights sum to 1, and as many gains are 0 as there are kinds but one.
  const first = kinds.reduce((best, { level }, g) => (level > kinds[best].level ? g : best), 0);
  const corner = kinds.map((_, g) => count + g).filter((s) => s !== count + first);
  const inside = Uint8Array.from(gains[first], (h) => Number(h > 0));
  for (let step = 0; step < 1000; step++) {
    const back = inverse([kinds.map(() => 1), ...corner.map((s) => gains.map((row) => row[s]))]);
    if (!back) return null;
    const supply = supplies(room, gains, inside);
    const mass = corner.map((_, j) => -sum(supply.map((v, g) => v * back[g][j + 1])));
    const next = leaving(corner, mass, back, Math.max(...supply.map(Math.abs)), room);
    if (!next) return arrived(states, corner, mass, back, inside.subarray(0, count));
    const weights = back.map(([v, ...line]) => v - sum(line.map((u, j) => u * tilt[corner[j]])));
    const direction = back.map((line) => next.sign * line[next.place + 1]);
    inside[corner[next.place]] = Number(next.sign > 0);
    const [at, change, size] = [
      mix(weights, gains),
      mix(direction, gains),
      mix(direction.map(Math.abs), sizes),
    ];
    for (const s of corner) change[s] = 0;
    const stops = [];
    for (let s = 0; s < at.length; s++) {
      const speed = inside[s] ? -change[s] : change[s];
      if (!(speed > 1e-11 * size[s])) continue;
      at[s] = Math.max((inside[s] ? 1 : -1) * (at[s] + tilt[s]), 0) / speed; // when it changes sides
      change[s] = room[s] * speed; // what that adds to the slope
      stops.push(s);
    }
    corner[next.place] = turn(stops, at, change, next.slope, inside);
    if (corner[next.place] === undefined) return null;
  }
  return null;
}

// The state whose leaving lets the mean fall fastest: its mass is below 0 or above its room.
function leaving(corner, mass, back, most, room) {
  let best = null;
  corner.forEach((s, place) => {
    const sign = mass[place] < 0 ? -1 : 1;
    const over = sign < 0 ? -mass[place] : mass[place] - room[s];
    const rate = over / Math.max(...back.map((line) => Math.abs(line[place + 1])));
    if (over > 1e-12 * Math.min(room[s], most) && !(rate <= best?.rate))
      best = { place, rate, sign, slope: -over };
  });
  return best;
}

// Pass stops while the slope of the mean is negative. Return the one at which it turns.
function turn(stops, at, change, slope, inside) {
  const times = new Float64Array(stops.map((s) => at[s])).sort();
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    let turned = slope;
    for (const s of stops) if (at[s] <= times[middle]) turned += change[s];
    if (turned >= 0) high = middle;
    else low = middle + 1;
  }
  for (const s of stops) if (at[s] < times[low]) inside[s] ^= 1;
  const state = stops.find((s) => at[s] === times[low]);
  inside[state] = 0;
  return state;
}

// What is known at the last corner: the bound that its weights prove, and a mechanism.
function arrived(states, corner, mass, back, inside) {
  const { uniform, gains, count } = states;
  const weights = back.map(([v], g) => (corner.includes(count + g) ? 0 : Math.max(v, 0)));
  const [h, size] = [
    mix(weights, gains),
    mix(
      weights,
      gains.map((row) => row.map(Math.abs)),
    ),
  ];
  const mean = sum(h.map((v, s) => uniform[s] * Math.max(v + ULP * (weights.length + 4) * size[s], 0)));
  const shares = Float64Array.from(inside);
  corner.forEach((s, j) => {
    shares[s] = Math.min(Math.max(mass[j] / uniform[s], 0), 1);
    h[s] = Infinity;
  });
  return {
    weights,
    proved: mean > 1e-290 ? softplus(Math.log(sum(weights) / mean) - 1e-12) : 0,
    heights: mechanism(states, shares),
    unique: corner.every((s) => s < count) && h.every((v, s) => Math.abs(v) > 1e-9 * size[s]),
  };
}

// Heights of the mechanism that shares of the states make.
function mechanism({ kinds, flips, uniform, gains }, shares) {
  const supply = supplies(uniform, gains, shares);
  const least = Math.min(...supply);
  const mass = sum(shares.map((v, s) => v * uniform[s]));
  kinds.forEach(({ stride, law }, g) => {
    // Where a kind gets too much, replace its values by uniformly random ones with this chance.
    const again = (supply[g] - least) / (supply[g] + mass);
    if (!(again > 1e-12)) return;
    flips[g].forEach((c, s) => {
      if (c > 0) return;
      const line = law.map((_, j) => s + j * stride);
      const mean = sum(line.map((place, j) => law[j] * shares[place]));
      for (const place of line) shares[place] += again * (mean - shares[place]);
    });
  });
  return shares.map((share) => (least > 1e-290 ? softplus(Math.log(share) - Math.log(least)) : Infinity));
}
