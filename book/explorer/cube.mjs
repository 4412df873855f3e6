// Flip sets, counted: attributes of the same size and level form a kind, and only numbers of flips matter.

import { sum } from "./problem.mjs";

// Kinds, states (how many of each kind flip), their chances in a random record, and what they add to the levels.
export function cube(given) {
  const { sizes, levels } = given;
  const order = sizes.map((_, i) => i).sort((i, j) => sizes[i] - sizes[j] || levels[i] - levels[j]);
  const kinds = [];
  for (const i of order) {
    const last = kinds.at(-1);
    if (last?.size === sizes[i] && last.level === levels[i]) last.members.push(i);
    else kinds.push({ size: sizes[i], level: levels[i], members: [i] });
  }
  let count = 1;
  for (const kind of [...kinds].reverse()) {
    const n = kind.members.length;
    const law = Array.from(
      { length: n + 1 },
      (_, c) => choose(n, c) * (kind.size - 1) ** c * kind.size ** -n,
    );
    Object.assign(kind, { n, law, stride: count });
    count *= n + 1;
  }
  const flips = kinds.map(({ n, stride }) =>
    Uint8Array.from({ length: count }, (_, s) => Math.floor(s / stride) % (n + 1)),
  );
  const uniform = Float64Array.from(flips[0], (_, s) =>
    kinds.reduce((v, { law }, g) => v * law[flips[g][s]], 1),
  );
  const gains = kinds.map(({ n, size, members: [i] }, g) => {
    const flip = (1 + 1 / (size * given.w[i])) / given.p[i];
    return Float64Array.from(flips[g], (c) => ((n - c) / given.w[i] - c * flip) / n);
  });
  return { given, kinds, count, flips, uniform, gains };
}

export const choose = (n, c) => (c === 0 ? 1 : (choose(n, c - 1) * (n - c + 1)) / c);

// Weighted sum of the rows of a matrix.
export function mix(weights, rows) {
  const result = new Float64Array(rows[0].length);
  for (const [g, v] of weights.entries()) {
    const row = rows[g];
    if (v !== 0) for (let s = 0; s < row.length; s++) result[s] += v * row[s];
  }
  return result;
}

// Log of x of every state under Kronecker.
export const product = ({ given, kinds, flips }) =>
  mix(
    kinds.map(({ level }) => -level),
    flips,
  ).map((v) => v + sum(given.levels));

// A number for each kind, given to each of its attributes.
export const spread = ({ given, kinds }, values) =>
  given.sizes.map((_, i) => values[kinds.findIndex(({ members }) => members.includes(i))]);

// For every attribute, the largest change of log x when it enters the flip set.
export function neighbourLevels(states, heights) {
  const most = states.kinds.map(({ n, stride }, g) => {
    let change = 0;
    states.flips[g].forEach((c, s) => {
      if (c < n) change = Math.max(change, Math.abs(heights[s] - heights[s + stride]));
    });
    return change;
  });
  return spread(states, most);
}

// Inverse of a matrix, by elimination with scaled rows; null if there is none.
export function inverse(matrix) {
  const n = matrix.length;
  const rows = matrix.map((row, i) => {
    const scale = Math.max(...row.map(Math.abs));
    return Float64Array.from([...row.map((v) => v / scale), ...row.map((_, j) => (i === j ? 1 / scale : 0))]);
  });
  for (let j = 0; j < n; j++) {
    let best = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(rows[i][j]) > Math.abs(rows[best][j])) best = i;
    [rows[j], rows[best]] = [rows[best], rows[j]];
    const line = rows[j];
    const pivot = line[j];
    if (!(Math.abs(pivot) > 0)) return null;
    for (let m = j; m < 2 * n; m++) line[m] /= pivot;
    for (const row of rows) {
      const factor = row[j];
      if (row !== line && factor !== 0) for (let m = j; m < 2 * n; m++) row[m] -= factor * line[m];
    }
  }
  return rows.map((row) => [...row.slice(n)]);
}
