// Mechanisms in closed form: one flip at most stands out (chapter when-optimal).

import { problem, softplus, sum, ULP } from "./problem.mjs";

const ROUNDING = 1e-12;

// Lifts the truth by z0 and a flip of attribute i alone by z[i], in units of all records.
function law(given, z0, lifted) {
  const z = lifted.map((v) => Math.max(v, 0));
  const [truth, ...single] = [z0, ...z].map((v) => softplus(given.logRecords + Math.log(v)));
  const neighbours = single.map((own, i) =>
    Math.max(Math.abs(truth - own), ...single.filter((_, j) => j !== i)),
  );
  const mass = z0 + sum(z.map((v, i) => (given.sizes[i] - 1) * v));
  return { given, z0, z, mass, truth, single, neighbours, epsilon: Math.max(truth, ...single) };
}

// z that gives every attribute its level when the mass above the uniform part is M.
const singleFlips = ({ sizes, q, w }, mass) => w.map((v, i) => ((mass - v) * q[i]) / (sizes[i] - 1));

// The law that may be optimal, and the attribute whose flip ties with the truth, or -1.
function candidate(given) {
  const { sizes, q, d, w, spare } = given;
  if (spare >= -8 * ULP) {
    const mass = Math.max(...w);
    return { ...law(given, sum(d) + mass * spare, singleFlips(given, mass)), tied: -1 };
  }
  const masses = d.map((v, i) => (sum(d) + v / (sizes[i] - 1)) / (q[i] / (sizes[i] - 1) - spare));
  const tied = masses.findIndex((v) => v <= Math.min(...masses) * (1 + ROUNDING));
  const z = singleFlips(given, masses[tied]);
  return { ...law(given, z[tied], z), tied };
}

// The optimum and weights that prove it, where one flip at most stands out; else null.
export function radiusOne(given) {
  const found = candidate(given);
  const { q, w, spare } = given;
  const high = Math.max(...w);
  const star = found.tied < 0 ? w.indexOf(high) : found.tied;
  const others = 1 - spare - q[star];
  const applies =
    found.tied < 0
      ? found.z0 >= Math.max(...found.z) * (1 - ROUNDING)
      : found.mass >= high * (1 - ROUNDING) && others <= 1 + ROUNDING;
  if (!applies) return null;
  return { ...found, star, weights: q.map((v, i) => (i === star ? Math.max(spare + v, 0) / v : 1)) };
}

export function twoAttributes(given) {
  const found = candidate(given);
  const label =
    found.tied < 0 ? (given.w[0] >= given.w[1] * (1 - ROUNDING) ? "I" : "II") : ["III", "IV"][found.tied];
  return { ...found, label };
}

// Algorithm 3 in scaled variables: levels achieved, attributes that fell back.
export function heuristic(given) {
  const { sizes, levels, w } = given;
  const base = twoAttributes(problem(sizes.slice(0, 2), levels.slice(0, 2)));
  const { mass } = base;
  let [z0, top] = [base.z0, Math.max(...base.z)];
  const z = [...base.z];
  const fellBack = singleFlips(given, mass).map((flip, i) => {
    if (i < 2) return false;
    const asked = Math.abs(mass - w[i]) <= 16 * ULP * mass ? 0 : flip;
    const left = z0 - (sizes[i] - 1) * asked;
    const fallen = asked < 0 || left < Math.max(top, asked) - 4 * ULP * base.z0;
    z[i] = fallen ? 0 : asked;
    if (!fallen) [z0, top] = [left, Math.max(top, asked)];
    return fallen;
  });
  const achieved = levels.map((e, i) => (fellBack[i] ? softplus(Math.log(sizes[i]) + Math.log(mass)) : e));
  return { ...law(problem(sizes, achieved), z0, z), fellBack };
}
