/** The whole reply of a model that behaves: JSON, sections, or plain prose. */

import type { Section } from "../contract/contract.ts";
import type { ModelRequest } from "./model-provider.ts";
import type { Dice } from "./rehearsal-dice.ts";
import { type Plan, planOf } from "./rehearsal-plan.ts";
import { freeAnswer } from "./rehearsal-prose.ts";
import { subjectOf } from "./rehearsal-subject.ts";
import { toldShape } from "./rehearsal-told-shape.ts";
import { makeValue } from "./rehearsal-value.ts";

export interface ReplyWishes {
  readonly inventIds: boolean;
  /** Laid over the made value, member by member. */
  readonly set: unknown;
}

export function rehearsedReply(request: ModelRequest, dice: Dice, wishes: ReplyWishes): string {
  const subject = subjectOf(request.messages);
  const { outputSchema } = request;
  if (!outputSchema) return freeAnswer(subject, dice.below(1_000));
  const told = (name: string) => toldPlan(request, name);
  const made = makeValue(planOf(outputSchema), {
    dice,
    subject,
    inventIds: wishes.inventIds,
    told,
  });
  return writeReply(wishes.set === undefined ? made : laidOver(made, wishes.set), request);
}

/** The fields that the prompt asks for, or plain text where the section takes it. */
function toldPlan({ messages, syntax }: ModelRequest, name: string): Plan | undefined {
  const shape = toldShape(messages, name);
  if (shape !== undefined) return planOf(shape);
  const sections = syntax?.kind === "sections" ? syntax.sections : [];
  const textAs = sections.find(({ field }) => field === name)?.textAs;
  if (textAs === undefined) return undefined;
  return planOf({
    type: "object",
    properties: { [textAs]: { type: "string" } },
    required: [textAs],
  });
}

/** A value in the syntax the request asks for. */
export function writeReply(value: unknown, { syntax }: ModelRequest): string {
  if (syntax?.kind === "sections" && isRecord(value)) return writeSections(value, syntax.sections);
  return JSON.stringify(value, null, 2);
}

function writeSections(
  value: Readonly<Record<string, unknown>>,
  sections: readonly Section[],
): string {
  const written: string[] = [];
  for (const section of sections) {
    const content = value[section.field];
    if (content !== undefined)
      written.push(`## ${section.heading}\n${writeSection(content, section, value)}`);
  }
  return written.join("\n\n");
}

function writeSection(
  content: unknown,
  section: Section,
  value: Readonly<Record<string, unknown>>,
): string {
  if (section.read === "word") {
    const rest = section.rest === undefined ? undefined : value[section.rest];
    return typeof rest === "string" && rest !== ""
      ? `${asText(content)}\n${rest}`
      : asText(content);
  }
  if (section.read === "list" && Array.isArray(content)) {
    if (content.length === 0) return "- none";
    return content.map((item) => `- ${asText(item).replaceAll("\n", "\n  ")}`).join("\n");
  }
  if (section.read === "text" && typeof content === "string") return content;
  const text = onlyText(content, section.textAs);
  if (text !== undefined) return text;
  return `\`\`\`json\n${JSON.stringify(content, null, 2)}\n\`\`\``;
}

/** Text that can stand for itself: what reads it back makes the same object of it. */
function onlyText(content: unknown, textAs: string | undefined): string | undefined {
  if (textAs === undefined || !isRecord(content) || Object.keys(content).length !== 1) {
    return undefined;
  }
  const text = content[textAs];
  return typeof text === "string" && /^\p{L}/u.test(text) && !text.includes("```")
    ? text
    : undefined;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function laidOver(made: unknown, set: unknown): unknown {
  if (!isRecord(made) || !isRecord(set)) return set;
  const sum: Record<string, unknown> = { ...made };
  for (const [key, value] of Object.entries(set)) {
    const member = Object.hasOwn(sum, key) ? laidOver(sum[key], value) : value;
    Object.defineProperty(sum, key, {
      value: member,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return sum;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
