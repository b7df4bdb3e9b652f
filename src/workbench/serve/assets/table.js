// The table of play: what moves there. Names such as `$` stand in casebook.js and map.js, which are loaded before.
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
  const list = $("[data-games-list]");
  if (!list) return;
  list.replaceChildren(...games().map((game) => {
    const line = element("li"), link = element("a", game.title, { href: game.address });
    line.append(link, element("span", ` ${game.turn} · ${new Date(game.date).toLocaleDateString()} `, { className: "quiet" }), element("button", "Forget", { type: "button", onclick: () => { keep(games().filter((other) => other.key !== game.key)); listGames(); } }));
    return line;
  }));
};
const remember = () => {
  const here = $("[data-games]"), address = location.pathname + location.search;
  if (here && address.includes("moves=")) {
    const key = gameKey(address);
    keep([{ key, address, title: here.dataset.title, turn: here.dataset.turn, date: Date.now() }, ...games().filter((game) => game.key !== key)]);
  }
  listGames();
};
document.addEventListener("click", async (event) => {
  const fresh = event.target.closest("a[data-new]"), copy = event.target.closest("button[data-copy]");
  if (fresh) {
    event.preventDefault();
    const url = new URL(location.href);
    for (const name of ["moves", "do", "seat", "asks", "of", "to", "when"]) url.searchParams.delete(name);
    url.searchParams.set("seed", Math.floor(Math.random() * 1e6));
    location.assign(url);
  } else if (copy) {
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    copy.textContent = "Copied";
  }
});
// A journal: the game goes on where the file ends.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-load-journal]");
  if (!form) return;
  event.preventDefault();
  try { location.assign((await api("POST", "journal", { journal: await $("input", form).files[0].text() })).address); }
  catch (error) { $("output", form).textContent = [error.message, ...(error.complaints ?? []).flatMap((complaint) => [complaint.what, complaint.help])].filter(Boolean).join(": "); }
});
document.addEventListener("there", (event) => { if (event.target.matches("[data-table]")) remember(); });
remember();
