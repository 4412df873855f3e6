// Chapter many-answers: one dial moves mass between flips together and flips apart. Each answer keeps its level.

import { button, glide, slider } from "./controls.mjs";
import { bar, frame, line, mark, text } from "./draw.mjs";
import { num, percent } from "./numbers.mjs";
import { stage } from "./stage.mjs";

const LEVELS = [1.5, 1];
const [LEAST, MOST] = [-0.5, 1.5]; // as far as the still picture goes
const PARTS = ["part-0", "part-1", "part-2", "part-3"];

// The chances of the flip sets (none, 1, 2, both) when the dial is at delta, and the levels that follow.
export function compute([e1, e2], delta) {
  const [E1, E2] = [Math.exp(e1), Math.exp(e2)];
  const chances = [E1 * E2 + delta, E2 - delta, E1 - delta, 1 + delta].map((x) => x / (E1 + 1) / (E2 + 1));
  const logs = chances.map(Math.log);
  const apart = (s, t) => Math.abs(logs[s] - logs[t]);
  const flips = [chances[1] + chances[3], chances[2] + chances[3]];
  return {
    chances,
    flips,
    attributes: flips.map((q) => Math.log((1 - q) / q)),
    overall: Math.max(...logs) - Math.min(...logs),
    neighbours: [Math.max(apart(0, 1), apart(2, 3)), Math.max(apart(0, 2), apart(1, 3))],
  };
}

// Where the overall level is lowest: a single flip is as rare as both.
export const lowest = (levels) => Math.expm1(Math.min(...levels)) / 2;

// The four chances, and how two of them make up the flips of each answer.
function bars(now, then, width) {
  const x = (chance) => (chance * width) / 0.7;
  const [high, low] = [Math.max(...now.chances), Math.min(...now.chances)];
  const names = ["none flips", "only answer 1 flips", "only answer 2 flips", "both flip"];
  let body = "";
  const row = (y, words, shares) => {
    body += text(0, y, words);
    let from = 0;
    for (const s of shares) {
      body += bar(`part ${PARTS[s]}`, x(from), y + 6, x(now.chances[s]), 12);
      from += now.chances[s];
    }
  };
  now.chances.forEach((chance, s) => {
    const place = chance === high ? ", likeliest" : chance <= low * (1 + 1e-9) ? ", rarest" : "";
    row(14 + 38 * s, `${names[s]} <tspan class="bold">${percent(chance)}${place}</tspan>`, [s]);
    body += line("border tick", x(then.chances[s]), 17 + 38 * s, x(then.chances[s]), 35 + 38 * s);
  });
  body += line("border tick", 2, 160, 2, 172) + text(9, 170, "independent pointers", "small");
  for (const i of [0, 1]) {
    const stays = `${percent(now.flips[i])}</tspan>, as ever: level ${num(now.attributes[i], 4)}`;
    row(200 + 38 * i, `answer ${i + 1} flips <tspan class="bold">${stays}`, [i + 1, 3]);
  }
  return body;
}

// Levels against the chance that both flip.
function curves(now, width) {
  const spots = Array.from({ length: 121 }, (_, i) => LEAST + ((MOST - LEAST) * i) / 120);
  const all = spots.map((delta) => compute(LEVELS, delta));
  let { x, y, body } = frame(width, 32, 224, 13, "chance that both flip (%)", [0, 3.5]);
  const place = (found, level) => [x(100 * found.chances[3]), y(level)];
  const curve = (style, level) => line(style, ...all.flatMap((found) => place(found, level(found))));
  body += curve("dial-neighbour dashed", ({ neighbours }) => neighbours[0]);
  body += curve("dial-neighbour dotted", ({ neighbours }) => neighbours[1]);
  body += curve("border heavy", ({ overall }) => overall);
  body += text(x(3.3), y(3.05), "overall level") + text(x(13), y(1.72), "neighbour 1", "end small");
  body += text(x(13), y(1.05), "neighbour 2", "end small");
  const spot = (method, delta, words, [right, up], style) => {
    const found = compute(LEVELS, delta);
    const [a, b] = place(found, found.overall);
    body += mark(method, a, b) + text(a + right, b - up, words, style);
  };
  spot("kronecker", 0, "independent", [11, 8], "small");
  spot("optimum", lowest(LEVELS), "lowest", [0, 14], "small middle");
  const [a, b] = place(now, now.overall);
  return `${body}${line("guide", a, b, a, 224)}<circle class="dial-point" cx="${a}" cy="${b}" r="8"/>`;
}

export function mount(place) {
  let delta = 0;
  let still = () => {};
  const then = compute(LEVELS, 0);
  const { controls, show } = stage(place, {
    title: "A dial for two yes-or-no answers",
    draw: (width) => {
      const now = compute(LEVELS, delta);
      const half = width > 560 ? width / 2 : 0;
      const right = `translate(${half ? half + 12 : 0} ${half ? 0 : 268})`;
      const body = bars(now, then, half ? half - 24 : width);
      const levels = curves(now, half ? half - 12 : width);
      return { height: half ? 262 : 530, body: `${body}<g transform="${right}">${levels}</g>` };
    },
    says: () => {
      const { chances, overall, neighbours } = compute(LEVELS, delta);
      const often = delta ? `${num(chances[3] / then.chances[3], 3)} times as often as` : "as often as";
      return `Both answers flip in ${percent(chances[3])} of records, ${often} independent pointers would make
        them. The likeliest record is ${num(Math.exp(overall), 3)} times as likely as the rarest:
        <b>overall level ${num(overall, 4)}</b>. Each answer by itself keeps its level, 1.5 and 1; the neighbour
        levels are ${num(neighbours[0], 3)} and ${num(neighbours[1], 3)}.`;
    },
    link: () => `#sizes=2,2&levels=${LEVELS}`,
  });
  const go = (to) => {
    delta = to;
    set(to);
    show();
  };
  const set = slider(controls, {
    label: "the dial, δ",
    min: LEAST,
    max: MOST,
    step: 0.01,
    value: delta,
    say: (v) => num(v, 3),
    // The lowest point lies between two steps, and holds on to the dial.
    change: (value) => {
      still();
      delta = Math.abs(value - lowest(LEVELS)) < 0.006 ? lowest(LEVELS) : value;
      show();
    },
  });
  const jump = (words, to) =>
    button(controls, words, () => {
      still();
      still = glide(delta, to, go);
    });
  jump("Independent", 0);
  jump("Lowest", lowest(LEVELS));
}
