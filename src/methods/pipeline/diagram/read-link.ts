/** Links between nodes: `-->`, `==>`, `-.->`, `---`, `~~~`, with a label in bars or in their middle. */

import type { Fault } from "../../../kernel/base/text-position.ts";
import type { Label, Link, LinkEnd } from "./diagram.ts";
import { type LinkName, readLinkName } from "./read-id.ts";
import { emptyLabel, labelIn, readLabel, readQuoted } from "./read-label.ts";
import { BLANKS, fault, isFault, matchAt, type Read, SPACE, skip } from "./scan.ts";

/** A link as a whole, or where only its first half stands, the half and the search for the second. */
interface LinkKind {
  readonly stroke: Link["stroke"];
  readonly whole: RegExp;
  readonly firstHalf?: RegExp;
  /** Finds the second half, or what cannot stand before it. */
  readonly secondHalf?: RegExp;
}

/** In the order in which mermaid tries them. */
const KINDS: readonly LinkKind[] = [
  {
    stroke: "normal",
    whole: /[xo<]?--+[-xo>]/y,
    firstHalf: /[xo<]?--/y,
    secondHalf: /"|[xo<]?--+[-xo>]|--/g,
  },
  {
    stroke: "thick",
    whole: /[xo<]?==+[=xo>]/y,
    firstHalf: /[xo<]?==/y,
    secondHalf: /"|[xo<]?==+[=xo>]|=/g,
  },
  {
    stroke: "dotted",
    whole: /[xo<]?-?\.+-[xo>]?/y,
    firstHalf: /[xo<]?-\./y,
    secondHalf: /"|[xo<]?-?\.+-[xo>]?|\./g,
  },
  { stroke: "invisible", whole: /~~~+/y },
];

const BAR_TEXT = /[^[\](){}|"]+/y;

/** Reads the link that begins at or behind `at`, across blanks and lines; nothing where none does. */
export function readLink(text: string, at: number): Read<Link> | Fault | undefined {
  const name = readLinkName(text, at);
  const start = name?.start ?? skip(SPACE, text, at);
  const first = name?.end ?? start;
  for (const kind of KINDS) {
    const whole = matchAt(kind.whole, text, first);
    if (whole !== undefined) return withBars(text, start, { kind, name, first, whole });
    const half = kind.firstHalf && matchAt(kind.firstHalf, text, first);
    if (half !== undefined) return withMiddle(text, start, { kind, name, first, half });
  }
  return name && fault(name.end, "Behind a link's name the link is needed", "Ids have no @.");
}

interface Beginning {
  readonly kind: LinkKind;
  readonly name: LinkName | undefined;
  readonly first: number;
}

function withBars(
  text: string,
  start: number,
  { kind, name, first, whole }: Beginning & { readonly whole: string },
): Read<Link> | Fault {
  const arrow = { start: first, end: first + whole.length };
  const bar = skip(SPACE, text, arrow.end);
  const label = text.charAt(bar) === "|" ? readBars(text, bar) : undefined;
  if (label !== undefined && isFault(label)) return label;
  const end = label?.end ?? arrow.end;
  const ends = { tail: tailOf(whole), head: headOf(whole) };
  return {
    value: {
      span: { start, end },
      id: name?.id,
      stroke: kind.stroke,
      ...ends,
      label: label?.value,
      arrow,
    },
    // Mermaid lets the target stand on a later line behind an arrow, but not behind a label.
    end: label === undefined ? skip(SPACE, text, end) : skip(BLANKS, text, end),
  };
}

function readBars(text: string, open: number): Read<Label> | Fault {
  const frame = { open, plain: BAR_TEXT, closing: /\|/y, shown: "|" };
  const label = readLabel(text, open + 1, frame);
  return isFault(label) ? label : { value: label.value, end: label.end + 1 };
}

function withMiddle(
  text: string,
  start: number,
  { kind, name, first, half }: Beginning & { readonly half: string },
): Read<Link> | Fault {
  const from = skip(SPACE, text, first + half.length);
  const quoted = text.charAt(from) === '"' ? readQuoted(text, from) : undefined;
  if (quoted !== undefined && isFault(quoted)) return quoted;
  const second = findSecondHalf(text, quoted?.end ?? from, kind);
  if (second === undefined) return unfinished(first, half);
  if (tailOf(second.text) !== "none") return swallowed(second.at);
  const label = labelIn(text, { start: from, end: trimEnd(text, from, second.at) }, quoted?.value);
  if (label.text === "") return emptyLabel(first);
  const tail = tailOf(half);
  const head = headOf(second.text);
  if (tail !== "none" && tail !== head) return unlike(first);
  const end = second.at + second.text.length;
  return {
    value: {
      span: { start, end },
      id: name?.id,
      stroke: kind.stroke,
      tail,
      head,
      label,
      arrow: { start: second.at, end },
    },
    end: skip(SPACE, text, end),
  };
}

function findSecondHalf(
  text: string,
  from: number,
  kind: LinkKind,
): { readonly at: number; readonly text: string } | undefined {
  const { secondHalf } = kind;
  if (secondHalf === undefined) return undefined;
  secondHalf.lastIndex = from;
  const found = secondHalf.exec(text);
  if (found === null || matchAt(kind.whole, text, found.index) === undefined) return undefined;
  return { at: found.index, text: found[0] };
}

function trimEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length;
}

const ENDS: Readonly<Record<string, LinkEnd>> = {
  x: "cross",
  o: "circle",
  "<": "arrow",
  ">": "arrow",
};

function tailOf(drawn: string): LinkEnd {
  return ENDS[drawn.charAt(0)] ?? "none";
}

function headOf(drawn: string): LinkEnd {
  return ENDS[drawn.charAt(drawn.length - 1)] ?? "none";
}

function unfinished(offset: number, half: string) {
  return fault(
    offset,
    `The link that begins with ${half} is never finished`,
    "Write A -- label --> B, or A -->|label| B. What cannot stand in the middle goes into double quotes.",
  );
}

function swallowed(offset: number) {
  const message = "Mermaid takes this sign for a part of the arrow behind it, not of the label";
  return fault(offset, message, "Put a blank before the arrow, or the label in double quotes.");
}

function unlike(offset: number) {
  return fault(
    offset,
    "The two ends of this link do not match",
    "Draw the same end on both sides, or none at the beginning.",
  );
}
