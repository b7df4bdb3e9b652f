// Cards that are sorted out as one types, and odds that come as a card comes into sight. Without it the form is sent, and the cards come sorted.
"use strict";
{
  const find = document.querySelector("form[data-cards]");
  if (find) {
    const cards = [...document.querySelectorAll("li.card")], found = document.getElementById("found"), nothing = document.getElementById("nothing"), others = document.querySelector("[data-others]");
    const sort = () => {
      const said = new FormData(find), words = (said.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const card of cards) {
        const fits = words.every((word) => card.dataset.text.includes(word)) && (!said.get("topic") || card.dataset.topic.split("|").includes(said.get("topic"))) && ["side", "year"].every((key) => !said.get(key) || card.dataset[key] === said.get(key));
        card.hidden = !fits;
        count += fits;
      }
      found.textContent = `${count} of ${cards.length}`;
      nothing.hidden = count > 0;
      const query = new URLSearchParams([...said].filter(([, value]) => value)).toString();
      history.replaceState(null, "", location.pathname + (query ? "?" + query : ""));
      ask(others, partOf(location.pathname + location.search, "others"), true);
    };
    find.addEventListener("input", sort);
    find.addEventListener("submit", (event) => { event.preventDefault(); sort(); });
    // A few at a time, so that what is in sight comes first.
    const waiting = [];
    let under = 0;
    const next = async () => {
      if (under >= 2 || !waiting.length) return;
      under += 1;
      const odd = waiting.shift();
      try { odd.innerHTML = await (await fetch(odd.dataset.odd)).text(); } catch { /* the card stays without */ }
      under -= 1;
      next();
    };
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) { seen.unobserve(entry.target); waiting.push(entry.target.querySelector('[data-odd]')); next(); }
    });
    for (const card of cards) seen.observe(card);
  }
}

// Cells: a click leads to the page that changes one; there the odds follow each key, and the change is saved.
for (const table of document.querySelectorAll("[data-table]")) {
  const cells = [...table.querySelectorAll(".cells td")];
  cells.forEach((cell, index) => {
    const address = `/edit/cell?game=${encodeURIComponent(table.dataset.game)}&table=${encodeURIComponent(table.dataset.table)}&cell=${index}`;
    cell.addEventListener("click", () => location.assign(address));
  });
  // One cell can be reached by the keyboard; the arrows go from it to the others.
  let at = 0;
  const wide = cells.findIndex((cell) => cell.parentElement !== cells[0]?.parentElement), across = wide < 0 ? cells.length : wide;
  const go = (index) => { if (!cells[index]) return; cells[at].removeAttribute("tabindex"); at = index; cells[at].tabIndex = 0; cells[at].focus(); };
  if (cells[0]) cells[0].tabIndex = 0;
  table.addEventListener("keydown", (event) => {
    if (!event.target.matches(".cells td")) return;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across }[event.key];
    if (step) { event.preventDefault(); go(at + step); }
    if (event.key === "Enter") event.target.click();
  });
}
document.querySelector("[data-save-cell]")?.addEventListener("click", async (event) => {
  const form = event.target.form, said = Object.fromEntries(new FormData(form)), output = form.querySelector("[data-saved]");
  try {
    const { saved } = await api("POST", "cell", { game: said.game, table: said.table, variant: said.variant, cell: Number(said.cell), now: said.now });
    output.replaceChildren("saved: ", element("a", saved, { href: "/edit/file?path=" + encodeURIComponent(saved) }));
  } catch (error) { output.textContent = [error.message, ...(error.complaints ?? []).map((complaint) => complaint.what)].join(": "); }
});
