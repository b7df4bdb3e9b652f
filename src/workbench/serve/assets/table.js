// The table of play: what moves there. Names such as `$` stand in casebook.js, which is loaded before.
"use strict";

// Many options: those that hold what is typed stay.
document.addEventListener("input", (event) => {
  if (!event.target.matches(".filter input")) return;
  const wanted = event.target.value.toLowerCase();
  for (const option of $$("li", event.target.closest(".many"))) option.hidden = !option.textContent.toLowerCase().includes(wanted);
});

// A table of answers, or several options: what is said in the form goes into the address.
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-answers]");
  if (!form || !table) return;
  event.preventDefault();
  sit(new URL(form.action).pathname + "?" + new URLSearchParams(new FormData(form)), true);
});

// One's games: where each stands, kept by the browser.
const GAMES = "casebook games";
const games = () => { try { return JSON.parse(localStorage.getItem(GAMES) ?? "[]"); } catch { return []; } };
const keep = (list) => { try { localStorage.setItem(GAMES, JSON.stringify(list.slice(0, 40))); } catch { /* a browser that keeps nothing */ } };
const gameKey = (address) => { const url = new URL(address, location.href); for (const name of ["moves", "seat", "do", "usual", "throws", "asks", "of", "to", "when"]) url.searchParams.delete(name); return url.pathname + url.search; };
const listGames = () => {
  const kept = games();
  for (const section of $$("[data-running]")) section.hidden = !kept.length;
  for (const list of $$("[data-games-list]")) list.replaceChildren(...kept.map((game) => {
    const line = element("li"), link = element("a", "", { href: game.address }), moves = game.side === "over" ? "over" : game.side ? `${game.side} to move` : "";
    if (game.picture) link.append(element("img", "", { src: game.picture, alt: "", width: 66, height: 44 }));
    link.append(element("span", game.title));
    line.append(link, element("span", [game.turn, moves, new Date(game.date).toLocaleDateString()].filter(Boolean).join(" · "), { className: "quiet" }), element("button", "Forget", { type: "button", onclick: () => { keep(games().filter((other) => other.key !== game.key)); listGames(); } }));
    return line;
  }));
};
const remember = () => {
  const here = $("[data-games]"), address = location.pathname + location.search;
  if (here && address.includes("moves=")) {
    const key = gameKey(address);
    keep([{ key, address, title: here.dataset.title, turn: here.dataset.turn, side: here.dataset.side, picture: here.dataset.picture, date: Date.now() }, ...games().filter((game) => game.key !== key)]);
  }
  listGames();
};
document.addEventListener("click", async (event) => {
  const copy = event.target.closest("button[data-copy]");
  if (!copy) return;
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  copy.textContent = "Copied";
});
// A journal: the game goes on where the file ends.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-load-journal]");
  if (!form) return;
  event.preventDefault();
  try { location.assign((await api("POST", "journal", { journal: await $("input", form).files[0].text() })).address); }
  catch (error) { $("output", form).textContent = [error.message, ...(error.complaints ?? []).flatMap((complaint) => [complaint.what, complaint.help])].filter(Boolean).join(": "); }
});
// The report of the other side's turn: an entry with the focus, or under the pointer, shows its places on the map; the arrow keys go from one to the next.
const showStep = (step) => {
  for (const shown of $$(".map .shown")) shown.classList.remove("shown");
  for (const place of step?.dataset.places.split("|").filter(Boolean) ?? []) for (const shown of $$(`.map [data-place="${CSS.escape(place)}"]`)) shown.classList.add("shown");
};
const stepOf = (event) => event.target.closest?.("[data-steps] > li");
for (const over of ["focusin", "pointerover"]) document.addEventListener(over, (event) => { const step = stepOf(event); if (step) showStep(step); });
document.addEventListener("focusout", (event) => { if (stepOf(event)) showStep(); });
document.addEventListener("keydown", (event) => {
  const step = stepOf(event), next = { ArrowDown: step?.nextElementSibling, ArrowUp: step?.previousElementSibling }[event.key];
  if (next) { event.preventDefault(); next.focus(); }
});
// A style whose turn is long goes on by itself.
const playOn = () => { const link = $(".play [data-auto]"); if (link) sit(link.getAttribute("href"), false); };
document.addEventListener("there", (event) => { if (event.target.matches("[data-table]")) { remember(); playOn(); } });
remember();
playOn();
