/** Redacted text that only came together when the prompt was put together. */

import type { LaidOutMessages } from "./lay-out-messages.ts";
import { type PreparedPart, redactPieces } from "./prepare-part.ts";
import { redactionFailed } from "./prompt-refusals.ts";
import { type RedactionSpan, withoutOverlap } from "./redaction-span.ts";
import type { Redactor } from "./redactor.ts";
import type { Entry, RenderedPrompt } from "./render-prompt.ts";
import type { RenderedPart } from "./rendered-part.ts";
import type { Selection } from "./select-candidates.ts";

interface WrittenPrompt {
  readonly entries: readonly Entry[];
  readonly rendered: RenderedPrompt;
  readonly laidOut: LaidOutMessages;
  readonly separator: string;
}

/** At places of the text. */
export function findLeaks(
  redactor: Redactor,
  { rendered, laidOut, separator }: WrittenPrompt,
): readonly RedactionSpan[] {
  const found = redactor.find(rendered.text);
  // Another order has other neighbours.
  if (laidOut.isReadingOrder) return found;
  const inMessages = findInMessages(redactor, laidOut, separator);
  return inMessages.length === 0 ? found : withoutOverlap([...found, ...inMessages]);
}

/** The same candidates with what leaked taken out of them. */
export function redactLeaks(
  selection: Selection,
  leaks: readonly RedactionSpan[],
  { entries, rendered }: WrittenPrompt,
): Selection {
  const changed = new Map<PreparedPart, PreparedPart>();
  for (const [index, entry] of entries.entries()) {
    const spans = spansByPiece(entry.rendered, rendered.starts[index] ?? 0, leaks);
    if (spans.size > 0) changed.set(entry.prepared, redactPieces(entry.prepared, spans));
  }
  // Nothing of any part is in it, so taking more out of parts would go on for ever.
  if (changed.size === 0) throw redactionFailed();
  const candidates = selection.candidates.map((candidate) => ({
    ...candidate,
    prepared: changed.get(candidate.prepared) ?? candidate.prepared,
  }));
  return { ...selection, candidates };
}

function spansByPiece(
  { segments }: RenderedPart,
  start: number,
  leaks: readonly RedactionSpan[],
): Map<number, RedactionSpan[]> {
  const spans = new Map<number, RedactionSpan[]>();
  let at = start;
  for (const { text, kind, piece, from } of segments) {
    for (const leak of kind === "text" ? leaks : []) {
      const first = Math.max(leak.start, at);
      const last = Math.min(leak.end, at + text.length);
      if (first >= last) continue;
      const span = { start: from + first - at, end: from + last - at, label: leak.label };
      spans.set(piece, [...(spans.get(piece) ?? []), span]);
    }
    at += text.length;
  }
  return spans;
}

function findInMessages(
  redactor: Redactor,
  { messages }: LaidOutMessages,
  separator: string,
): RedactionSpan[] {
  let joined = "";
  const blocks: { readonly at: number; readonly length: number; readonly textStart: number }[] = [];
  for (const message of messages) {
    if (joined !== "") joined += separator;
    for (const { start, end, textStart } of message.blocks) {
      blocks.push({ at: joined.length + start, length: end - start, textStart });
    }
    joined += message.text;
  }
  return redactor.find(joined).flatMap(({ start, end, label }) =>
    blocks.flatMap(({ at, length, textStart }) => {
      const first = Math.max(start, at);
      const last = Math.min(end, at + length);
      if (first >= last) return [];
      return [{ start: first - at + textStart, end: last - at + textStart, label }];
    }),
  );
}
