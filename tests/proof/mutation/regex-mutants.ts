/** Small changes of a regular expression: an anchor, a repetition, a class or a flag is another one, or is missing. */

const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ["\\s", "\\S"],
  ["\\S", "\\s"],
  ["\\d", "\\D"],
  ["\\D", "\\d"],
  ["\\w", "\\W"],
  ["\\W", "\\w"],
  ["\\p", "\\P"],
  ["\\P", "\\p"],
  ["\\b", ""],
  ["\\B", ""],
  ["(?=", "(?!"],
  ["(?!", "(?="],
  ["(?<=", "(?<!"],
  ["(?<!", "(?<="],
]);
const GROUP = /^\((?:\?(?:<?[=!]|[a-z-]*:|<\w+>))?/;
const REPETITION = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;

/** Every text is a whole literal, flags included. */
export function regexMutants(pattern: string, flags: string): readonly string[] {
  const found: string[] = [];
  const change = (at: number, length: number, becomes: string) =>
    found.push(`/${pattern.slice(0, at)}${becomes}${pattern.slice(at + length)}/${flags}`);
  let isInClass = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const escape = /^\\./s.exec(rest)?.[0];
    const token = escape ?? tokenAt(rest, isInClass);
    const opposite = OPPOSITES.get(token);
    if (escape === undefined) {
      if (!isInClass && (token === "^" || token === "$" || REPETITION.test(token)))
        change(at, token.length, "");
      if (!isInClass && token === "[^") change(at, 2, "[");
      if (!isInClass && token === "[") change(at, 1, "[^");
      if (token.startsWith("[")) isInClass = true;
      if (token === "]") isInClass = false;
    }
    if (opposite !== undefined && !(isInClass && opposite === ""))
      change(at, token.length, opposite);
    at += token.length;
  }
  for (const flag of ["i", "g"]) {
    if (flags.includes(flag)) found.push(`/${pattern}/${flags.replace(flag, "")}`);
  }
  return found.filter(isRegex);
}

function tokenAt(rest: string, isInClass: boolean): string {
  if (isInClass) return rest.slice(0, 1);
  if (rest.startsWith("[^")) return "[^";
  return (GROUP.exec(rest) ?? REPETITION.exec(rest))?.[0] ?? rest.slice(0, 1);
}

function isRegex(literal: string): boolean {
  const end = literal.lastIndexOf("/");
  try {
    RegExp(literal.slice(1, end), literal.slice(end + 1));
    return end > 1;
  } catch {
    return false;
  }
}
