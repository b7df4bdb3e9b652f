// The editor of the workbench: CodeMirror with YAML, Rhai (close enough to Rust's own mode) and complaints under the line.
// Built with esbuild 0.28 of @codemirror/{state 6.7, view 6.43, commands 6.11, language 6.13, lint 6.9, search 6.7, lang-yaml 6.1, legacy-modes 6.5} (MIT):
//   npm i esbuild @codemirror/state @codemirror/view @codemirror/commands @codemirror/language @codemirror/lint @codemirror/search @codemirror/lang-yaml @codemirror/legacy-modes @lezer/highlight
//   npx esbuild source.js --bundle --minify --format=iife --legal-comments=eof --outfile=built.js
import { EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine } from "@codemirror/view";
import { EditorState } from "@codemirror/state";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { StreamLanguage, syntaxHighlighting, HighlightStyle, bracketMatching, indentUnit } from "@codemirror/language";
import { yaml } from "@codemirror/lang-yaml";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { linter, lintGutter, lintKeymap, forceLinting } from "@codemirror/lint";
import { searchKeymap, highlightSelectionMatches } from "@codemirror/search";
import { tags } from "@lezer/highlight";

const style = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: tags.keyword, color: "var(--code-key)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--code-number)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-name)" },
]);

// Puts an editor in the place of a text area, which stays as it is where no script runs.
// `look(text)` answers with complaints: { from: {line, column, length}, severity, what, help, code }.
globalThis.casebookEditor = (area, { language, label, look, changed, save }) => {
  const place = (doc, at) => {
    if (!at) return [0, Math.min(1, doc.length)];
    const line = doc.line(Math.min(Math.max(at.line, 1), doc.lines));
    const from = Math.min(line.from + at.column - 1, line.to);
    return [from, Math.max(Math.min(from + at.length, line.to), from)];
  };
  const lint = linter(async (view) => (await look(view.state.doc.toString())).map((c) => {
    const [from, to] = place(view.state.doc, c.span);
    return { from, to, severity: c.severity === "note" ? "info" : "error", source: c.code, message: c.what + (c.help ? "\n" + c.help : "") };
  }), { delay: 250 });
  const view = new EditorView({
    parent: area.parentElement,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), highlightSelectionMatches(), indentUnit.of("    "),
        language === "yaml" ? yaml() : StreamLanguage.define(rust), syntaxHighlighting(style), lintGutter(), lint,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        keymap.of([{ key: "Mod-s", run: () => { save(); return true; } }, { key: "Mod-]", run: indentMore }, { key: "Mod-[", run: indentLess },
          ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
        EditorView.updateListener.of((update) => { if (update.docChanged) { area.value = update.state.doc.toString(); changed(area.value); } }),
      ],
    }),
  });
  area.hidden = true;
  return { view, look: () => forceLinting(view) };
};
