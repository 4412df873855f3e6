// Fourth scene of the first page: somebody who knows other answers of yours learns more about the last one.

import { choice } from "./controls.mjs";
import { text } from "./draw.mjs";
import { apart, learns, together } from "./flips.mjs";
import { num } from "./numbers.mjs";
import { optimum } from "./optimum.mjs";
import { problem, sum } from "./problem.mjs";
import { stage } from "./stage.mjs";
import { levelBar } from "./story.mjs";

const KNOWS = [
  "none of your other answers and cannot guess them",
  "one of your other answers",
  "both other answers",
];

// Levels of the whole record, and about the third answer for somebody who knows 0, 1 or 2 of the others.
export function levels() {
  const given = problem([2, 2, 2], [1, 1, 1]);
  const best = optimum(given);
  const about = (height) => [[], [0], [0, 1]].map((known) => learns(given, height, 2, known));
  return {
    apart: {
      title: "flips each on its own",
      whole: sum(given.levels),
      about: about(apart(given)),
      style: "kronecker",
    },
    together: { title: "flips together", whole: best.upper, about: about(together(best)), style: "optimum" },
  };
}

function bars({ title, whole, about, style }, known, y, unit) {
  return `${text(0, y - 8, `${title} (whole record: ${num(whole, 3)})`, "small")}
    ${levelBar(style, y, unit, about[known], whole)}
    ${text(about[known] * unit - 9, y + 20, num(about[known], 3), "bold end plain")}`;
}

function answers(known, width) {
  const wide = Math.min((width - 20) / 3, 150);
  const looks = [0, 1, 2].map((i) =>
    i === 2 ? ["the third?", "asked"] : i < known ? ["known", "open"] : ["?", ""],
  );
  const boxes = looks.map(([words, style], i) => {
    const x = i * (wide + 10);
    return `<rect class="sister-answer ${style}" x="${x + 1}" y="1" width="${wide - 2}" height="42" rx="8"/>
      ${text(x + wide / 2, 27, words, `middle plain ${style === "asked" ? "bold" : ""}`)}`;
  });
  return boxes.join("");
}

export function mount(place) {
  const { apart: alone, together: joint } = levels();
  let known = 2;
  const draw = (width) => {
    const unit = (width - 2) / alone.whole;
    return {
      height: 186,
      body: answers(known, width) + bars(alone, known, 82, unit) + bars(joint, known, 148, unit),
    };
  };
  const says = () => {
    const limit = known === 2 ? ": as much as the whole record allows, and no more" : "";
    return `If she knows ${KNOWS[known]}, she learns the third at level ${num(alone.about[known], 3)} when flips stand
      alone, and at level <b>${num(joint.about[known], 3)}</b> when they keep company${limit}.`;
  };
  const { controls, show } = stage(place, {
    title: "What your sister learns about your third answer",
    draw,
    says,
  });
  choice(controls, {
    label: "How many of your other answers she knows",
    options: { 0: "She knows none", 1: "one", 2: "both others" },
    value: known,
    change: (key) => {
      known = Number(key);
      show();
    },
  });
}
