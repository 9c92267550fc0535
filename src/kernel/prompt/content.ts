/** A text in which some stretches are marks of ours: redactions, and the ends of cuts. */

import { type RedactionSpan, redactionMarker } from "./redaction-span.ts";
import { ELLIPSIS, findTruncation } from "./truncate-text.ts";

export interface Content {
  readonly text: string;
  /** In order, without overlap. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly start: number;
  readonly end: number;
}

const NO_MARKS: readonly Mark[] = [];

export function plainContent(text: string): Content {
  return { text, marks: NO_MARKS };
}

/** Whether anything but blanks stands outside the marks. */
export function saysSomething({ text, marks }: Content): boolean {
  if (marks.length === 0) return /\S/.test(text);
  const ends = [0, ...marks.map((mark) => mark.end)];
  const starts = [...marks.map((mark) => mark.start), text.length];
  return ends.some((end, index) => /\S/.test(text.slice(end, starts[index])));
}

/** Spans are in order, without overlap; a mark that a span touches goes with it. */
export function redactContent(content: Content, spans: readonly RedactionSpan[]): Content {
  if (spans.length === 0) return content;
  const builder = createContentBuilder();
  let at = 0;
  for (const span of spans) {
    const touched = content.marks.filter((mark) => mark.start < span.end && mark.end > span.start);
    const start = Math.max(at, Math.min(span.start, ...touched.map((mark) => mark.start)));
    const end = Math.max(span.end, ...touched.map((mark) => mark.end));
    if (end <= at) continue;
    builder.copy(content, at, start);
    builder.mark(redactionMarker(span.label));
    at = end;
  }
  builder.copy(content, at, content.text.length);
  return builder.content();
}

/** Undefined when nothing but the ellipsis would be left. */
export function cutContent(content: Content, limit: number): Content | undefined {
  if (content.text.length <= limit) return content;
  let cut = findTruncation(content.text, limit);
  for (let mark = markAt(content, cut?.kept); mark !== undefined; ) {
    cut = findTruncation(content.text, mark.start + ELLIPSIS.length);
    mark = markAt(content, cut?.kept);
  }
  if (cut === undefined || cut.kept === 0) return undefined;
  const builder = createContentBuilder();
  builder.copy(content, 0, cut.kept);
  builder.mark(cut.ending);
  return builder.content();
}

/** The mark that a cut at this place would damage. */
function markAt({ marks }: Content, at = 0): Mark | undefined {
  return marks.find((mark) => mark.start < at && mark.end > at);
}

interface ContentBuilder {
  copy(from: Content, start: number, end: number): void;
  mark(text: string): void;
  content(): Content;
}

export function createContentBuilder(): ContentBuilder {
  const marks: Mark[] = [];
  let text = "";
  return {
    copy(from, start, end) {
      for (const mark of from.marks) {
        if (mark.start < start || mark.end > end) continue;
        const shift = text.length - start;
        marks.push({ start: mark.start + shift, end: mark.end + shift });
      }
      text += from.text.slice(start, end);
    },
    mark(marker) {
      if (marker !== "") marks.push({ start: text.length, end: text.length + marker.length });
      text += marker;
    },
    content: () => ({ text, marks }),
  };
}
