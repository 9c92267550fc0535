/** Text that fits a regular expression, for contracts that ask for one. */

import type { Dice } from "./rehearsal-dice.ts";

export interface TextLimits {
  readonly min: number;
  readonly max: number;
}

const TRIES = 40;

/**
 * `undefined` when none was found in a fixed number of tries. Look-around and back-references are
 * not followed, only tested: what they rule out is thrown again.
 */
export function textForPattern(
  pattern: RegExp,
  dice: Dice,
  limits: TextLimits,
): string | undefined {
  const sample = parse(pattern.source);
  for (let extra = 0; extra < TRIES; extra += 1) {
    const text = sample(dice, extra);
    const fits = text.length >= limits.min && text.length <= limits.max;
    if (fits && pattern.test(text)) return text;
  }
  return undefined;
}

/** `extra` repeats are added to open-ended parts, so that later tries grow longer. */
type Sample = (dice: Dice, extra: number) => string;

const NOTHING: Sample = () => "";

function parse(source: string): Sample {
  let at = 0;
  return alternatives();

  function alternatives(): Sample {
    const options = [sequence()];
    while (source[at] === "|") {
      at += 1;
      options.push(sequence());
    }
    return options.length === 1
      ? (options[0] ?? NOTHING)
      : (dice, extra) => (dice.pick(options) ?? NOTHING)(dice, extra);
  }

  function sequence(): Sample {
    const parts: Sample[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      parts.push(quantified(atom()));
    }
    return (dice, extra) => parts.map((part) => part(dice, extra)).join("");
  }

  function atom(): Sample {
    const character = source[at] ?? "";
    if (character === "(") return group();
    if (character === "^" || character === "$") {
      at += 1;
      return NOTHING;
    }
    if (character === "[") return fromClass(readClass());
    if (character === ".") {
      at += 1;
      return fromClass(".");
    }
    if (character === "\\") return escape();
    const point = String.fromCodePoint(source.codePointAt(at) ?? 0);
    at += point.length;
    return () => point;
  }

  function group(): Sample {
    at += 1;
    const ahead = /^\?(?:[=!]|<[=!])/.exec(source.slice(at, at + 4));
    const prefix = ahead ?? /^\?(?::|<[^>]+>)/.exec(source.slice(at));
    at += prefix?.[0].length ?? 0;
    const inside = alternatives();
    at += 1;
    return ahead ? NOTHING : inside;
  }

  function escape(): Sample {
    const long = /^\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]+\}|k<[^>]+>|c[A-Z])/i;
    const text = long.exec(source.slice(at))?.[0] ?? source.slice(at, at + 2);
    at += text.length;
    const letter = text[1] ?? "";
    if (/[bBk1-9]/.test(letter)) return NOTHING;
    if (/[dDwWsSpP]/.test(letter)) return fromClass(text);
    const hex = /^\\[ux]\{?([0-9a-f]+)/i.exec(text)?.[1];
    if (hex !== undefined) return () => String.fromCodePoint(Number.parseInt(hex, 16));
    const control = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", 0: "\0" }[letter];
    return () => control ?? letter;
  }

  function readClass(): string {
    const start = at;
    at += 1;
    if (source[at] === "^") at += 1;
    for (; at < source.length && source[at] !== "]"; at += 1) if (source[at] === "\\") at += 1;
    at += 1;
    return source.slice(start, at);
  }

  function quantified(part: Sample): Sample {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at));
    if (!found) return part;
    at += found[0].length;
    const [, mark, least, comma, most] = found;
    const min = mark === undefined ? Number(least) : mark === "+" ? 1 : 0;
    const max = mark === "?" ? 1 : mark || (comma && !most) ? Infinity : Number(most || least);
    return (dice, extra) => {
      const count = Math.min(max, min + (max > min ? dice.below(3) + extra : 0));
      return Array.from({ length: count }, () => part(dice, extra)).join("");
    };
  }
}

const ALPHABET = Array.from(
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ .,:;/@+#=!?%&*()'\"<>[]{}|~^$\\\t\nä五🧪",
);

/** The class is asked which characters it takes, so its inner grammar need not be known here. */
function fromClass(source: string): Sample {
  const pattern = patternOf(`^${source}$`);
  const taken = ALPHABET.filter((character) => pattern?.test(character));
  return (dice) => dice.pick(taken) ?? "";
}

/** Nothing for a source that is no regular expression at all. */
export function patternOf(source: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Older patterns escape more than Unicode mode allows; without the flag they are fine.
    }
  }
  return undefined;
}
