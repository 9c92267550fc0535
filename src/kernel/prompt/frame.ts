/** The text around the parts: headings, list marks and separators. All of it counts in the budget. */

import type { Layer, Layout } from "./part.ts";
import { layerRepeated } from "./prompt-refusals.ts";
import { type Redactor, redactText } from "./redactor.ts";

export interface Frame {
  readonly layers: readonly LayerFrame[];
  /** Between layers. */
  readonly separator: string;
  readonly indexes: ReadonlyMap<string, number>;
}

export interface LayerFrame {
  readonly layer: Layer;
  /** With its line break; empty when there is none. */
  readonly heading: string;
  readonly separator: string;
}

export function createFrame(layout: Layout, redactor: Redactor): Frame {
  const indexes = new Map<string, number>();
  const layers = layout.layers.map((layer, index) => {
    if (indexes.has(layer.id)) throw layerRepeated(layer.id);
    indexes.set(layer.id, index);
    const heading = layer.heading ?? "";
    return {
      layer,
      heading: heading === "" ? "" : `${redactText(redactor, heading)}\n`,
      separator: layer.separator ?? "\n",
    };
  });
  return { layers, separator: layout.separator ?? "\n\n", indexes };
}

/** What stands before a part in its list; the first is number 1. */
export function listMark({ list }: Layer, number: number): string {
  if (list === undefined) return "";
  return list === "numbered" ? `${number}. ` : "• ";
}
