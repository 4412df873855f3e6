// Numbers in words.

export function num(x, maximumSignificantDigits = 5, roundingMode = "halfExpand") {
  const plain = x === 0 || (Math.abs(x) >= 1e-3 && Math.abs(x) < 1e6);
  const notation = plain ? "standard" : "scientific";
  return x.toLocaleString("en", { maximumSignificantDigits, roundingMode, notation }).replace("E", "e");
}

export const outward = ({ lower, upper }, digits) => [
  num(lower, digits, "floor"),
  num(upper, digits, "ceil"),
];
export const bounds = (found) => (found.exact ? num(found.upper) : outward(found).join(" to "));
export const percent = (share) => `${num(100 * share, 3)}%`;

// “1, 2 and 3”.
export function list(items) {
  const shown = items.length > 5 ? [...items.slice(0, 4), `${items.length - 4} more`] : items;
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : shown[0];
}

export const where = (marks) => marks.flatMap((mark, i) => (mark ? [i] : []));
export const attributes = (places) =>
  `attribute${places.length > 1 ? "s" : ""} ${list(places.map((i) => i + 1))}`;

// A belief, with as many digits as it takes to tell it from certainty.
export const sure = (belief) => `${num(100 * belief, Math.max(3, -Math.floor(Math.log10(1 - belief))))}%`;

// With as many decimals as asked for, zeros too, so that numbers that change keep their width.
export const fixed = (x, digits) =>
  x.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
