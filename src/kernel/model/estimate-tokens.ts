/**
 * A cheap guess at how many tokens a text makes, for when nothing depends on the exact number.
 * It knows that Chinese and base64 make far more tokens per character than English does.
 */

/** Longer texts are judged by evenly spread windows of this total size, so the cost stays flat. */
const READ_IN_FULL = 2048;
const WINDOWS = 8;

export function estimateTokens(text: string): number {
  const length = text.length;
  if (length <= READ_IN_FULL) return Math.ceil(weigh(text, 0, length));
  const size = READ_IN_FULL / WINDOWS;
  const stride = (length - size) / (WINDOWS - 1);
  let weight = 0;
  for (let window = 0; window < WINDOWS; window += 1) {
    const start = Math.floor(window * stride);
    weight += weigh(text, start, start + size);
  }
  return Math.ceil((weight * length) / READ_IN_FULL);
}

const WIDE = 0;
const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const BREAK = 4;
const MARK = 5;

/** Every UTF-16 unit has a place: reading a typed array out of bounds costs ten times as much. */
const CLASSES = new Uint8Array(65_536);
for (let code = 0; code < 128; code += 1) {
  const character = String.fromCharCode(code);
  CLASSES[code] = /[A-Za-z]/.test(character)
    ? LETTER
    : /\d/.test(character)
      ? DIGIT
      : /[ \t]/.test(character)
        ? SPACE
        : code < 32
          ? BREAK
          : MARK;
}

function weigh(text: string, from: number, to: number): number {
  let weight = 0;
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at);
    const kind = CLASSES[code];
    const start = at;
    at += 1;
    if (kind === WIDE) {
      weight += weightOfWide(code);
    } else if (kind === LETTER || kind === DIGIT) {
      let digits = kind === DIGIT ? 1 : 0;
      for (; at < to; at += 1) {
        const next = CLASSES[text.charCodeAt(at)];
        if (next === DIGIT) digits += 1;
        else if (next !== LETTER) break;
      }
      weight += weightOfWord(at - start, digits);
    } else {
      while (at < to && CLASSES[text.charCodeAt(at)] === kind) at += 1;
      if (kind === MARK) weight += 0.74 + (at - start) * 0.08;
      else if (kind === BREAK || at - start > 1) weight += 0.6;
    }
  }
  return weight;
}

/** Words are mostly one token; long runs with digits are hashes, keys or base64 and fall apart. */
function weightOfWord(length: number, digits: number): number {
  if (digits === length) return Math.ceil(length / 3);
  if (digits > 0 && length > 7) return length * 0.65;
  if (length > 24) return length * 0.5;
  return length <= 7 ? 1.02 : 1.02 + (length - 7) * 0.13;
}

function weightOfWide(code: number): number {
  if (code < 0x0250) return 0.45;
  if (code < 0x0700) return 0.28;
  if (code < 0x1100) return 0.5;
  if (code >= 0x2000 && code < 0x2e80) return 0.9;
  if (code >= 0xd800 && code < 0xe000) return 1.2;
  return 0.64;
}
