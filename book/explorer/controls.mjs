// What readers turn, press and drag. Every control works by mouse, finger and keyboard, and says its value.

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Lead a value to another in some time, or at once for readers who want no motion. Returns a way to stop.
export function glide(from, to, set, milliseconds = 500) {
  const begun = performance.now();
  let frame = 0;
  const step = (now) => {
    const share = Math.min(Math.max((now - begun) / milliseconds, 0), 1);
    set(share < 1 ? from + (to - from) * share * share * (3 - 2 * share) : to);
    frame = share < 1 ? requestAnimationFrame(step) : 0;
  };
  if (calm()) set(to);
  else frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}

// Make an element from markup of ours, at the end of a place.
export function make(place, html) {
  place.insertAdjacentHTML("beforeend", html);
  return place.lastElementChild;
}

// A slider with its value beside it. `say` puts a value into words; `change` hears of every change.
// Returns a function that moves the slider without telling.
export function slider(place, { label, min, max, step, value, say = String, change }) {
  const row = make(
    place,
    `<label class="touch-slider"><span>${label}</span>
    <input type="range" min="${min}" max="${max}" step="${step}"><output></output></label>`,
  );
  const [input, output] = row.querySelectorAll("input, output");
  const write = () => {
    output.textContent = say(Number(input.value));
    input.ariaValueText = output.textContent;
  };
  input.oninput = () => {
    write();
    change(Number(input.value));
  };
  const set = (next) => {
    input.value = next;
    write();
  };
  set(value);
  return set;
}

export function button(place, words, action) {
  const made = make(place, `<button type="button">${words}</button>`);
  made.onclick = action;
  return made;
}

// One of several words; returns a function that chooses without telling.
export function choice(place, { label, options, value, change }) {
  const group = make(place, `<div class="touch-choice" role="group" aria-label="${label}"></div>`);
  const set = (chosen) => {
    for (const part of group.children) part.ariaPressed = String(part.dataset.value === String(chosen));
  };
  for (const [key, words] of Object.entries(options)) {
    const part = button(group, words, () => {
      set(key);
      change(key);
    });
    part.dataset.value = key;
  }
  set(value);
  return set;
}

// A point in a picture that can be dragged, or moved with the arrow keys. `move` gets a place in the picture's own
// units; `nudge` gets how many steps right and up. It lies in a layer of its own, so that it outlives redrawing.
export function handle(layer, { label, move, nudge, axis = "both" }) {
  layer.insertAdjacentHTML(
    "beforeend",
    `<g class="touch-handle" tabindex="0" role="slider" aria-label="${label}">
    <circle class="reach" r="22"/><circle class="grip" r="9"/></g>`,
  );
  const group = layer.lastElementChild;
  if (axis !== "both") group.setAttribute("aria-orientation", axis === "x" ? "horizontal" : "vertical");
  const place = ({ clientX, clientY }) => {
    const point = new DOMPoint(clientX, clientY).matrixTransform(layer.getScreenCTM().inverse());
    move(point.x, point.y);
  };
  group.onpointerdown = (event) => {
    group.setPointerCapture(event.pointerId);
    group.focus({ preventScroll: true });
    event.preventDefault();
  };
  // Chromium lets a finger scroll from parts of a picture, whatever their touch-action.
  group.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  group.onpointermove = (event) => group.hasPointerCapture(event.pointerId) && place(event);
  const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  group.onkeydown = (event) => {
    const [x, y] = steps[event.key] ?? [];
    if (x === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const many = event.shiftKey ? 10 : 1;
    nudge(many * x, many * y);
  };
  // Where the point is now, its value as a number from 0 to 100 or in its own unit, and in words.
  return (x, y, value, words, range = [0, 100]) => {
    const [low, high] = range;
    group.setAttribute("transform", `translate(${x} ${y})`);
    for (const [name, text] of Object.entries({ now: value, text: words, min: low, max: high })) {
      group.setAttribute(`aria-value${name}`, text);
    }
  };
}
