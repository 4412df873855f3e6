// Chapter one-answer: what an answer of some level can do to a belief. The curves are the most that it can do.

import { handle, slider } from "./controls.mjs";
import { line, text, ticks } from "./draw.mjs";
import { fixed, num, percent, sure } from "./numbers.mjs";
import { stage } from "./stage.mjs";

// The belief when an answer changes the odds by a factor of e to some power.
export const after = (before, power) => 1 / (1 + (1 / before - 1) * Math.exp(-power));

// Beliefs to draw curves through, and points x, y, x, y in the opposite order.
const PARTS = Array.from({ length: 101 }, (_, i) => Math.max(i / 100, 1e-9));
const backwards = (points) => points.map((_, i) => points[points.length - 2 - i + 2 * (i % 2)]);

// A square with both curves, what lies between them, and what becomes of the belief that the reader has chosen.
function picture(width, { before, level }) {
  const [left, top] = [36, 12];
  const side = Math.min(width - left - 62, 360);
  const x = (v) => left + side * v;
  const y = (v) => top + side * (1 - v);
  const curve = (power) => PARTS.flatMap((v) => [x(v), y(after(v, power))]);
  let body = "";
  for (const v of ticks(0, 1, 5)) {
    body += line("grid", x(v), top, x(v), y(0)) + line("grid", left, y(v), x(1), y(v));
    body += text(x(v), y(0) + 18, num(v), "middle small") + text(left - 8, y(v) + 5, num(v), "end small");
  }
  const [up, down] = [curve(level), curve(-level)];
  body += `${line("belief-band", ...up, ...backwards(down))}${line("belief-line", x(0), y(0), x(1), y(1))}
    ${line("belief-curve", ...up)}${line("belief-curve", ...down)}`;
  const ends = [after(before, level), after(before, -level)];
  body += line("belief-reach", x(before), y(ends[0]), x(before), y(ends[1]));
  const apart = Math.max(0, 20 - y(ends[1]) + y(ends[0])) / 2; // so that both numbers can be read
  const words = width > x(1) + 250 ? [" if the answer speaks for it", " if it speaks against it"] : ["", ""];
  ends.forEach((v, i) => {
    body += line("guide", x(before), y(v), x(1), y(v));
    body += text(
      x(1) + 8,
      y(v) + 5 + (i ? apart : -apart),
      `<tspan class="bold">${sure(v)}</tspan>${words[i]}`,
    );
  });
  body += text(x(1), y(0) + 37, "belief before the answer", "small end");
  return { height: y(0) + 42, body, x, y, side, left };
}

export function mount(place) {
  const now = { before: 0.5, level: 2 };
  let drawn;
  const says = () => {
    const { before, level } = now;
    return `At level ${fixed(level, 1)} an answer changes odds by a factor of ${num(Math.exp(level), 3)} at most. A belief of
      <b>${percent(before)}</b> ends up between <b>${sure(after(before, -level))}</b> and <b>${sure(after(before, level))}</b>.`;
  };
  const { controls, layer, show } = stage(place, {
    title: "What an answer can do to a belief",
    draw: (width) => {
      drawn = picture(width, now);
      const { before } = now;
      grip(drawn.x(before), drawn.y(before), Math.round(100 * before), percent(before), [1, 99]);
      return drawn;
    },
    says,
  });
  const believe = (value) => {
    now.before = Math.min(Math.max(Math.round(100 * value), 1), 99) / 100;
    show();
  };
  const grip = handle(layer, {
    label: "belief before the answer",
    axis: "x",
    move: (x) => believe((x - drawn.left) / drawn.side),
    nudge: (right, up) => believe(now.before + (right + up) / 100),
  });
  slider(controls, {
    label: "level",
    min: 0,
    max: 8,
    step: 0.1,
    value: now.level,
    say: (value) => fixed(value, 1),
    change: (value) => {
      now.level = value;
      show();
    },
  });
}
