// The map of the four cases for two attributes, with the borders of chapter two-attributes.

import { frame, line, text } from "./draw.mjs";
import { twoAttributes } from "./levels.mjs";
import { problem, sum } from "./problem.mjs";

const CELLS = 64; // computed each way; the browser fills in what is between
const TINT = [213, 94, 0]; // the colour of the optimum

// Where each case is, and an image of what is saved on the sum of the levels: half of it at most, since the overall
// level is no less than any of the two. That depends on sizes and range alone, so the last ones are kept.
function relief(sizes, most) {
  const key = `${sizes} ${most}`;
  if (relief.key === key) return relief.kept;
  const [cases, canvas] = [{}, document.createElement("canvas")];
  canvas.width = canvas.height = CELLS;
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(CELLS, CELLS);
  for (let c = 0; c < CELLS ** 2; c++) {
    const place = [c % CELLS, CELLS - 1 - Math.floor(c / CELLS)];
    const levels = place.map((v) => ((v + 0.5) * most) / CELLS);
    const { label, epsilon } = twoAttributes(problem(sizes, levels));
    cases[label] ??= [];
    cases[label].push(levels);
    image.data.set([...TINT, 300 * Math.max(0, 1 - epsilon / sum(levels))], 4 * c);
  }
  pen.putImageData(image, 0, 0);
  [relief.key, relief.kept] = [key, { cases, url: canvas.toDataURL() }];
  return relief.kept;
}

// The map up to levels of `most`; the darker, the more is saved.
export function plane(sizes, most, side, names = ["attribute 1", "attribute 2"]) {
  const [m, n] = sizes;
  const [left, bottom] = [42, side - 42];
  let { x, y, top, right, body } = frame(side, left, bottom, most, `level of ${names[0]}`, [0, most]);
  const { cases, url } = relief(sizes, most);
  body = `<image href="${url}" x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" preserveAspectRatio="none"/>${body}`;
  const total = Math.log((m - 1) * (n - 1));
  const border = (style, height, part) => {
    const all = Array.from({ length: 201 }, (_, i) => [(most * i) / 200, height((most * i) / 200)]);
    const kept = all.filter(([a, b]) => b >= 0 && b <= most && part * (a + b - total) >= -1e-9);
    if (kept.length > 1) body += line(`border ${style}`, ...kept.flatMap(([a, b]) => [x(a), y(b)]));
  };
  border("heavy", (e) => total - e, 0);
  border("dashed", (e) => Math.log1p((n * Math.expm1(e)) / m), 1);
  border("dotted", (e) => -Math.log1p((((m - 1) * n) / (m * (n - 1))) * Math.expm1(-e)), -1);
  for (const [label, places] of Object.entries(cases)) {
    const [a, b] = [0, 1].map((i) => sum(places.map((place) => place[i])) / places.length);
    if (places.length > 40) body += text(x(a), y(b) + 5, label, "middle bold");
  }
  body += `<text class="small end" transform="translate(12 ${top}) rotate(-90)">level of ${names[1]}</text>`;
  return { x, y, left, right, top, bottom, body };
}
