/** Reading one of a fixed set of words out of what a model wrote where the word belongs. */

type Choice = string | number | boolean;

export interface ReadChoice {
  readonly value: Choice;
  readonly sentence: string;
}

/** `undefined` when no choice, more than one, or a denied one is named. */
export function readChoice(written: string, choices: readonly Choice[]): ReadChoice | undefined {
  const plain = simplify(written);
  if (plain === "") return undefined;
  const same = choices.filter((choice) => simplify(String(choice)) === plain);
  const [only, second] = same;
  if (only !== undefined && second === undefined) {
    return {
      value: only,
      sentence: `"${written.trim().slice(0, 80)}" was read as ${String(only)}.`,
    };
  }
  return same.length > 1 ? undefined : readFromProse(written, choices);
}

/** An exact id, give or take the spaces around it: ids are not guessed. */
export function readClosedId(written: string, ids: readonly Choice[]): ReadChoice | undefined {
  const trimmed = written.trim();
  return trimmed !== written && ids.includes(trimmed)
    ? { value: trimmed, sentence: "The spaces around an id were left out." }
    : undefined;
}

const DENIALS = /\b(?:not|no|never|neither|nor|without|cannot|isn'?t|wasn'?t|don'?t|didn'?t)\b/i;

function readFromProse(written: string, choices: readonly Choice[]): ReadChoice | undefined {
  if (DENIALS.test(written.replaceAll("’", "'"))) return undefined;
  let rest = ` ${words(written)} `;
  const found: Choice[] = [];
  const byLength = choices.toSorted((a, b) => String(b).length - String(a).length);
  for (const choice of byLength) {
    const name = words(String(choice));
    if (name.length < 2 || !rest.includes(` ${name} `)) continue;
    found.push(choice);
    // "partial success" must not also count as "success".
    rest = rest.replaceAll(` ${name} `, " | ");
  }
  const [only, second] = found;
  if (only === undefined || second !== undefined) return undefined;
  return { value: only, sentence: `${String(only)} is the only choice named in the text.` };
}

function simplify(text: string): string {
  return words(text).replaceAll(" ", "");
}

function words(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
