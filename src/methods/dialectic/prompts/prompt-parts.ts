/** What the prompts of the dialectic share: texts of the library, overlays, material. */

import type { Json } from "../../../kernel/base/json.ts";
import { renderTemplate } from "../../../kernel/base/template.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { parsePrompt } from "../../../kernel/library/parse-prompt.ts";
import type { Part, Piece } from "../../../kernel/prompt/part.ts";
import type { OverlayValues } from "../recipe/domain-file.ts";

/** Values that prompts of a domain may name; each takes those it declares. */
export type PromptValues = Readonly<Record<string, Json>>;

/** About 150,000 tokens: what does not fit is left out, the least relevant first, and the prompt says so. */
export const BUDGET_CHARACTERS = 600_000;

export function saying(library: Library, path: string, values: PromptValues = {}): Piece {
  const prompt = parsePrompt(library.read(path));
  const own = Object.fromEntries(prompt.variables.map(({ name }) => [name, values[name] ?? ""]));
  const { text } = renderTemplate(prompt.template, own);
  return { text: text.trim(), ref: { type: "prompt", id: path, version: prompt.file.hash } };
}

export function required(
  layer: string,
  id: string,
  order: number,
  text: string | readonly Piece[],
): Part {
  return { id, layer, order, importance: "required", text };
}

export function overlayParts(overlays: OverlayValues): readonly Part[] {
  return Object.entries(overlays).map(([key, { title, text }], order) =>
    required("overlays", `overlay:${key}`, order, [
      { text: `## ${title}\n${text}`, ref: { type: "overlay", id: key } },
    ]),
  );
}

/** Something to read: who it is from, and the text itself, fenced as material. */
export interface Material {
  readonly id: string;
  readonly hash: string;
  readonly label: string;
  readonly text: string;
  readonly relevance: number;
  readonly kind: "document" | "feedback";
}

export function materialParts(layer: string, materials: readonly Material[]): readonly Part[] {
  return materials.map(({ id, hash, label, text, relevance, kind }, order) => ({
    id: `${kind}:${id}`,
    layer,
    order,
    kind,
    importance: Math.round(relevance * 100),
    cut: { by: "words", minimum: 400 },
    note: `relevance ${relevance}`,
    text: [
      { text: `## ${label}\n` },
      { text, untrusted: label, ref: { type: "artifact", id, version: hash } },
    ],
  }));
}
