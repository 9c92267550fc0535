/** Stretches of a text that must not be seen, and the markers that stand in for them. */

export interface RedactionSpan {
  readonly start: number;
  readonly end: number;
  /** What sort of credential it is, such as `GITHUB_TOKEN`; empty when a person redacted it. */
  readonly label: string;
}

export function redactionMarker(label: string): string {
  return label === "" ? "[REDACTED]" : `[REDACTED:${label}]`;
}

/** The text with each span replaced by its marker. Spans are in order and do not overlap. */
export function replaceSpans(text: string, spans: readonly RedactionSpan[]): string {
  if (spans.length === 0) return text;
  let at = 0;
  let result = "";
  for (const { start, end, label } of spans) {
    result += text.slice(at, start) + redactionMarker(label);
    at = end;
  }
  return result + text.slice(at);
}

/** In order; overlapping spans become one, under the label of the one that begins first. */
export function withoutOverlap(spans: readonly RedactionSpan[]): readonly RedactionSpan[] {
  if (spans.length < 2) return spans;
  const merged: RedactionSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

/** A span that began or ended inside a surrogate pair would leave half a character behind. */
export function wholeCharacters(text: string, spans: readonly RedactionSpan[]): RedactionSpan[] {
  return spans.map(({ start, end, label }) => ({
    start: splitsPair(text, start) ? start - 1 : start,
    end: splitsPair(text, end) ? end + 1 : end,
    label,
  }));
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
