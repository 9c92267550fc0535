/** Labels, brackets and links as they are written into a source. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Shape } from "./diagram.ts";
import { encodeLabel } from "./label-text.ts";

/** Reads the same in every bracket and between bars. */
const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N}_ ,.?!':]*[\p{L}\p{N}_.?!])?$/u;

const BRACKETS: Readonly<Record<Exclude<Shape, "none">, readonly [string, string]>> = {
  square: ["[", "]"],
  round: ["(", ")"],
  diamond: ["{", "}"],
  subroutine: ["[[", "]]"],
  stadium: ["([", "])"],
  cylinder: ["[(", ")]"],
  circle: ["((", "))"],
  doublecircle: ["(((", ")))"],
  ellipse: ["(-", "-)"],
  odd: [">", "]"],
  hexagon: ["{{", "}}"],
  lean_right: ["[/", "/]"],
  lean_left: ["[\\", "\\]"],
  trapezoid: ["[/", "\\]"],
  inv_trapezoid: ["[\\", "/]"],
};

/** Whether a label may stand without quotes, whatever is around it. */
export function isPlainLabel(text: string): boolean {
  return PLAIN.test(text) && !/direction/.test(text);
}

/** In quotes, unless it was without and can stay so. */
export function writeLabel(text: string, style: "quoted" | "plain"): string {
  const shown = text.trim();
  if (shown === "") {
    throw new ProductError("label_empty", "A label cannot be empty.", {
      hint: "Write what the step does, or take the label away.",
    });
  }
  const written = style === "plain" && isPlainLabel(shown) ? shown : `"${encodeLabel(shown)}"`;
  if (!/direction\s+(?:TB|BT|RL|LR|TD)/.test(written)) return written;
  throw new ProductError("label_misread", "Mermaid would take this label for a direction.", {
    hint: "Reword it, so that no TB, BT, RL, LR or TD follows the word direction.",
  });
}

export function writeBody(shape: Exclude<Shape, "none">, label: string): string {
  const [open, close] = BRACKETS[shape];
  return `${open}${label}${close}`;
}
