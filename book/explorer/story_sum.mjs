// Second scene of the first page: every further question multiplies the odds, so levels add up.

import { slider } from "./controls.mjs";
import { bar, line, text } from "./draw.mjs";
import { fixed, num, sure } from "./numbers.mjs";
import { stage } from "./stage.mjs";

const MOST = 8;
const LEVEL = 1; // of each question
const ANNA = [1, 0, 0, 1, 0, 1, 1, 0]; // what she would answer; Ben says the opposite
const ROWS = { Anna: 16, release: 54, Ben: 92 };

// The overall level, the odds that it allows, and what becomes of an even bet.
export function allowed(questions) {
  const level = questions * LEVEL;
  return { level, odds: Math.exp(level), belief: 1 / (1 + Math.exp(-level)) };
}

// What Anna and Ben would say, and the most telling release, which fits one of them in everything.
function answers(questions, width) {
  const step = Math.min((width - 62) / MOST, 60);
  const wide = Math.min(step - 3, 36);
  let body = text(0, 130, "odds", "small");
  for (const [name, y] of Object.entries(ROWS)) {
    const style = name === "release" ? "sum-out" : "";
    body += text(0, y + 5, name, style ? "small" : "bold");
    for (let i = 0; i < questions; i++) {
      const x = 62 + (i + 0.5) * step;
      const yes = name === "Ben" ? !ANNA[i] : ANNA[i];
      body += `<rect class="sum-answer ${style}" x="${x - wide / 2}" y="${y - 13}" width="${wide}" height="26" rx="6"/>
        ${text(x, y + 5, yes ? "yes" : "no", `middle plain ${style && "bold"}`)}`;
      if (style) body += text(x, 130, `×${fixed(Math.exp(LEVEL), 1)}`, "middle small");
    }
  }
  return body;
}

function bars(questions, width) {
  const { level, belief } = allowed(questions);
  const unit = (width - 40) / MOST;
  let body = text(0, 164, "level of the whole record", "small");
  for (let i = 0; i < questions; i++) {
    body +=
      bar("kronecker story-bar", 1 + i * unit, 172, unit, 26) +
      text((i + 0.5) * unit, 190, num(LEVEL), "middle plain");
  }
  body += text(questions * unit + 9, 192, num(level), "story-big");
  const cut = Math.min(width * belief, width - 1.5); // a hair is left to Ben
  body += text(0, 230, "an even bet goes to Anna", "small") + text(width, 230, "to Ben", "small end");
  body += bar("sum-anna", 0, 238, cut, 26) + bar("sum-ben", cut, 238, width - cut, 26);
  return body + line("guide", width / 2, 234, width / 2, 268) + text(8, 256, sure(belief), "bold plain");
}

export function mount(place) {
  let questions = 3;
  const says = () => {
    const { level, odds, belief } = allowed(questions);
    const many =
      questions > 1 ? `${questions} questions: the levels add up to` : "One question: the level is";
    return `${many} <b>${num(level)}</b>. If every released answer fits Anna, the odds on her grow by a factor of ${num(odds, odds < 10 ? 2 : 4)}, and an even bet between
      Anna and Ben becomes ${sure(belief)} for Anna.`;
  };
  const draw = (width) => ({ height: 272, body: answers(questions, width) + bars(questions, width) });
  const { controls, show } = stage(place, { title: "Many questions", draw, says });
  const change = (value) => {
    questions = value;
    show();
  };
  slider(controls, { label: "questions", min: 1, max: MOST, step: 1, value: questions, change });
}
