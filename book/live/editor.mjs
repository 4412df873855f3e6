// A small editor under an exercise.
import { python } from "./python.mjs";

const APPLE = /Mac|iP(hone|ad)/.test(navigator.platform);
const TOUCH = matchMedia("(hover: none) and (pointer: coarse)").matches;
const LEAST = 4; // lines that an editor has room for, and
const MOST = 24; // from how many on it scrolls

const make = (tag, properties, attributes = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const button = (text) => make("button", { type: "button", className: "live-button" }, {}, text);
const region = (name) => make("pre", { tabIndex: 0 }, { role: "region", "aria-label": name });

/** Tab indents while somebody types. Whoever only comes by, or has pressed Escape, moves on with it. */
const helpTyping = (area) => {
  let typing = false;
  const type = (yes) => () => {
    typing = yes;
  };
  area.addEventListener("focus", type(false));
  area.addEventListener("input", type(true));
  area.addEventListener("pointerdown", () => setTimeout(type(true))); // after the focus that it brings
  const write = (text) => document.execCommand("insertText", false, text); // the only way that can be undone
  area.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event;
    if (key === "Escape") typing = false;
    if (ctrlKey || metaKey || altKey || shiftKey || isComposing) return;
    const line = area.value.slice(0, area.selectionStart).split("\n").at(-1);
    const deeper = /:\s*(#.*)?$/.test(line) ? "    " : "";
    if (key === "Enter") write(`\n${line.match(/^ */)[0]}${deeper}`);
    else if (key === "Tab" && typing) write("    ");
    else return;
    event.preventDefault();
  });
};

class Editor {
  #job = null;

  constructor(place, label, code, megabytes) {
    this.code = code;
    this.megabytes = megabytes;
    const title = place.parentElement.querySelector(".caption-number");
    const name = title?.textContent.trim() ?? "this exercise";
    this.#make(label, name);
    this.#listen(place);
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", `Python for ${name}`);
    const buttons = make("div", { className: "live-buttons" }, {}, this.run, this.stop, this.reset);
    const { labelled, area, hint, status, bar, printed, details } = this;
    place.replaceChildren(labelled, area, hint, buttons, status, bar, printed, details);
    this.#restore();
  }

  #make(label, name) {
    const id = `live-${label}`;
    const keys = `${APPLE ? "⌘" : "Ctrl"} + Enter runs it. Tab indents; Esc, then Tab, moves on.`;
    const plain = { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" };
    this.labelled = make("label", { htmlFor: id }, {}, "Your code");
    this.area = make("textarea", { id }, { "aria-describedby": `${id}-hint`, ...plain });
    this.hint = make("p", { id: `${id}-hint`, className: "live-hint" }, {}, keys);
    [this.run, this.stop, this.reset] = ["Run", "Stop", "Reset"].map(button);
    this.run.classList.add("live-run");
    this.status = make("p", { className: "live-status" }, { role: "status" });
    this.bar = make("progress", { max: this.megabytes * 1e6 }, { "aria-label": "Loading Python" });
    this.printed = region(`Output of ${name}`);
    this.printed.setAttribute("aria-live", "polite");
    this.trace = region(`Traceback of ${name}`);
    const summary = make("summary", {}, {}, "The whole traceback");
    this.details = make("details", {}, {}, summary, this.trace);
  }

  #listen(place) {
    this.run.addEventListener("click", () => this.#run());
    this.stop.addEventListener("click", () => this.#job && python.stop(this.#job));
    this.reset.addEventListener("click", () => this.#restore());
    this.area.addEventListener("input", () => this.#grow());
    place.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.#run();
    });
    helpTyping(this.area);
  }

  #grow() {
    this.area.rows = Math.min(Math.max(this.area.value.split("\n").length + 1, LEAST), MOST);
  }

  /** Clear what came out before. */
  #clear() {
    this.printed.replaceChildren();
    this.printed.hidden = this.details.hidden = true;
    this.details.open = false;
    this.status.classList.remove("live-wrong");
  }

  #restore() {
    this.area.value = this.code;
    this.#grow();
    if (!this.#job) this.#clear();
    if (!this.#job) this.#settle("");
    this.area.setSelectionRange(0, 0); // else the longest line is shown from its end
    (TOUCH ? this.run : this.area).focus(); // a keyboard on the screen would hide the exercise
  }

  #say(text) {
    this.status.textContent = text;
  }

  #print(text) {
    this.printed.hidden = false;
    this.printed.append(text);
  }

  #settle(text) {
    this.#job = null;
    this.stop.setAttribute("aria-disabled", "true");
    this.#say(text);
  }

  #run() {
    if (this.#job) return;
    this.#clear();
    this.stop.setAttribute("aria-disabled", "false");
    this.#say("Starting Python …");
    this.#job = {
      code: this.area.value,
      wait: () => this.#say("Waiting for the code of another exercise …"),
      start: () => this.#say("Running …"),
      print: (text) => this.#print(text),
      stopped: () => this.#settle("Stopped."),
      failed: (reason) => this.failed(reason),
      done: (said) => this.#finish(said),
    };
    python.run(this.#job);
  }

  #finish({ result, sentence, traceback }) {
    if (result !== undefined) this.#print(result);
    this.trace.textContent = traceback ?? "";
    this.details.hidden = !traceback;
    this.status.classList.toggle("live-wrong", Boolean(sentence));
    this.#settle(sentence ?? (this.printed.hidden ? "Done. It printed nothing." : "Done."));
  }

  // What Python tells all editors while it loads.

  progress(bytes) {
    this.bar.value = bytes;
  }

  ready() {
    this.bar.hidden = true;
    if (!this.#job) this.#say("Python is ready. Change the code, and run it.");
  }

  failed(reason) {
    this.bar.hidden = true;
    this.#settle(`Python has stopped: ${reason}. Run starts it again.`);
  }

  load() {
    this.bar.value = 0;
    this.#say(`Loading Python, about ${this.megabytes} MB …`);
    python.load(this.code);
    python.watch(this);
  }
}

/** Put an editor in the place of the button that asked for it. */
export const open = (place, label, code, megabytes) => new Editor(place, label, code, megabytes).load();
