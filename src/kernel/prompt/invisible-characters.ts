/** Characters that show nothing or change the direction of what is shown; some have honest uses. */

/** First and last code point of each stretch. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x08], // controls, except for tab and line feed
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad], // soft hyphen
  [0x34f, 0x34f], // grapheme joiner
  [0x61c, 0x61c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian selectors
  [0x200b, 0x200f], // zero-width spaces, joiners, direction marks
  [0x2028, 0x202e], // separators, embeddings, overrides
  [0x2060, 0x206f], // word joiner, invisible operators, isolates
  [0x3164, 0x3164], // Hangul filler
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // half-width Hangul filler
  [0xfff0, 0xfffb], // annotations
  [0x1bca0, 0x1bca3], // shorthand controls
  [0x1d173, 0x1d17a], // musical controls
  [0xe0000, 0xe0fff], // tags, supplementary selectors
];

/** For use between the brackets of a regular expression with the flag `u`. */
export const INVISIBLE_CLASS = RANGES.map(([first, last]) => {
  return `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`;
}).join("");

export function isInvisible(code: number): boolean {
  return RANGES.some(([first, last]) => code >= first && code <= last);
}
