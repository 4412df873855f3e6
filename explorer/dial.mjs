// Chapter many-answers: one dial moves mass between flips together and flips apart. Each answer keeps its level.

import { slider } from "./controls.mjs";
import { stage } from "./stage.mjs";

export function mount(place) {
  let turn = 0;
  const { controls, show } = stage(place, {
    title: "Dial",
    draw: (width) => ({ height: 100, body: `<path class="optimum line" d="M0 50H${width * (0.5 + turn / 2)}"/>` }),
    says: () => `The dial stands at ${turn}.`,
  });
  const change = (value) => {
    turn = value;
    show();
  };
  slider(controls, { label: "dial", min: -1, max: 1, step: 0.01, value: turn, change });
}
