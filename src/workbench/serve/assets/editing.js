// The editor: complaints, examples and odds follow the text. Names such as `$` stand in casebook.js, which is loaded before.
"use strict";

const bench = $(".editor[data-path]");
if (bench) addEventListener("DOMContentLoaded", () => {
  const area = $("textarea", bench), path = bench.dataset.path;
  const complaints = $("[data-complaints]", bench), proofs = $("[data-proofs]", bench), odds = $("[data-odds]", bench), conflicts = $("[data-conflicts]", bench), saved = $("[data-saved]", bench);
  const situation = $("[data-situation]", bench);
  let text = area.value, last = text, waits, good;
  const show = ({ complaints: list, others }) => {
    const items = list.map((complaint) => {
      const item = element("li", "", { className: complaint.severity });
      item.append(element("p", complaint.what + " ", { className: "what" }), element("p", complaint.place.span ? `line ${complaint.place.span.line}` : "", { className: "place" }));
      if (complaint.help) item.append(element("p", complaint.help, { className: "help" }));
      if (complaint.mend) {
        const button = element("button", `Write line ${complaint.mend.line} so`, { type: "button", className: "small", title: "Ctrl + . writes the first" });
        button.dataset.mend = "";
        button.addEventListener("click", () => mend(complaint.mend));
        item.append(button);
      }
      return item;
    });
    const list_ = element("ol", "", { className: "complaints" });
    list_.append(...items);
    const elsewhere = element("ul", "", { className: "elsewhere" });
    for (const other of others) {
      const item = element("li");
      item.append(other.editable ? element("a", other.path, { href: "/edit/file?path=" + encodeURIComponent(other.path) }) : element("code", other.path), `: ${complaintCount(other.count)}`);
      elsewhere.append(item);
    }
    complaints.replaceChildren(element("p", list.length ? "" : others.length ? "None here; in other files:" : "None here."), list_, elsewhere);
  };
  const meet = (rows) => {
    const list = element("ol", "", { className: "complaints" });
    for (const row of rows) {
      const item = element("li"), others = row.pair.filter((voice) => voice.path !== row.pair.find((own) => own.path.endsWith(path))?.path);
      item.append(element("p", row.what, { className: "what" }), element("p", row.reason, { className: "help" }));
      for (const voice of others) item.append(element("p", `${voice.variant}, ${voice.place}: ${voice.path}:${voice.line}`, { className: "place" }));
      list.append(item);
    }
    conflicts.replaceChildren(element("p", rows.length ? "" : "It contradicts none."), list);
  };
  const look = async (now) => {
    const told = await api("POST", "check", { path, text: now });
    show(told);
    return told.complaints.map((complaint) => ({ ...complaint, span: complaint.place.span }));
  };
  const follow = async () => {
    try { listProofs(proofs, (await api("POST", "examples", { path, text })).examples); }
    catch (error) { proofs.textContent = error.message; }
    try { meet((await api("POST", "conflicts", { path, text })).rows); }
    catch { conflicts.textContent = "The text has errors."; }
    if (!situation.value) return odds.replaceChildren();
    const of = situation.value;
    try { good = { of, html: odds.innerHTML = (await api("POST", "effect", { path, text, situation: of })).html }; }
    catch (error) {
      // The odds of the last text that could be used stay, and say so.
      const why = error.complaints?.length ? "The text has errors" : error.message.replace(/\.$/, "");
      odds.innerHTML = good?.of === of ? good.html : "";
      odds.prepend(element("p", why + (good?.of === of ? "; these are the odds of the last text that could." : ".")));
    }
  };
  const changed = (now) => { text = now; saved.textContent = now === last ? "" : "not saved yet"; clearTimeout(waits); waits = setTimeout(follow, 300); };
  // What another window has saved meanwhile is not lost: whoever wants to write over it says so.
  let over = false;
  const save = async () => {
    const now = text;
    try { await api("PUT", "file", over ? { path, text: now } : { path, text: now, was: last }); last = now; over = false; saved.textContent = text === now ? "saved" : "not saved yet"; follow(); }
    catch (error) {
      over = error.remedy?.code === "reopen-file";
      saved.textContent = over ? error.message + ". Open it again to see the other text, or save once more to overwrite it." : error.message;
    }
  };
  // A line is written as a complaint says, if it is still as it was then.
  const mend = ({ line, was, now }) => {
    const lines = text.split("\n");
    if (lines[line - 1]?.replace(/\r$/, "") !== was) return;
    const from = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0), to = from + was.length;
    if (made) { made.view.dispatch({ changes: { from, to, insert: now } }); made.view.focus(); made.look(); }
    else { area.setRangeText(now, from, to, "end"); changed(area.value); look(area.value); }
  };
  bench.addEventListener("keydown", (event) => { if ((event.ctrlKey || event.metaKey) && event.key === ".") { event.preventDefault(); $("[data-mend]", complaints)?.click(); } });
  const made = globalThis.casebookEditor?.(area, { language: area.dataset.editor, label: area.getAttribute("aria-label"), look, changed, save });
  if (!made) { area.addEventListener("input", () => { changed(area.value); look(area.value); }); look(text); }
  $("[data-save]", bench).addEventListener("click", save);
  situation.addEventListener("change", follow);
  addEventListener("beforeunload", (event) => { if (text !== last) event.preventDefault(); });
  follow();
});
