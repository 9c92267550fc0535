/** What stands between brackets or bars: plain text without brackets, or anything in double quotes. */

import type { Fault } from "../../../kernel/base/text-position.ts";
import type { Label, Span } from "./diagram.ts";
import { decodeLabel } from "./label-text.ts";
import { fault, isFault, matchAt, type Read } from "./scan.ts";

const QUOTE_ADVICE = 'Put the label in double quotes: "…". A quote inside is written #quot;.';

/** What a label stands between. */
interface Frame {
  /** Where the opening bracket or bar stands. */
  readonly open: number;
  /** What may stand inside without quotes. */
  readonly plain: RegExp;
  readonly closing: RegExp;
  readonly shown: string;
}

/** Ends before the closing bracket or bar, which is known to stand there. */
export function readLabel(text: string, start: number, frame: Frame): Read<Label> | Fault {
  const quoted = text.charAt(start) === '"' ? readQuoted(text, start) : undefined;
  if (quoted !== undefined && isFault(quoted)) return quoted;
  const rest = quoted?.end ?? start;
  const end = rest + (matchAt(frame.plain, text, rest)?.length ?? 0);
  if (matchAt(frame.closing, text, end) === undefined) return unclosed(text, end, frame);
  const label = labelIn(text, { start, end }, quoted?.value);
  return label.text === "" ? emptyLabel(frame.open) : { value: label, end };
}

/** The span inside the quotes, and whether Markdown stands there. */
export function readQuoted(text: string, start: number): Read<Span> | Fault {
  const markdown = text.charAt(start + 1) === "`";
  const from = start + (markdown ? 2 : 1);
  const close = text.indexOf('"', from);
  if (close === -1) {
    return fault(
      start,
      "The quote that begins here is never closed",
      "Close it before the bracket.",
    );
  }
  if (text.charAt(close + 1) === "`") {
    return fault(close, "Mermaid takes a quote before ` for the beginning of a Markdown label");
  }
  if (!markdown) return { value: { start: from, end: close }, end: close + 1 };
  const tick = text.indexOf("`", from);
  return tick === close - 1
    ? { value: { start: from, end: tick }, end: close + 1 }
    : fault(
        start,
        'A Markdown label begins with "` and ends with `", and holds neither in between',
      );
}

/** What follows the quoted part is seen behind it, as mermaid draws it. */
export function labelIn(text: string, span: Span, quoted: Span | undefined): Label {
  const written =
    quoted === undefined
      ? text.slice(span.start, span.end)
      : text.slice(quoted.start, quoted.end) +
        text.slice(text.indexOf('"', quoted.end) + 1, span.end);
  return { text: decodeLabel(written.trim()), span };
}

export function emptyLabel(open: number): Fault {
  return fault(
    open,
    "A label cannot be empty",
    "Leave the brackets or bars away, or write something.",
  );
}

function unclosed(text: string, at: number, frame: Frame): Fault {
  const character = text.charAt(at);
  const line = text.indexOf("\n", frame.open);
  // A bracket far below is no news about this label: it was never closed.
  if (character === "" || (line !== -1 && line < at)) {
    return fault(
      frame.open,
      `The label that begins here is never closed by ${frame.shown}`,
      QUOTE_ADVICE,
    );
  }
  return fault(at, `A label without quotes cannot have "${character}" here`, QUOTE_ADVICE);
}
