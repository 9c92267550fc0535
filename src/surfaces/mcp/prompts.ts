/** Prompts that units contribute through their operations: picked by a person, filled by the operation. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { Library } from "../../kernel/library/library.ts";
import { readFieldText } from "../../kernel/operation/input-field.ts";
import { inputFields } from "../../kernel/operation/input-fields.ts";
import type { Operation, PromptHint } from "../../kernel/operation/operation.ts";
import type { McpVisitor } from "./mcp-visitor.ts";

interface Offered {
  readonly operation: Operation;
  readonly prompt: PromptHint;
}

export function offeredPrompts(
  operations: readonly Operation[],
  library: Library,
): readonly Offered[] {
  return operations.flatMap((operation) =>
    (operation.surfaces?.prompts?.(library) ?? []).map((prompt) => ({ operation, prompt })),
  );
}

export function describePrompt({ operation, prompt }: Offered) {
  const { name, title, summary, asks, input } = prompt;
  const fields = inputFields(operation.input).filter((field) => asks.includes(field.name));
  return {
    name,
    title,
    description: summary,
    arguments: fields.map((field) => ({
      name: field.name,
      description: describeField(field.description, input[field.name]),
      required: !(field.name in input),
    })),
  };
}

export async function fillPrompt(
  offered: readonly Offered[],
  visitor: McpVisitor,
  asked: {
    readonly name: string;
    readonly given: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
) {
  const found = offered.find(({ prompt }) => prompt.name === asked.name);
  if (found === undefined) throw unknownPrompt(asked.name, offered);
  const { operation, prompt } = found;
  const fields = new Map(inputFields(operation.input).map((field) => [field.name, field]));
  const given = Object.fromEntries(
    Object.entries(asked.given).map(([name, text]) => {
      const field = fields.get(name);
      return [name, field === undefined ? text : readFieldText(field, text)];
    }),
  );
  const input = { ...prompt.input, ...given };
  const output = await visitor.invoke(operation.name, input, { signal: asked.signal });
  const text = (output as Readonly<Record<string, unknown>>)[prompt.text];
  return {
    description: prompt.title,
    messages: [{ role: "user" as const, content: { type: "text" as const, text: String(text) } }],
  };
}

function describeField(description: string | undefined, fallback: unknown): string {
  const rest = fallback === undefined ? "" : ` ${JSON.stringify(fallback)} unless given.`;
  return `${description ?? ""}${rest}`.trim();
}

function unknownPrompt(name: string, offered: readonly Offered[]): ProductError {
  return new ProductError("prompt_unknown", `There is no prompt "${name.slice(0, 100)}".`, {
    kind: "not_found",
    hint: `There are: ${offered.map(({ prompt }) => prompt.name).join(", ")}.`,
  });
}
