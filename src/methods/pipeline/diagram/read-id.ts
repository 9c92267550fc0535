/**
 * Ids of nodes, by mermaid's rules: pieces are read one after another, and at the beginning of each
 * piece a link, a quote or a reserved word would win. So `x--` begins a link, and `a-end` is an id
 * while `end-a` is not.
 */

import type { Fault } from "../../../kernel/base/text-position.ts";
import type { Span } from "./diagram.ts";
import { BLANKS, fault, matchAt, type Read, skip } from "./scan.ts";

const PIECE =
  /[0-9]+|:(?!::)|[#&,*]|(?:default|v)\b|(?!")(?:[A-Za-z0-9!"#$%&'*+.`?\\_/]|-(?=[^>\-.]))+|-|(?![\u{10000}-\u{10ffff}])\p{L}/uy;
const LINK_AHEAD = /[xo<]?(?:--|==|-?\.+-|-\.)|~~~/y;
const RESERVED =
  /(?:style|linkStyle|interpolate|classDef|class|flowchart-elk|swimlane-beta|graph|flowchart|subgraph|end|_self|_blank|_parent|_top)\b|(?:call|href|click)(?=\s|$)|accTitle(?=\s*:)|accDescr(?=\s*[:{])/y;
const LINK_NAME = /[^\s"[\](){}|]+@(?=[^{"])/y;

/** An empty id where none begins. */
export function readId(text: string, start: number): Read<string> | Fault {
  let end = start;
  while (matchAt(LINK_AHEAD, text, end) === undefined) {
    const reserved = matchAt(RESERVED, text, end);
    if (reserved !== undefined) return reservedWord(reserved, end);
    const piece = matchAt(PIECE, text, end);
    if (piece === undefined) break;
    end += piece.length;
  }
  const id = text.slice(start, end);
  const entity = text.charAt(end) === ";" ? /#\w+$/.exec(id) : null;
  return entity === null ? { value: id, end } : hiddenCharacter(start + entity.index, entity[0]);
}

/** Of `e1@-->` the `e1@`. */
export interface LinkName extends Span {
  readonly id: string;
}

/** Only behind a blank: without one it would belong to the id before it. */
export function readLinkName(text: string, at: number): LinkName | undefined {
  const start = skip(BLANKS, text, at);
  const name = start === at ? undefined : matchAt(LINK_NAME, text, start);
  return name === undefined
    ? undefined
    : { id: name.slice(0, -1), start, end: start + name.length };
}

function hiddenCharacter(offset: number, written: string): Fault {
  const hint = "Put a blank or a line end before the semicolon.";
  return fault(offset, `Mermaid takes ${written}; for a character, which an id cannot have`, hint);
}

function reservedWord(word: string, offset: number): Fault {
  return fault(
    offset,
    `"${word}" is a word of mermaid's own and cannot be the id of a node, nor begin one`,
    "Write it with a capital letter, or put something in front of it.",
  );
}
