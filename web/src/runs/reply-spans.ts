/** Which parts of a reply are headings, and which are names, texts and numbers of a value in it: only for colour. */

export interface ReplySpan {
  readonly start: number;
  readonly end: number;
  /** heading, key, string, number */
  readonly tone: "h" | "k" | "s" | "n";
}

const HEADING = /^#{1,6} .*$/gm;
const OPENING = /^[ \t]*[[{]/gm;
const PIECE = /("(?:[^"\\\n]|\\.)*")([ \t]*:)?|-?\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b/g;

export function replySpans(text: string): readonly ReplySpan[] {
  const values = valueRanges(text);
  const isInValue = (at: number) => values.some(([start, end]) => at >= start && at < end);
  const headings = [...text.matchAll(HEADING)]
    .filter(({ index }) => !isInValue(index))
    .map(
      ({ index, 0: line }): ReplySpan => ({ start: index, end: index + line.length, tone: "h" }),
    );
  const pieces = values.flatMap(([start, end]) =>
    [...text.slice(start, end).matchAll(PIECE)].map(
      ({ index, 0: whole, 1: quoted, 2: colon }): ReplySpan => {
        const length = quoted?.length ?? whole.length;
        const tone = colon !== undefined ? "k" : quoted !== undefined ? "s" : "n";
        return { start: start + index, end: start + index + length, tone };
      },
    ),
  );
  return [...headings, ...pieces].toSorted((a, b) => a.start - b.start);
}

/** From a bracket that begins a line to the one that closes it, or to the end while it is still arriving. */
function valueRanges(text: string): readonly (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [];
  let end = 0;
  for (const { index, 0: line } of text.matchAll(OPENING)) {
    const start = index + line.length - 1;
    if (start < end) continue;
    end = closing(text, start);
    ranges.push([start, end]);
  }
  return ranges;
}

function closing(text: string, start: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) {
      // A quote that is not closed on its line is no quote.
      if (character === "\n") isQuoted = false;
    } else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}
