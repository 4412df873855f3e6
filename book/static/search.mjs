// Results while you type, from Pagefind's index.
const STOP = new Set(
  "a an and are can do does for how i in is it of on or should the to what when which who why".split(" "),
);
// Where search.yml leads comes before the terms of the glossary, and these before titles and text.
const RANKING = { metaWeights: { first: 40, next: 20, term: 12, title: 5, also: 0.5, page: 0.5 } };
const IN_DIALOG = 8; // results that fit a screen
const ON_PAGE = 40;
const PAUSE = 120; // milliseconds between two letters of somebody who types
const LETTERS = 4; // that a word found must share with the word typed
let engine;

async function load(root) {
  const pagefind = await import(new URL("pagefind/pagefind.js", root));
  await pagefind.options({ excerptLength: 24, ranking: RANKING });
  return pagefind;
}

// Letters and digits only, without accents.
function fold(text) {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, "");
}

// Pagefind shortens a word that it does not know until it knows it: "xylophone" would find every x.
async function look(pagefind, words) {
  const { results } = await pagefind.search(words.join(" "));
  if (!results.length) return results;
  const { meta, content } = await results[0].data();
  const said = fold(`${Object.values(meta).join(" ")} ${content}`);
  return words.every((word) => said.includes(fold(word).slice(0, LETTERS))) ? results : [];
}

// What has all words; else what has some of them, and how many.
async function find(pagefind, query) {
  const typed = query.split(/\s+/);
  const known = typed.filter((word) => !STOP.has(word.toLowerCase()));
  const words = known.length ? known : typed;
  const all = await look(pagefind, words);
  if (all.length || words.length === 1) return { results: all };
  const found = new Map();
  for (const results of await Promise.all(words.map((word) => look(pagefind, [word])))) {
    for (const { id, score, data } of results) {
      found.set(id, { score: score + (found.get(id)?.score ?? 0), data });
    }
  }
  return { results: [...found.values()].sort((a, b) => b.score - a.score), some: true };
}

function make(tag, name, ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content);
  return element;
}

// An excerpt is text in which Pagefind has marked words, punctuation included; nothing else in it is a tag.
function marked(excerpt, content) {
  const plain = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  const said = plain(excerpt.replace(/<\/?mark>/g, ""));
  const parts = excerpt.split(/<\/?mark>/).map(plain);
  const pieces = parts.flatMap((part, i) => {
    const [, before, word, after] = part.match(/^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su);
    return i % 2 ? [before, make("mark", "", word), after] : [part];
  });
  return [content.startsWith(said) ? "" : "… ", ...pieces, content.endsWith(said) ? "" : " …"];
}

function item({ raw_url: place, meta, excerpt, content }, root) {
  // The name of a function may break at its dots.
  const names = meta.title.includes(" ") ? [meta.title] : meta.title.split(/(?<=\.)/);
  const title = names.flatMap((name) => [name, make("wbr")]);
  const link = make("a", "", make("span", "search-title", ...title));
  link.href = new URL(place, root);
  if (meta.page !== meta.title) link.append(" ", make("span", "search-page", meta.page));
  return make("li", "", link, make("p", "", ...marked(excerpt, content)));
}

function summary({ results, some }, query, most) {
  if (!results.length) return `Nothing found for “${query}”.`;
  const number = `${results.length} result${results.length === 1 ? "" : "s"}`;
  if (some) return `No place has all of these words. ${number} with some of them.`;
  return results.length > ON_PAGE && most === ON_PAGE ? `${number}, the best ${most} here` : number;
}

// Arrows lead from the field through the results and back; letters go to the field from anywhere. The theme
// closes the dialog on Escape from its field only.
function steer(event, input, list) {
  const stops = [input, ...list.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && at >= 0) {
    event.preventDefault();
    stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
  } else if (event.key === "Escape" && at !== 0) {
    input.closest("dialog")?.close();
  } else if (at > 0 && event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== " ") {
    input.focus();
  }
}

// What stands below a form: how many results, in the dialog ways to more of them and out, and the results.
function frame(form) {
  const dialog = form.closest("dialog");
  const parts = {
    status: make("p", "search-count"),
    more: make("a", "search-more", "More"),
    close: make("button", "search-close", "Close"),
    list: make("ol", "search-found"),
  };
  const { status, more, close, list } = parts;
  status.setAttribute("role", "status");
  dialog?.setAttribute("aria-label", "Search");
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  list.addEventListener("click", () => dialog?.close()); // a result may lead to this page
  form.after(make("div", "search-bar", status, ...(dialog ? [more, close] : [])), list);
  return { ...parts, dialog, input: form.querySelector("input"), most: dialog ? IN_DIALOG : ON_PAGE };
}

function fill({ input, status, more, list, dialog, most }, found, shown, query, root) {
  const address = new URL(`search.html?q=${encodeURIComponent(query)}`, root);
  const held = list.contains(document.activeElement); // somebody was faster than the results
  list.replaceChildren(...shown.map((data) => item(data, root)));
  if (held) (list.querySelector("a") ?? input).focus();
  list.setAttribute("aria-label", `Results for ${query}`);
  status.textContent = query ? summary(found, query, most) : "";
  more.hidden = found.results.length <= most;
  more.href = address;
  if (!dialog) history.replaceState(null, "", query ? address : location.pathname);
}

// Show results below a form while words are typed; those of the search page are in its address too.
export async function attach(form, root) {
  engine ??= load(root);
  const pagefind = await engine;
  const parts = frame(form);
  const { input, list, dialog, most } = parts;
  let turn = 0;

  async function search() {
    const mine = ++turn;
    const query = input.value.trim();
    await new Promise((done) => setTimeout(done, PAUSE));
    if (mine !== turn) return;
    const found = query ? await find(pagefind, query) : { results: [] };
    const shown = await Promise.all(found.results.slice(0, most).map((result) => result.data()));
    if (mine === turn) fill(parts, found, shown, query, root);
  }

  form.parentElement.addEventListener("keydown", (event) => steer(event, input, list));
  input.addEventListener("input", search);
  if (!dialog) input.value ||= new URLSearchParams(location.search).get("q") ?? "";
  await search();
}
