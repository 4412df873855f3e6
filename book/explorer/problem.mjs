// Sizes and levels, and what follows from them alone.

export const ULP = 2 ** -52;

export const sum = (values) => values.reduce((total, value) => total + value, 0);

// log(1 + exp(x)), for any x.
export const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

// p, q, d and w of every attribute (see the book's notation), 1 less the sum of q, and log of the records.
export function problem(sizes, levels) {
  const p = sizes.map((a) => (a - 1) / a);
  const w = levels.map((e, i) => (e > 500 ? Math.exp(e - Math.log(sizes[i])) : Math.expm1(e) / sizes[i]));
  const q = w.map((v, i) => p[i] / (1 + v));
  const d = w.map((v, i) => q[i] * v);
  const j = q.indexOf(Math.max(...q));
  const spare = sum(q.map((v, i) => (i === j ? (1 / sizes[j] + w[j]) / (1 + w[j]) : -v)));
  return { k: sizes.length, sizes, levels, p, q, d, w, spare, logRecords: sum(sizes.map(Math.log)) };
}

// What each answer tells about a uniformly random value, in nats. They sum to the information floor.
export function information({ sizes, levels, q, w }) {
  return levels.map((e, i) => {
    if (e > 1) return (1 - q[i]) * e - Math.log1p(w[i]);
    // Near 0 that cancels. It is also the integral of s q(s) (1 - q(s)), here by Simpson's rule.
    const others = sizes[i] - 1;
    const terms = Array.from({ length: 65 }, (_, n) => {
      const flip = others / (Math.exp((e * n) / 64) + others);
      return (n % 64 === 0 ? 1 : n % 2 ? 4 : 2) * n * flip * (1 - flip);
    });
    return (sum(terms) * e * e) / (192 * 64);
  });
}

// Standard errors of the shares that are estimated from so many people, an attribute at a time, by the flips alone: the
// root of the mean over its values (chapters tables and release).
export const errors = ({ sizes, w }, people) =>
  w.map((v, i) => Math.sqrt(((sizes[i] - 1) * (1 + 2 * v)) / people) / (sizes[i] * v));
