/**
 * The seed prompt of a stage: everything the stage starts from, in one text. It is made once for each stage
 * and iteration, is the same for all slots, and is never sent by itself; planners read it.
 *
 * What exists from before is listed, not repeated: each planner gets those documents that are its own to
 * read, and an edit of one of them does not make every plan of the stage stale.
 */

import type { Library } from "../../../kernel/library/library.ts";
import { compilePrompt } from "../../../kernel/prompt/compile-prompt.ts";
import type { Layout, Part } from "../../../kernel/prompt/part.ts";
import type { CompiledStage } from "../recipe/compiled-domain.ts";
import type { Field } from "../recipe/document-file.ts";
import type { OverlayValues } from "../recipe/domain-file.ts";
import { promptPath } from "../recipe/read-domain.ts";
import { overlayParts, type PromptValues, required, saying } from "./prompt-parts.ts";

export interface SeedInputs {
  readonly library: Library;
  readonly domain: string;
  readonly stage: CompiledStage;
  readonly request: string;
  readonly overlays: OverlayValues;
  readonly values: PromptValues;
  /** What was made before, by title, with how many of each there are. */
  readonly before: readonly { readonly title: string; readonly count: number }[];
}

const LAYOUT: Layout = {
  layers: [
    { id: "request", role: "user", stability: "run", heading: "# Original request" },
    { id: "base", role: "user", stability: "run" },
    {
      id: "documents",
      role: "user",
      stability: "run",
      heading: "# The documents of this stage",
      separator: "\n\n",
    },
    {
      id: "overlays",
      role: "user",
      stability: "run",
      heading: "# Ground rules",
      separator: "\n\n",
    },
    { id: "before", role: "user", stability: "run", heading: "# What exists from before" },
  ],
};

export function compileSeed(inputs: SeedInputs): string {
  const { library, domain, stage, request, overlays, values, before } = inputs;
  const documents = stage.steps.filter(({ outputType }) => outputType !== "HeaderContext");
  const parts: Part[] = [
    required("request", "request", 0, [
      { text: request.trim(), ref: { type: "request", id: "request" } },
    ]),
    required("base", "base", 0, [saying(library, promptPath(domain, stage.seedTemplate), values)]),
    ...documents.map(({ shape }, order) =>
      required("documents", `document:${shape.key}`, order, [
        { text: `## ${shape.title}\n${shape.guidance}\n\n${outlineOf(shape.fields)}` },
      ]),
    ),
    ...overlayParts(overlays),
    ...before.map(({ title, count }, order) =>
      required("before", `before:${order}`, order, [
        { text: `- ${title}${count === 1 ? "" : `, ${count} versions`}` },
      ]),
    ),
  ];
  return `${compilePrompt(LAYOUT, parts).text}\n`;
}

/** A document's template: its sections, in order. */
function outlineOf(fields: readonly Field[]): string {
  return fields
    .map(({ title, required: isNeeded }) => `- ${title}${isNeeded ? "" : " (if any)"}`)
    .join("\n");
}
