// On top of the first page: three answers of 22 people, flipped each on its own or together. Every answer flips as
// often as before, and the level of the whole record falls.

import { calm, choice, glide } from "./controls.mjs";
import { bar, line, text } from "./draw.mjs";
import { apart, flipLaw, share, together } from "./flips.mjs";
import { fixed, list, num, where } from "./numbers.mjs";
import { optimum } from "./optimum.mjs";
import { problem, sum } from "./problem.mjs";
import { anySeed, chance } from "./random.mjs";
import { stage } from "./stage.mjs";
import { dots, HIGH, levelBar } from "./story.mjs";

const NAMES = ["yes or no", "genotype", "diagnosis"];
const PEOPLE = 22; // among so many each answer flips, both ways, as often as it should, up to rounding
const [TOP, ROW, LEFT] = [26, 32, 116];
// Pips of the faces 1 to 6, on a grid of three by three.
const FACES = [[4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

const bit = (set, i) => (set >> i) & 1;
const height = (i) => TOP + (i + 0.5) * ROW;

// As many people with each flip set as there should be, those with most flips first: for each answer, who flips it.
export function company(given, logs) {
  const sets = share(flipLaw(given, logs), PEOPLE).flatMap((many, set) => new Array(many).fill(set));
  const flips = (set) => sum(given.levels.map((_, i) => bit(set, i)));
  sets.sort((a, b) => flips(b) - flips(a) || b - a);
  return given.levels.map((_, i) => where(sets.map((set) => bit(set, i))));
}

// Both ways: who flips, and the level of the whole record.
export function both() {
  const given = problem([2, 3, 4], [1, 1.5, 2]);
  const best = optimum(given);
  return {
    given,
    apart: { flips: company(given, apart(given)), level: sum(given.levels) },
    together: { flips: company(given, together(best)), level: best.upper },
  };
}

function die(y, face, turn, opacity) {
  const pips = FACES[face].map((spot) => [((spot % 3) - 1) * 6, (Math.floor(spot / 3) - 1) * 6]);
  return `<g transform="translate(14 ${y.toFixed(1)}) rotate(${turn.toFixed(1)})" opacity="${opacity.toFixed(2)}">
    <rect class="dice-die" x="-12" y="-12" width="24" height="24" rx="5"/>
    ${dots("dice-pips", 4.4, pips)}</g>`;
}

// Rows of people: a dot where an answer is kept, a bar where it flips, on the way from one place to another.
function rows({ apart, together }, part, width, colour) {
  const step = (width - LEFT - 34) / PEOPLE;
  const x = (person) => LEFT + (person + 0.5) * step;
  const wide = Math.min(step - 1.5, 10);
  const everyone = Array.from({ length: PEOPLE }, (_, person) => person);
  const body = apart.flips.map((row, i) => {
    const flips = row.map((person, n) => x(person) + part * (x(together.flips[i][n]) - x(person)));
    const kept = everyone.map((person) => [x(person), height(i)]);
    return (
      dots("", 3, kept) +
      flips.map((v) => bar(`${colour} dice-flip`, v - wide / 2, height(i) - 9, wide, 18)).join("")
    );
  });
  return body.join("");
}

// The level of the whole record, and in dashes what it is when each answer flips on its own.
function bars({ given, apart, together }, way, part, width) {
  const [y, unit] = [TOP + 3 * ROW + 34, (width - 58) / apart.level];
  const level = apart.level + part * (together.level - apart.level);
  const [first, second] = given.levels;
  const cuts = [first, first + second].map((v) => line("kronecker", v * unit, y, v * unit, y + HIGH));
  return `${text(0, y - 8, "level of the whole record: what it can give away", "small")}
    ${levelBar(way.colour, y, unit, level, apart.level)}<g opacity="${(1 - part).toFixed(2)}">${cuts.join("")}</g>
    ${text(level * unit + 8, y + 21, num(way.level, 3), "story-big")}`;
}

export function mount(place) {
  const ways = both();
  Object.assign(ways.apart, { colour: "kronecker", end: 0 });
  Object.assign(ways.together, { colour: "optimum", end: 1 });
  const draw = chance(anySeed());
  let way = ways.together;
  let part = calm() ? 1 : 0; // from 0, each on its own, to 1, together
  let [faces, stop] = [[4, 4, 5], () => {}];

  const picture = (width) => {
    let body = text(LEFT, 14, "whose answers flip", "small") + text(width, 14, "level", "small end");
    let dice = "";
    NAMES.forEach((name, i) => {
      const y = height(i) + part * (height(1) - height(i));
      body += line("guide", 14, y, 36, height(i)) + text(40, height(i) + 5, name);
      body += text(width, height(i) + 5, num(ways.given.levels[i]), "end bold");
      dice += die(y, faces[i], 360 * part, i === 1 ? 1 : 1 - part);
    });
    body += dice + rows(ways, part, width, way.colour) + bars(ways, way, part, width);
    return { height: TOP + 3 * ROW + 68, body };
  };
  const counts = list(ways.apart.flips.map(({ length }) => length));
  const says = () =>
    way.end
      ? `One throw for all three: flips keep company. Each answer flips as often as before (here ${counts} times), and
        the level is <b>${fixed(way.level, 2)}</b> instead of ${num(ways.apart.level)}.`
      : `A throw for each answer: ${counts} flips among these ${PEOPLE} people, here and there. The levels add up to
        <b>${num(way.level)}</b>.`;
  const title = "Three answers, flipped in two ways";
  const { controls, show } = stage(place, { title, draw: picture, says });
  const set = (value) => {
    part = value;
    show();
  };
  const go = () => {
    stop();
    stop = glide(part, way.end, set, 1100);
  };
  // The first time it moves by itself, so that readers see what there is to see.
  const timer = setTimeout(go, 1200);
  choice(controls, {
    label: "How flips are chosen",
    options: { apart: "Each on its own", together: "Together" },
    value: "together",
    change: (chosen) => {
      clearTimeout(timer);
      way = ways[chosen];
      faces = faces.map(() => Math.floor(6 * draw()));
      go();
    },
  });
}
