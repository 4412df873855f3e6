// Chance for pictures, never for a release: mulberry32, a generator with one number of 32 bits for its state.

export function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// A seed of its own for every reader.
export const anySeed = () => crypto.getRandomValues(new Uint32Array(1))[0];
