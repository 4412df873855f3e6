// What a round of the survey is: its rows, how coins and cards flip, what the counts tell, and the file they go to.
// An answer flips with probability 1/4 in every round. Differences between yes and no then shrink by 1 - 2/4 = 1/2,
// and what two answers tell together by a factor of its own, which is what joint flips improve.

const ONE = ["yes,", "no,"];
const TWO = ["yes,yes", "yes,no", "no,yes", "no,no"];
// `pair` is that factor: 1 minus twice the chance that just one of the two flips, which is 6/16 or 2/8. `least` is the
// least that a person can add to the variance of an estimated cell, and bounds it where few people answered.
export const ROUNDS = {
  one: { rows: ONE, keys: ["y", "n"], least: 3 / 4 },
  apart: { rows: TWO, keys: ["1", "2", "3", "4"], pair: 1 / 4, least: 9 / 16 },
  together: { rows: TWO, keys: ["1", "2", "3", "4"], pair: 1 / 2, least: 7 / 16 },
};
export const HEAD = "round,first,second,count";
export const MOST = 9999; // people that a room holds, and that a phone has room to show

export const nobody = () =>
  Object.fromEntries(Object.entries(ROUNDS).map(([round, { rows }]) => [round, rows.map(() => 0)]));
export const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
export const isCount = (text) => /^\d+$/.test(text) && Number(text) <= MOST;

// What an answer adds to the estimated number of people whose true answer is `cell`. Its mean is 1 for them, 0 for others.
function weight(pair, cell, answer) {
  const [same, too] = answer.split(",").map((said, i) => (said === cell.split(",")[i] ? 1 : -1));
  return pair ? (1 + 2 * same + 2 * too + (same * too) / pair) / 4 : (1 + 2 * same) / 2;
}

// How many people have a row's answers in truth, and the standard error, from the flips alone: people are not drawn.
// The sum of w² - w is without bias for the variance, since a mean of 0 or 1 is its own square.
export function estimate(round, counts, row) {
  const { rows, pair, least } = ROUNDS[round];
  const w = rows.map((answer) => weight(pair, rows[row], answer));
  const variance = sum(counts.map((count, i) => count * (w[i] ** 2 - w[i])));
  return {
    value: sum(counts.map((count, i) => count * w[i])),
    error: Math.sqrt(Math.max(variance, least * sum(counts))),
  };
}

// The answers to one of two questions, as if it had been the only one.
export const alone = ([a, b, c, d], question) => (question ? [a + c, b + d] : [a + b, c + d]);

// What fair bits, 1 for heads, order for each question: the truth, its opposite, or a given answer.
const coin = (bit) => (bit ? "yes" : "no");
const twoCoins = ([first, second]) => (first ? "truth" : coin(second));
const suit = ([a, b]) => (a && b ? "opposite" : "truth");
const EIGHT = { 6: ["opposite", "truth"], 7: ["truth", "opposite"], 8: ["opposite", "opposite"] };
const eight = (bits) => 1 + 4 * bits[0] + 2 * bits[1] + bits[2];
const SUITS = ["a club", "a diamond", "a heart", "a spade"];
const sides = (bits) => bits.map((bit) => (bit ? "heads" : "tails")).join(", ");
const drawn = (bits) => SUITS[2 * bits[0] + bits[1]];
const EACH = (order, say) => ({
  one: { bits: 2, order: (bits) => [order(bits)], say },
  apart: {
    bits: 4,
    order: (bits) => [order(bits.slice(0, 2)), order(bits.slice(2))],
    say: (bits) => `${say(bits.slice(0, 2))}; then ${say(bits.slice(2))}`,
  },
});
export const CHANCE = {
  coins: {
    ...EACH(twoCoins, sides),
    together: { bits: 3, order: ([all, ...two]) => (all ? ["truth", "truth"] : two.map(coin)), say: sides },
  },
  cards: {
    ...EACH(suit, drawn),
    together: {
      bits: 3,
      order: (bits) => EIGHT[eight(bits)] ?? ["truth", "truth"],
      say: (bits) => `the ${["ace", 2, 3, 4, 5, 6, 7, 8][eight(bits) - 1]}`,
    },
  },
};

// survey.csv: a line a row, all rows of all rounds.
export function write(counts) {
  const lines = Object.entries(ROUNDS).flatMap(([round, { rows }]) =>
    rows.map((row, i) => `${round},${row},${counts[round][i]}`),
  );
  return `${[HEAD, ...lines].join("\n")}\n`;
}

// The counts of a survey.csv, or an error that says which line is wrong. A spreadsheet may have changed its line ends.
export function read(text) {
  const [head, ...lines] = text
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split(/\r?\n/);
  if (head !== HEAD) throw new Error(`The first line must be ${HEAD}.`);
  const counts = Object.fromEntries(Object.keys(ROUNDS).map((round) => [round, []]));
  for (const [i, line] of lines.entries()) {
    const [, round, row, count] = line.match(/^([a-z]+),([a-z]+,[a-z]*),(.*)$/) ?? [];
    const place = Object.hasOwn(ROUNDS, round ?? "") ? ROUNDS[round].rows.indexOf(row) : -1;
    const wrong = (why) => new Error(`Line ${i + 2} ${why}: ${line.slice(0, 40)}`);
    if (place < 0) throw wrong("is no row of a survey");
    if (counts[round][place] !== undefined) throw wrong("has come before");
    if (!isCount(count)) throw wrong(`has no whole number from 0 to ${MOST} at its end`);
    counts[round][place] = Number(count);
  }
  for (const [round, { rows }] of Object.entries(ROUNDS))
    for (const [i, row] of rows.entries())
      if (counts[round][i] === undefined) throw new Error(`The row ${round},${row} is missing.`);
  return counts;
}
