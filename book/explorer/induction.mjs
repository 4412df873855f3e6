// Chapter induction: attributes join one by one, and the truth pays for the flips of each.

import { button, choice, glide } from "./controls.mjs";
import { bar, text } from "./draw.mjs";
import { heuristic } from "./levels.mjs";
import { num } from "./numbers.mjs";
import { problem, sum } from "./problem.mjs";
import { stage } from "./stage.mjs";

// Examples: sizes, levels and names in the order in which they join.
const EXAMPLES = [
  ["the survey", [4, 3, 2], [2, 1.5, 1], ["the diagnosis", "the genotype", "the yes-or-no"]],
  ["in another order", [2, 3, 4], [1, 1.5, 2], ["the yes-or-no", "the genotype", "the diagnosis"]],
  [
    "five answers",
    [2, 3, 2, 2, 2],
    [4, 3, 3, 5, 4 / 3].map(Math.log),
    [1, 2, 3, 4, 5].map((i) => `attribute ${i}`),
  ],
];

// What the heuristic has after the first 2, 3, … attributes, and the mass that the last one asked for each flip.
export function steps(sizes, levels) {
  return sizes.slice(1).map((_, i) => {
    const given = problem(sizes.slice(0, i + 2), levels.slice(0, i + 2));
    const found = heuristic(given);
    const [a, w] = [sizes[i + 1], given.w[i + 1]];
    const asked = i > 0 ? (found.mass - w) / (a * (1 + w)) : found.z[1];
    return { ...found, achieved: found.given.levels, asked };
  });
}

// A bar for each step: the uniform part, the truth, and the flips that it has paid for. Of the last, `share` is paid.
function row({ z0, z, given, fellBack, achieved, epsilon }, names, asked, share, top, width) {
  const last = z.length - 1;
  const x = (mass) => (mass / (1 + sum(masses) + z0)) * (width - 2);
  const masses = z.map((v, j) => (given.sizes[j] - 1) * v);
  const due = last > 1 ? masses[last] * (1 - share) : 0;
  const verb = fellBack[last] ? "falls back" : "joins";
  let body = text(1, top - 7, last > 1 ? `${names[last]} ${verb}` : `${names[0]} and ${names[1]}`, "bold");
  body += text(width - 1, top - 7, `overall level ${num(epsilon, 4)}`, "end");
  let from = 0;
  const part = (mass, style, words) => {
    body += bar(`part ${style}`, 1 + x(from), top, x(mass), 28);
    const fits = words.find((word) => x(mass) > 7.5 * word.length + 6);
    if (fits) body += text(1 + x(from + mass / 2), top + 19, fits, "middle induction-word");
    from += mass;
  };
  part(1, "part-0", ["uniform part, 1", "uniform"]);
  part(z0 + due, "part-1", [`truth, ${num(z0 + due, 3)}`, num(z0 + due, 3)]);
  for (let j = last; j >= 0; j--) {
    const mass = masses[j] - (j === last ? due : 0);
    if (mass > 0) part(mass, `part-${2 + (j % 4)}`, [num(mass, 2)]);
  }
  const level = `level ${num(achieved[last], 4)}, ${fellBack[last] ? `not ${num(asked[last], 4)}` : "as asked"}`;
  return last > 1 ? body + text(1, top + 43, level, "small") : body;
}

// Which colour is whose flip, in as many lines as it takes.
function legend(names, z, top, width) {
  let [body, x, y] = ["", 1, top];
  names.forEach((name, j) => {
    if (!(z[j] > 0)) return;
    const room = 30 + 7 * `${name} flips`.length;
    if (x + room > width) [x, y] = [1, y + 22];
    body += bar(`part part-${2 + (j % 4)}`, x, y - 11, 14, 14) + text(x + 20, y, `${name} flips`, "small");
    x += room;
  });
  return { body, height: y + 8 };
}

function picture(all, [, , asked, names], now, share, width) {
  const rows = all.slice(0, now + 1).map((step, i) => {
    return row(step, names, asked, i < now ? 1 : share, 72 * i + 22, width);
  });
  let top = 72 * now + 90;
  if (all[now + 1]) {
    rows.push(text(1, top + 7, `${names[now + 2]} comes next`, "small"));
    rows.push(bar("induction-coming", 1, top + 14, width - 2, 28));
    top += 62;
  }
  const whole = `The whole length, 1 + M = ${num(1 + all[0].mass, 4)}, stays.`;
  const below = legend(names, all[now].z, top + 26, width);
  return { height: below.height, body: rows.join("") + text(1, top + 2, whole, "small") + below.body };
}

// What happened in a step, in words.
function story({ z0, z, asked, mass, given, achieved, fellBack, epsilon }, before, names, levels) {
  const last = z.length - 1;
  const [name, a] = [names[last], given.sizes[last]];
  if (!before)
    return `The closed form for ${names[0]} and ${names[1]} sets the mass, <b>M = ${num(mass, 4)}</b>, once and for all.
      The truth has ${num(z0, 4)} of it, the flips of single answers the rest. The overall level is ${num(epsilon, 4)}.
      Next, ${names[2]} joins.`;
  const level = `The overall level is now ${num(epsilon, 4)}.`;
  if (!fellBack[last])
    return `To have level ${num(levels[last], 4)}, ${name} needs flips of mass ${num((a - 1) * z[last], 3)}. <b>The truth pays</b>:
      its mass falls from ${num(before.z0, 4)} to ${num(z0, 4)}. M and all earlier levels stay. ${level}`;
  const why =
    asked < 0
      ? `asks for more truth than the mass M = ${num(mass, 4)} can give`
      : `would have to flip so often that a record with this flip alone is likelier than the truth`;
  const moved = achieved[last] < levels[last] ? "lowered" : "raised";
  return `At level ${num(levels[last], 4)} ${name} ${why}. It <b>falls back</b>: no flips of its own, and level
    <b>${num(achieved[last], 4)}</b> instead, which is ${moved}. ${level}`;
}

export function mount(place) {
  let [which, now, share, still] = [0, 0, 1, () => {}];
  let all = steps(...EXAMPLES[0].slice(1, 3));
  const { controls, show } = stage(place, {
    title: "The induction, step by step",
    draw: (width) => picture(all, EXAMPLES[which], now, share, width),
    says: () => story(all[now], all[now - 1], EXAMPLES[which][3], EXAMPLES[which][2]),
    link: () => `#sizes=${EXAMPLES[which][1]}&levels=${EXAMPLES[which][2]}`,
  });
  const go = (to) => {
    if (to < 0 || to >= all.length) return;
    still();
    const onward = to > now;
    now = to;
    // A button that cannot be pressed stays where it is, and keeps the focus.
    back.ariaDisabled = String(now === 0);
    next.ariaDisabled = String(now === all.length - 1);
    still = glide(onward ? 0 : 1, 1, (part) => {
      share = part;
      show();
    });
  };
  const back = button(controls, "← Previous", () => go(now - 1));
  const next = button(controls, "Next →", () => go(now + 1));
  controls.onkeydown = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(now + by);
  };
  choice(controls, {
    label: "Example",
    options: EXAMPLES.map(([name]) => name),
    value: 0,
    change: (chosen) => {
      which = Number(chosen);
      all = steps(...EXAMPLES[which].slice(1, 3));
      go(0);
    },
  });
  go(0);
}
