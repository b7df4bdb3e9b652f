// What authors do from the rulebook and the lists of files: examples are run, and files are laid out, copied, renamed, deleted and unpacked.
"use strict";
const listProofs = (into, proofs) => {
  const fails = proofs.filter((proof) => proof.complaint);
  const line = (proof) => element("li", proof.name.replace(/^example_/, "").replaceAll("_", " ") + (proof.complaint ? ": " + proof.complaint.what : ""), { className: proof.complaint ? "fails" : "holds" });
  const list = element("ul", "", { className: "proofs" });
  list.append(...proofs.map(line));
  const head = proofs.length === 0 ? "There are none in this file." : fails.length === 0 ? `All ${proofs.length} hold.` : `${fails.length} of ${proofs.length} fail.`;
  into.replaceChildren(element("p", head), list);
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-examples]");
  if (!button) return;
  const output = button.parentElement.querySelector("output");
  output.textContent = "running…";
  try { listProofs(output, (await api("POST", "examples", { path: button.dataset.examples })).examples); }
  catch (error) { output.textContent = error.message; }
});

// Forms that lay something out.
for (const form of $$("form[data-new]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    const output = $("output", form);
    try {
      const { written } = await api("POST", "new", { what: form.dataset.new, ...fields });
      location.assign("/edit/file?path=" + encodeURIComponent(written.at(-1)));
    } catch (error) {
      output.textContent = [error.message, ...(error.complaints ?? []).map((complaint) => complaint.what)].join(": ");
    }
  });
}

// A pinned ruling is taken as it comes out.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-accept]");
  if (!button) return;
  try {
    const { examples } = await api("POST", "accept", { game: location.pathname.split("/")[2], name: button.dataset.accept, path: button.dataset.path });
    const failed = examples.find((example) => example.complaint);
    if (failed) throw new Error(failed.complaint.message ?? failed.complaint.what);
    location.reload();
  } catch (error) { button.parentElement.querySelector("output").textContent = error.message; }
});

// A function as it stands is opened as a script of one's own.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-script]");
  if (!button) return;
  const { game, variant, script: name } = button.dataset;
  try {
    const { written } = await api("POST", "new", { what: "script", game, variant, name });
    location.assign("/edit/file?path=" + encodeURIComponent(written.at(-1)));
  } catch (error) { button.parentElement.append(" " + error.message); }
});

// A variant copied, renamed or deleted.
for (const form of $$("form[data-variant-change]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.dataset.sure && !confirm(form.dataset.sure)) return;
    const output = $("output", form);
    try {
      const { complaints } = await api("POST", "variant", { action: form.dataset.variantChange, ...Object.fromEntries(new FormData(form)) });
      const errors = complaints.filter((complaint) => complaint.severity === "error");
      if (errors.length) output.textContent = `Done; ${complaintCount(errors.length)}: ` + errors.map((complaint) => complaint.what).join("; ");
      else location.reload();
    } catch (error) {
      output.textContent = [error.message, ...(error.complaints ?? []).map((complaint) => complaint.what)].join(": ");
    }
  });
}

// A variant that was sent as one file.
for (const form of $$("form[data-unpack]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = $("output", form);
    try {
      const { complaints } = await api("POST", "unpack", { pack: await $("input", form).files[0].text() });
      const errors = complaints.filter((complaint) => complaint.severity === "error");
      if (errors.length) output.textContent = `It is unpacked; ${complaintCount(errors.length)}: ` + errors.map((complaint) => complaint.what).join("; ");
      else location.reload();
    } catch (error) {
      output.textContent = [error.message, ...(error.complaints ?? []).map((complaint) => complaint.what)].join(": ");
    }
  });
}
