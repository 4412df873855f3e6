// Bring the figures of a page to life, each when a reader comes near it. Until then, on paper and where this fails,
// the still picture stays.

// A cell with the tag touch-dial holds the still picture of the figure in dial.mjs.
function places() {
  for (const cell of document.querySelectorAll('[class*="tag_touch-"]')) {
    const still = cell.querySelector(".cell_output :is(svg, img)");
    const [, figure] = cell.className.match(/\btag_touch-([a-z]+)/);
    if (!still) continue;
    const place = document.createElement("div");
    place.className = "touch";
    place.dataset.figure = figure;
    (still.closest("a") ?? still).before(place);
    (still.closest("a") ?? still).classList.add("still");
  }
  return document.querySelectorAll(".touch[data-figure]");
}

function mount(place) {
  const still = [...place.children];
  try {
    orr(place.dataset.figure).mount(place);
    place.dataset.mounted = "";
  } catch (error) {
    place.replaceChildren(...still);
    console.error(error);
  }
}

export function start() {
  if (document.getElementById("ex-off")) orr("main");
  const watch = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        mount(target);
      }
    },
    { rootMargin: "800px" },
  );
  for (const place of places()) watch.observe(place);
}
