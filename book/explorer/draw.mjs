// The pen: marks, lines, words and axes, as strings of SVG. A method looks as in the rest of the book.

import { num } from "./numbers.mjs";

const MARKS = {
  kronecker: "M-5-5h10v10h-10z",
  heuristic: "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0",
  optimum: "M0-6.5L6.5 5h-13z",
  floor: "M0 6.5L6.5-5h-13z",
  guarded: "M0-7L7 0L0 7L-7 0z",
};

export const at = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;
export const text = (x, y, words, style = "") =>
  `<text class="${style}" transform="translate(${at(x, y)})">${words}</text>`;
export const mark = (method, x, y, more = "") =>
  `<path class="${method} mark ${more}" transform="translate(${at(x, y)})" d="${MARKS[method]}"/>`;

// A line through points, given as x, y, x, y and so on.
export function line(style, ...points) {
  const places = points.map((v, i) => `${i % 2 ? " " : i ? "L" : "M"}${v.toFixed(1)}`);
  return `<path class="${style}" d="${places.join("")}"/>`;
}

export const bar = (style, x, y, width, height) =>
  `<rect class="${style}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(width, 0).toFixed(1)}" height="${Math.max(height, 0).toFixed(1)}"/>`;

// A picture with the sentence that says what it shows.
export const picture = ({ width, height, body }, finding) =>
  `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${finding}">${body}</svg>`;

export const sign = (method) =>
  `<svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">${mark(method, 0, 0)}</svg>`;

// Round numbers in a range.
export function ticks(low, high, many) {
  const unit = 10 ** Math.floor(Math.log10((high - low) / many));
  const step = [1, 2, 5, 10].find((m) => m * unit * many >= high - low) * unit;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

// Scales, grid and title. Numbers grow upwards in the range `up`, if given.
export function frame(width, left, bottom, most, title, up) {
  const [top, right] = [10, width - 14];
  const x = (v) => left + ((right - left) * v) / most;
  const y = (v) => bottom - ((bottom - top) * (v - up[0])) / (up[1] - up[0] || 1);
  let body = text(right, bottom + 34, title, "end small");
  for (const v of ticks(0, most, (right - left) / 70)) {
    body += line("grid", x(v), top, x(v), bottom) + text(x(v), bottom + 17, num(v), "middle small");
  }
  for (const v of up ? ticks(...up, 5) : []) {
    body += line("grid", left, y(v), right, y(v)) + text(left - 7, y(v) + 4, num(v), "end small");
  }
  return { x, y, top, right, body };
}
