/**
 * Source code with everything that is not code turned into spaces, so that rules which search it
 * do not stumble over comments, messages and SQL. Lengths and line ends stay.
 */

type Kept = "imports" | "code";

/** `imports` keeps quoted strings, since they name modules; `code` keeps none. */
export function blankText(source: string, kept: Kept): string {
  const blanked: string[] = [];
  /** For each `${` that is being read, how many braces are open inside it. */
  const places: number[] = [];
  let afterValue = false;
  for (let at = 0; at < source.length; ) {
    const piece = pieceAt(source, at, { afterValue, endsPlace: places.at(-1) === 0 });
    followPlaces(piece, places);
    if (piece.kind !== "comment" && piece.text.trim() !== "") afterValue = isValue(piece);
    const keep = piece.kind === "code" || (piece.kind === "string" && kept === "imports");
    blanked.push(keep ? piece.text : piece.text.replaceAll(/[^\n]/g, " "));
    at += piece.text.length;
  }
  return blanked.join("");
}

interface Piece {
  readonly kind: "code" | "comment" | "string" | "template" | "template-rest" | "regex";
  readonly text: string;
}

const PATTERNS = {
  comment: /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y,
  string: /"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?/y,
  template: /`(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{|$)/y,
  "template-rest": /\}(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{|$)/y,
  regex: /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
  code: /[\w$]+|\s+|[^]/y,
} as const;

interface Surroundings {
  readonly afterValue: boolean;
  readonly endsPlace: boolean;
}

function pieceAt(source: string, at: number, around: Surroundings): Piece {
  for (const kind of kindsAt(source.charAt(at), around)) {
    const pattern = PATTERNS[kind];
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined) return { kind, text };
  }
  return { kind: "code", text: source.charAt(at) };
}

/** After a value a slash divides; after an operator or a keyword it begins a pattern. */
function kindsAt(first: string, around: Surroundings): readonly Piece["kind"][] {
  if (first === "/") return around.afterValue ? ["comment", "code"] : ["comment", "regex", "code"];
  if (first === '"' || first === "'") return ["string"];
  if (first === "`") return ["template"];
  return first === "}" && around.endsPlace ? ["template-rest"] : ["code"];
}

const KEYWORDS = /^(?:return|typeof|case|in|of|void|await|yield|throw|else|do)$/;

function isValue({ kind, text }: Piece): boolean {
  if (kind !== "code") return !text.endsWith("${");
  return /[\w$)\]}]$/.test(text) && !KEYWORDS.test(text);
}

function followPlaces({ kind, text }: Piece, places: number[]): void {
  if (kind === "template" && text.endsWith("${")) places.push(0);
  if (kind === "template-rest" && !text.endsWith("${")) places.pop();
  const open = kind === "code" ? places.pop() : undefined;
  if (open !== undefined) places.push(open + (text === "{" ? 1 : text === "}" ? -1 : 0));
}
