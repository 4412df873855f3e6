// The search dialog and the search page. What they need is loaded once one of them is used. From a disk
// nothing can be fetched, so there, and wherever else the index is not to be had, the search page takes
// Sphinx's own search.
{
  const root = new URL(document.documentElement.dataset.content_root, document.baseURI);
  const folder = new URL("_static/", root);

  // Sphinx's scripts, each after the last, but for those that the page has already.
  const scripts = [
    ["documentation_options.js", () => typeof DOCUMENTATION_OPTIONS],
    ["doctools.js", () => typeof _ready],
    ["sphinx_highlight.js", () => typeof SPHINX_HIGHLIGHT_ENABLED],
    ["language_data.js", () => typeof stopwords],
    ["searchtools.js", () => typeof Search],
    ["../searchindex.js", () => "undefined"],
  ];
  const add = (name) =>
    new Promise((done, fail) => {
      const script = document.createElement("script");
      script.src = new URL(name, folder);
      script.onload = done;
      script.onerror = fail;
      document.head.append(script);
    });

  const fallBack = async (form) => {
    if (form.closest("dialog")) return; // Enter leads to the search page
    for (const [name, kind] of scripts) {
      if (kind() === "undefined") await add(name);
      DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; // it would have to be fetched
    }
  };

  const start = async (form) => {
    if (!form || form.dataset.search) return;
    form.dataset.search = "on";
    try {
      if (location.protocol === "file:") throw Error("nothing can be fetched from a disk");
      const { attach } = await import(new URL("search.mjs", folder));
      await attach(form, root);
    } catch {
      await fallBack(form);
    }
  };

  addEventListener("DOMContentLoaded", () => start(document.querySelector(".bd-search-container form")));
  addEventListener("focusin", ({ target }) => start(target.closest("form.bd-search")));
}
