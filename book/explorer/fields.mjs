// What a reader types and slides: a slider and a box for the same number, and a card for each attribute.

import { make } from "./controls.mjs";
import { clean, distinct, typed } from "./state.mjs";

const SLIDERS = {
  count: [2, 12, 1],
  size: [2, 20, 1],
  level: [0.05, 8, 0.05],
  slack: [0, 200, 1],
  total: [0.1, 20, 0.1],
  people: [1, 7, 0.1], // powers of ten
};
const TENS = {
  there: (value) => Number((10 ** value).toPrecision(2)),
  back: Math.log10,
};
const SAME = { there: Number, back: Number };

let made = 0;

// Give a box a place for complaints; returns a function that complains, or takes the complaint back.
function complaints(place, box, label) {
  const message = make(place, `<p class="ex-error" id="ex-error-${made++}" role="alert"></p>`);
  box.setAttribute("aria-describedby", message.id);
  return (wrong) => {
    message.textContent = wrong ? `${label} ${wrong}` : "";
    box.ariaInvalid = String(Boolean(wrong));
  };
}

// A slider and a box. `set` hears of every change, `commit` of those to keep. Returns a function that writes the number
// into both; `force` overrides what is being typed.
export function field(place, { kind, name, label, get, set, commit }) {
  const [min, max, step] = SLIDERS[kind];
  const { there, back } = kind === "people" ? TENS : SAME;
  const row = make(
    place,
    `<div class="ex-field"><span aria-hidden="true">${name}</span>
    <input type="range" min="${min}" max="${max}" step="${step}" aria-label="${label}">
    <input type="text" inputmode="decimal" autocomplete="off" aria-label="${label}"></div>`,
  );
  const [slider, box] = row.querySelectorAll("input");
  const complain = complaints(row, box, label);
  const write = () => {
    complain();
    box.value = get();
  };
  slider.oninput = () => {
    set(there(slider.value));
    write();
  };
  slider.onchange = () => commit(slider);
  box.oninput = () => {
    const { value, error } = typed(kind, box.value);
    complain(error);
    if (error) return;
    set(value);
    commit(box);
  };
  return (force) => {
    slider.value = back(get());
    slider.ariaValueText = get();
    if (force || (box !== document.activeElement && box.ariaInvalid !== "true")) write();
  };
}

// The name of an attribute, as a box that looks like a heading.
function nameBox(place, i, { now, set, commit }) {
  const label = `Name of attribute ${i + 1}`;
  const box = make(
    place,
    `<input type="text" class="ex-name" aria-label="${label}" placeholder="attribute ${i + 1}"
    autocomplete="off" spellcheck="false" title="Give it a name">`,
  );
  const complain = complaints(place, box, label);
  box.oninput = () => {
    const names = now().names.with(i, clean(box.value));
    const fine = distinct({ ...now(), names });
    complain(fine ? "" : "must differ from the others.");
    if (!fine) return;
    set({ names });
    commit(box);
  };
  return (force) => {
    if (!force && (box === document.activeElement || box.ariaInvalid === "true")) return;
    complain();
    box.value = now().names[i];
  };
}

// A card for each attribute, or one for all. Returns functions that write their numbers.
export function cards(place, { now, set, commit }) {
  const { alike, sizes, total } = now();
  const writers = [];
  place.textContent = "";
  const many = alike ? 1 : sizes.length;
  for (let i = 0; i < many; i++) {
    const name = alike ? "all attributes" : `attribute ${i + 1}`;
    const card = make(place, `<fieldset class="ex-card"></fieldset>`);
    card.ariaLabel = name;
    if (alike) make(card, `<b>All attributes</b>`);
    else writers.push(nameBox(card, i, { now, set, commit }));
    make(card, `<span class="ex-told"></span>`);
    const add = (kind, list, words, label) => {
      const change = (value) => ({
        [list]: now()[list].map((v, j) => (now().alike || i === j ? value : v)),
      });
      const [get, choose] = [() => now()[list][i], (value) => set(change(value))];
      writers.push(field(card, { kind, name: words, label, get, set: choose, commit }));
    };
    add("size", "sizes", "values", `Number of values of ${name}`);
    if (total) add("level", "levels", "share", `Share of ${name}`);
    else add("level", "levels", "level", `Level of ${name}`);
  }
  return writers;
}
