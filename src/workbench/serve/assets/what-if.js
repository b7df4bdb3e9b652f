// The page "What if …?": a click on a value opens what can be done there, every key moves the odds and the lines of the ruling, and the
// address holds all that is changed. Without it the form is sent, and links are followed.
"use strict";
addEventListener("DOMContentLoaded", () => {
  const page = $("[data-what-if]");
  if (!page) return;
  const part = (name) => $(`[data-part=${name}]`, page), bench = part("bench"), ruling = part("ruling");
  const here = () => location.pathname + location.search;
  const refreshParts = (names, quietly) => { for (const name of names) ask(part(name), partOf(here(), name), quietly); };
  // What is typed in stays where it is on the screen when lines above it grow.
  const steady = () => { const field = document.activeElement, top = field?.getBoundingClientRect().top; return () => { if (field?.isConnected && ruling.contains(field)) scrollBy({ top: field.getBoundingClientRect().top - top, behavior: "instant" }); }; };
  // At each key the headline and the lines that change; what it does elsewhere when nobody has typed for a moment.
  let idle;
  const showChange = (quietly) => {
    asking.get(bench)?.abort();
    clearTimeout(idle);
    refreshParts(["now", "mine"], quietly);
    idle = setTimeout(() => refreshParts(["bench"], true), 400);
  };
  const placeLines = () => {
    const settle = steady();
    for (const line of $$(".said.new", ruling)) line.remove();
    for (const line of $$("[data-lines] > *", part("now"))) $(`#line-${line.dataset.line}`, ruling)?.[line.dataset.before === undefined ? "append" : "prepend"](line);
    settle();
  };
  part("now").addEventListener("there", placeLines);
  if ("later" in bench.dataset) refreshParts(["bench"], true);
  const query = () => new URLSearchParams(location.search);
  const put = (params) => {
    const text = params.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
    history.replaceState(null, "", location.pathname + (text ? "?" + text : "") + location.hash);
  };
  // Whose rules these are was said once: from here on the address holds what is tried.
  if (query().has("shared")) history.replaceState(null, "", `${location.pathname}?${$("[data-drawn]", part("mine")).dataset.drawn}${location.hash}`);
  // What a page was sent to keep is kept: its address is that of what is open.
  if (!location.search && page.dataset.clean.includes("?") && performance.getEntriesByType("navigation")[0]?.type !== "reload") history.replaceState(null, "", new URL(page.dataset.clean, location.href).search + location.hash);

  // The changes of one cell or one place; none leave it as it is.
  const setChanges = (key, place, values) => {
    const params = query(), others = params.getAll(key).filter((text) => !text.startsWith(place + " = "));
    params.delete(key);
    for (const text of others) params.append(key, text);
    for (const value of values) params.append(key, `${place} = ${value}`);
    put(params);
  };
  // Fields that are left out say so with what they were.
  const plainOf = (field) => field.dataset.was ?? field.dataset.plain;
  // `found`: the situations of the bench were proposed.
  let last = null, found = !query().has("at");
  const take = (field) => {
    const place = /^(now|rule) (.*)$/s.exec(field.name ?? "");
    if (!place) return false;
    const value = field.value.trim(), isPlain = !value || value === plainOf(field);
    if (!value && field.dataset.was) field.placeholder = field.dataset.was;
    const typed = $$(field.tagName, page).filter((other) => other.name === field.name).map((other) => other.value.trim());
    setChanges(place[1] === "now" ? "cell" : "rule", place[2], isPlain && typed.length < 2 ? [] : typed.filter(Boolean));
    const cell = field.closest("td");
    (cell ?? field).classList.toggle("changed", !isPlain);
    if (cell) {
      $(".was", cell)?.remove();
      if (!isPlain) cell.append(element("span", field.dataset.was, { className: "was" }));
    }
    last = field;
    return true;
  };
  // A place that changes several times has a field for each.
  page.addEventListener("click", (event) => {
    if (!event.target.matches("[data-another]")) return;
    const copy = event.target.previousElementSibling.cloneNode(true);
    event.target.before(copy);
    for (const row of $$("[data-row]", copy).slice(1)) row.remove();
    $("label input", copy).value = "";
    $("label input", copy).focus();
  });

  // A value opens its places below its line; one block is open at a time.
  const close = () => {
    for (const block of $$("[data-block]", ruling)) (block.closest("[data-part=block]") ?? block).remove();
    for (const opener of $$("[data-open][aria-expanded=true]", ruling)) opener.setAttribute("aria-expanded", "false");
    const params = query();
    params.delete("open");
    put(params);
  };
  page.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open], [data-close]");
    if (!opener || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const { open } = opener.dataset, wasOpen = opener.getAttribute("aria-expanded") === "true";
    const back = opener.dataset.close === undefined ? null : $("[data-open][aria-expanded=true]", ruling);
    close();
    back?.focus();
    if (!open || wasOpen) return;
    const params = query();
    params.set("open", open);
    put(params);
    for (const same of $$(`[data-open="${open}"]`, ruling)) same.setAttribute("aria-expanded", "true");
    const block = element("div", "", { className: "opened" }), line = opener.closest(".ruled");
    block.dataset.part = "block";
    (line.nextElementSibling?.matches(".cases") ? line.nextElementSibling : line).after(block);
    block.addEventListener("there", () => block.scrollIntoView({ block: "nearest" }), { once: true });
    refreshParts(["block"]);
  });

  // Buttons and conditions type into the field of their place.
  const WHEN = " when ";
  const conditionOf = (change) => {
    const rows = $$("[data-row]", change).filter((row) => $("[data-word]", row)?.value);
    return rows.map((row, index) => {
      const word = $("[data-word]", row), kind = word.selectedOptions[0].dataset.kind, sign = $("[data-sign]", row).value, value = $("[data-value]", row).value.trim();
      const said = kind === "flag" ? (sign && word.value.includes(" ") ? `!(${word.value})` : sign + word.value) : sign[0] === "%" ? `${word.value} % ${value}${sign.slice(1)}` : `${word.value} ${sign} ${kind === "text" ? JSON.stringify(value) : value}`;
      return (index ? ($("[data-join]", row).value === "or" ? " || " : " && ") : "") + said;
    }).join("");
  };
  const write = (change, does) => {
    const field = $("label input", change), [old, ...rest] = field.value.split(WHEN);
    const when = change.dataset.when === undefined ? rest.join(WHEN) : conditionOf(change), what = does ?? old;
    field.value = what && when ? what + WHEN + when : what;
    for (const button of $$("[data-does], [data-with-amount]", change)) button.setAttribute("aria-pressed", String(what !== "" && doesOf(button) === what));
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const doesOf = (button) => {
    if (button.dataset.does) return button.dataset.does;
    let amount = button;
    while (amount && !amount.matches("[data-amount]")) amount = amount.previousElementSibling;
    return button.dataset.withAmount === "now" ? amount.value : `${button.dataset.withAmount} ${amount.value}`;
  };
  page.addEventListener("click", (event) => {
    const button = event.target.closest("[data-does], [data-with-amount]"), more = event.target.closest("[data-and]");
    if (button) write(button.closest("[data-change]"), button.getAttribute("aria-pressed") === "true" ? "" : doesOf(button));
    if (!more) return;
    const row = $("[data-row]", more.parentElement), copy = row.cloneNode(true);
    for (const field of $$("[data-sign], [data-value]", copy)) field.hidden = true;
    $("[data-join]", copy).hidden = false;
    more.before(copy);
    $("[data-word]", copy).focus();
  });
  page.addEventListener("input", (event) => {
    const row = event.target.closest("[data-row]"), change = event.target.closest("[data-change]");
    if (event.target.matches("[data-amount]")) {
      const pressed = $("[data-with-amount][aria-pressed=true]", change);
      if (pressed) write(change, doesOf(pressed));
    }
    if (!row) return;
    change.dataset.when = "";
    const word = $("[data-word]", row), { kind, here = "" } = word.selectedOptions[0].dataset, sign = $("[data-sign]", row), value = $("[data-value]", row);
    if (event.target === word) {
      for (const option of sign.options) option.hidden = option.disabled = option.dataset.for !== kind;
      sign.selectedIndex = [...sign.options].findIndex((option) => option.dataset.for === kind);
      value.value = kind === "flag" ? "" : here;
      $("[data-and]", row.parentElement).hidden = !word.value;
    }
    sign.hidden = !word.value;
    value.hidden = !word.value || kind === "flag";
    write(change);
  });
  const takeField = (event) => {
    if (take(event.target)) showChange(true);
    if (event.target.name === "variant" && /[a-z0-9]/i.test(event.target.value)) event.target.value = event.target.value.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  };
  page.addEventListener("input", takeField);
  // Whatever picks from a list without typing says so only at the end.
  page.addEventListener("change", (event) => { if (event.target.matches("select")) takeField(event); });
  $("form[data-changes]", page).addEventListener("submit", (event) => event.preventDefault());

  // A wide chart is opened where the battle reads it.
  const seekRead = () => {
    const grid = $("[data-grid]", page), cell = grid && ($(".changed", grid) ?? $(".read", grid)), box = grid?.parentElement;
    if (!cell || box.dataset.sought || grid.contains(document.activeElement)) return;
    box.dataset.sought = "true";
    box.scrollLeft = cell.offsetLeft - (box.clientWidth - cell.offsetWidth) / 2;
  };
  part("change").addEventListener("there", seekRead);
  seekRead();
  // A value that can't stand is marked where it stands.
  part("now").addEventListener("there", () => {
    const refusal = $("[data-refused]", part("now")), line = $("[data-refusal]", page);
    for (const field of $$("[aria-invalid]", page)) field.removeAttribute("aria-invalid");
    if (line) {
      line.hidden = !(refusal && last?.isConnected);
      line.textContent = line.hidden ? "" : refusal.innerText.trim();
    }
    if (refusal && last?.isConnected) last.setAttribute("aria-invalid", "true");
  });
  $("[data-unfold]", page).addEventListener("click", ({ target }) => target.setAttribute("aria-expanded", String(target.parentElement.classList.toggle("open"))));
  // The bench has come: the situations that were found stay.
  bench.addEventListener("there", () => {
    const read = $("[data-read]", bench)?.dataset.read.split("\n");
    if (read) for (const field of $$("[data-grid] input", page)) field.closest("td").classList.toggle("read", read.includes(field.name));
    seekRead();
    // Where situations that were found don't move any more, others are looked for.
    if (found && $("[data-seek]", bench)) { const params = query(); params.delete("at"); put(params); refreshParts(["bench"], true); return; }
    const params = query(), names = $("[data-stays]", bench)?.dataset.at.split(" ").filter(Boolean) ?? [];
    if (!params.has("at") && names.length && ["cell", "rule", "without"].some((key) => params.has(key))) {
      for (const name of names) params.append("at", name);
      put(params);
      found = true;
    }
  });

  // A link holds what its part was drawn for, and one change: the change is made to what is tried now.
  const LISTS = ["cell", "rule", "without", "throw"], subject = (text) => text.split(" = ")[0];
  const current = (link) => {
    const to = new URL(link.href), drawn = link.closest("[data-part]")?.querySelector("[data-drawn]")?.dataset.drawn;
    if (drawn === undefined) return to;
    const was = new URLSearchParams(drawn), now = query();
    for (const key of new Set([...was.keys(), ...to.searchParams.keys()])) {
      const old = was.getAll(key), next = to.searchParams.getAll(key), added = next.filter((text) => !old.includes(text)), moved = [...old.filter((text) => !next.includes(text)), ...added];
      if (!moved.length) continue;
      const kept = LISTS.includes(key) ? now.getAll(key).filter((text) => !moved.some((other) => subject(other) === subject(text))) : [];
      now.delete(key);
      for (const text of [...kept, ...added]) now.append(key, text);
    }
    to.search = now;
    return to;
  };
  document.addEventListener("click", (event) => { const link = event.target.closest("[data-part] a"); if (link?.pathname.startsWith(location.pathname)) link.href = current(link); }, true);
  // Links that change what is tried: only the parts are asked for, and back in the browser takes them back.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go]");
    if (!link || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const label = link.getAttribute("aria-label") ?? link.textContent, was = query();
    history.pushState(null, "", link.getAttribute("href"));
    // Another ruling is another form; a change of the rules moves lines of this one.
    const same = ["at", "seed", "throw", "on", "off", "variant"].every((key) => was.getAll(key).join() === query().getAll(key).join());
    refreshParts(same ? ["official", "change"] : ["ruling", "official", "change"]);
    showChange();
    // The switch that was pressed keeps the focus.
    const inside = link.closest("[data-part]");
    inside?.addEventListener("there", () => $$("a[data-go]", inside).find((other) => (other.getAttribute("aria-label") ?? other.textContent) === label)?.focus(), { once: true });
  });
  page.addEventListener("keydown", (event) => { if (event.key === " " && event.target.matches("a.switch")) { event.preventDefault(); event.target.click(); } });
  addEventListener("popstate", () => { refreshParts(["ruling", "official", "change"]); showChange(); });

  // Another rule, chart or battle.
  const choose = $("[data-choose] input", page);
  choose.addEventListener("change", (event) => {
    event.stopPropagation();
    const params = query();
    for (const name of ["table", "sheet", "case"]) params.delete(name);
    if (choose.value.trim()) params.set("case", choose.value.trim());
    put(params);
    refreshParts(["change"]);
  });
  const battle = $("form[data-battle]", page);
  battle.addEventListener("change", (event) => {
    event.stopPropagation();
    const params = query();
    for (const name of ["at", "open", "seed", "throw"]) params.delete(name);
    params.append("at", event.target.value);
    put(params);
    location.reload();
  });

  // The keyboard of a spreadsheet, and cells pasted from one.
  const rows = (grid) => $$("tbody tr", grid).map((row) => $$("input", row));
  const placeOf = (lines, field) => { const row = lines.findIndex((line) => line.includes(field)); return [row, lines[row].indexOf(field)]; };
  page.addEventListener("keydown", (event) => {
    const field = event.target, grid = field.closest?.("[data-grid]");
    if (!grid || field.tagName !== "INPUT") return;
    if (event.key === "Escape") { field.value = field.dataset.was; field.dispatchEvent(new Event("input", { bubbles: true })); return; }
    const lines = rows(grid), [row, column] = placeOf(lines, field), atStart = field.selectionEnd === 0, atEnd = field.selectionStart === field.value.length, all = field.selectionStart === 0 && atEnd;
    const to = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], Enter: [row + (event.shiftKey ? -1 : 1), column], ...((atStart || all) && { ArrowLeft: [row, column - 1] }), ...((atEnd || all) && { ArrowRight: [row, column + 1] }) }[event.key];
    if (!to) return;
    event.preventDefault();
    const next = lines[to[0]]?.[to[1]];
    next?.focus();
    next?.select();
  });
  page.addEventListener("focusin", (event) => { if (event.target.closest("[data-grid]") && event.target.tagName === "INPUT") event.target.select(); });
  page.addEventListener("paste", (event) => {
    const grid = event.target.closest?.("[data-grid]"), text = event.clipboardData.getData("text").replace(/\r?\n$/, "");
    if (!grid || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    const lines = rows(grid), [row, column] = placeOf(lines, event.target);
    text.split(/\r?\n/).forEach((line, down) => line.split("\t").forEach((value, right) => {
      const field = lines[row + down]?.[column + right];
      if (field) { field.value = value.trim(); take(field); }
    }));
    showChange(true);
  });

  // What was done by the page before is said, and can be put back.
  const done = $("[data-done]", page);
  const later = (what, before) => { try { sessionStorage.setItem("done", JSON.stringify({ what, before })); } catch { /* a browser that keeps nothing */ } };
  try {
    const { what, before } = JSON.parse(sessionStorage.getItem("done") ?? "{}");
    sessionStorage.removeItem("done");
    if (what) {
      done.hidden = false;
      done.append(what + " ");
      if (before) {
        const button = element("button", "Put it back", { type: "button", className: "small" });
        button.addEventListener("click", async () => {
          try { for (const [path, text] of Object.entries(before)) await api("PUT", "file", { path, text }); later("It is back."); again(here()); } catch (error) { done.append(said(error)); }
        });
        done.append(button);
      }
    }
  } catch { /* as before */ }

  // What is kept, and what is taken back.
  const said = (error) => {
    const wrong = (error.complaints ?? []).filter((complaint) => complaint.severity === "error");
    const where = ({ place }) => place.path.startsWith("(") && place.span ? `line ${place.span.line}: ` : "";
    return [error.message, ...wrong.map((complaint) => where(complaint) + [complaint.what, complaint.help].filter(Boolean).join("; "))].join(": ");
  };
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-keep-changes]");
    if (!form) return;
    event.preventDefault();
    // What is asked for still would show what is kept before the page is there anew.
    clearTimeout(idle);
    for (const name of ["now", "mine", "bench"]) asking.get(part(name))?.abort();
    const fields = new FormData(form), list = (key) => fields.getAll(key), output = $("output", form);
    try {
      await api("POST", "keep", { game: page.dataset.whatIf, variant: fields.get("variant"), cell: list("cell"), rule: list("rule"), without: list("without") });
      const params = query();
      for (const key of ["cell", "rule", "without"]) params.delete(key);
      if (fields.get("variant") !== page.dataset.variant) params.set("variant", fields.get("variant"));
      const text = params.toString();
      later(`Kept in ${fields.get("variant")}.`);
      again(location.pathname + (text ? "?" + text : ""));
    } catch (error) { output.textContent = said(error); }
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-take-back]");
    if (!button) return;
    try {
      const { before } = await api("POST", "keep", { game: page.dataset.whatIf, variant: page.dataset.variant, without: [button.dataset.takeBack] });
      later(`Taken back: ${button.closest("li").querySelector(".sentence").textContent}.`, before);
      again(here());
    } catch (error) { button.after(element("output", said(error))); }
  });
});
