// What a reader may choose: checked, and kept in the address of the page.

const FIELDS = {
  count: [2, 12, "a whole number from 2 to 12"],
  size: [2, 1e6, "a whole number from 2 to 1,000,000"],
  level: [1e-12, 700, "a number from 1e-12 to 700"],
  slack: [0, 1000, "a percentage from 0 to 1000"],
  total: [1e-3, 700, "a number from 0.001 to 700"],
  people: [1, 1e9, "a whole number from 1 to 1,000,000,000"],
};
const LETTERS = 24; // of a name: as many as the charts have room for, twice

// Read a number: its value, or what is wrong with it.
export function read(field, text, shown = text) {
  const [low, high, allowed] = FIELDS[field];
  const plain = text.trim();
  const value = /^\+?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
  if (value >= low && value <= high && !(allowed.includes("whole") && value % 1)) return { value };
  return {
    error: `must be ${allowed}, ${plain ? `and “${shown.trim().slice(0, 20)}” is not` : "and cannot be empty"}.`,
  };
}

// Read what somebody typed. On many phones the only key for decimals is a comma, so a comma is one: a level of 1,000
// is 1, and so is 1.000. Whole numbers have no decimals: there either means a thousand.
export function typed(field, text) {
  const grouped = FIELDS[field][2].includes("whole") && /^\s*\d{1,3}([.,]\d{3})+\s*$/.test(text);
  return read(field, grouped ? text.replace(/[.,]/g, "") : text.replace(",", "."), text);
}

// A name that fits, from anything; and the names of all attributes, given or not.
export const clean = (name) =>
  [...name.replace(/\s+/g, " ").trim()].slice(0, LETTERS).join("").toWellFormed();
export const called = ({ sizes, names }) => sizes.map((_, i) => names[i] || `attribute ${i + 1}`);
export const distinct = (state) => new Set(called(state)).size === state.sizes.length;

// The state as the part of an address after #.
export function toHash({ sizes, levels, names, slack, alike, total, people, pin }) {
  const given = names.some(Boolean) && `names=${names.map((name) => encodeURIComponent(name))}`;
  const pinned = pin && `pin=${encodeURIComponent(toHash({ ...pin, pin: null }).slice(1))}`;
  const parts = [`#sizes=${sizes}`, `levels=${levels}`, alike && "alike", given, total && `total=${total}`];
  parts.push(`slack=${slack}`, people !== 1000 && `people=${people}`, pinned);
  return parts.filter(Boolean).join("&");
}

// The state in an address: null if there is none, and what is wrong if it cannot be used.
export function fromHash(hash, inner = false) {
  const parts = new URLSearchParams(hash.slice(1));
  if (!parts.has("sizes") && !parts.has("levels")) return null;
  const numbers = (name, field, otherwise = "") =>
    (parts.get(name) ?? otherwise).split(",").map((text) => ({ name, ...read(field, text) }));
  const lists = [numbers("sizes", "size"), numbers("levels", "level"), numbers("slack", "slack", "10")];
  lists.push(numbers("people", "people", "1000"), parts.has("total") ? numbers("total", "total") : []);
  const count = { name: "number of attributes", ...read("count", String(lists[0].length)) };
  const wrong = [count, ...lists.flat()].find(({ error }) => error);
  if (wrong) return { error: `In the link, ${wrong.name} ${wrong.error}` };
  const [sizes, levels, [slack], [people], [total = 0]] = lists.map((list) => list.map(({ value }) => value));
  if (sizes.length !== levels.length) return { error: "In the link, there must be a level for each size." };
  const names = namesIn(hash, sizes.length);
  if (!names || !distinct({ sizes, names })) return { error: "In the link, every name must be another." };
  const pin = inner || !parts.has("pin") ? null : (fromHash(`#${parts.get("pin")}`, true) ?? { error: "" });
  if (pin && "error" in pin) return { error: `What is pinned cannot be used. ${pin.error}` };
  const same = [sizes, levels].every((list) => list.every((v) => v === list[0]));
  return { sizes, levels, names, slack, people, total, pin, alike: same && parts.has("alike") };
}

// Commas part the names, so those inside a name are written %2C.
function namesIn(hash, k) {
  const [, text = ""] = /[#&]names=([^&]*)/.exec(hash) ?? [];
  try {
    const names = text.split(",").map((name) => clean(decodeURIComponent(name)));
    return Array.from({ length: k }, (_, i) => names[i] ?? "");
  } catch {
    return null;
  }
}
