/** One mention of a node: its id, the brackets that give label and shape, its class. */

import type { Fault } from "../../../kernel/base/text-position.ts";
import type { Mention, MentionBody, Shape } from "./diagram.ts";
import { readId } from "./read-id.ts";
import { readLabel } from "./read-label.ts";
import { fault, isFault, matchAt, type Read, unexpected } from "./scan.ts";

type DrawnShape = Exclude<Shape, "none">;

interface Brackets {
  readonly opening: RegExp;
  readonly plain: RegExp;
  /** Must not match where a longer bracket of another shape stands. */
  readonly closing: RegExp;
  readonly shown: string;
  shapeWith(closing: string): DrawnShape;
}

const TEXT = /[^[\](){}|"]+/y;
const ELLIPSE_TEXT = /(?:[^()[\]{}"\-/]|[-/](?!\)))+/y;
const SLANTED_TEXT = /(?:[/\\](?!\])|[^\\[\](){}/"])+/y;

/** In the order in which mermaid tries them. */
const BRACKETS: readonly Brackets[] = [
  drawn("ellipse", /\(-/y, /[-/]\)/y, "-)", ELLIPSE_TEXT),
  drawn("stadium", /\(\[/y, /\]\)/y, "])"),
  drawn("subroutine", /\[\[/y, /\]\]/y, "]]"),
  drawn("cylinder", /\[\(/y, /\)\]/y, ")]"),
  drawn("doublecircle", /\(\(\(/y, /\)\)\)/y, ")))"),
  slanted(/\[\//y, { slash: "lean_right", backslash: "trapezoid" }),
  slanted(/\[\\/y, { slash: "inv_trapezoid", backslash: "lean_left" }),
  drawn("circle", /\(\((?![-[])/y, /\)(?!\]|\)\))\)(?!\]|\)\))/y, "))"),
  drawn("round", /\(/y, /\)(?!\]|\)\))/y, ")"),
  drawn("square", /\[/y, /\](?![)\]])/y, "]"),
  drawn("hexagon", /\{\{/y, /\}\}/y, "}}"),
  drawn("diamond", /\{/y, /\}/y, "}"),
  drawn("odd", />/y, /\](?![)\]])/y, "]"),
];

export function readMention(text: string, start: number): Read<Mention> | Fault {
  const id = readId(text, start);
  if (isFault(id)) return id;
  if (id.value === "") return unexpected(text, start, "Here the id of a node is needed");
  if (text.startsWith("@", id.end)) return namedShape(id.end);
  const body = readBody(text, id.end);
  if (body !== undefined && isFault(body)) return body;
  const behind = body?.end ?? id.end;
  const end = readClass(text, behind);
  if (typeof end !== "number") return end;
  return {
    value: {
      id: id.value,
      span: { start, end },
      idSpan: { start, end: id.end },
      body: body?.value,
    },
    end,
  };
}

function readBody(text: string, open: number): Read<MentionBody> | Fault | undefined {
  if (!"([{>".includes(text.charAt(open) || " ")) return undefined;
  if (text.startsWith("[|", open)) {
    return fault(open, "Workflows do not know the bracket [|", "Draw the step as […].");
  }
  for (const brackets of BRACKETS) {
    const bracket = matchAt(brackets.opening, text, open);
    if (bracket === undefined) continue;
    const label = readLabel(text, open + bracket.length, { open, ...brackets });
    if (isFault(label)) return label;
    const closing = matchAt(brackets.closing, text, label.end) ?? "";
    const span = { start: open, end: label.end + closing.length };
    const shape = brackets.shapeWith(closing);
    return { value: { shape, span, label: label.value }, end: span.end };
  }
  return undefined;
}

/** The place behind `:::name`, if there is one. */
function readClass(text: string, at: number): number | Fault {
  if (!text.startsWith(":::", at)) return at;
  const name = readId(text, at + 3);
  if (isFault(name)) return name;
  return name.value === "" ? unexpected(text, at + 3, "Behind ::: a class is needed") : name.end;
}

function drawn(
  shape: DrawnShape,
  opening: RegExp,
  closing: RegExp,
  shown: string,
  plain = TEXT,
): Brackets {
  return { opening, plain, closing, shown, shapeWith: () => shape };
}

function slanted(
  opening: RegExp,
  shapes: { readonly slash: DrawnShape; readonly backslash: DrawnShape },
): Brackets {
  return {
    opening,
    plain: SLANTED_TEXT,
    closing: /[/\\]\]/y,
    shown: "/] or \\]",
    shapeWith: (closing) => (closing.startsWith("/") ? shapes.slash : shapes.backslash),
  };
}

function namedShape(offset: number): Fault {
  return fault(
    offset,
    "Shapes by name, @{ shape: … }, are not read in workflows",
    "Draw the step with brackets, such as id[label], and leave looks to classDef.",
  );
}
