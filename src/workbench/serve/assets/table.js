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
    line.append(link, element("span", [[game.who, game.against].filter(Boolean).join(" against "), game.turn, moves, new Date(game.date).toLocaleDateString()].filter(Boolean).join(" · "), { className: "quiet" }), element("button", "Forget", { type: "button", onclick: () => { keep(games().filter((other) => other.key !== game.key)); listGames(); } }));
    return line;
  }));
};
const remember = () => {
  const here = $("[data-games]"), address = location.pathname + location.search;
  if (here && address.includes("moves=")) {
    const key = gameKey(address);
    keep([{ key, address, title: here.dataset.title, turn: here.dataset.turn, side: here.dataset.side, who: here.dataset.who, against: here.dataset.against, picture: here.dataset.picture, date: Date.now() }, ...games().filter((game) => game.key !== key)]);
  }
  listGames();
};
document.addEventListener("click", (event) => {
  const copy = event.target.closest("button[data-copy]");
  if (copy) copyText(copy, location.href);
});
// A journal: the game goes on where the file ends.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-load-journal]");
  if (!form) return;
  event.preventDefault();
  try { location.assign((await api("POST", "journal", { journal: await $("input", form).files[0].text() })).address); }
  catch (error) { $("output", form).textContent = [error.message, ...(error.complaints ?? []).flatMap((complaint) => [complaint.what, complaint.help])].filter(Boolean).join(": "); }
});
// A saved game of VASSAL, chosen or dropped on the page, becomes a situation; what it leaves out is said before it is played.
const MOST_BYTES = 2.9e6;
const openSaved = async (form, file) => {
  const output = $("output", form), say = (...parts) => output.replaceChildren(...parts);
  if (!/\.(vsav|vlog)$/i.test(file.name)) return say(`${file.name} is no saved game: VASSAL calls them .vsav, and logs .vlog.`);
  if (file.size > MOST_BYTES) return say(`${file.name} has ${(file.size / 1e6).toFixed(1)} MB, and ${MOST_BYTES / 1e6} MB is the most that is taken here: casebook import opens larger ones.`);
  say("Opening…");
  try {
    const bytes = new Uint8Array(await file.arrayBuffer()), parts = [];
    for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
    const { address, notes } = await api("POST", "vassal", { name: file.name, data: btoa(parts.join("")) }), list = element("ul", "", { className: "plain" });
    list.append(...notes.map((note) => element("li", note)));
    say(list, element("a", "Play it", { href: address, className: "button main" }));
    $("a", output).focus();
  } catch (error) { say([error.message, ...(error.complaints ?? []).flatMap((complaint) => [complaint.what, complaint.help])].filter(Boolean).join(": ")); }
};
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-open-saved]");
  if (!form) return;
  event.preventDefault();
  openSaved(form, $("input", form).files[0]);
});
const holdsFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files") && $("form[data-open-saved]");
document.addEventListener("dragover", (event) => { if (holdsFile(event)) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  const form = holdsFile(event), file = form && event.dataTransfer.files[0];
  if (!file) return;
  event.preventDefault();
  for (let fold = form.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  form.scrollIntoView({ block: "nearest" });
  openSaved(form, file);
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
// What an answer begins, such as a battle: its odds are asked for where the pointer rests on the answer, or the keyboard stops at it. A finger
// can't rest: there they stand beside the answers. While they are counted, that is said.
const COUNTING = '<span class="stake">Counting the odds…</span>';
const stakes = new Map();
const stakeOf = (address) => {
  if (!stakes.has(address)) stakes.set(address, fetch(partOf(address, "stake")).then((answer) => (answer.ok ? answer.text() : ""), () => ""));
  return stakes.get(address);
};
let pointing, pointed;
const pointAtAnswer = (link) => {
  if (link === pointed) return;
  clearTimeout(pointing);
  pointed = link;
  const line = $(".play [data-prospects]"), old = $(".play .verdict .stake");
  if (line) line.replaceChildren();
  old?.remove();
  if (!link) return;
  pointing = setTimeout(async () => {
    const say = (text) => {
      const to = $(link.closest(".map, .fan") ? ".play .verdict" : ".play [data-prospects]");
      if (!to || link !== pointed || !link.isConnected) return;
      $(".stake", to)?.remove();
      to.insertAdjacentHTML("beforeend", text && " " + text);
    };
    const counting = setTimeout(say, 150, COUNTING), text = await stakeOf(link.getAttribute("href"));
    clearTimeout(counting);
    say(text);
  }, 60);
};
const answerAt = (event) => event.target.closest?.(".play .answers a[data-move], .play .map a[data-move], .play .fan a[data-move]");
document.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") pointAtAnswer(answerAt(event)); });
document.addEventListener("focusin", (event) => pointAtAnswer(answerAt(event)));
document.addEventListener("stopped", (event) => pointAtAnswer(event.target));
const STAKES = 12;
const sayStakes = async () => {
  if (!matchMedia("(hover: none)").matches) return;
  for (const link of $$(".waits .answers a[data-move]").slice(0, STAKES)) {
    // Whoever has answered meanwhile does not wait for it.
    if (!link.isConnected || table.matches("[aria-busy]")) return;
    link.insertAdjacentHTML("afterend", COUNTING);
    const line = link.nextElementSibling;
    line.outerHTML = await stakeOf(link.getAttribute("href"));
  }
};
// The turn of the other side, step by step on the map: the question waits until then.
const PACE = "casebook pace";
const pace = () => { try { return localStorage.getItem(PACE) === "steps"; } catch { return false; } };
let walked, answered = false;
// The address of the table as it stands: that of the page follows when the other side's answers are in it.
const here = () => $(".play [data-address]")?.dataset.address ?? location.pathname + location.search;
const boardAfter = (answers) => {
  const url = new URL(here(), location.href), moves = url.searchParams.get("moves") ?? "";
  url.searchParams.set("moves", (moves.match(/[-_]?[^-_]+/g) ?? []).slice(0, answers).join(""));
  return partOf(url.pathname + url.search, "board");
};
const stepTo = async (at) => {
  const { steps, line, report } = walked;
  walked.at = Math.max(0, Math.min(at, steps.length));
  if (walked.at === steps.length) return endWalk();
  const step = steps[walked.at];
  $("span", line).innerHTML = step.innerHTML;
  $("b", line).textContent = `${walked.at + 1} of ${steps.length}`;
  report.scrollIntoView?.({ block: "nearest" });
  await ask($(".play [data-board]"), boardAfter(step.dataset.at), true);
  if (walked) showStep(step);
};
const endWalk = () => {
  if (!walked) return;
  const { line } = walked, play = $(".play");
  walked = undefined;
  play.classList.remove("walking");
  line.remove();
  ask($(".play [data-board]"), partOf(here(), "board"), true);
  $("[data-focus]", play)?.focus({ preventScroll: true });
};
const walkThrough = async () => {
  const report = $(".play .report"), list = report && $("[data-walked]", report);
  if (!list || walked) return;
  await ask(list, partOf(here(), "walk"), true);
  const steps = $$("li", list);
  if (!steps.length || !report.isConnected) return;
  const line = element("div", "", { className: "step" }), buttons = [["← Back", () => stepTo(walked.at - 1)], ["Next →", () => stepTo(walked.at + 1)], ["To the end", endWalk]];
  line.append(element("b", ""), element("span", ""), ...buttons.map(([text, onclick]) => element("button", text, { type: "button", onclick })));
  list.before(line);
  walked = { steps, line, report, at: 0 };
  $(".play").classList.add("walking");
  $$("button", line)[1].focus({ preventScroll: true });
  stepTo(0);
};
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-walk]")) walkThrough();
  else if (event.target.closest(".waits a[data-move]:not(.back a, .anew a), .map a[data-move], .fan a[data-move]")) answered = true;
});
document.addEventListener("submit", (event) => { if (event.target.matches("form[data-answers], form[data-dice]")) answered = true; });
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-pace]")) return;
  try { localStorage.setItem(PACE, event.target.checked ? "steps" : "once"); } catch { /* a browser that keeps nothing */ }
});
document.addEventListener("keydown", (event) => {
  if (!walked || event.ctrlKey || event.metaKey || event.altKey) return;
  const to = { ArrowRight: walked.at + 1, ArrowLeft: walked.at - 1, Escape: walked.steps.length, End: walked.steps.length, Home: 0 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  stepTo(to);
}, true);
const settlePace = () => {
  for (const box of $$("[data-pace]")) box.checked = pace();
  // A turn that is not over is not told yet.
  if ($(".play [data-auto]")) return;
  if (answered && pace()) walkThrough();
  answered = false;
};
// A style whose turn is long goes on by itself.
const playOn = () => { const link = $(".play [data-auto]"); if (link) sit(link.getAttribute("href"), false); };
document.addEventListener("there", (event) => {
  if (!event.target.matches("[data-table]")) return;
  walked = pointed = undefined;
  $(".play").classList.remove("walking");
  stakes.clear();
  remember();
  settlePace();
  sayStakes();
  playOn();
});
remember();
settlePace();
sayStakes();
playOn();
