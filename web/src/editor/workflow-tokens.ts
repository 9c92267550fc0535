/** The words of a workflow's text by kind, line by line: enough to read it by colour. */

export interface Token {
  readonly from: number;
  readonly to: number;
  readonly kind: "id" | "comment" | "string" | "key" | "arrow" | "word" | "number" | "place";
}

const SETTINGS = /^(\s*%%)(\s*@(?:step\([^\s()]+\)|[^\s{}:]+))?/;
const JSON_PARTS = /("(?:[^"\\]|\\.)*"?)(\s*:)?|-?\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b/g;
const PLACE = /\{\{[^}]*\}\}?/g;
const DRAWING =
  /("(?:[^"\\]|\\.)*"?)|(\|[^|"]*\|)|((?:<|x|o)?(?:-{2,}|={2,}|-\.+-?)(?:>|x|o)?|~{3,}|&)|\b(graph|flowchart|subgraph|end|direction|classDef|class|style|linkStyle|click|TD|TB|BT|LR|RL)\b|([\p{L}_][\p{L}\p{N}_-]*)(?=\s*(?:[[({>]|-->|---|-\.|==|&|:::|$|;))/gu;

export function tokensOf(line: string): readonly Token[] {
  const settings = SETTINGS.exec(line);
  return settings === null ? drawingTokens(line) : settingTokens(line, settings);
}

function settingTokens(line: string, [whole, sign = "", id]: RegExpExecArray): readonly Token[] {
  const isConfig =
    id !== undefined || /^\s*%%\s*(?:workflow:|["{}[\]]|-?\d|true|false|null)/.test(line);
  if (!isConfig) return [{ from: 0, to: line.length, kind: "comment" }];
  const tokens: Token[] = [{ from: 0, to: sign.length, kind: "comment" }];
  if (id !== undefined)
    tokens.push({ from: whole.length - id.trimStart().length, to: whole.length, kind: "id" });
  for (const found of line.slice(whole.length).matchAll(JSON_PARTS)) {
    const [text, quoted, colon] = found;
    const from = whole.length + found.index;
    if (quoted === undefined) tokens.push({ from, to: from + text.length, kind: "number" });
    else if (colon !== undefined) tokens.push({ from, to: from + quoted.length, kind: "key" });
    else tokens.push(...stringTokens(quoted, from));
  }
  return tokens;
}

/** What is filled in stands out of the text around it. */
function stringTokens(quoted: string, start: number): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const push = (to: number, kind: Token["kind"]) => {
    if (to > at) tokens.push({ from: start + at, to: start + to, kind });
    at = to;
  };
  for (const { 0: place, index } of quoted.matchAll(PLACE)) {
    push(index, "string");
    push(index + place.length, "place");
  }
  push(quoted.length, "string");
  return tokens;
}

function drawingTokens(line: string): readonly Token[] {
  return [...line.matchAll(DRAWING)].map(
    ({ 0: text, 1: quoted, 2: label, 3: arrow, 4: word, index }) => {
      const kind =
        quoted !== undefined || label !== undefined
          ? "string"
          : arrow !== undefined
            ? "arrow"
            : word !== undefined
              ? "word"
              : "id";
      return { from: index, to: index + text.length, kind };
    },
  );
}

/** The places of a prompt that are filled in. */
export function placeTokens(line: string): readonly Token[] {
  return [...line.matchAll(PLACE)].map(({ 0: text, index }) => {
    return { from: index, to: index + text.length, kind: "place" };
  });
}
