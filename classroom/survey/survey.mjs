// The page: what is asked, what was said, and what it tells. The numbers come from model.mjs.

import { alone, CHANCE, estimate, isCount, MOST, nobody, ROUNDS, read, sum, write } from "./model.mjs";

const KEPT = "orr-survey"; // the name under which a browser keeps the state
const TITLES = { one: "Question", first: "First question", second: "Second question" };
// From harmless to sensitive. Whoever never rode without paying cannot have been caught: a cell that must be empty.
const SUGGESTIONS = [
  ["harmless", "Did you have breakfast today?", "Did you sleep less than seven hours last night?"],
  [
    "sensitive",
    "Have you ever taken a bus or a train without paying?",
    "Have you ever been caught doing that?",
  ],
  [
    "more sensitive",
    "Did you ever cheat in an exam before you came here?",
    "Did you ever see somebody cheat there, and say nothing?",
  ],
];
const ORDERS = {
  truth: "tell the truth",
  opposite: "say the opposite of the truth",
  yes: "say “yes”",
  no: "say “no”",
};

const [, alike, partner] = SUGGESTIONS[0];
const state = {
  round: "one",
  how: "coins",
  questions: { one: alike, first: alike, second: partner },
  counts: nobody(),
};
const past = []; // counts before each change, and the round that changed

const find = (selector, place = document) => place.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const make = (place, html) => {
  place.insertAdjacentHTML("beforeend", html); // words of ours only: what people typed is set as text
  return place.lastElementChild;
};
const fixed = (x, digits = 1) =>
  x.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
const exact = (x) => `<data value="${x}">${fixed(x)}</data>`;
const spoken = (row) => row.split(",").filter(Boolean).join(", ");

// What the browser keeps, where it may. Returns whether it did.
function keep() {
  try {
    const { counts, ...rest } = state;
    localStorage.setItem(KEPT, JSON.stringify({ ...rest, file: write(counts) }));
    return true;
  } catch {
    return false;
  }
}

function recall() {
  try {
    const { round, how, questions, file } = JSON.parse(localStorage.getItem(KEPT));
    if (!Object.hasOwn(ROUNDS, round) || !Object.hasOwn(CHANCE, how)) return;
    for (const name of Object.keys(TITLES)) state.questions[name] = String(questions[name]);
    Object.assign(state, { round, how, counts: read(file) });
  } catch {
    // Nothing was kept, or the browser may keep nothing: begin anew.
  }
}

function tell(words) {
  find("#note").textContent = words;
}

function change(counts, words) {
  past.push({ round: state.round, counts: state.counts });
  state.counts = counts;
  show();
  tell(words ?? "");
}

function set(row, count) {
  const { round, counts } = state;
  change({ ...counts, [round]: counts[round].with(row, count) });
}

const add = (row) => set(row, Math.min(state.counts[state.round][row] + 1, MOST));

function undo() {
  if (!past.length) return;
  Object.assign(state, past.pop());
  show();
  tell("The last change is undone.");
}

// From the lower end of what is drawn to its upper end, in per cent. The estimate may lie outside the class: it is shown.
function scale(n, { value, error }) {
  const low = Math.min(0, value - 2 * error);
  const high = Math.max(n, value + 2 * error);
  const place = (x) => `${(100 * (x - low)) / (high - low)}%`;
  const span = (name, from, to) =>
    `<div class="${name}" style="left:${place(from)};width:${(100 * (to - from)) / (high - low)}%"></div>`;
  return `<div class="scale" aria-hidden="true">${span("people", 0, n)}
    ${span("reach", value - 2 * error, value + 2 * error)}
    <div class="dot" style="left:${place(value)}"></div>
    <span style="left:${place(0)}">0</span><span style="left:${place(n)}">${n}</span></div>
    <p class="legend">Dot: the estimate. Line: two standard errors either way. Band: from nobody to everybody.</p>`;
}

function numbersOfOne(counts) {
  const found = estimate("one", counts, 0);
  const n = sum(counts);
  return `<div class="numbers"><p><span class="big">${counts[0]}</span> of ${n} said yes</p>
    <p class="truth"><span class="big">${exact(found.value)}</span> ± ${exact(found.error)} truly yes, estimated</p></div>
    ${n ? scale(n, found) : ""}`;
}

function wordsOfOne(counts) {
  const n = sum(counts);
  if (!n) return "No answers yet.";
  const { value, error } = estimate("one", counts, 0);
  const share = `${fixed((100 * value) / n, 0)}%, give or take ${fixed((100 * error) / n, 0)} points`;
  const begin = `${counts[0]} of ${n} said yes. About ${fixed(value)} of the ${n} would in truth, give or take ${fixed(error)}: ${share}.`;
  if (value >= 0 && value <= n) return `${begin} Who these are, nobody can tell.`;
  const [side, bias] = value < 0 ? ["Fewer than nobody", "high"] : ["More than everybody", "low"];
  return `${begin} ${side} is impossible: that is noise. Cut off, estimates would be too ${bias} on average.`;
}

function numbersOfTwo(round, counts) {
  const cell = ({ value, error }, said) =>
    `<td><span class="big">${exact(value)}</span> <span class="error">± ${exact(error)}</span><small>${said} said</small></td>`;
  const ends = [0, 1].map((question) => alone(counts, question));
  const margin = (question, row) => cell(estimate("one", ends[question], row), ends[question][row]);
  const line = (word, row) =>
    `<tr><th scope="row">first ${word}</th>${cell(estimate(round, counts, 2 * row), counts[2 * row])}
    ${cell(estimate(round, counts, 2 * row + 1), counts[2 * row + 1])}${margin(0, row)}</tr>`;
  return `<table class="pairs"><caption>In truth, estimated ± one standard error</caption>
    <thead><tr><td></td><th scope="col">second yes</th><th scope="col">second no</th><th scope="col">all</th></tr></thead>
    <tbody>${line("yes", 0)}${line("no", 1)}<tr><th scope="row">all</th>${margin(1, 0)}${margin(1, 1)}
    <td><span class="big">${sum(counts)}</span><small>answered</small></td></tr></tbody></table>`;
}

function wordsOfTwo(round, counts) {
  const n = sum(counts);
  if (!n) return "No answers yet.";
  const cells = counts.map((_, row) => estimate(round, counts, row));
  const [{ value, error }] = cells;
  const noise = cells.some((found) => found.value < 0)
    ? " What is below 0 is noise, and stays: cut off, it would be too high on average."
    : "";
  return `${counts[0]} of ${n} said yes twice. About ${fixed(value)} would in truth, give or take ${fixed(error)}.${noise}`;
}

// What the halves of the room, one flipped apart and one together, leave uncertain: the mean of a table's errors.
function comparison(counts) {
  const halves = ["apart", "together"].map((round) => {
    const n = sum(counts[round]);
    const errors = counts[round].map((_, row) => estimate(round, counts[round], row).error);
    return n && `by ${exact(sum(errors) / errors.length)} people flipped ${round}, where ${n} answered`;
  });
  return halves.every(Boolean)
    ? `In this room a cell of the table is uncertain ${halves.join(", and ")}.`
    : "";
}

function show() {
  const { round, how, counts } = state;
  document.body.dataset.round = round;
  document.body.dataset.how = how;
  for (const choice of all("header input")) choice.checked = [round, how].includes(choice.value);
  for (const box of all("[data-question]")) {
    const words = state.questions[box.dataset.question];
    if (box.value !== words) box.value = words;
    box.nextElementSibling.textContent = words;
  }
  for (const name of Object.keys(ROUNDS)) {
    const place = document.getElementById(name);
    for (const [row, input] of place.querySelectorAll(".tally [inputmode]").entries()) {
      input.value = counts[name][row];
      input.removeAttribute("aria-invalid");
    }
    find(".drawn", place).innerHTML =
      name === "one" ? numbersOfOne(counts.one) : numbersOfTwo(name, counts[name]);
    const words = name === "one" ? wordsOfOne(counts.one) : wordsOfTwo(name, counts[name]);
    if (find(".words", place).textContent !== words) find(".words", place).textContent = words;
    find(".undo", place).disabled = !past.length;
  }
  find("#comparison").innerHTML = comparison(counts);
  find("#unkept").hidden = keep();
}

function makeQuestions(place) {
  const names = place.dataset.asks.split(" ");
  for (const name of names) {
    const label = make(
      place,
      `<label><span>${TITLES[name]}</span><textarea rows="1" data-question="${name}"></textarea><b class="on-paper"></b></label>`,
    );
    find("textarea", label).oninput = ({ target }) => {
      state.questions[name] = target.value;
      show();
    };
  }
  const options = SUGGESTIONS.map(([kind, ...asked], i) => {
    const words = asked.slice(0, names.length).join(" / ");
    return `<option value="${i}">${kind}: ${words}</option>`;
  });
  const select = make(
    place.previousElementSibling,
    `<label class="suggest"><span>Suggestions</span><select><option value="">Choose …</option>${options.join("")}</select></label>`,
  );
  find("select", select).onchange = ({ target }) => {
    for (const [i, name] of names.entries()) state.questions[name] = SUGGESTIONS[target.value][i + 1];
    target.value = "";
    show();
  };
}

// Chance for who has no coins: bits from the browser's source for keys, shown until they are hidden, kept nowhere.
function makeCoin(place, round) {
  const box = make(
    place,
    `<details class="own"><summary>No coins, no cards?</summary><p>On your own phone, not on the screen that all see:</p>
    <button type="button">Toss for me</button> <output></output></details>`,
  );
  const [button, output] = box.querySelectorAll("button, output");
  button.onclick = () => {
    const hidden = !output.textContent;
    button.textContent = hidden ? "Hide" : "Toss for me";
    const { bits: many, order, say } = CHANCE[state.how][round];
    const bits = [...crypto.getRandomValues(new Uint8Array(many))].map((byte) => byte & 1);
    const orders = order(bits).map((word) => ORDERS[word]);
    output.textContent = hidden ? `You got ${say(bits)}. Now ${orders.join("; then ")}.` : "";
  };
  return () => {
    output.textContent = "";
    button.textContent = "Toss for me";
  };
}

function makeTally(place, { rows, keys }) {
  make(place, `<h3>Count${rows.length > 2 ? ": first answer, second answer" : ""}</h3>`);
  const grid = make(place, `<div class="cells"></div>`);
  for (const [row, answer] of rows.entries()) {
    const words = spoken(answer);
    const cell = make(
      grid,
      `<div class="cell"><button type="button" aria-keyshortcuts="${keys[row]}">${words}<kbd>${keys[row].toUpperCase()}</kbd></button>
      <input inputmode="numeric" maxlength="4" autocomplete="off" aria-label="How many said ${words}"><i class="on-paper">total</i></div>`,
    );
    find("button", cell).onclick = () => add(row);
    find("input", cell).onchange = ({ target }) => {
      if (isCount(target.value.trim())) return set(row, Number(target.value));
      target.ariaInvalid = "true";
      tell(`“${target.value}” is no whole number from 0 to ${MOST}. The count is unchanged.`);
    };
  }
  const below = make(
    place,
    `<div class="buttons"><button type="button" class="undo" aria-keyshortcuts="u">Undo<kbd>U</kbd></button>
    <label><input type="checkbox" class="keys" checked> count by keys</label></div>`,
  );
  find(".undo", below).onclick = undo;
  find(".keys", below).onchange = ({ target }) => {
    for (const box of all(".keys")) box.checked = target.checked;
  };
}

function press(event) {
  const typing = event.target.matches("textarea, select, [inputmode]");
  if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !find(".keys").checked)
    return;
  const row = ROUNDS[state.round].keys.indexOf(event.key.toLowerCase());
  if (row >= 0) add(row);
  else if (event.key.toLowerCase() === "u") undo();
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([write(state.counts)], { type: "text/csv" }));
  link.download = "survey.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000); // once the browser has surely read it
  tell("survey.csv is where your browser puts downloads.");
}

async function open({ target }) {
  const [file] = target.files;
  if (!file) return;
  try {
    change(read(await file.text()), `The counts are those of ${file.name}.`);
  } catch (error) {
    tell(`${file.name} was not opened. ${error.message}`);
  }
  target.value = ""; // so that the same file can be opened again
}

function reset() {
  if (confirm("Set all ten counts to 0?")) change(nobody(), "All counts are 0. Undo brings them back.");
}

recall();
for (const place of all(".questions")) makeQuestions(place);
const hide = Object.keys(ROUNDS).map((round) => {
  const place = document.getElementById(round);
  makeTally(find(".tally", place), ROUNDS[round]);
  make(find(".result", place), `<h3>Read</h3><div class="drawn"></div><p class="words" role="status"></p>`);
  return makeCoin(find(".card", place), round);
});
make(
  find(".file"),
  `<p id="unkept" class="note">This browser keeps nothing: save survey.csv before you close the page.</p>`,
);
for (const choice of all("header input")) {
  choice.onchange = () => {
    state[choice.name] = choice.value;
    for (const away of hide) away();
    show();
  };
}
find("#save").onclick = save;
find("#open").onchange = open;
find("#print").onclick = () => print();
find("#reset").onclick = reset;
addEventListener("keydown", press);
show();
