// The map and the table of play: what moves there. Names such as `$` stand in casebook.js, which is loaded before.
"use strict";

// The map is drawn to fit its box until it is zoomed; then it keeps its scale, in pixels for a unit of the drawing.
let scale;
const boxOf = (map) => [map.clientWidth - (map.clientWidth > 600 ? 100 : 40), map.closest(".play") ? map.clientHeight - (innerWidth > 960 ? 76 : 24) : 512];
const fitScale = (map, svg) => { const { width, height } = svg.viewBox.baseVal, [wide, high] = boxOf(map); return Math.max(Math.min(wide / width, high / height, 2.4), 0.05); };

// Words that would lie on others are left out, the less important first.
const WORDS = [".drawn text", ".place.open ~ .place-name", ".place-name", ".stack text.label", ".area-name"];
const declutter = (svg, now) => {
  const words = new Set(WORDS.flatMap((selector) => $$(selector, svg))), kept = [], frame = svg.getBoundingClientRect();
  for (const word of words) { word.classList.remove("lost"); word.removeAttribute("dx"); }
  const boxes = [...words].map((word) => [word, word.getBoundingClientRect()]);
  // A word that would be cut off at the edge is moved inward.
  for (const pair of boxes) {
    const [word, box] = pair, out = Math.max(0, frame.left - box.left) || Math.min(0, frame.right - box.right);
    if (box.width && out) { word.setAttribute("dx", out / now); pair[1] = word.getBoundingClientRect(); }
  }
  for (const [word, box] of boxes) {
    const over = box.width && kept.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom - 2 && other.top < box.bottom - 2);
    if (over) word.classList.add("lost"); else kept.push(box);
  }
};
const larger = () => {
  const above = $(".play");
  if (above) document.documentElement.style.setProperty("--above", `${Math.round(above.getBoundingClientRect().top + scrollY + 8)}px`);
  for (const svg of $$(".map svg")) {
    const now = scale ?? fitScale(svg.parentElement, svg);
    svg.style.width = `${svg.viewBox.baseVal.width * now}px`;
    svg.style.setProperty("--s", now);
    svg.classList.toggle("far-off", now * 9 < 11);
    svg.classList.toggle("off", now * 8.5 < 11);
    svg.classList.toggle("tiny", now * 7.4 < 11);
    declutter(svg, now);
  }
};
// Draws the map so many times larger, with the point under the pointer where it is.
const zoom = (map, by, x, y) => {
  const svg = $("svg", map), frame = map.getBoundingClientRect();
  const [left, top] = [(x ?? frame.left + frame.width / 2) - frame.left, (y ?? frame.top + frame.height / 2) - frame.top];
  const before = svg.getBoundingClientRect(), fit = fitScale(map, svg), now = scale ?? fit;
  const at = [(left + frame.left - before.left) / before.width, (top + frame.top - before.top) / before.height];
  scale = by ? Math.min(Math.max(now * by, fit * 0.8), 8) : undefined;
  larger();
  const after = svg.getBoundingClientRect();
  map.scrollBy({ left: after.left + at[0] * after.width - frame.left - left, top: after.top + at[1] * after.height - frame.top - top, behavior: "instant" });
};
// The piece that acts is brought into the middle where it is not seen.
const centre = (always) => {
  for (const svg of $$(".play .map svg[data-centre]")) {
    const [x, y] = svg.dataset.centre.split(" ").map(Number), { x: left, y: top, width, height } = svg.viewBox.baseVal, map = svg.parentElement;
    const box = svg.getBoundingClientRect(), frame = map.getBoundingClientRect();
    const at = [box.left + ((x - left) / width) * box.width - frame.left, box.top + ((y - top) / height) * box.height - frame.top];
    const seen = at[0] > 40 && at[0] < frame.width - 40 && at[1] > 40 && at[1] < frame.height - 40;
    if (always || !seen) map.scrollBy({ left: at[0] - frame.width / 2, top: at[1] - frame.height / 2, behavior: "instant" });
  }
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-zoom]"), map = button?.closest("[data-board]")?.querySelector(".map");
  if (map) zoom(map, Number(button.dataset.zoom));
});
document.addEventListener("wheel", (event) => {
  const map = event.target.closest?.(".map");
  if (!map || !(map.closest(".play") || event.ctrlKey)) return;
  event.preventDefault();
  zoom(map, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX, event.clientY);
}, { passive: false });
document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".map") || event.ctrlKey || event.metaKey) return;
  const by = { "+": 1.4, "=": 1.4, "-": 1 / 1.4, "0": 0 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  zoom(event.target, by);
});
// The arrow keys lead over the map from one place that can be clicked to the next, and Enter clicks it. The map keeps the focus; the line above
// it says where one is. Where something is asked, only answers are stopped at.
let fromMap = false;
const stopsOf = (map) => { const answers = $$("svg a[data-move]", map), all = answers.length ? answers : $$("svg a[data-look]", map); return [...new Map([...all].reverse().map((link) => [link.getAttribute("href"), link])).values()]; };
const middleOf = (element) => { const { left, top, width, height } = element.getBoundingClientRect(); return [left + width / 2, top + height / 2]; };
const walk = (map, [dx, dy]) => {
  const at = $("svg a.at", map), stops = stopsOf(map), from = middleOf(at ?? $("svg .stack.looked", map) ?? map);
  const ways = stops.filter((link) => link !== at).map((link) => {
    const [x, y] = middleOf(link), along = (x - from[0]) * dx + (y - from[1]) * dy, aside = Math.abs((x - from[0]) * dy) + Math.abs((y - from[1]) * dx);
    return { link, ahead: !at || (along > 1 && aside <= along * 2), far: at ? along + 2 * aside : Math.abs(along) + aside };
  });
  const [next] = ways.filter((way) => way.ahead).sort((one, other) => one.far - other.far);
  if (next) stopAt(map, next.link);
  return stops.length > 0;
};
const stopAt = (map, link) => {
  for (const old of $$("svg a.at", map)) old.classList.remove("at");
  link.classList.add("at");
  link.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const said = $("title", link)?.textContent ?? "", line = map.parentElement.querySelector(".verdict");
  if (line && said) line.textContent = said;
};
document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".map") || event.ctrlKey || event.metaKey || event.altKey) return;
  const map = event.target, way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key], at = $("svg a.at", map);
  if (way ? !walk(map, way) : event.key !== "Enter" || !at) return;
  event.preventDefault();
  if (way) return;
  fromMap = true;
  at.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
});
document.addEventListener("focusout", (event) => { if (event.target.matches?.(".map") && event.target.isConnected) { for (const at of $$("svg a.at", event.target)) at.classList.remove("at"); } });
// One pointer moves the map, two zoom it.
const fingers = new Map();
let moved = 0;
document.addEventListener("pointerdown", (event) => {
  const map = event.target.closest?.(".play .map");
  if (!map || event.button) return;
  if (!fingers.size) moved = 0;
  fingers.set(event.pointerId, { map, x: event.clientX, y: event.clientY });
});
document.addEventListener("pointermove", (event) => {
  const finger = fingers.get(event.pointerId);
  if (!finger) return;
  const [dx, dy] = [event.clientX - finger.x, event.clientY - finger.y];
  moved += Math.hypot(dx, dy);
  const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
  if (other) {
    const far = (x, y) => Math.max(Math.hypot(x - other.x, y - other.y), 1);
    zoom(finger.map, far(event.clientX, event.clientY) / far(finger.x, finger.y), (event.clientX + other.x) / 2, (event.clientY + other.y) / 2);
  } else if (moved > 6) finger.map.scrollBy({ left: -dx, top: -dy, behavior: "instant" });
  [finger.x, finger.y] = [event.clientX, event.clientY];
});
for (const over of ["pointerup", "pointercancel"]) document.addEventListener(over, (event) => {
  if (!fingers.delete(event.pointerId) || moved <= 6 || fingers.size) return;
  addEventListener("click", (click) => { click.preventDefault(); click.stopPropagation(); }, { capture: true, once: true });
  setTimeout(() => dispatchEvent(new MouseEvent("click", { cancelable: true })));
});
document.addEventListener("dragstart", (event) => { if (event.target.closest?.(".play .map")) event.preventDefault(); });
addEventListener("resize", larger);
document.addEventListener("toggle", larger, true);

// Why a place is not an option: asked for when the pointer rests on it, or it is clicked.
let rests, resting;
const closedPlace = (event) => { const place = event.target.closest?.("svg[data-why] .place[data-place]"); return place && !place.closest("a") ? place : null; };
const whyAddress = (place) => { const url = new URL(place.closest("svg").dataset.why, location.href); url.searchParams.set("to", place.dataset.place); return url.pathname + url.search; };
document.addEventListener("pointerover", (event) => {
  const place = closedPlace(event);
  if (place === resting) return;
  clearTimeout(rests);
  resting = place;
  if (!place || event.pointerType === "touch") return;
  rests = setTimeout(async () => {
    const text = await fetch(partOf(whyAddress(place), "why")).then((answer) => (answer.ok ? answer.text() : ""), () => "");
    const verdict = $(".play .verdict");
    if (text && verdict && place === resting && place.isConnected) verdict.innerHTML = text;
  }, 150);
});
document.addEventListener("click", (event) => { const place = closedPlace(event); if (place && !event.defaultPrevented) look(place, whyAddress(place)); });

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
document.addEventListener("there", (event) => { if (event.target.matches("[data-table]")) { remember(); centre(false); } });
larger();
centre(true);
remember();
