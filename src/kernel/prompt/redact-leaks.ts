/** Redacted text that only came together when the prompt was put together, and where it must go. */

import type { LaidOutMessages } from "./lay-out-messages.ts";
import { type PreparedPart, redactPieces } from "./prepare-part.ts";
import { redactionFailed } from "./prompt-refusals.ts";
import { type RedactionSpan, withoutOverlap } from "./redaction-span.ts";
import type { Redactor } from "./redactor.ts";
import type { Entry, RenderedPrompt } from "./render-prompt.ts";

/** Parts with more taken out of them; none when the prompt is clean as it stands. */
export function redactLeaks(
  redactor: Redactor,
  entries: readonly Entry[],
  prompt: RenderedPrompt,
  layout: LaidOutMessages,
  separator: string,
): ReadonlyMap<PreparedPart, PreparedPart> {
  const leaks = findLeaks(redactor, prompt, layout, separator);
  const changed = new Map<PreparedPart, PreparedPart>();
  if (leaks.length === 0) return changed;
  for (const [index, { prepared, rendered }] of entries.entries()) {
    const start = prompt.starts[index] ?? 0;
    const spans = new Map<number, RedactionSpan[]>();
    let at = start;
    for (const { text, kind, piece, from } of rendered.segments) {
      for (const leak of kind === "text" ? leaks : []) {
        const first = Math.max(leak.start, at);
        const last = Math.min(leak.end, at + text.length);
        if (first >= last) continue;
        const span = { start: from + first - at, end: from + last - at, label: leak.label };
        spans.set(piece, [...(spans.get(piece) ?? []), span]);
      }
      at += text.length;
    }
    if (spans.size > 0) changed.set(prepared, redactPieces(prepared, spans));
  }
  // Nothing of a part is in it, so taking more out of parts would go on for ever.
  if (changed.size === 0) throw redactionFailed();
  return changed;
}

function findLeaks(
  redactor: Redactor,
  { text }: RenderedPrompt,
  { messages, isReadingOrder }: LaidOutMessages,
  separator: string,
): readonly RedactionSpan[] {
  const found = redactor.find(text);
  // Another order has other neighbours.
  if (isReadingOrder) return found;
  return withoutOverlap([...found, ...findInMessages(redactor, messages, separator)]);
}

function findInMessages(
  redactor: Redactor,
  messages: LaidOutMessages["messages"],
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
