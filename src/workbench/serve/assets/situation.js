// The page of a situation: the pieces of the counter that is open. `$`, `look` and `field` stand in casebook.js; the map says when it is there.
"use strict";

// The counter that is open on the map has its pieces below it, one row each, until all are asked for.
let openPieces = "[]";
const openRows = () => {
  const svg = $(".calculator [data-board] svg"), list = $(".piece-rows", own ?? undefined), now = svg?.dataset.opened ?? "[]";
  if (!svg || !list || now === openPieces && own.classList.contains("has-picked") === (now !== "[]")) return;
  openPieces = now;
  const names = JSON.parse(now);
  own.classList.toggle("has-picked", names.length > 0);
  for (const row of $$(".piece[data-piece]", own)) row.classList.toggle("picked", names.includes(row.dataset.piece));
  if (!names.length) return;
  list.open = true;
  const row = $$(".piece.picked", own).find((one) => one.dataset.piece === svg.dataset.openPiece);
  if (fromMap) { fromMap = false; $("input, select", row)?.focus(); }
  (row ?? list).scrollIntoView({ block: "nearest" });
};
document.addEventListener("there", (event) => { if (event.target.closest(".calculator")) openRows(); });
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-all-pieces]");
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  const address = new URL(location.href);
  for (const name of ["of", "asks", "to"]) address.searchParams.delete(name);
  look(link, address.pathname + address.search);
});
// A click on the map puts the open piece there.
document.addEventListener("click", (event) => {
  const place = event.target.closest?.(".calculator svg[data-open-piece] .place[data-place]");
  if (!place || place.closest("a") || event.defaultPrevented) return;
  const { openPiece } = place.ownerSVGElement.dataset, at = field(openPiece);
  if (!at) { $(".verdict", place.closest("[data-board]")).textContent = `${openPiece} moves with what carries it: move that.`; return; }
  at.value = place.dataset.place;
  at.dispatchEvent(new Event("input", { bubbles: true }));
});
// A ruling is kept as an interpretation of one's own.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-pin]");
  if (!form) return;
  event.preventDefault();
  const output = $("output", form);
  try {
    const only = form.elements.only.value, { saved, holds, against } = await api("POST", "pin", { at: JSON.parse(form.dataset.pin), because: form.elements.because.value, only: only ? [only] : [] });
    output.textContent = [`Pinned in ${saved}: ${holds}`, ...against].join(". ") + ".";
    form.elements.because.value = "";
  } catch (error) { output.textContent = error.message; }
});
