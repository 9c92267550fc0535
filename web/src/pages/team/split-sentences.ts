/** A text in sentences and the gaps between them; put together again they are the text. */

export interface Sentence {
  readonly text: string;
  readonly start: number;
}

export function splitSentences(text: string): readonly Sentence[] {
  const pieces: Sentence[] = [];
  let start = 0;
  for (const { index, 0: mark } of text.matchAll(/(?<=[.!?…])\s+|\n+/g)) {
    if (index > start) pieces.push({ text: text.slice(start, index), start });
    pieces.push({ text: mark, start: index });
    start = index + mark.length;
  }
  if (start < text.length) pieces.push({ text: text.slice(start), start });
  return pieces;
}
