// What the explorer shows of a model: pictures, sentences, tables.

import { handle } from "./controls.mjs";
import { picture, sign } from "./draw.mjs";
import { chances, map, matrix, reach } from "./map.mjs";
import { bounds, num } from "./numbers.mjs";
import * as pictures from "./pictures.mjs";
import * as words from "./words.mjs";

export const part = (id) => document.getElementById(`ex-${id}`);
const $ = part;
export const charts = new WeakMap(); // what can be read off each picture
const width = (id) => Math.max($(id).clientWidth, 240);

// Show a picture and sentences, the first of which says what it shows.
function show(id, drawn, lines) {
  const text = lines.map((line) => line && `<p>${line}</p>`).join("");
  $(id).innerHTML = picture(drawn, lines[0]) + text;
  charts.set($(id).firstChild, drawn);
}

export function table(...rows) {
  const cell = (value, r, c) =>
    r && c ? `<td>${value}</td>` : `<th scope="${r ? "row" : "col"}">${value}</th>`;
  const lines = rows.map((cells, r) => `<tr>${cells.map((value, c) => cell(value, r, c)).join("")}</tr>`);
  return `<table>${lines.join("")}</table>`;
}

// A picture with a point to drag, which outlives redrawing.
function scene(id, sentence, options) {
  $(id).innerHTML = `<svg role="group"><g></g><g></g></svg>`;
  const svg = $(id).firstChild;
  const put = handle(svg.lastChild, options);
  return (drawn, finding, ...value) => {
    for (const name of ["width", "height"]) svg.setAttribute(name, drawn[name]);
    svg.setAttribute("viewBox", `0 0 ${drawn.width} ${drawn.height}`);
    svg.firstChild.innerHTML = drawn.body;
    sentence.innerHTML = finding;
    svg.ariaLabel = sentence.textContent;
    svg.lastChild.style.display = drawn.shown ? "" : "none";
    if (drawn.shown) put(...drawn.shown, ...value);
    charts.set(svg, drawn);
  };
}

// `aim` takes levels from the map, `loosen` a slack from the frontier, `commit` hears when that is over; `now` has what
// is chosen, which may be ahead of what is shown.
export function view({ aim, loosen, commit, now }) {
  let [model, curve, plan, line, most] = [];
  const level = (wish, end) => Number(Math.min(Math.max(wish, 0.01), end).toFixed(2));
  const move = (u, v) => aim(plan.unscale(u, v).map((wish) => level(wish, most)));
  const nudge = (right, up) => {
    const [one, two] = now().total ? model.given.levels : now().levels;
    aim([level(one + right / 20, 700), level(two + up / 20, 700)]);
    commit("map");
  };
  const drawMap = scene("map", $("case"), { label: "Both levels, as a point on the map", move, nudge });
  const slack = (percent) => loosen(Math.round(Math.min(Math.max(percent, 0), 1000)));
  const drawCurve = scene("curve", $("curve").nextElementSibling, {
    label: "Slack, as a point on the frontier",
    axis: "x",
    move: (u) => slack(100 * Math.min(line.unscale(u), curve.most)),
    nudge: (right, up) => {
      slack(now().slack + right + up);
      commit("frontier");
    },
  });
  $("curve").onpointerup = () => commit("frontier");
  const point = pressMap($("map"), move, commit);

  function drawTwo() {
    // While the point is held the map keeps its range, or it would slip away.
    most = Math.max(document.activeElement === point ? most : 0, reach(model.given));
    plan = map(model, most, width("map"));
    const [one, two] = model.given.levels.map((v) => num(v, 4));
    drawMap(plan, words.twoCase(model), model.given.levels[0], `${one} and ${two}`, [0, 700]);
    drawMatrices(model);
  }
  function drawGuarded() {
    $("curve").hidden = $("slack").hidden = !model.guardable;
    line = pictures.frontier(model, curve, width("frontier"));
    const said = `${Math.round(100 * curve.slack)}%`;
    drawCurve(line, words.guarded(model, curve), 100 * curve.slack, said, [0, 1000]);
    drawNeighbours(model, curve);
    for (const [j, done] of words.tasks(model, curve).entries()) {
      if (done) $("tasks").children[j].dataset.done = "";
    }
  }
  function redraw() {
    if (!model) return;
    draw(model);
    $("two").hidden = !model.two;
    $("coins").hidden = Boolean(model.two);
    if (model.two) drawTwo();
    drawGuarded();
  }
  return (news) => {
    model = news.model ?? model;
    curve = news.curve ?? curve;
    if (news.model) redraw();
    else drawGuarded();
  };
}

// Press anywhere on the map to bring the point there. A finger scrolls, and taps: it drags only from the point itself.
function pressMap(place, move, commit) {
  const point = place.querySelector(".touch-handle");
  const bring = ({ clientX, clientY }) => {
    const box = place.getBoundingClientRect();
    point.focus({ preventScroll: true });
    move(clientX - box.left, clientY - box.top);
  };
  const elsewhere = ({ target }) => !point.contains(target);
  place.onpointerdown = (event) => {
    if (event.pointerType === "touch" || !elsewhere(event)) return;
    event.preventDefault();
    bring(event);
    point.setPointerCapture(event.pointerId);
  };
  place.onpointerup = (event) => {
    if (elsewhere(event)) bring(event);
    commit("map");
  };
  return point;
}

// All but the frontier and what depends on it.
function draw(model) {
  const { kronecker, floor, heuristic, fallen, optimum } = model;
  show("overall", pictures.overview(model, width("overall")), words.overall(model));
  const shown = {
    Kronecker: num(kronecker),
    heuristic: fallen ? "<i>other levels</i>" : num(heuristic.epsilon),
    optimum: bounds(optimum),
    floor: num(floor),
  };
  $("strip").innerHTML = Object.entries(shown)
    .map(([method, value]) => `<span>${sign(method.toLowerCase())} ${method} <b>${value}</b></span>`)
    .join(" ");
  drawErrors(model);
  show("analyst", pictures.intervals(model, width("analyst")), words.analyst(model));
  const shape = pictures.shape(model);
  show("shape", pictures.ball(model, shape, width("shape")), words.ball(model, shape));
  $("code").textContent = words.python(model);
  clearTimeout(draw.timer);
  draw.timer = setTimeout(() => {
    const saving = $("overall").querySelector("p").textContent;
    $("live").textContent =
      `${model.given.k} attributes. Overall levels: ${$("strip").textContent}. ${saving}`;
  }, 600);
}

// Beside each level, how exact the shares of its attribute will be; and what a total bought.
function drawErrors({ errors, given, names, state }) {
  [...$("attributes").children].forEach((card, i) => {
    if (i >= given.k) return;
    const [told] = card.getElementsByClassName("ex-told");
    told.textContent = `${state.total ? `level ${num(given.levels[i], 4)}\n` : ""}± ${words.points(errors[i])}`;
    if (!state.alike) card.ariaLabel = names[i];
  });
}

function drawMatrices(model) {
  const [m, n] = model.given.sizes;
  const [one, two] = model.names.map(words.safe);
  const times = [
    ["the truth", 1],
    [`${one} flipped`, m - 1],
    [`${two} flipped`, n - 1],
    ["both flipped", (m - 1) * (n - 1)],
  ];
  const all = chances(
    model,
    times.map(([, many]) => many),
  );
  $("matrices").textContent = "";
  const side = Math.min($("matrices").clientWidth, 135);
  ["Kronecker", "optimum"].forEach((name, j) => {
    const drawn = matrix(model, all, j, side);
    const finding = `In this distortion matrix the truth has probability ${num(all[j][0], 3)}.`;
    $("matrices").insertAdjacentHTML("beforeend", `<div>${name}${picture(drawn, finding)}</div>`);
    charts.set($("matrices").lastChild.lastChild, drawn);
  });
  $("chances").innerHTML = table(
    ["released", "records", "Kronecker", "optimum"],
    ...times.map(([name, many], s) => [
      name,
      num(many, 7),
      ...all.map((row) => (row[s] ? num(row[s], 4) : "< 1e-300")),
    ]),
  );
}

function drawNeighbours(model, { mine }) {
  const { given, heuristic, optimum, names } = model;
  const lists = [
    ["kronecker", given.levels],
    ["heuristic", heuristic.neighbours],
    ["optimum", optimum.neighbours],
  ];
  if (mine) lists.push(["guarded", mine.neighbours, "hollow"]);
  const drawn = pictures.rows(model, lists, "neighbour level (nats)", optimum.upper, width("neighbours"));
  show("neighbours", drawn, [words.neighbours(model)]);
  const columns = [["asked", given.levels], ["achieved", heuristic.given.levels], ...lists.slice(1)];
  $("levels").innerHTML = table(
    ["attribute", ...columns.map(([name]) => name)],
    ...given.levels.map((_, i) => [words.safe(names[i]), ...columns.map(([, list]) => num(list[i], 4))]),
  );
}
