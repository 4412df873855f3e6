// Chapter one-answer, and the first scene of the first page: a thousand people, each with a pointer that may flip the
// answer. One answer tells little about anyone; all together tell how many smoke.

import { button, glide, slider } from "./controls.mjs";
import { line, text } from "./draw.mjs";
import { fixed, num, percent } from "./numbers.mjs";
import { sum } from "./problem.mjs";
import { anySeed, chance } from "./random.mjs";
import { stage } from "./stage.mjs";
import { dots } from "./story.mjs";

export const PEOPLE = 1000;
export const SMOKERS = 300;
const SURVEYS = [20, 400]; // at first, so that scatter is seen at once; and kept at most
const MOST = 600; // the axis of estimates ends nearly four standard errors from the truth, at the most flips allowed
const BIN = 10; // estimates that lie on one another
const ACROSS = 50; // people in a row, so that both groups fill whole rows
const TALL = 1.3; // a person, in widths

export const level = (q) => Math.log((1 - q) / q);
export const estimate = (yes, q) => (yes - PEOPLE * q) / (1 - 2 * q);
export const standardError = (q) => Math.sqrt(PEOPLE * q * (1 - q)) / (1 - 2 * q);
// Where everybody's pointer stops, from 0 to 1; below q it orders a flip.
export const spins = (draw) => Float64Array.from({ length: PEOPLE }, draw);
export const answers = (stops, q) => Array.from(stops, (stop, i) => i < SMOKERS !== stop < q);
export const count = (said) => said.filter(Boolean).length;
export const mean = (values) => sum(values) / values.length;
export const spread = (values) => Math.sqrt(mean(values.map((v) => (v - mean(values)) ** 2)));

// The pointer: a disc with a wedge for flips, and a needle.
function pointer(q, turn) {
  const rim = (part, r) => [44 + r * Math.sin(2 * Math.PI * part), 44 - r * Math.cos(2 * Math.PI * part)];
  const [x, y] = rim(q, 38);
  return `<circle class="people-disc" cx="44" cy="44" r="38"/>
    <path class="people-wedge" d="M44 44V6A38 38 0 0 1 ${x} ${y}z"/>
    ${line("people-needle", ...rim(turn + 0.5, 10), ...rim(turn, 31))}
    <circle class="people-hub" cx="44" cy="44" r="4"/>`;
}

// People as heads and shoulders, those who smoke above the others.
function crowd(said, width, top) {
  const step = width / ACROSS;
  const high = (people) => top + (people / ACROSS) * step * TALL;
  const places = said.map((_, i) => {
    const row = Math.floor(i / ACROSS) * ACROSS;
    return [((i % ACROSS) + 0.5) * step, high(row) + 0.4 * step * TALL + (i < SMOKERS ? 0 : 26)];
  });
  const group = (style, answer) => {
    const own = places.filter((_, i) => said[i] === answer);
    const shoulders = own.map(([x, y]) => [x, y + step * 0.52]);
    return dots(style, step * 0.46, own) + dots(style, step * 0.68, shoulders);
  };
  const body = group("", false) + group("people-yes", true);
  return { body, middle: high(SMOKERS) + 19, bottom: high(PEOPLE) + 26 };
}

// Estimates as dots on an axis, those of one bin on one another; the last one has a ring.
function heap(estimates, width, top) {
  const x = (v) => 10 + ((width - 20) * Math.min(Math.max(v, 0), MOST)) / MOST;
  const bins = estimates.map((v) => Math.floor(v / BIN));
  const highest = Math.max(...bins.map((bin) => bins.filter((other) => other === bin).length));
  const size = Math.min((width - 20) / (MOST / BIN) - 0.5, 8);
  const step = Math.min(size + 0.5, 84 / highest);
  const floor = top + 96;
  const below = {};
  const places = bins.map((bin) => {
    below[bin] = (below[bin] ?? -1) + 1;
    return [x((bin + 0.5) * BIN), floor - size / 2 - 1 - below[bin] * step];
  });
  let body = line("guide", x(SMOKERS), top, x(SMOKERS), floor) + line("people-axis", 0, floor, width, floor);
  for (let v = 0; v <= MOST; v += 100) body += text(x(v), floor + 17, v, "middle small");
  const last = places.slice(-1);
  body += dots("", size, places) + dots("people-ring", size + 5, last) + dots("people-yes", size, last);
  return { body: body + text(x(SMOKERS) + 6, top + 11, "the truth", "small"), bottom: floor + 24 };
}

function picture(width, { q, surveys, said, turn }) {
  const found = surveys.map((stops) => estimate(count(answers(stops, q)), q));
  const people = crowd(said, width, 118);
  const below = heap(found, width, people.bottom + 24);
  const yes = count(answers(surveys.at(-1), q));
  const body = `${pointer(q, turn)}${text(98, 26, `${percent(q)} of the answers flip`, "bold")}
    ${text(98, 49, `${yes} of 1,000 people say “yes”`)}${text(98, 72, `so about ${fixed(found.at(-1), 0)} smoke`)}
    ${text(0, 112, `${SMOKERS} people who smoke`, "small")}${people.body}
    ${text(0, people.middle, `${PEOPLE - SMOKERS} people who do not`, "small")}
    ${text(0, people.bottom + 17, `How many smoke, by ${num(found.length)} surveys`, "small")}`;
  return { height: below.bottom, body: body + below.body };
}

function sentence({ q, surveys, plain }) {
  const odds = (1 - q) / q;
  const means = `<b>Level ${fixed(level(q), 2)}:</b> an answer multiplies anybody’s odds by ${fixed(odds, 1)} at most`;
  if (plain)
    return `${means}. Who would have bet evenly on you is then ${percent(odds / (1 + odds))} sure, at most.`;
  const found = surveys.map((stops) => estimate(count(answers(stops, q)), q));
  return `${means}. ${num(found.length)} surveys have a mean of ${fixed(mean(found), 1)} smokers and a spread of
    ${fixed(spread(found), 1)}; the standard error is ${fixed(standardError(q), 1)}.`;
}

export function mount(place) {
  const plain = place.dataset.words === "plain";
  const draw = chance(anySeed());
  const surveys = Array.from({ length: SURVEYS[0] }, () => spins(draw));
  const now = { plain, surveys, q: plain ? 0.269 : 0.25, turn: surveys.at(-1)[0] };
  let stop = () => {};
  now.said = answers(surveys.at(-1), now.q);
  const { controls, show } = stage(place, {
    title: "A thousand people",
    draw: (width) => picture(width, now),
    says: () => sentence(now),
  });
  const ask = (times) => {
    stop();
    const { turn: before, said: old } = now;
    let asked = 0;
    const step = (part) => {
      for (; asked < Math.max(1, Math.round(part * times)); asked++) surveys.push(spins(draw));
      surveys.splice(0, surveys.length - SURVEYS[1]);
      const [next, last] = [answers(surveys.at(-1), now.q), surveys.at(-1)[0]];
      now.turn = before + part * (2 + last - (before % 1));
      // People answer one after the other, in no order that can be seen.
      now.said = next.map((yes, i) => ((i * 619) % PEOPLE < part * PEOPLE ? yes : old[i]));
      show();
    };
    stop = glide(0, 1, step, times > 1 ? 1500 : 900);
  };
  slider(controls, {
    label: "flipped",
    min: 1,
    max: 40,
    step: 0.1,
    value: 100 * now.q,
    say: (value) => percent(value / 100),
    change: (value) => {
      stop();
      now.q = value / 100;
      now.said = answers(surveys.at(-1), now.q);
      show();
    },
  });
  button(controls, "Ask again", () => ask(1));
  button(controls, "Ask 100 times", () => ask(100));
}
