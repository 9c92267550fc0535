/** One statement at a place, whichever it is. */

import type { Fault } from "../../../kernel/base/text-position.ts";
import type { Chain, Direction } from "./diagram.ts";
import { decodeLabel } from "./label-text.ts";
import { readChain } from "./read-chain.ts";
import { readLabel, readQuoted } from "./read-label.ts";
import { BLANKS, fault, isFault, matchAt, type Read, skip, unexpected } from "./scan.ts";

export type ReadStatement =
  | { readonly kind: "flow"; readonly chain: Chain; readonly end: number }
  | {
      readonly kind: "subgraph";
      readonly id: string | undefined;
      readonly title: string;
      readonly end: number;
      /** It opens all the same: its end will come. */
      readonly fault?: Fault;
    }
  | { readonly kind: "end"; readonly end: number }
  | { readonly kind: "direction"; readonly direction: Direction; readonly end: number }
  | { readonly kind: "styling" | "description"; readonly keyword: string; readonly end: number }
  | { readonly kind: "broken"; readonly chain: Chain | undefined; readonly fault: Fault };

const HEADER = /(?:flowchart-elk|flowchart|graph)\b/y;
const DIRECTION = /(?:LR|RL|TB|BT|TD|v)\b|[<>^]/y;
const ARROWS: Readonly<Record<string, Direction>> = { "<": "RL", ">": "LR", "^": "BT", v: "TB" };
const DESCRIPTION = /acc(?:Title\s*:|Descr\s*[:{])/y;
const STYLING = /(?:style|linkStyle|classDef|class)\b|click(?=\s)/y;
const LINK_LOOKS = /[^\s"[\](){}|@]+@\{/y;
const TARGET_LINE = /direction\s+(?:TB|BT|RL|LR|TD)/;
const SUBGRAPH_TEXT = /(?:[^\n\r;[\](){}|"])+/y;

/** The first line, `graph TD`. */
export function readHeader(
  text: string,
  start: number,
): { readonly direction: Direction; readonly end: number } | Fault {
  const word = matchAt(HEADER, text, start);
  if (word === undefined) {
    return unexpected(
      text,
      start,
      'A workflow begins with "graph TD" or "flowchart TD"',
      "The directions are TD, TB, BT, LR and RL.",
    );
  }
  const at = skip(BLANKS, text, start + word.length);
  const drawn = matchAt(DIRECTION, text, at);
  const end = at + (drawn?.length ?? 0);
  const behind = skip(BLANKS, text, end);
  const closed = isLineEnd(text, behind) || (drawn !== undefined && text.charAt(end) === ";");
  if (!closed) {
    const hint = "Begin the first step on a line of its own.";
    return unexpected(text, behind, "Behind the direction the line must end", hint);
  }
  return { direction: directionNamed(drawn), end: drawn === undefined ? start + word.length : end };
}

/** `linkIds` are those of the links above, whose looks may be set by `id@{ … }`. */
export function readStatement(
  text: string,
  start: number,
  linkIds: ReadonlySet<string>,
): ReadStatement {
  const description = matchAt(DESCRIPTION, text, start);
  if (description !== undefined) return readDescription(text, start, description);
  const styling = matchAt(STYLING, text, start);
  if (styling !== undefined) {
    const behind = start + styling.length;
    const hint = `As an id, "${styling}" needs a capital letter or something in front of it.`;
    return matchAt(BLANKS, text, behind) === undefined
      ? broken(unexpected(text, behind, `Behind "${styling}" a blank is needed`, hint))
      : { kind: "styling", keyword: styling, end: endOfStyling(text, start) };
  }
  if (matchAt(/subgraph\b/y, text, start) !== undefined) return readSubgraph(text, start);
  if (matchAt(/end\b/y, text, start) !== undefined) return { kind: "end", end: start + 3 };
  const link = matchAt(LINK_LOOKS, text, start);
  if (link !== undefined && linkIds.has(link.slice(0, -"@{".length))) {
    return readLinkLooks(text, start, link);
  }
  return readFlow(text, start);
}

/**
 * Mermaid takes any line with `direction TB` somewhere in it for that statement and drops the rest,
 * even out of a label. Asked once for a line, at its first statement.
 */
export function readDirectionLine(
  text: string,
  start: number,
  lineEnd: number,
): ReadStatement | undefined {
  const found = TARGET_LINE.exec(text.slice(start, lineEnd));
  if (found === null) return undefined;
  if (found.index === 0) {
    return { kind: "direction", direction: directionNamed(found[0].slice(-2)), end: lineEnd };
  }
  const reason = fault(
    start + found.index,
    `Mermaid takes this whole line for the statement "${found[0]}"`,
    "Reword it, or put the direction on a line of its own.",
  );
  return { kind: "broken", chain: undefined, fault: reason };
}

function readFlow(text: string, start: number): ReadStatement {
  const { chain, end, fault: reason } = readChain(text, start);
  if (reason !== undefined) return { kind: "broken", chain, fault: reason };
  const behind = skip(BLANKS, text, end);
  if (isLineEnd(text, behind) || text.charAt(behind) === ";") return { kind: "flow", chain, end };
  return { kind: "broken", chain, fault: strayText(text, end, behind) };
}

function strayText(text: string, end: number, behind: number): Fault {
  const wanted = "Here a link, a line end or a semicolon is needed";
  if (text.startsWith("%%", behind)) {
    return unexpected(text, behind, wanted, "A comment needs a line of its own.");
  }
  if (behind > end && /[[({>]/.test(text.charAt(behind))) {
    return unexpected(text, behind, wanted, "No blank may stand between an id and its bracket.");
  }
  return unexpected(text, behind, wanted);
}

function readSubgraph(text: string, start: number): ReadStatement {
  const word = start + "subgraph".length;
  const at = skip(BLANKS, text, word);
  const broken = (reason: Fault): ReadStatement => {
    const end = trimmed(text, start, lineEndAt(text, start));
    return { kind: "subgraph", id: undefined, title: "", end, fault: reason };
  };
  const name = readSubgraphName(text, at);
  if (isFault(name)) return broken(name);
  if (name.value === "" || at === word) {
    return broken(fault(start, "A subgraph needs a name", 'Write subgraph review["Review"].'));
  }
  const bracket = skip(BLANKS, text, name.end);
  const title = text.charAt(bracket) === "[" ? readTitle(text, bracket) : undefined;
  if (title !== undefined && isFault(title)) return broken(title);
  const end = title?.end ?? name.end;
  const behind = skip(BLANKS, text, end);
  if (!isLineEnd(text, behind) && text.charAt(behind) !== ";") {
    return broken(unexpected(text, behind, "Behind the name of a subgraph the line must end"));
  }
  // Several words without a title of their own are no id.
  const id = title === undefined && /\s/.test(name.value) ? undefined : name.value;
  return {
    kind: "subgraph",
    id,
    title: title?.value ?? name.value,
    end: trimmed(text, start, end),
  };
}

function readSubgraphName(text: string, at: number): Read<string> | Fault {
  if (text.charAt(at) !== '"') {
    const end = skip(SUBGRAPH_TEXT, text, at);
    return { value: decodeLabel(text.slice(at, end).trim()), end };
  }
  const quoted = readQuoted(text, at);
  if (isFault(quoted)) return quoted;
  const { start, end } = quoted.value;
  return { value: decodeLabel(text.slice(start, end).trim()), end: quoted.end };
}

function readTitle(text: string, open: number): Read<string> | Fault {
  const frame = { open, plain: /[^[\](){}|"]+/y, closing: /\](?![)\]])/y, shown: "]" };
  const label = readLabel(text, open + 1, frame);
  return isFault(label) ? label : { value: label.value.text, end: label.end + 1 };
}

function readDescription(text: string, start: number, opening: string): ReadStatement {
  const keyword = opening.slice(0, opening.search(/[\s:{]/));
  const at = start + opening.length;
  if (!opening.endsWith("{")) return { kind: "description", keyword, end: lineEndAt(text, at) };
  const close = text.indexOf("}", at);
  return close === -1
    ? broken(fault(start, "The description that begins here is never closed by }"))
    : { kind: "description", keyword, end: close + 1 };
}

function readLinkLooks(text: string, start: number, opening: string): ReadStatement {
  const inside = /(?:[^}"]+|"[^"]*")*/y;
  const close = skip(inside, text, start + opening.length);
  return text.charAt(close) === "}"
    ? { kind: "styling", keyword: "@", end: close + 1 }
    : broken(fault(start, "The settings that begin here are never closed by }"));
}

/** Semicolons and line breaks inside quotes and parentheses do not end it. */
function endOfStyling(text: string, start: number): number {
  const lineEnd = lineEndAt(text, start);
  for (let at = start; at < lineEnd; at += 1) {
    const character = text.charAt(at);
    if (character === ";") return trimmed(text, start, at);
    const closing = character === '"' ? '"' : character === "(" ? ")" : undefined;
    const close = closing === undefined ? -1 : text.indexOf(closing, at + 1);
    if (close !== -1 && close < lineEnd) at = close;
  }
  return trimmed(text, start, lineEnd);
}

function trimmed(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length;
}

function lineEndAt(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline === -1 ? text.length : newline;
}

function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text.charAt(at) === "\n" || text.startsWith("\r\n", at);
}

function directionNamed(drawn: string | undefined): Direction {
  switch (drawn) {
    case "TD":
    case "TB":
    case "BT":
    case "LR":
    case "RL":
      return drawn;
    default:
      return ARROWS[drawn ?? "v"] ?? "TB";
  }
}

function broken(reason: Fault): ReadStatement {
  return { kind: "broken", chain: undefined, fault: reason };
}
