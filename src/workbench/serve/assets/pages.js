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

// Cells of the rulebook: a click leads to the chart where they are changed, with that cell in focus.
for (const table of document.querySelectorAll("[data-table]")) {
  table.addEventListener("click", (event) => {
    const cell = event.target.closest(".cells td");
    if (!cell) return;
    const sheets = [...table.querySelectorAll("table.cells")], sheet = cell.closest("table.cells"), cells = [...sheet.querySelectorAll("tbody td")];
    const address = new URL(table.dataset.change, location.href);
    address.searchParams.set("sheet", sheet.dataset.sheet ?? "");
    address.searchParams.set("cell-in-focus", cells.indexOf(cell));
    location.assign(address.href);
  });
}
{
  const focus = new URLSearchParams(location.search).get("cell-in-focus");
  const field = focus && document.querySelectorAll("[data-grid] input")[focus];
  if (field) { field.focus(); field.select(); field.scrollIntoView({ block: "center", inline: "center" }); }
}

// The address of a page for others: without the word that allows writing.
document.addEventListener("click", async (event) => {
  if (event.target.closest("[data-print]")) return print();
  const button = event.target.closest("[data-copy-link]");
  // The static site has a link of its own, which brings house rules along.
  if (!button || button.onclick) return;
  const address = new URL(button.dataset.shared ?? location.href, location.href);
  address.searchParams.delete("token");
  // The situations on the test bench now.
  if (button.dataset.shared) {
    address.searchParams.delete("at");
    for (const name of new URLSearchParams(location.search).getAll("at")) address.searchParams.append("at", name);
  }
  copyText(button, globalThis.siteLink?.(address) ?? address.href);
});
// Where the browser lets no page write to the clipboard (no https, the window behind another), the text stands beside the button, marked, to
// be copied by hand. A window of the browser's own would stop the page.
globalThis.copyText = async (button, text) => {
  try {
    await navigator.clipboard.writeText(text);
    const label = button.dataset.label ??= button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 2000);
  } catch {
    const field = Object.assign(document.createElement("input"), { value: text, readOnly: true, ariaLabel: "The address, to copy", onblur: () => field.remove() });
    button.after(field);
    field.select();
  }
};

// Words of the glossary: the first of each in a text is a link that says what it means, under the pointer and with the focus.
{
  const glossary = document.body.dataset.glossary, texts = ".waits h2, .waits .lately, .ruling .line > p, .words, .gazette, .calculator .lead, .headline";
  const meanings = new Map();
  let pattern;
  const wordsOf = async () => {
    const page = new DOMParser().parseFromString(await (await fetch(glossary + "?part=terms")).text(), "text/html");
    for (const word of page.querySelectorAll("dt[id]")) {
      const said = word.nextElementSibling, plain = (said.querySelector(".quiet") ?? said).textContent.trim(), meaning = said.querySelector(".meaning")?.textContent, name = word.textContent.trim();
      // What only says that something is a word, or true or false, explains nothing.
      if (name.length > 3 && !/^(a word|a list of words|true or false)\b/.test(plain) && plain && plain !== name && !meanings.has(name.toLowerCase())) meanings.set(name.toLowerCase(), { about: meaning ?? (word.id.startsWith("kind-") ? `a kind of piece (${plain})` : plain), id: word.id });
    }
    const names = [...meanings.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    if (names.length) pattern = new RegExp(`(?<![\\p{L}\\p{N}'-])(${names.join("|")})(?![\\p{L}\\p{N}'-])`, "giu");
  };
  const gloss = (within) => {
    if (!pattern) return;
    const met = new Set();
    for (const text of within.querySelectorAll(texts)) {
      if (text.querySelector(".term")) continue;
      const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), nodes = [];
      while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("a, button, code, label")) nodes.push(walker.currentNode);
      for (const node of nodes) {
        const parts = node.data.split(pattern);
        if (parts.length < 2) continue;
        node.replaceWith(...parts.map((part, place) => {
          const meaning = place % 2 && meanings.get(part.toLowerCase());
          if (!meaning || met.has(meaning)) return part;
          met.add(meaning);
          const link = element("a", part, { className: "term", href: `${glossary}#${meaning.id}` });
          link.dataset.about = `${part}: ${meaning.about}`;
          link.setAttribute("aria-description", meaning.about);
          return link;
        }));
      }
    }
  };
  if (glossary && document.querySelector(".calculator, .play, .book")) wordsOf().then(() => gloss(document), () => {});
  document.addEventListener("there", (event) => gloss(event.target));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && document.activeElement.matches(".term")) document.activeElement.blur(); });
}
