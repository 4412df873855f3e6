// What scenes of the first page share.

import { bar } from "./draw.mjs";

export const HIGH = 28; // of a bar

// A level as a bar, and in dashes what it is of.
export const levelBar = (style, y, unit, level, whole) =>
  bar("guide hollow", 1, y, whole * unit, HIGH) + bar(`${style} story-bar`, 1, y, level * unit, HIGH);

// People as round dots: a path with a point for each.
export const dots = (style, size, places) =>
  `<path class="round ${style}" stroke-width="${size.toFixed(2)}" d="${places
    .map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`)
    .join("")}"/>`;
