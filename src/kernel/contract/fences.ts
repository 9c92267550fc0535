/** Code fences in Markdown, found line by line in one pass. */

export interface FenceLine {
  readonly mark: string;
  readonly info: string;
}

export interface FencedBlock {
  readonly info: string;
  /** Offsets of the opening line, of the body, and just after the closing line. */
  readonly start: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly end: number;
  readonly closed: boolean;
}

export interface Line {
  readonly start: number;
  /** Without the line break. */
  readonly end: number;
  readonly next: number;
}

export function* linesOf(text: string): Generator<Line> {
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf("\n", start);
    const next = feed === -1 ? text.length : feed + 1;
    const end = feed === -1 ? text.length : text.charCodeAt(feed - 1) === 13 ? feed - 1 : feed;
    yield { start, end: Math.max(start, end), next };
    start = next;
  }
}

/** The fence that a line consists of, be it an opening or a closing one. */
export function fenceLine(line: string): FenceLine | undefined {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$/.exec(
    line.length > 200 ? line.slice(0, 200) : line,
  );
  return match ? { mark: match[1] ?? "", info: (match[2] ?? "").toLowerCase() } : undefined;
}

export function closesFence(line: FenceLine, open: FenceLine): boolean {
  return line.info === "" && line.mark.startsWith(open.mark);
}

export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: (FenceLine & { start: number; bodyStart: number }) | undefined;
  for (const { start, end, next } of linesOf(text)) {
    const fence = fenceLine(text.slice(start, Math.min(end, start + 201)));
    if (!fence) continue;
    if (open === undefined) open = { ...fence, start, bodyStart: next };
    else if (closesFence(fence, open)) {
      const { info, bodyStart } = open;
      const bodyEnd = Math.max(bodyStart, start);
      blocks.push({ info, start: open.start, bodyStart, bodyEnd, end: next, closed: true });
      open = undefined;
    }
  }
  if (open !== undefined) {
    const { info, start, bodyStart } = open;
    const length = text.length;
    blocks.push({ info, start, bodyStart, bodyEnd: length, end: length, closed: false });
  }
  return blocks;
}

export interface Unfenced {
  readonly body: string;
  /** Where the body begins in the text. */
  readonly offset: number;
  readonly info: string;
}

const WHOLE_ANSWER = new Set(["", "markdown", "md", "text", "txt", "json", "json5", "jsonc"]);

/**
 * The inside of an answer that was put into one fence as a whole. Blocks inside it use the same
 * backticks, so the first closing line is no proof of its end: the outer fence is closed when the
 * last line is a fence that would otherwise open an empty block.
 */
export function unfenceWhole(text: string): Unfenced | undefined {
  const lead = text.length - text.trimStart().length;
  const feed = text.indexOf("\n", lead);
  if (feed === -1) return undefined;
  const first = fenceLine(text.slice(lead, feed).trimEnd());
  if (!first || !WHOLE_ANSWER.has(first.info)) return undefined;
  const offset = feed + 1;
  const rest = text.slice(offset).trimEnd();
  const lastLine = rest.lastIndexOf("\n") + 1;
  const last = fenceLine(rest.slice(lastLine));
  const blocks = fencedBlocks(rest);
  const tail = blocks.at(-1);
  const isOuterClose = last?.info === "" && tail?.closed === false && tail.start === lastLine;
  if (!isOuterClose) {
    return isOpenWrapper(first.info, blocks) ? { body: rest, offset, info: first.info } : undefined;
  }
  return { body: rest.slice(0, lastLine).replace(/\r?\n$/, ""), offset, info: first.info };
}

/** ```markdown around whole blocks, its own closing line forgotten or not yet written. */
function isOpenWrapper(info: string, blocks: readonly FencedBlock[]): boolean {
  return (info === "markdown" || info === "md") && blocks.every((block) => block.closed);
}
