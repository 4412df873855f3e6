// A link to a term, an equation, a theorem or a source shows what it leads to: under a mouse, with the focus
// of the keyboard, or at a first tap. What is in other pages the build has put into this one.
{
  const WAIT = 250; // ms that a mouse rests on a link before its preview opens, or may be away before it closes
  const EDGE = 8; // px between a preview and the window's edge, or the link
  const BAR = 56; // px of the theme's bar at the top
  const box = document.createElement("div");
  let link = null; // whose preview is open
  let way = ""; // how it was opened: mouse, focus or tap
  let finger = false; // whether the last pointer was one
  let timer = 0;

  const later = (job) => {
    clearTimeout(timer);
    timer = setTimeout(job, WAIT);
  };

  // The parts of this page that a link inside it leads to.
  const parts = (target) => {
    if (target?.matches("article :is(.math, .admonition, figure)")) return [target];
    if (!target?.matches("article dt")) return [];
    let meaning = target.nextElementSibling;
    while (meaning?.matches("dt")) meaning = meaning.nextElementSibling; // terms may share one
    return [target, target.matches(".sig") ? meaning?.querySelector(":scope > p") : meaning].filter(Boolean);
  };

  // A copy of what a link leads to, without what can be clicked or named twice; null if there is nothing to show.
  const copy = (anchor) => {
    const address = anchor.getAttribute("href");
    const kept = [...document.querySelectorAll("template.preview-of")].find(
      (one) => one.dataset.of === address,
    );
    const local = address.startsWith("#")
      ? parts(document.getElementById(decodeURIComponent(address.slice(1))))
      : [];
    const text = document.createElement("div");
    text.className = "preview-text";
    text.append(...(kept ? [kept.content.cloneNode(true)] : local.map((part) => part.cloneNode(true))));
    for (const part of text.querySelectorAll(".headerlink, button")) part.remove();
    for (const part of text.querySelectorAll("a")) part.replaceWith(...part.childNodes);
    for (const part of text.querySelectorAll("[id]:not(svg *), [tabindex]")) {
      part.removeAttribute("id");
      part.removeAttribute("tabindex");
    }
    return text.hasChildNodes() ? text : null;
  };

  // Below the link if there is room, else above it, and never past the window's edge.
  const place = () => {
    if (!link) return;
    const spot = link.getClientRects()[0] ?? link.getBoundingClientRect();
    if (spot.bottom < 0 || spot.top > innerHeight) return hide();
    const below = innerHeight - spot.bottom - 2 * EDGE;
    const above = spot.top - BAR - 2 * EDGE;
    box.style.maxHeight = `${Math.max(below, above)}px`;
    const { width, height } = box.getBoundingClientRect();
    const furthest = document.documentElement.clientWidth - width - EDGE;
    box.style.left = `${Math.max(EDGE, Math.min(spot.left, furthest))}px`;
    box.style.top = `${height <= below || below >= above ? spot.bottom + EDGE : spot.top - EDGE - height}px`;
  };

  // Formulas that are wider than a preview shrink.
  const fit = () => {
    for (const formula of box.querySelectorAll("div.math")) {
      const share = formula.clientWidth / formula.scrollWidth;
      const inner = formula.querySelector("mjx-container");
      const own = inner ? inner.clientWidth / inner.scrollWidth : 1;
      formula.style.fontSize = `${Math.max(0.6, Math.min(share, own))}em`;
    }
    place();
  };

  const hide = () => {
    clearTimeout(timer);
    if (!link) return;
    link.removeAttribute("aria-describedby");
    if (box.contains(document.activeElement)) link.focus({ preventScroll: true });
    box.remove();
    link = null;
  };

  // A finger cannot hover: it gets a link to go on with, and a button to close.
  const foot = (anchor) => {
    const goal = document.createElement("a");
    const address = anchor.getAttribute("href");
    const page = address.match(/(glossary|bibliography)\.html#/)?.[1];
    goal.href = address;
    goal.textContent = `Go to ${page ? `the ${page}` : `${address.includes("#equation-") ? "equation " : ""}${anchor.textContent}`}`;
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", hide);
    const row = document.createElement("p");
    row.className = "preview-foot";
    row.append(goal, close);
    return row;
  };

  const show = (anchor, how) => {
    const text = anchor === link ? null : copy(anchor);
    if (!text) return;
    hide();
    [link, way] = [anchor, how];
    anchor.removeAttribute("title"); // the browser would show it too
    box.id = "preview";
    box.setAttribute("role", how === "tap" ? "dialog" : "tooltip");
    box.replaceChildren(text);
    document.querySelector("article").append(box);
    if (how === "tap") {
      box.append(foot(anchor));
      box.setAttribute("aria-label", `Preview of ${anchor.textContent}`);
      box.tabIndex = -1;
      box.focus({ preventScroll: true });
    } else {
      box.removeAttribute("aria-label");
      anchor.setAttribute("aria-describedby", "preview");
    }
    fit();
  };

  const anchorOf = ({ target }) => target.closest?.("article a[href*='#']:not(.headerlink, #preview a)");

  addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const anchor = anchorOf(event);
    if (anchor && anchor !== link) later(() => show(anchor, "mouse"));
    else if (anchor || box.contains(event.target)) clearTimeout(timer);
    else later(() => way === "mouse" && hide());
  });
  addEventListener("focusin", (event) => {
    const anchor = anchorOf(event);
    if (anchor?.matches(":focus-visible")) show(anchor, "focus");
  });
  addEventListener("focusout", () => way === "focus" && hide());
  addEventListener("pointerdown", ({ pointerType, target }) => {
    finger = pointerType === "touch";
    if (link && !box.contains(target) && !link.contains(target)) hide();
  });
  addEventListener("click", (event) => {
    const anchor = anchorOf(event);
    if (!anchor || !finger || anchor === link) return;
    show(anchor, "tap");
    if (anchor === link) event.preventDefault();
  });
  addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  addEventListener("scroll", place, { passive: true });
  addEventListener("resize", fit);
  addEventListener("hashchange", hide);
}
