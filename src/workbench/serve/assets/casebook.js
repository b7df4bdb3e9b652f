// What moves on a page. Every page works without it: forms are sent, links are followed. With it nothing is loaded that stays as it is.
"use strict";
document.documentElement.classList.add("js");

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

// Whether a control says what goes without saying; then the address need not.
const isPlain = (control) => {
  if (control.type === "checkbox" || control.type === "hidden") return "plain" in control.dataset;
  if (control.tagName === "SELECT" && "plain" in (control.selectedOptions[0]?.dataset ?? {})) return true;
  return control.dataset.plain === control.value;
};

// The address that a form asks for: what stands there already, with what the form says in its place.
const addressOf = (form) => {
  const query = new URLSearchParams(location.search);
  query.delete("part");
  const said = new Map(), lists = new Map(), picked = new Map();
  // Boxes of one list are one value of the address, also if none is ticked.
  for (const control of form.elements) if (control.name?.startsWith("pick:")) { picked.set(control.name.slice(5), []); query.delete("set:" + control.name.slice(5)); }
  for (const control of form.elements) {
    if (!control.name || control.type === "submit") continue;
    query.delete(control.name);
    if ((control.type === "checkbox" || control.type === "radio") && !control.checked) continue;
    if (control.name.startsWith("pick:")) { picked.get(control.name.slice(5)).push(control.value); continue; }
    if (control.name === "with" || control.name === "ruleset") lists.set(control.name, [...(lists.get(control.name) ?? []), control.value]);
    else said.set(control.name, control);
  }
  for (const [name, values] of picked) {
    const list = `[${values.join(", ")}]`;
    if (list !== [...form.elements].find((control) => control.name === "pick:" + name).closest("fieldset").dataset.plain) query.set("set:" + name, list);
  }
  for (const [name, control] of said) if (!isPlain(control) && !(name === "q" && !control.value)) query.set(name, control.value);
  if (lists.has("with")) {
    const names = lists.get("with").filter(Boolean);
    const plain = ($(".switches[data-plain]", form)?.dataset.plain ?? "").split(",").filter(Boolean);
    if ([...names].sort().join() !== [...plain].sort().join()) query.set("with", names.join(","));
  }
  for (const ruleset of lists.get("ruleset") ?? []) query.append("ruleset", ruleset);
  const text = query.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  return location.pathname + (text ? "?" + text : "");
};

// Puts new text into an element; what was open stays open, and whoever was in a field stays there.
const swap = (element, text) => {
  const open = $$("details[open] > summary", element).map((summary) => summary.textContent);
  const id = element.contains(document.activeElement) && document.activeElement.id;
  const { scrollLeft: left = 0, scrollTop: top = 0 } = $(".map", element) ?? {};
  element.innerHTML = text;
  // One answer may fill several places of the page.
  for (const part of $$("[data-goes-to]", element)) { part.remove(); swap(document.getElementById(part.dataset.goesTo), part.innerHTML); }
  if (typeof drawMaps === "function") drawMaps();
  $(".map", element)?.scrollTo({ left, top, behavior: "instant" });
  for (const summary of $$("details > summary", element)) if (open.includes(summary.textContent)) summary.parentElement.open = true;
  if (id) document.getElementById(id)?.focus();
};

const complaintCount = (count) => `${count} ${count === 1 ? "complaint" : "complaints"}`;
const SILENT = "The workbench does not answer. Start it again where you started it: what you typed stays here.";
// A count that takes more than a moment says how far it has come, and can be stopped: then it shows what is known.
const PAUSES = [600, 400];
const watchCount = (element, name) => {
  const about = "/api/v2/counts/" + name, watch = { stopped: false };
  let line, timer = setTimeout(() => look(), PAUSES[0]);
  const build = () => {
    const line = document.createElement("p"), stop = document.createElement("button");
    line.className = "partly counting";
    line.append(document.createElement("span"), " ", stop);
    line.setAttribute("aria-live", "off");
    stop.type = "button";
    stop.textContent = "Stop";
    stop.addEventListener("click", () => {
      watch.stopped = stop.disabled = true;
      stop.textContent = "Stopping…";
      fetch(about, { method: "DELETE" }).catch(() => {});
    });
    return line;
  };
  const look = async () => {
    const told = await fetch(about).then((answer) => answer.json()).catch(() => undefined);
    if (timer === undefined) return;
    if (told?.running) {
      if (!line?.isConnected) element.prepend(line = build());
      const share = Math.floor(told.share * 1000) / 10;
      line.firstChild.textContent = `${told.what[0].toUpperCase() + told.what.slice(1)}: ${told.count.toLocaleString("en")}` + (share > 0 ? `, ${share} % done` : "");
    }
    timer = setTimeout(look, PAUSES[1]);
  };
  watch.end = () => {
    clearTimeout(timer);
    timer = undefined;
    line?.remove();
  };
  return watch;
};
// Asks for a part of a page; what was asked for it before and is not there yet is let go.
const asking = new WeakMap();
const ask = async (element, address, quietly) => {
  asking.get(element)?.abort();
  const mine = new AbortController(), name = Date.now().toString(36) + Math.random().toString(36).slice(2, 10);
  asking.set(element, mine);
  // What is asked for at each key is marked as old only where the answer is late.
  const mark = () => element.setAttribute("aria-busy", "true"), late = quietly ? setTimeout(mark, 400) : mark();
  const count = watchCount(element, name);
  try {
    const answer = await fetch(address + "&count=" + name, { signal: mine.signal }), text = await answer.text();
    count.end();
    clearTimeout(late);
    swap(element, text);
    // An answer that was under way already when it was stopped does not go on either.
    if (count.stopped) for (const line of $$("[data-more]", element)) line.remove();
    element.dispatchEvent(new CustomEvent("there", { bubbles: true }));
  } catch (error) {
    count.end();
    clearTimeout(late);
    if (mine.signal.aborted) return;
    // What stands there stays: it is right still, and somebody may have typed into it.
    $(".silent", element)?.remove();
    if (count.stopped) $(".more", element)?.remove();
    const what = count.stopped ? "Counting was stopped; this is what was known before." : (error.said ?? SILENT);
    element.prepend(Object.assign(document.createElement("p"), { className: "partly silent", role: "alert", textContent: what }));
  }
  element.removeAttribute("aria-busy");
};
const partOf = (address, part) => address + (address.includes("?") ? "&" : "?") + "part=" + part;
// What is not there whole says that there is more, and at which look.
const more = (element) => {
  const look = $("[data-more]", element)?.dataset.more;
  if (look !== undefined) ask(element, partOf(location.pathname + location.search, element.dataset.part) + "&look=" + look, true);
};
document.addEventListener("there", (event) => { if (event.target.matches("[data-part]")) more(event.target); });
const refresh = (address) => { for (const element of $$("[data-part]")) ask(element, partOf(address, element.dataset.part)); };

// On a small screen what comes of it stands below the form: the form is folded up.
if (innerWidth < 960) for (const details of $$(".calculator .given details:not(:has(.picked))")) details.open = false;

// A piece that was put in by a form is in the address like any other; what could not be changed is not in it any more.
const own = $("form[data-address]");
if (own && (new URLSearchParams(location.search).has("new:name") || $("[data-undone]"))) history.replaceState(null, "", own.dataset.address);

// Pieces are dragged on the map: where one is let go of is where it begins. The field of its place says the same.
const field = (name) => own?.elements.namedItem(`set:${name}: at`);
let dragged = null;
document.addEventListener("pointerdown", (event) => {
  const stack = own && event.target.closest?.("[data-board] .stack");
  const names = stack?.dataset.pieces?.split("\n").filter(field) ?? [];
  if (stack && event.isPrimary && event.button === 0) dragged = { stack, names, x: event.clientX, y: event.clientY, from: stack.dataset.place };
});
document.addEventListener("dragstart", (event) => { if (dragged) event.preventDefault(); });
document.addEventListener("pointermove", (event) => {
  if (!dragged || Math.hypot(event.clientX - dragged.x, event.clientY - dragged.y) < 6) return;
  const scale = dragged.stack.ownerSVGElement.getScreenCTM().a;
  dragged.moves = true;
  if (!dragged.names.length) return;
  dragged.stack.classList.add("dragged");
  dragged.stack.style.translate = `${(event.clientX - dragged.x) / scale}px ${(event.clientY - dragged.y) / scale}px`;
});
document.addEventListener("pointerup", (event) => {
  const { moves, stack, names, from } = dragged ?? {};
  dragged = null;
  if (!moves) return;
  addEventListener("click", (click) => { click.preventDefault(); click.stopPropagation(); }, { capture: true, once: true });
  setTimeout(() => dispatchEvent(new MouseEvent("click", { cancelable: true })));
  const place = document.elementsFromPoint(event.clientX, event.clientY).map((under) => under.closest("[data-place]")).find((under) => under && under !== stack)?.dataset.place;
  stack.classList.remove("dragged");
  stack.style.translate = "";
  if (!names.length) {
    const verdict = $(".verdict", stack.closest("[data-board]"));
    if (verdict) verdict.textContent = "This piece came here by the ruling, or moves with what carries it: drag it from where it starts, “As it begins”.";
    return;
  }
  if (!place || place === from) return;
  for (const name of names) field(name).value = place;
  field(names[0]).dispatchEvent(new Event("input", { bubbles: true }));
});
document.addEventListener("pointercancel", () => { if (dragged) { dragged.stack.style.translate = ""; dragged = null; } });

// A figure is dragged by its name, too: to the right for more.
let turned = null;
document.addEventListener("pointerdown", (event) => {
  const input = event.target.matches?.("form[data-live] label > span") && $("input[type=number]", event.target.parentElement);
  if (input && event.isPrimary && event.button === 0) turned = { input, x: event.clientX, from: Number(input.value), now: Number(input.value) };
});
document.addEventListener("pointermove", (event) => {
  if (!turned) return;
  const now = Math.max(turned.from + Math.trunc((event.clientX - turned.x) / 8), Math.min(turned.from, 0));
  if (now === turned.now) return;
  turned.input.value = turned.now = now;
  turned.input.dispatchEvent(new Event("input", { bubbles: true }));
});
for (const over of ["pointerup", "pointercancel"]) document.addEventListener(over, () => { turned = null; });

// A page that is loaded anew with other switches is looked at where it was, with the same things open.
const again = (address) => {
  const open = $$("details[open] > summary").map((summary) => summary.textContent);
  try { sessionStorage.setItem("again", JSON.stringify({ address, open, top: scrollY, beside: $(".beside, .given")?.scrollTop ?? 0 })); } catch { /* a browser that keeps nothing */ }
  location.assign(address);
};
const left = (() => {
  try { return JSON.parse(sessionStorage.getItem("again") ?? "null"); } catch { return null; }
  finally { try { sessionStorage.removeItem("again"); } catch { /* as before */ } }
})();
if (left && left.address === location.pathname + location.search) {
  for (const summary of $$("details > summary")) if (left.open.includes(summary.textContent)) summary.parentElement.open = true;
  scrollTo({ top: left.top, behavior: "instant" });
  $(".beside, .given")?.scrollTo({ top: left.beside, behavior: "instant" });
}

// So many rulesets as can be set side by side: then no more can be ticked.
const stacks = $("form.stacks");
const full = () => { const ticked = $$("[name=ruleset]:checked", stacks).length; for (const box of $$("[name=ruleset]:not(:checked)", stacks)) box.disabled = ticked >= Number(stacks.dataset.most); };
if (stacks) { full(); stacks.addEventListener("input", full); }

// Live forms: each key asks anew. What changes the form itself loads the page.
for (const form of $$("form[data-live]")) {
  const changed = (event) => {
    const address = addressOf(form);
    if (event.target.name === "with") return again(address);
    // A list of names is taken when it is finished, not letter by letter.
    if ("still" in event.target.dataset && event.type === "input") return;
    history.replaceState(null, "", address);
    for (const link of $$("a[data-tab]")) link.search = location.search;
    refresh(address);
  };
  // Controls of the form may stand elsewhere on the page.
  document.addEventListener("input", (event) => { if (event.target.form === form) changed(event); });
  form.addEventListener("submit", (event) => { event.preventDefault(); changed(event); });
}
$$("[data-part]").forEach(more);

// Another throw: the same page with other dice.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-again]");
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  const seed = $("input[name=seed]"), dice = $("input[name=dice]");
  seed.value = new URL(link.href).searchParams.get("seed");
  dice.value = "";
  seed.dispatchEvent(new Event("input", { bubbles: true }));
});

// Switches of the rulebook take hold when they are ticked; what else stands in the address stays.
for (const form of $$("form[data-switch], form[data-keep]")) {
  const go = () => { const address = addressOf(form); form.matches("[data-keep]") ? location.assign(new URL(form.action).pathname + address.slice(location.pathname.length)) : again(address); };
  if (form.matches("[data-switch]")) form.addEventListener("change", go);
  form.addEventListener("submit", (event) => { event.preventDefault(); go(); });
}

// The map: what is looked at on it is in the address too, and only the map is asked for.
const look = (at, address) => {
  history.replaceState(null, "", address);
  ask(at.closest("[data-board]") ?? $("[data-board]"), partOf(address, "board"));
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-look]");
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  look(link, link.getAttribute("href"));
});
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-look]");
  if (!form) return;
  event.preventDefault();
  const address = new URL(form.dataset.look, location.href);
  address.searchParams.set("to", $("[name=to]", form).value);
  look(form, address.pathname + address.search);
});

// Play: each answer is an address; back in the browser takes it back.
const table = $("[data-table]");
const fetched = (summary) => ask(summary.nextElementSibling, partOf(location.pathname + location.search, summary.dataset.fetch));
// Answers that were given without a person stand in the address, too.
const settle = () => { const now = $("[data-address]", table)?.dataset.address; if (now && now !== location.pathname + location.search) history.replaceState(null, "", now); };
const sit = async (address, push) => {
  if (push) history.pushState(null, "", address);
  await ask(table, partOf(address, "table"));
  settle();
  // What was open follows.
  for (const summary of $$("details[open] > summary[data-fetch]", table)) fetched(summary);
  // Whoever answers on the map by the keyboard stays there.
  (fromMap && $("svg a[data-move]", table) ? $(".map", table) : $("[data-focus]", table))?.focus({ preventScroll: true });
  fromMap = false;
};
if (table) {
  settle();
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-move]");
    if (!link || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    sit(link.getAttribute("href"), true);
  });
  addEventListener("popstate", () => sit(location.pathname + location.search, false));
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-dice]");
    if (!form) return;
    event.preventDefault();
    const address = new URL(form.dataset.to, location.href);
    const faces = $$("input, select", form).flatMap((field) => field.tagName === "SELECT" ? [field.value] : field.value.split(/[\s,]+/)).filter(Boolean);
    const escaped = (face) => face.replaceAll("!", "!e").replaceAll(".", "!d").replaceAll("~", "!t").replaceAll("-", "~");
    const made = (faces.every((face) => /^\d+$/.test(face)) ? "" : "t") + faces.map(escaped).join(".");
    address.searchParams.set("moves", [address.searchParams.get("moves"), made].filter(Boolean).join("-"));
    sit(address.pathname + address.search, true);
  });
  table.addEventListener("click", (event) => {
    const summary = event.target.closest("summary[data-fetch]");
    if (summary && !summary.parentElement.open) fetched(summary);
  });
}

// The same over `/api`, for what pages ask of it.
const api = async (method, path, body) => {
  const answer = await fetch("/api/v2/" + path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }).catch((error) => { throw new Error(error.said ?? SILENT); });
  const told = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(told.error), { complaints: told.complaints, remedy: told.remedy });
  return told;
};
const element = (name, text, parts = {}) => Object.assign(document.createElement(name), { textContent: text, ...parts });
