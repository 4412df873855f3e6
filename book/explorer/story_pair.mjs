// Third scene of the first page: two yes-or-no questions, and a slider for how often both answers flip at once. Each
// answer keeps its flips. The level is the log of the tallest column over the shortest.

import { slider } from "./controls.mjs";
import { line, mark, text } from "./draw.mjs";
import { flipLaw, share, together } from "./flips.mjs";
import { fixed } from "./numbers.mjs";
import { optimum } from "./optimum.mjs";
import { problem } from "./problem.mjs";
import { stage } from "./stage.mjs";
import { dots, HIGH, levelBar } from "./story.mjs";

const PEOPLE = 1000;
const MOST = 220; // people who flip both, at the end of the slider
const HEIGHT = 200; // of the tallest column at the end of the slider
const LONGEST = 2.7; // level for which there is room
const CASES = ["no flip", "first", "second", "both"];

// Chances of the four cases when both flip with chance x, and the level of the whole record.
export function cases({ q: [first, second] }, x) {
  const chances = [1 - first - second + x, first - x, second - x, x];
  return { chances, level: Math.log(Math.max(...chances) / Math.min(...chances)) };
}

// The chance of a double flip for a number of people: at both marks, each on its own and the best, it is exact.
export function both({ own, lowest }, people) {
  return [own, lowest].find((v) => Math.floor(PEOPLE * v) === people) ?? people / PEOPLE;
}

export function marks() {
  const given = problem([2, 2], [1, 1]);
  const best = optimum(given);
  return { given, best: best.upper, own: given.q[0] * given.q[1], lowest: flipLaw(given, together(best))[3] };
}

// Columns of people, some in a row.
function columns(chances, level, width) {
  const wide = width / 4;
  const step = Math.sqrt((wide * 0.86 * HEIGHT) / (0.69 * PEOPLE));
  const across = Math.floor((wide * 0.86) / step);
  const bottom = HEIGHT + 12;
  const high = (people) => bottom - (people / across) * step;
  const [least, most] = [Math.min(...chances), Math.max(...chances)];
  let body = "";
  share(chances, PEOPLE).forEach((many, i) => {
    const style = chances[i] < least * (1 + 1e-6) ? "pair-rare" : i ? "" : "people-yes";
    const place = (n) => [i * wide + ((n % across) + 0.5) * step, high(n - (n % across)) - step / 2];
    body += dots(
      style,
      step * 0.74,
      Array.from({ length: many }, (_, n) => place(n)),
    );
    body +=
      text(i * wide, bottom + 19, CASES[i]) +
      text(i * wide, bottom + 38, Math.round(PEOPLE * chances[i]), "bold");
  });
  const [top, low] = [high(most * PEOPLE), high(least * PEOPLE)];
  body += line("guide", 0, top, width, top) + line("guide", 0, low, width, low);
  body += text(width, top + 32, `${fixed(Math.exp(level), 1)} to 1`, "story-big end");
  return body + text(width, top + 52, "tallest to shortest", "small end");
}

function bars(level, best, width) {
  const [y, unit] = [HEIGHT + 88, (width - 60) / LONGEST];
  const [end, mid] = [Math.min(level, LONGEST) * unit, best * unit];
  return `${text(0, y - 8, "level of the whole record", "small")}
    ${levelBar("optimum", y, unit, end / unit, 2)}${line("guide", mid, y - 3, mid, y + HIGH + 2)}
    ${mark("optimum", mid, y + HIGH + 9)}${text(mid + 12, y + HIGH + 15, "the lowest there is", "small")}
    ${text(end + 8, y + 21, fixed(level, 2), "story-big")}`;
}

export function mount(place) {
  const found = marks();
  const { given, best, own, lowest } = found;
  let x = own;
  const says = () => {
    const { chances, level } = cases(given, x);
    const [, single, , double] = chances.map((chance) => Math.round(PEOPLE * chance));
    const same = `Each answer is flipped for ${Math.round(PEOPLE * given.q[0])} people in 1,000, as before.`;
    const then = `<b>level ${fixed(level, 2)}</b>`;
    if (x === own)
      return `Each on its own, both flip for ${double} people only, so <i>no, no</i> hardly explains a <i>yes, yes</i>: ${then}, the sum.`;
    if (x === lowest)
      return `${same} All three kinds of flips are equally rare, and no flips like these do better: ${then}.`;
    if (x < lowest)
      return `${same} For ${double} of them both flip, so <i>no, no</i> explains a <i>yes, yes</i> better: ${then}.`;
    return `${same} Too much company! A single flip is now the rarest case, for ${single} people each: ${then}.`;
  };
  const { controls, show } = stage(place, {
    title: "Two questions, and flips that keep company",
    draw: (width) => {
      const { chances, level } = cases(given, x);
      return { height: HEIGHT + 136, body: columns(chances, level, width) + bars(level, best, width) };
    },
    says,
  });
  slider(controls, {
    label: "people whose answers both flip",
    min: Math.floor(PEOPLE * own),
    max: MOST,
    step: 1,
    value: Math.floor(PEOPLE * own),
    change: (people) => {
      x = both(found, people);
      show();
    },
  });
}
