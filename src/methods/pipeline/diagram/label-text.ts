/**
 * Labels between what is written and what a reader sees: `#quot;` and `&gt;` stand for characters,
 * `<br/>` for a line break. Other tags and Markdown stay as they are.
 */

/** Those that matter in labels and conditions; any other name stays as it is written. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["quot", '"'],
  ["apos", "'"],
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["nbsp", "\u00a0"],
  ["num", "#"],
  ["semi", ";"],
  ["colon", ":"],
  ["comma", ","],
  ["period", "."],
  ["excl", "!"],
  ["quest", "?"],
  ["equals", "="],
  ["vert", "|"],
  ["verbar", "|"],
  ["percnt", "%"],
  ["lpar", "("],
  ["rpar", ")"],
  ["lsqb", "["],
  ["lbrack", "["],
  ["rsqb", "]"],
  ["rbrack", "]"],
  ["lcub", "{"],
  ["lbrace", "{"],
  ["rcub", "}"],
  ["rbrace", "}"],
  ["lowbar", "_"],
  ["sol", "/"],
  ["bsol", "\\"],
  ["commat", "@"],
  ["grave", "`"],
]);

const BREAK = /<br\s*\/?>/gi;
/** `#name;` or `#35;` as mermaid has it, `&name;` as a browser shows it. */
const ENTITY = /#(\w+);|&([a-zA-Z]+);/g;

export function decodeLabel(written: string): string {
  return written
    .replaceAll("\r\n", "\n")
    .replaceAll(BREAK, "\n")
    .replaceAll(ENTITY, (entity, mermaid?: string, html?: string) => {
      return characterOf(mermaid ?? html ?? "") ?? entity;
    });
}

/** What to write, inside double quotes, so that a reader sees the text again. */
export function encodeLabel(text: string): string {
  return text
    .replaceAll(/#(?=\w+;)|&(?=[a-zA-Z]+;)/g, (sign) => (sign === "#" ? "#35;" : "#amp;"))
    .replaceAll(/<(?=[a-z/!?])/gi, "#lt;")
    .replaceAll('"', "#quot;")
    .replace(/^`/, "#grave;")
    .replaceAll(/\r?\n|\r/g, "<br/>");
}

function characterOf(name: string): string | undefined {
  if (!/^\d{1,7}$/.test(name)) return NAMED.get(name);
  const point = Number(name);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}
