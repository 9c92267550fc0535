/** The prompt that distills one window: the thinking stance, what to propose and how to prove it, and the messages. */

import { renderTemplate } from "../../../kernel/base/template.ts";
import type { Contract } from "../../../kernel/contract/contract.ts";
import { skeletonOf } from "../../../kernel/contract/skeleton.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { parsePrompt } from "../../../kernel/library/parse-prompt.ts";
import { compilePrompt } from "../../../kernel/prompt/compile-prompt.ts";
import type { CompiledPrompt } from "../../../kernel/prompt/compiled-prompt.ts";
import { FENCE_NOTICE } from "../../../kernel/prompt/fence-untrusted.ts";
import type { Layout, Part, Piece } from "../../../kernel/prompt/part.ts";
import { createRedactor } from "../../../kernel/prompt/redactor.ts";
import { shownText, type WindowMessage } from "./window-messages.ts";

const LAYOUT: Layout = {
  layers: [
    { id: "instructions", role: "system", stability: "fixed", separator: "\n\n" },
    { id: "conversation", role: "user", stability: "run", heading: "# Conversation" },
    { id: "messages", role: "user", stability: "turn", heading: "# Messages", separator: "\n\n" },
  ],
};

export interface DistillRequest {
  readonly title: string;
  readonly conversationId: string;
  readonly messages: readonly WindowMessage[];
  /** Which of how many parts of the conversation. */
  readonly part: { readonly number: number; readonly of: number };
  /** Redacted passages, to be looked for in the finished text. */
  readonly passages: readonly string[];
}

export function compileDistill(
  library: Library,
  contract: Contract,
  request: DistillRequest,
): CompiledPrompt {
  const { title, conversationId, messages, part, passages } = request;
  const place = part.of === 1 ? "" : ` (part ${part.number} of ${part.of})`;
  const parts: Part[] = [
    instruction(0, saying(library, "thinking-stance")),
    instruction(1, saying(library, "distill", { form: skeletonOf(contract) })),
    instruction(2, { text: FENCE_NOTICE }),
    {
      id: "title",
      layer: "conversation",
      order: 0,
      importance: "required",
      text: [
        {
          text: title === "" ? "Untitled" : title,
          untrusted: "title",
          ref: { type: "conversation", id: conversationId, field: "title" },
        },
        ...(place === "" ? [] : [{ text: place }]),
      ],
    },
    ...messages.map(
      (message, order): Part => ({
        id: `message:${message.id}`,
        layer: "messages",
        order,
        importance: "required",
        text: [
          { text: `[${message.mark}] ${message.role}: ` },
          {
            text: shownText(message),
            untrusted: "message",
            ref: { type: "message", id: message.id, field: "content" },
          },
        ],
      }),
    ),
  ];
  return compilePrompt(LAYOUT, parts, { redactor: createRedactor({ texts: passages }) });
}

function instruction(order: number, piece: Piece): Part {
  const id = `instructions:${order}`;
  return { id, layer: "instructions", order, importance: "required", text: [piece] };
}

function saying(library: Library, name: string, values: Record<string, string> = {}): Piece {
  const { template, file } = parsePrompt(library.read(`continuity/prompts/${name}.md`));
  return {
    text: renderTemplate(template, values).text.trim(),
    ref: { type: "prompt", id: file.path, version: file.hash },
  };
}
