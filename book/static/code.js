// The button that unfolds all code of the book, and folds it again: what a reader chose holds for every page.
addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector(".btn-all-code");
  const page = document.documentElement.dataset;
  if (!button) return;
  const show = (all) => {
    page.code = all ? "shown" : "folded";
    button.setAttribute("aria-pressed", String(all));
    for (const part of document.querySelectorAll("article details.hide")) part.open = all;
  };
  show(page.code === "shown"); // as book/templates/layout.html has found before anything was drawn
  button.addEventListener("click", () => {
    show(page.code !== "shown");
    try {
      localStorage.setItem("code", page.code);
    } catch {
      // A browser may refuse to keep anything: then the choice holds for this page.
    }
  });
});

// What is wider than its box fades at the edge behind which there is more, and the keyboard can scroll it.
addEventListener("DOMContentLoaded", () => {
  const BOXES =
    "article :is(pre, mjx-container[display], .cell_output > .output, .pst-scrollable-table-container)";
  const look = (box) => {
    const hidden = box.scrollWidth - box.clientWidth;
    const wide = hidden > 1 && getComputedStyle(box).overflowX !== "visible";
    box.classList.toggle("more-before", wide && box.scrollLeft > 1);
    box.classList.toggle("more-after", wide && box.scrollLeft < hidden - 1);
    if (wide) box.tabIndex = 0;
    else if (box.matches("mjx-container")) box.removeAttribute("tabindex"); // of others the theme takes care
  };
  const sizes = new ResizeObserver((seen) => {
    for (const { target } of seen) if (target.closest(BOXES)) look(target.closest(BOXES)); // a preview may be gone
  });
  for (const box of document.querySelectorAll(BOXES)) {
    for (const part of [box, box.firstElementChild]) if (part) sizes.observe(part);
  }
  addEventListener("scroll", ({ target }) => target.matches?.(BOXES) && look(target), {
    capture: true,
    passive: true,
  });
});
