// Two states side by side: the present one, and one that was pinned.

import { bounds, num } from "./numbers.mjs";
import { part as $, table } from "./view.mjs";
import { difference, points } from "./words.mjs";

// “0.4, five times” is shorter than five times 0.4.
const all = (list, digits) =>
  list.every((v) => v === list[0]) && list.length > 3
    ? `${list.length} × ${num(list[0], digits)}`
    : list.map((v) => num(v, digits)).join(", ");

const LINES = {
  values: ({ given }) => all(given.sizes, 7),
  levels: ({ given }) => all(given.levels, 4),
  Kronecker: ({ kronecker }) => num(kronecker),
  heuristic: ({ fallen, heuristic }) => (fallen ? "other levels" : num(heuristic.epsilon)),
  optimum: ({ optimum }) => bounds(optimum),
  floor: ({ floor }) => num(floor),
  "neighbour ratio, at most": ({ ratio }) => num(ratio, 3),
  "error, at most": ({ worst }) => `± ${points(worst)}`,
  people: ({ state }) => state.people.toLocaleString("en"),
};

// Show both, if there are two, and the buttons that help.
export function pins(now) {
  const then = now.pinned;
  const [buttons, place] = $("pins").children;
  for (const button of buttons.children) button.hidden = button.dataset.pin !== "pin" && !then;
  buttons.children[0].textContent = then ? "Pin this state instead" : "Pin this state";
  const rows = Object.entries(LINES).map(([name, say]) => [name, say(now), then && say(then)]);
  place.innerHTML = then
    ? `<p>${difference(now, then)}</p>${table(["state", "now", "pinned"], ...rows)}`
    : "";
}
