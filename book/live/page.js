// Offers what runs without a server: a Python under some exercises, the chapter in JupyterLite. Nothing of either
// is loaded before somebody asks for it.
(() => {
  // A page opened from a disk can start neither.
  if (!location.protocol.startsWith("http") || !self.WebAssembly || !self.DecompressionStream) return;
  const folder = new URL("./", document.currentScript.src);
  const data = JSON.parse(document.getElementById("live-data").textContent);

  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const offer = (label, { code, megabytes }) => {
    const box = document.getElementById(label);
    const button = make("button", { type: "button", className: "live-button" }, "Try it in Python");
    const about = make(
      "span",
      { className: "live-about" },
      `loads about ${megabytes} MB from this site, once`,
    );
    const place = make("div", { className: "live" }, button, about);
    button.addEventListener("click", async () => {
      about.setAttribute("role", "status");
      try {
        const { open } = await import(new URL("editor.mjs", folder));
        open(place, label, code, megabytes);
      } catch {
        about.textContent = "It could not be loaded. Are you online? Then load this page again.";
      }
    });
    box.append(place);
  };

  const offerLite = (address) => {
    const link = make("a", { href: address, className: "live-button" }, "Open this chapter in JupyterLite");
    const about = make("p", { className: "live-about" });
    about.append(
      "A Jupyter in your browser, with NumPy and SciPy: nothing to install, no account. Once open, it loads " +
        "Python and its packages from another site, Pyodide’s own distribution at cdn.jsdelivr.net.",
    );
    document.querySelector("#exercises > h2")?.after(make("div", { className: "live-lite" }, link, about));
  };

  for (const [label, starter] of Object.entries(data.exercises)) offer(label, starter);
  if (data.lite) offerLite(data.lite);
})();
