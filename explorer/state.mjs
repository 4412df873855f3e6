// What a reader may choose: checked, and kept in the address of the page.

const FIELDS = {
  count: [2, 12, "a whole number from 2 to 12"],
  size: [2, 1e6, "a whole number from 2 to 1,000,000"],
  level: [1e-12, 700, "a number from 1e-12 to 700"],
  slack: [0, 1000, "a percentage from 0 to 1000"],
};

// Read a number that somebody typed: its value, or what is wrong with it.
export function read(field, text) {
  const [low, high, allowed] = FIELDS[field];
  const typed = text.trim();
  const value = /^\+?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(typed) ? Number(typed) : NaN;
  if (value >= low && value <= high && !(allowed.includes("whole") && value % 1)) return { value };
  return {
    error: `must be ${allowed}, ${typed ? `and “${typed.slice(0, 20)}” is not` : "and cannot be empty"}.`,
  };
}

const link = (words, chapter) => `<a href="chapters/${chapter}">${words}</a>`;
const alike = (k, size, level) =>
  `#sizes=${new Array(k).fill(size)}&levels=${new Array(k).fill(level)}&alike`;

// Examples: a name, an address, and what to look at.
export const PRESETS = [
  [
    "Three questions",
    "#sizes=2,3,4&levels=1,1.5,2",
    `The book’s running example, from ${link("Many answers", "02-many-answers.html")} on.`,
  ],
  [
    "Two coins",
    "#sizes=2,2&levels=1,1",
    `Two yes-or-no answers, ${link("solved by hand", "03-two-attributes.html")}.`,
  ],
  [
    "The heuristic loses",
    "#sizes=2,3,2,2,2&levels=1.386,1.099,1.099,1.609,0.288",
    `A walk through ${link("Algorithm 3", "06-induction.html#algorithm-3-step-by-step")}.`,
  ],
  [
    "Free rider",
    "#sizes=2,3,4,5&levels=1,1.5,2,0.3",
    `The fourth answer costs nothing. Raise its level until ${link("the ride", "11-shape.html#free-riders")} ends.`,
  ],
  [
    "Half-cube",
    alike(5, 2, 0.4),
    `Faint yes-or-no answers: the ball is ${link("half of all records", "11-shape.html#the-half-cube")}.`,
  ],
  [
    "Ten SNPs",
    alike(10, 4, 4),
    `Ten places in ${link("the genome", "08-genomes.html")}, each with an allele and a diagnosis.`,
  ],
  [
    "Twelve answers",
    "#sizes=2,2,2,3,3,3,4,4,4,5,5,5&levels=0.5,1,1.5,0.6,1.1,1.6,0.7,1.2,1.7,0.8,1.3,1.8",
    `All different: 4,096 flip sets, and a ${link("proof", "05-certificate.html#why-the-solver-s-word-is-not-enough")} while you drag.`,
  ],
];

// The state as the part of an address after #.
export const toHash = ({ sizes, levels, slack, alike }) =>
  `#sizes=${sizes}&levels=${levels}${alike ? "&alike" : ""}&slack=${slack}`;

// The state in an address: null if there is none, and what is wrong if it cannot be used.
export function fromHash(hash) {
  const parts = new URLSearchParams(hash.slice(1));
  if (!parts.has("sizes") && !parts.has("levels")) return null;
  const numbers = (name, field, otherwise = "") =>
    (parts.get(name) ?? otherwise).split(",").map((text) => ({ name, ...read(field, text) }));
  const lists = [numbers("sizes", "size"), numbers("levels", "level"), numbers("slack", "slack", "10")];
  const count = { name: "number of attributes", ...read("count", String(lists[0].length)) };
  const wrong = [count, ...lists.flat()].find(({ error }) => error);
  if (wrong) return { error: `In the link, ${wrong.name} ${wrong.error}` };
  const [sizes, levels, [slack]] = lists.map((list) => list.map(({ value }) => value));
  if (sizes.length !== levels.length) return { error: "In the link, there must be a level for each size." };
  const same = [sizes, levels].every((list) => list.every((v) => v === list[0]));
  return { sizes, levels, slack, alike: same && parts.has("alike") };
}
