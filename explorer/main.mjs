// The page: controls in, pictures and sentences out.

import { picture, sign } from "./draw.mjs";
import { frontier, MOST_STATES } from "./guarded.mjs";
import * as levels from "./levels.mjs";
import { optimum as solve } from "./optimum.mjs";
import { bounds, num } from "./numbers.mjs";
import * as pictures from "./pictures.mjs";
import { information, problem, sum } from "./problem.mjs";
import { fromHash, PRESETS, read, toHash } from "./state.mjs";
import * as words from "./words.mjs";

const $ = (id) => document.getElementById(`ex-${id}`);
const SLIDERS = { count: [2, 12, 1], size: [2, 20, 1], level: [0.05, 8, 0.05], slack: [0, 200, 1] };

let state, model, curve;
let [rebuild, slow] = [false, 0];
const fields = [];
const memory = fromHash(PRESETS.at(-1)[1]); // attributes that were taken away come back as they were

// All that is shown, but for the guarded frontier.
function compute(sizes, asked) {
  const given = problem(sizes, asked);
  const [heuristic, optimum, told] = [levels.heuristic(given), solve(given), information(given)];
  return {
    given,
    kronecker: sum(asked),
    information: told,
    floor: sum(told),
    heuristic,
    optimum,
    // The heuristic may be compared only at the levels that it achieved.
    achieved: heuristic.fellBack.includes(true) ? solve(heuristic.given) : optimum,
    two: given.k === 2 && levels.twoAttributes(given),
    guardable: optimum.states.count <= MOST_STATES,
  };
}

// A slider and a box for the same number.
function field(place, kind, name, label, get, set) {
  const [min, max, step] = SLIDERS[kind];
  const id = `ex-error-${fields.length}`;
  place.insertAdjacentHTML(
    "beforeend",
    `<div class="ex-field"><span aria-hidden="true">${name}</span>
    <input type="range" min="${min}" max="${max}" step="${step}" aria-label="${label}">
    <input type="text" inputmode="decimal" aria-label="${label}" aria-describedby="${id}">
    <p class="ex-error" id="${id}" role="alert"></p></div>`,
  );
  const [slider, box, message] = place.lastElementChild.querySelectorAll("input, p");
  const complain = (wrong) => {
    message.textContent = wrong ? `${label} ${wrong}` : "";
    box.ariaInvalid = Boolean(wrong);
  };
  const write = () => {
    complain();
    box.value = get();
  };
  slider.oninput = () => {
    set(Number(slider.value));
    write();
  };
  box.oninput = (event) => {
    const { value, error } = read(kind, box.value);
    complain(error);
    if (error) return;
    set(value);
    commit(event);
  };
  slider.onchange = commit;
  fields.push(() => {
    slider.value = get();
    slider.ariaValueText = get();
    if (rebuild || (box !== document.activeElement && !message.textContent)) write();
  });
}

// Change what is chosen, and show it: at once, or after a pause where that takes long.
function choose(changes) {
  state = { ...state, ...changes };
  for (const list of ["sizes", "levels"])
    memory[list] = [...state[list], ...memory[list].slice(state[list].length)];
  clearTimeout(choose.timer);
  choose.timer = setTimeout(render, slow > 60 ? 150 : 0);
}

// Take a state from a button or an address, and write it into all fields.
function take(next) {
  rebuild = true;
  choose({ alike: false, ...next });
}

// Put the state into the address. Changes by the same control are one step back.
function commit(event) {
  const same = event && event.target === commit.by;
  commit.by = event?.target;
  if (toHash(state) !== location.hash) history[same ? "replaceState" : "pushState"](null, "", toHash(state));
  $("link").value = new URL(toHash(state), location);
}

function resize(k) {
  const grown = (list) =>
    Array.from({ length: k }, (_, i) => (state.alike ? state[list][0] : memory[list][i]));
  choose({ sizes: grown("sizes"), levels: grown("levels") });
}

function build() {
  const place = $("attributes");
  place.textContent = "";
  fields.length = 2;
  const add = (kind, list, i, name, label) => {
    const set = (value) =>
      choose({ [list]: state[list].map((v, j) => (state.alike || i === j ? value : v)) });
    field(place.lastChild, kind, name, label, () => state[list][i], set);
  };
  for (let i = 0; i < (state.alike ? 1 : state.sizes.length); i++) {
    const name = state.alike ? "all attributes" : `attribute ${i + 1}`;
    place.insertAdjacentHTML("beforeend", `<fieldset><legend>${name}</legend></fieldset>`);
    add("size", "sizes", i, "values", `Number of values of ${name}`);
    add("level", "levels", i, "level", `Level of ${name}`);
  }
}

function render() {
  const begun = Date.now();
  model = compute(state.sizes, state.levels);
  if (rebuild || fields.length !== 2 + 2 * (state.alike ? 1 : state.sizes.length)) build();
  for (const write of fields) write();
  rebuild = false;
  $("alike").checked = state.alike;
  const chosen = PRESETS.findIndex(([, hash]) => toHash(state).startsWith(`${hash}&slack`));
  [...$("presets").children].forEach((button, j) => (button.ariaPressed = j === chosen));
  $("note").innerHTML = PRESETS[chosen]?.[2] ?? "";
  draw();
  slow = Date.now() - begun;
  trace();
}

const width = (id) => Math.max($(id).clientWidth, 240);

// Show a picture and sentences, the first of which says what it shows.
function show(id, draw, given, lines) {
  const text = lines.map((line) => line && `<p>${line}</p>`).join("");
  $(id).innerHTML = picture(draw(...given, width(id)), lines[0]) + text;
}

function table(...rows) {
  const cell = (value, r, c) =>
    r && c ? `<td>${value}</td>` : `<th scope="${r ? "row" : "col"}">${value}</th>`;
  const lines = rows.map((cells, r) => `<tr>${cells.map((value, c) => cell(value, r, c)).join("")}</tr>`);
  return `<table>${lines.join("")}</table>`;
}

function draw() {
  const { given, kronecker, floor, heuristic, optimum, two } = model;
  show("overall", pictures.overview, [model], words.overall(model));
  const other = heuristic.fellBack.includes(true) ? " (other levels)" : "";
  const shown = {
    Kronecker: num(kronecker),
    heuristic: num(heuristic.epsilon) + other,
    optimum: bounds(optimum),
    floor: num(floor),
  };
  $("strip").innerHTML = Object.entries(shown)
    .map(([method, value]) => `<span>${sign(method.toLowerCase())} ${method} <b>${value}</b></span>`)
    .join(" ");
  $("two").hidden = !two;
  if (two) drawTwo();
  const shape = pictures.shape(model);
  show("shape", pictures.ball, [model, shape], words.ball(model, shape));
  clearTimeout(draw.timer);
  draw.timer = setTimeout(() => {
    $("live").textContent =
      `${given.k} attributes. Overall levels: ${$("strip").textContent}. ${words.saving(model)}`;
  }, 600);
}

function drawTwo() {
  const [m, n] = model.given.sizes;
  const times = {
    "the truth": 1,
    "a lie about 1": m - 1,
    "a lie about 2": n - 1,
    "two lies": (m - 1) * (n - 1),
  };
  const all = pictures.chances(model, Object.values(times));
  const side = Math.min(width("two") / 2 - 10, 230);
  $("map").innerHTML = picture(pictures.map(model, width("two")), words.twoCase(model));
  $("case").textContent = words.twoCase(model);
  $("matrices").innerHTML = ["Kronecker", "optimum"]
    .map((name, j) => {
      const finding = `In this distortion matrix the truth has probability ${num(all[j][0], 3)}.`;
      return `<div>${picture(pictures.matrix(model, all, j, side), finding)}${name}</div>`;
    })
    .join("");
  $("chances").innerHTML = table(
    ["released", "records", "Kronecker", "optimum"],
    ...Object.entries(times).map(([name, many], s) => [
      name,
      num(many, 7),
      ...all.map((row) => (row[s] ? num(row[s], 4) : "< 1e-300")),
    ]),
  );
}

function trace() {
  const { kronecker, optimum, guardable, given } = model;
  const end = Math.max(0, ...optimum.neighbours.map((n, i) => n / given.levels[i] - 1));
  const most = end < 1e-6 ? 0.5 : Math.min(1.08 * end, guardable ? 2 : Infinity);
  const slacks = Array.from({ length: guardable ? 20 : 0 }, (_, j) => most * ((j + 1) / 20) ** 1.7);
  curve = { points: [{ slack: 0, epsilon: kronecker }], end, most, rest: frontier(optimum.states, slacks) };
  guard();
}

// Compute a little at a time: first at the reader's slack, then all along the frontier.
function guard() {
  const { kronecker, optimum, given, guardable } = model;
  const slack = state.slack / 100;
  Object.assign(curve, { slack, mine: guardable ? undefined : null });
  if (slack === 0) curve.mine = { epsilon: kronecker, neighbours: given.levels };
  else if (optimum.exact && slack >= curve.end) curve.mine = { ...optimum, epsilon: optimum.upper };
  const go = () => {
    const begun = Date.now();
    if (curve.mine === undefined) curve.mine = frontier(optimum.states, [slack]).next().value;
    let next;
    do {
      next = curve.rest.next();
      if (next.value) curve.points.push(next.value);
    } while (!next.done && Date.now() - begun < 12);
    drawGuarded();
    if (!next.done) guard.timer = setTimeout(go, 0);
  };
  drawGuarded();
  clearTimeout(guard.timer);
  guard.timer = setTimeout(go, optimum.states.count > 16 ? 150 : 0);
}

function drawGuarded() {
  const { given, heuristic, optimum } = model;
  show("frontier", pictures.frontier, [model, curve], [words.guarded(model, curve)]);
  $("code").textContent = words.python(model, state.slack);
  const lists = [
    ["kronecker", given.levels],
    ["heuristic", heuristic.neighbours],
    ["optimum", optimum.neighbours],
  ];
  if (curve.mine) lists.push(["guarded", curve.mine.neighbours, "hollow"]);
  show(
    "neighbours",
    pictures.rows,
    [lists, "neighbour level (nats)", optimum.upper],
    [words.neighbours(model)],
  );
  const columns = [["asked", given.levels], ["achieved", heuristic.given.levels], ...lists.slice(1)];
  $("levels").innerHTML = table(
    ["no.", ...columns.map(([name]) => name)],
    ...given.levels.map((_, i) => [i + 1, ...columns.map(([, list]) => num(list[i], 4))]),
  );
}

// Read the address. Anchors of sections are not ours.
function visit() {
  const found = fromHash(location.hash);
  $("complaint").textContent = found?.error ? `${found.error} Shown instead: three questions.` : "";
  if (found && !found.error) take(found);
  else if (found || !location.hash || !state) take(fromHash(PRESETS[0][1]));
  $("link").value = new URL(toHash(state), location);
  commit.by = null;
}

// Take levels from a place on the map.
function drag({ clientX, clientY }) {
  const plane = $("plane").getBoundingClientRect();
  const shares = [(clientX - plane.left) / plane.width, (plane.bottom - clientY) / plane.height];
  const level = (v) => Number((pictures.mapRange(model.given) * Math.min(Math.max(v, 0.003), 1)).toFixed(2));
  choose({ levels: shares.map(level), alike: false });
}

async function copy(box) {
  try {
    await navigator.clipboard.writeText(box.value ?? box.textContent);
    $("copied").textContent = "Copied.";
  } catch {
    $("copied").textContent = "Not allowed here: select and copy the text.";
  }
}

$("off").remove();
for (const part of document.querySelectorAll(".ex")) part.hidden = false;
field($("count"), "count", "attributes", "Number of attributes", () => state.sizes.length, resize);
field(
  $("slack"),
  "slack",
  "slack (%)",
  "Slack in per cent",
  () => state.slack,
  (slack) => {
    state = { ...state, slack };
    guard();
  },
);
$("presets").innerHTML = PRESETS.map(
  ([name], j) => `<button type="button" data-preset="${j}">${name}</button>`,
).join("");
document.getElementById("explorer").onclick = ({ target: { dataset } }) => {
  if (dataset.copy) copy($(dataset.copy));
  if (!dataset.preset) return;
  take({ ...fromHash(PRESETS[dataset.preset][1]), slack: state.slack });
  commit();
};
$("alike").onchange = ({ target }) => {
  take({ alike: target.checked });
  if (target.checked) resize(state.sizes.length);
  commit();
};
const place = $("map");
place.onpointerdown = (event) => {
  if (event.pointerType === "touch") return; // a finger scrolls, and taps
  place.setPointerCapture(event.pointerId);
  pictures.mapRange.held = pictures.mapRange(model.given);
  drag(event);
};
place.onpointermove = (event) => place.hasPointerCapture(event.pointerId) && drag(event);
place.onpointerup = (event) => {
  drag(event);
  commit(event);
};
place.onlostpointercapture = () => {
  pictures.mapRange.held = 0;
  choose({});
};
onpopstate = visit;
visit();
new ResizeObserver(() => model && (draw(), drawGuarded())).observe($("overall"));
