/** What a drawing of a workflow shows: steps as nodes, ways as edges, whoever they belong to. */

import type { State } from "../parts/state.ts";

export type StepShape = "automated" | "manual" | "decision" | "foreach" | "join" | "subflow";

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly shape: StepShape;
  /** Undefined in the editor, where the glyph of the type stands in its place. */
  readonly state: State | undefined;
  /** One line below the name. */
  readonly fact: string;
  /** Items of a foreach: each by itself, or how far they are when there are many. */
  readonly cells?: readonly State[] | undefined;
  readonly progress?: number | undefined;
  /** Something is wrong with it. */
  readonly fault?: "error" | "warning" | undefined;
}

export interface GraphEdge {
  readonly source: string;
  readonly target: string;
  /** The condition, written on it. */
  readonly label: string | undefined;
  readonly kind: "plain" | "taken" | "live";
}

export function shapeOf(type: string, execution: string | undefined): StepShape {
  if (type === "decision" || type === "foreach" || type === "join" || type === "subflow")
    return type;
  return execution === "manual" ? "manual" : "automated";
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const NARROWEST = 150;
const WIDEST = 232;

/** As wide as its name needs, within bounds. What a run adds later must not move it: its room is taken beforehand. */
export function sizeOf({ name, shape, state }: Pick<GraphNode, "name" | "shape" | "state">): Size {
  const isRun = state !== undefined;
  const least = isRun ? NARROWEST + 22 : NARROWEST;
  const width = Math.min(WIDEST, Math.max(least, Math.ceil(textWidth(name) + 58)));
  const height = isRun ? 46 : 38;
  switch (shape) {
    case "decision":
      return {
        width: Math.min(WIDEST, Math.max(164, Math.ceil(textWidth(name) + 78))),
        height: 62,
      };
    case "foreach":
      return { width: isRun ? Math.max(width, 216) : width, height: isRun ? 74 : 46 };
    case "join":
      return { width: Math.min(WIDEST, width + 32), height };
    case "manual":
      return { width: Math.min(WIDEST, Math.max(isRun ? 208 : 0, width + 14)), height };
    default:
      return { width, height };
  }
}

type Face = "name" | "fact" | "label";

const SIZES: Readonly<Record<Face, string>> = {
  name: "550 12.5px",
  fact: "550 11px",
  label: "10.5px",
};
const widths = new Map<string, number>();
const MOST_KEPT = 5000;
let paper: CanvasRenderingContext2D | null | undefined;

/** As this machine's faces draw it. */
export function textWidth(text: string, face: Face = "name"): number {
  const key = `${face} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  paper ??= document.createElement("canvas").getContext("2d");
  if (paper === null) return text.length * 7;
  const style = getComputedStyle(document.documentElement);
  const family = style.getPropertyValue(face === "label" ? "--mono" : "--sans");
  paper.font = `${SIZES[face]} ${family}`;
  const { width } = paper.measureText(text);
  if (widths.size >= MOST_KEPT) widths.clear();
  widths.set(key, width);
  return width;
}

/** SVG knows no ellipsis. */
export function cutTo(text: string, width: number, face: Face = "name"): string {
  if (textWidth(text, face) <= width) return text;
  let [low, high] = [1, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(`${text.slice(0, middle)}…`, face) <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).trimEnd()}…`;
}
