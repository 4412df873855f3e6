// Filters by verdict and chapter, kept in the address: ledger.html#verdict=fails&chapter=03-two-attributes
{
  const board = document.querySelector(".ledger-board");
  const controls = board.querySelector(".ledger-controls");
  const chapter = controls.querySelector("select");
  const status = controls.querySelector("[role=status]");
  const unfold = controls.querySelector(".ledger-unfold");
  const all = controls.querySelector(".ledger-all");
  const rows = () => [...document.querySelectorAll(".ledger tbody tr")];

  // The figures become buttons. Several that are pressed show the rows of any of them.
  const buttons = [...board.querySelectorAll(".ledger-figures li")].map((item) => {
    const button = document.createElement("button");
    button.type = "button";
    button.value = item.dataset.verdict;
    button.append(...item.childNodes);
    item.append(button);
    return button;
  });
  const isPressed = (button) => button.ariaPressed === "true";
  const pressed = () => buttons.filter(isPressed).map((button) => button.value);

  // Only rows of the verdicts and the chapter stay, and only sections that have any.
  const show = () => {
    const verdicts = pressed();
    const kept = rows().filter(({ dataset }) => {
      const asked = verdicts.length === 0 || verdicts.includes(dataset.verdict);
      return asked && (chapter.value === "" || chapter.value === dataset.chapter);
    });
    for (const row of rows()) row.hidden = !kept.includes(row);
    for (const table of document.querySelectorAll(".ledger")) {
      table.closest("section").hidden = !table.querySelector("tbody tr:not([hidden])");
    }
    status.textContent = `${kept.length} of ${rows().length} rows`;
    all.hidden = verdicts.length === 0 && !chapter.value;
  };

  // What an address asks for; what is unknown in it is left alone.
  const read = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const verdicts = (asked.get("verdict") ?? "").split(",");
    for (const button of buttons) button.ariaPressed = String(verdicts.includes(button.value));
    chapter.value = asked.get("chapter") ?? "";
    if (chapter.selectedIndex < 0) chapter.value = "";
    show();
    const row = rows().find((row) => `#${row.id}` === location.hash);
    if (row) row.querySelector("details").open = true;
  };

  const write = () => {
    const parts = [];
    if (pressed().length) parts.push(`verdict=${pressed().join(",")}`);
    if (chapter.value) parts.push(`chapter=${chapter.value}`);
    history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.href.split("#")[0]);
    show();
  };

  controls.hidden = false;
  all.hidden = true;
  for (const button of buttons) {
    button.ariaPressed = "false";
    button.addEventListener("click", () => {
      button.ariaPressed = String(!isPressed(button));
      write();
    });
  }
  chapter.addEventListener("change", write);
  unfold.addEventListener("click", () => {
    const open = !isPressed(unfold);
    unfold.ariaPressed = String(open);
    for (const part of document.querySelectorAll(".ledger details")) part.open = open;
  });
  all.addEventListener("click", () => {
    for (const button of buttons) button.ariaPressed = "false";
    chapter.value = "";
    write();
    chapter.focus(); // this button is gone now
  });
  addEventListener("hashchange", read);
  addEventListener("DOMContentLoaded", read);
}
