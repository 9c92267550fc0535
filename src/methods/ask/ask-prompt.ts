/** One request and the material that may help, as a prompt from `library/ask/prompts`. */

import { renderTemplate } from "../../kernel/base/template.ts";
import type { Library } from "../../kernel/library/library.ts";
import { parsePrompt } from "../../kernel/library/parse-prompt.ts";
import { compilePrompt } from "../../kernel/prompt/compile-prompt.ts";
import type { CompiledPrompt } from "../../kernel/prompt/compiled-prompt.ts";
import { FENCE_NOTICE } from "../../kernel/prompt/fence-untrusted.ts";
import type { Layout, Part } from "../../kernel/prompt/part.ts";

export interface AskRequest {
  readonly request: string;
  readonly context: string;
}

const LAYOUT: Layout = {
  layers: [
    { id: "instructions", role: "system", stability: "fixed" },
    { id: "context", role: "user", stability: "turn", heading: "# Context" },
    { id: "request", role: "user", stability: "turn", heading: "# Request" },
  ],
};

export const ASK_BUDGET_CHARACTERS = 200_000;

export function compileAsk(library: Library, { request, context }: AskRequest): CompiledPrompt {
  const system = parsePrompt(library.read("ask/prompts/answer-system.md"));
  const words = renderTemplate(system.template, {}).text.trim();
  const instructions = `${words}\n\n${FENCE_NOTICE}`;
  const parts: Part[] = [
    {
      id: "instructions",
      layer: "instructions",
      order: 0,
      importance: "required",
      text: [
        {
          text: instructions,
          ref: { type: "prompt", id: system.file.path, version: system.file.hash },
        },
      ],
    },
    {
      id: "context",
      layer: "context",
      order: 0,
      importance: 1,
      cut: { by: "words", minimum: 200 },
      text:
        context === "" ? "None." : [{ text: context, untrusted: "given by the person who asks" }],
    },
    {
      id: "request",
      layer: "request",
      order: 0,
      importance: "required",
      text: [{ text: request, ref: { type: "request", id: "request" } }],
    },
  ];
  return compilePrompt(LAYOUT, parts, { budget: { characters: ASK_BUDGET_CHARACTERS } });
}
