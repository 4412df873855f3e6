// A figure to touch: controls, a picture as wide as there is room, and a sentence that says what it shows.

// `draw(width)` returns { height, body }, the picture as a string of SVG; `says()` one or two sentences of ours, which
// are also announced; `link()`, if given, the part of the explorer's address after #; `ask` something to try.
export function stage(place, { title, draw, says, link, ask = "" }) {
  place.innerHTML = `<div class="touch-controls" role="group" aria-label="${title}"></div>
    <p class="touch-ask">${ask}</p><svg role="group"><g></g><g></g></svg><p class="touch-says"></p><p class="touch-link"></p>
    <p class="visually-hidden" role="status"></p>`;
  const [controls, , svg, sentence, more, live] = place.children;
  const [body, layer] = svg.children;
  let timer;
  let said = "";
  const show = () => {
    const width = Math.max(controls.clientWidth, 240);
    const drawn = draw(width);
    svg.setAttribute("viewBox", `0 0 ${width} ${drawn.height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", drawn.height);
    body.innerHTML = drawn.body;
    const words = says();
    sentence.innerHTML = words;
    svg.setAttribute("aria-label", `${title}. ${sentence.textContent}`);
    if (link) {
      const root = document.documentElement.dataset.content_root ?? "./";
      more.innerHTML = `<a href="${root}pages/explorer.html${link()}">The same numbers in the explorer</a>`;
    }
    if (said && said !== words) {
      clearTimeout(timer);
      timer = setTimeout(() => (live.textContent = sentence.textContent), 600);
    }
    said = words;
  };
  let wide = 0;
  new ResizeObserver(() => {
    if (controls.clientWidth === wide) return;
    wide = controls.clientWidth;
    show();
  }).observe(place);
  return { controls, layer, show };
}
