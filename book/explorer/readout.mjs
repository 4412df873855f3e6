// Values on charts: what stands nearest to the pointer, or to a finger that taps.

import { make } from "./controls.mjs";

const REACH = 28; // pixels: a finger's half width

// `read(svg)` returns what can be read off a chart: { spots } or { probe }, in the chart's own units.
export function readouts(root, read) {
  const tip = make(document.body, `<div id="ex-tip" aria-hidden="true" hidden></div>`);
  const look = ({ target, clientX, clientY, pointerType, type }) => {
    const svg = target.closest?.("svg");
    const chart = svg && read(svg);
    const scroll = pointerType === "touch" && type === "pointermove";
    tip.hidden = true;
    if (!chart || scroll || target.closest(".touch-handle")) return;
    const box = svg.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    const [u, v, words] = chart.probe ? [x, y, chart.probe(x, y)] : nearest(chart.spots ?? [], x, y);
    if (!words) return;
    tip.textContent = words;
    tip.hidden = false;
    const half = tip.offsetWidth / 2 + 4;
    const middle = Math.min(Math.max(box.left + u, half), document.documentElement.clientWidth - half);
    tip.style.translate = `${middle - half + 4}px ${box.top + v - tip.offsetHeight - 12}px`;
  };
  root.addEventListener("pointermove", look);
  root.addEventListener("pointerdown", look);
  root.addEventListener("pointerleave", () => (tip.hidden = true));
  addEventListener("scroll", () => (tip.hidden = true), { passive: true });
}

function nearest(spots, x, y) {
  let [best, found] = [REACH, []];
  for (const spot of spots) {
    const far = Math.hypot(spot[0] - x, spot[1] - y);
    if (far < best) [best, found] = [far, spot];
  }
  return found;
}
