// Movement: from 0 to 1 in some milliseconds, gently at both ends; at once for readers who want none.

import { calm } from "./controls.mjs";

// Returns a function that stops it where it is.
export function glide(milliseconds, step) {
  if (calm()) {
    step(1);
    return () => {};
  }
  let [frame, start] = [0, 0];
  const tick = (now) => {
    start ||= now;
    const part = Math.min((now - start) / milliseconds, 1);
    if (part < 1) frame = requestAnimationFrame(tick);
    step(part * part * (3 - 2 * part));
  };
  frame = requestAnimationFrame(tick);
  return () => cancelAnimationFrame(frame);
}
