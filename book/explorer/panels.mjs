// Two pictures that belong together: side by side where there is room, else one below the other.

import { frame, line, mark, text } from "./draw.mjs";

// `first` and `second` take a width and return a body of this height.
export function beside(width, height, first, second) {
  const half = width > 560 ? Math.round(width * 0.55) : 0;
  const right = `translate(${half ? half + 12 : 0} ${half ? 0 : height})`;
  const other = second(half ? width - half - 12 : width);
  return {
    height: half ? height : 2 * height - 24,
    body: `${first(half || width)}<g transform="${right}">${other}</g>`,
  };
}

// A row for each name, with a mark for each method that has a list of levels: [method, levels, style].
export function rows(width, names, lists, most, title) {
  const bottom = 34 * names.length + 20;
  let { x, body } = frame(width, 88, bottom, most, title);
  names.forEach((name, i) => {
    const y = 34 * i + 32;
    const places = lists.map(([, levels]) => x(levels[i]));
    body += text(0, y + 4, name, "small") + line("guide", Math.min(...places), y, Math.max(...places), y);
    for (const [j, [method, , style]] of lists.entries()) body += mark(method, places[j], y, style);
  });
  return body;
}

// What grows upwards in a frame.
export const upwards = (words) =>
  `<text class="small end" transform="translate(12 10) rotate(-90)">${words}</text>`;

// What the marks mean, below each other.
export const key = (top, ...methods) =>
  methods
    .map(
      ([method, words, style], j) =>
        mark(method, 8, top + 22 * j, style) + text(22, top + 22 * j + 4, words, "small"),
    )
    .join("");
