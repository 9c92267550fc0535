/**
 * Takes out of a source what the grammar never sees, as mermaid does before it parses: front matter,
 * directives, comments. Blanks stand in their place, so every offset stays true.
 */

import type { Fault } from "../../../kernel/base/text-position.ts";
import type { HiddenText, Span } from "./diagram.ts";

export interface MaskedSource {
  /** As long as the source. */
  readonly text: string;
  /** In order, without overlap. */
  readonly hidden: readonly HiddenText[];
  readonly title: string | undefined;
  readonly faults: readonly Fault[];
}

export function maskSource(source: string): MaskedSource {
  const hidden: HiddenText[] = [];
  const faults: Fault[] = [];
  const frontmatter = findFrontmatter(source, faults);
  if (frontmatter !== undefined) hidden.push({ kind: "frontmatter", span: frontmatter });
  const lastClosing = source.lastIndexOf("}%%");
  for (let at = source.indexOf("%%", frontmatter?.end ?? 0); at !== -1; ) {
    const found = hiddenAt(source, at, lastClosing, faults);
    if (found !== undefined) hidden.push(found);
    // `%%%{` begins its directive at the second sign.
    at = source.indexOf("%%", found?.span.end ?? at + 1);
  }
  return {
    text: blankOut(withPlainTags(source), hidden).replaceAll(/\r(?!\n)/g, "\n"),
    hidden,
    title: frontmatter === undefined ? undefined : titleIn(source, frontmatter),
    faults,
  };
}

/** Mermaid draws a lone `%%` as a node of that name; nobody means that, so here it is a comment. */
function hiddenAt(
  source: string,
  at: number,
  lastClosing: number,
  faults: Fault[],
): HiddenText | undefined {
  if (source.charAt(at + 2) === "{") {
    // Without the last one known, each of many unclosed directives would be searched to the end.
    const close = lastClosing < at ? -1 : source.indexOf("}%%", at);
    if (close === -1) {
      faults.push({
        code: "diagram_syntax",
        message: "The directive that begins here is never closed by }%%",
        offset: at,
        hint: "A comment has a blank behind %%.",
      });
    }
    const end = close === -1 ? endOfLine(source, at) : close + "}%%".length;
    return { kind: "directive", span: { start: at, end } };
  }
  if (!isFirstInLine(source, at)) return undefined;
  return { kind: "comment", span: { start: at, end: endOfLine(source, at) } };
}

const LINE_END = /[\r\n]/g;
const OPENING_LINE = /\ufeff?---[^\S\r\n]*(?=[\r\n])/y;
const CLOSING_LINE = /(?:\r\n|\r|\n)---[^\S\r\n]*(?=[\r\n]|$)/g;

function endOfLine(source: string, at: number): number {
  LINE_END.lastIndex = at;
  return LINE_END.exec(source)?.index ?? source.length;
}

function isFirstInLine(source: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && /[^\S\r\n]/.test(source.charAt(before))) before -= 1;
  return before < 0 || /[\r\n]/.test(source.charAt(before));
}

function findFrontmatter(source: string, faults: Fault[]): Span | undefined {
  OPENING_LINE.lastIndex = 0;
  const opening = OPENING_LINE.exec(source)?.[0];
  if (opening === undefined) return undefined;
  CLOSING_LINE.lastIndex = opening.length;
  const closing = CLOSING_LINE.exec(source);
  const start = opening.length - opening.trimStart().length;
  if (closing !== null) return { start, end: closing.index + closing[0].length };
  faults.push({
    code: "diagram_syntax",
    message: "The front matter that begins here is never closed by a line ---",
    offset: start,
  });
  return { start, end: opening.length };
}

function titleIn(source: string, frontmatter: Span): string | undefined {
  const lines = source.slice(frontmatter.start, frontmatter.end);
  const value = /(?:^|[\r\n])title:[^\S\r\n]+([^\r\n]*)/.exec(lines)?.[1]?.trim();
  const quoted = /^"(.*)"$|^'(.*)'$/.exec(value ?? "");
  const title = quoted === null ? value : (quoted[1] ?? quoted[2]);
  return title === "" ? undefined : title;
}

/** `<b class="x">` may stand inside a quoted label: its quotes are no ends of the label. */
function withPlainTags(source: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let open = source.indexOf("<"); open !== -1; ) {
    const isTag = /\w/.test(source.charAt(open + 1));
    const close = isTag ? source.indexOf(">", open) : open;
    if (close === -1) break;
    if (isTag) {
      pieces.push(source.slice(from, open));
      pieces.push(source.slice(open, close).replaceAll(/="([^"]*)"/g, "='$1'"));
      from = close;
    }
    open = source.indexOf("<", close + 1);
  }
  pieces.push(source.slice(from));
  return pieces.join("");
}

function blankOut(text: string, hidden: readonly HiddenText[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { span } of hidden) {
    pieces.push(text.slice(from, span.start));
    pieces.push(text.slice(span.start, span.end).replaceAll(/[^\r\n]/g, " "));
    from = span.end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}
