// A button that unfolds all code of a chapter, and folds it again.
addEventListener("DOMContentLoaded", () => {
  const folded = document.querySelectorAll("article details.hide");
  const title = document.querySelector("article h1");
  if (!folded.length || !title) return;
  const button = document.createElement("button");
  button.className = "all-code";
  button.type = "button";
  button.textContent = "Show all code";
  button.setAttribute("aria-pressed", "false");
  const show = (open) => {
    button.setAttribute("aria-pressed", String(open));
    for (const part of folded) part.open = open;
    dispatchEvent(new Event("resize"));
  };
  button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
  title.after(button);
});
