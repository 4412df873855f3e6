// Paper is light, whatever the screen shows.
{
  const page = document.documentElement.dataset;
  let theme;
  addEventListener("beforeprint", () => {
    theme = page.theme;
    page.theme = "light";
  });
  addEventListener("afterprint", () => {
    page.theme = theme;
  });
}
