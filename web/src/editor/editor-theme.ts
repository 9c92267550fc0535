/** The editor in the page's own colours; it inherits them through its shadow root. */

import { EditorView } from "@codemirror/view";

export const theme = EditorView.theme({
  "&": {
    height: "100%",
    font: "var(--t-code)",
    fontVariantLigatures: "none",
    color: "var(--text)",
    backgroundColor: "var(--raised)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "18px", letterSpacing: "-0.012em" },
  ".cm-content": { padding: "6px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 12px 0 6px" },
  ".cm-gutters": {
    backgroundColor: "var(--raised)",
    border: "none",
    color: "var(--faint)",
    fontSize: "10.5px",
  },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 14px", minWidth: "26px" },
  ".cm-gutter-lint": { width: "12px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "4px 1px" },
  ".cm-lint-marker": { width: "9px", height: "9px" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--fail)", borderRadius: "2px" },
  ".cm-lint-marker-warning": {
    content: "none",
    backgroundColor: "var(--wait)",
    borderRadius: "50%",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-line.chosen": {
    backgroundColor: "var(--accent-tint)",
    boxShadow: "inset 2px 0 var(--accent)",
  },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "1.5px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in oklab, var(--accent) 22%, transparent) !important",
  },
  ".t-id": { color: "var(--accent)", fontWeight: "600" },
  ".t-comment": { color: "var(--faint)" },
  ".t-string": { color: "var(--src-c)" },
  ".t-key": { color: "var(--src-t)" },
  ".t-word": { color: "var(--src-t)" },
  ".t-number": { color: "var(--src-h)" },
  ".t-arrow": { color: "var(--muted)" },
  ".t-place": { color: "var(--src-g)", fontWeight: "550" },
  ".cm-lintRange": { backgroundImage: "none" },
  ".cm-lintRange-error": {
    textDecoration: "wavy underline var(--fail) 1px",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    textDecoration: "wavy underline var(--wait) 1px",
    textUnderlineOffset: "3px",
  },
  ".cm-tooltip": {
    border: "1px solid var(--line-2)",
    borderRadius: "5px",
    backgroundColor: "var(--overlay)",
    color: "var(--text)",
    boxShadow: "var(--sh2)",
    font: "12px/16px var(--sans)",
    maxWidth: "min(420px, 90vw)",
  },
  ".cm-diagnostic": { padding: "6px 10px", border: "none" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    maxHeight: "240px",
    minWidth: "240px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    gap: "10px",
    padding: "4px 9px",
    lineHeight: "18px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent-tint) !important",
    color: "var(--text) !important",
  },
  ".cm-completionLabel": { flex: "1" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": { fontStyle: "normal", color: "var(--muted)", margin: "0" },
  ".cm-completionInfo": { padding: "6px 9px", color: "var(--muted)" },
});
