// The page: controls in, pictures and sentences out.

import { choice } from "./controls.mjs";
import { ask } from "./engine.mjs";
import { cards, field } from "./fields.mjs";
import { pins } from "./pins.mjs";
import { errors, sum } from "./problem.mjs";
import { readouts } from "./readout.mjs";
import { called, distinct, fromHash, toHash } from "./state.mjs";
import { part as $, charts, view } from "./view.mjs";

const presets = [...$("presets").children];
const LISTS = ["sizes", "levels", "names"];
const memory = fromHash(`#${presets.at(-1).dataset.state}`); // attributes that were taken away come back as they were

let [state, model, by, built] = [null, null, null, ""];
let [writers, fixed, force] = [[], [], false];

// Change what is chosen: the fields follow at once, the rest as soon as it is computed.
function choose(changes) {
  state = { ...state, ...changes };
  for (const list of LISTS) memory[list] = [...state[list], ...memory[list].slice(state[list].length)];
  write();
  $("strip").ariaBusy = "true";
  wonder(state);
}

// Take a state from a button or an address, and write it into all fields.
function take(next) {
  force = true;
  choose(next);
}

// Put the state into the address. Changes by the same control are one step back.
function commit(control) {
  const same = control && control === by;
  by = control;
  $("link").value = new URL(toHash(state), location);
  if (toHash(state) === location.hash) return;
  try {
    history[same ? "replaceState" : "pushState"](null, "", toHash(state));
  } catch {
    // Some browsers refuse to note a hundred changes in half a minute: the field above has the link all the same.
  }
}

function resize(k) {
  const grown = (list) =>
    Array.from({ length: k }, (_, i) => (state.alike && list !== "names" ? state[list][0] : memory[list][i]));
  const next = Object.fromEntries(LISTS.map((list) => [list, grown(list)]));
  const kept = (name, i) => i < state.sizes.length && !/^attribute \d+$/.test(name);
  if (!distinct(next)) next.names = next.names.map((name, i) => (kept(name, i) ? name : ""));
  choose(next);
}

// Write the state into all fields, and build those of the attributes anew where others are needed.
function write() {
  const shape = [state.alike ? 1 : state.sizes.length, state.alike, state.total > 0].join();
  if (force || shape !== built) writers = cards($("attributes"), { now: () => state, set: choose, commit });
  built = shape;
  for (const writer of [...fixed, ...writers]) writer(force);
  force = false;
  $("alike").checked = state.alike;
  $("total").hidden = !state.total;
  const chosen = presets.findIndex(({ dataset }) => toHash(state).startsWith(`#${dataset.state}&slack`));
  for (const [j, button] of presets.entries()) {
    button.ariaPressed = String(j === chosen);
    $("notes").children[j].hidden = j !== chosen;
  }
}

// From levels to a total that pays for them, and back. What is shown may be of fewer attributes than were just chosen.
function spend(total) {
  const digits = (v, n) => Number(v.toPrecision(n));
  const shown = model?.given.k === state.sizes.length && model;
  const cost = shown ? shown.optimum.upper : sum(state.levels);
  if (total) take({ total: Math.min(Math.max(digits(cost, 3), 1e-3), 700) });
  else take({ total: 0, levels: shown ? shown.given.levels.map((v) => digits(v, 4)) : state.levels });
  commit();
}

// A model as it is shown: with its state, names and errors.
function dress(found, from) {
  const worst = errors(found.given, from.people);
  return { ...found, state: from, names: called(from), errors: worst, worst: Math.max(...worst) };
}

function hear({ model: found, pinned, state: from, curve }) {
  if (found) {
    model = { ...dress(found, from), pinned: pinned && dress(pinned, from.pin) };
    $("strip").ariaBusy = String(toHash(from) !== toHash(state));
  }
  draw({ model: found && model, curve });
  if (found) pins(model);
}

// Read the address. Anchors of sections are not ours.
function visit() {
  const found = fromHash(location.hash);
  $("complaint").textContent = found?.error ? `${found.error} Shown instead: three questions.` : "";
  if (found && !found.error) take(found);
  else if (found || !location.hash || !state) take(fromHash(`#${presets[0].dataset.state}`));
  $("link").value = new URL(toHash(state), location);
  by = null;
}

async function copy(box) {
  try {
    await navigator.clipboard.writeText(box.value ?? box.textContent);
    $("copied").textContent = "Copied.";
  } catch {
    $("copied").textContent = "Not allowed here: select and copy the text.";
  }
}

const PINS = {
  pin: () => ({ pin: { ...state, pin: null } }),
  swap: () => ({ ...state.pin, pin: { ...state, pin: null } }),
  unpin: () => ({ pin: null }),
};

function press({ target: { dataset } }) {
  if (dataset.copy) copy($(dataset.copy));
  if (dataset.state) {
    const { slack, people, pin } = state;
    take({ ...fromHash(`#${dataset.state}`), slack, people, pin });
    commit();
  }
  if (dataset.pin) {
    take(PINS[dataset.pin]());
    commit();
  }
}

const wonder = ask(hear);
const draw = view({
  aim: (levels) => state.sizes.length === 2 && choose({ levels, alike: false, total: 0 }),
  loosen: (slack) => choose({ slack }),
  commit,
  now: () => state,
});
const add = (kind, name, label, get, set) =>
  fixed.push(field($(kind), { kind, name, label, get, set, commit }));
add("count", "attributes", "Number of attributes", () => state.sizes.length, resize);
add(
  "total",
  "total",
  "Total to spend",
  () => state.total,
  (total) => choose({ total }),
);
add(
  "people",
  "people",
  "Number of people",
  () => state.people,
  (people) => choose({ people }),
);
add(
  "slack",
  "slack (%)",
  "Slack in per cent",
  () => state.slack,
  (slack) => choose({ slack }),
);
const mode = choice($("mode"), {
  label: "What is given",
  options: { "": "I choose the levels", total: "I have a total" },
  value: "",
  change: spend,
});
fixed.push(() => mode(state.total ? "total" : ""));
$("off").remove();
document.documentElement.dataset.explorer = "";
document.getElementById("explorer").addEventListener("click", press);
$("alike").onchange = ({ target }) => {
  take({ alike: target.checked });
  if (target.checked) resize(state.sizes.length);
  commit();
};
readouts(document.getElementById("explorer"), (svg) => charts.get(svg));
addEventListener("popstate", visit);
visit();
new ResizeObserver(() => model && draw({ model })).observe($("overall"));
