/**
 * A script pins what the rehearsal model says: per step, item, attempt and continuation. It is a JSON
 * file; what is wrong with it is said with line and column.
 *
 *     { "replies": [{ "step": "ask.answer", "attempt": 1, "reply": {"answer": "42"},
 *                     "misbehave": { "kind": "truncate", "at": 12 } }],
 *       "default": { "rates": { "fence": 0.1 } } }
 */

import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { z } from "zod";
import { errorAt } from "../base/text-position.ts";
import type { ModelLabels } from "./model-provider.ts";
import { misbehaviourSchema, ratesSchema } from "./rehearsal-misbehaviour.ts";

const behaviour = {
  /** The whole reply: text as it is, anything else in the syntax that is asked for. */
  reply: z.json().optional(),
  /** Laid over the reply that would have been made. */
  set: z.json().optional(),
  misbehave: misbehaviourSchema.optional(),
  latencyMs: z.int().nonnegative().max(3_600_000).optional(),
};

const scriptSchema = z.strictObject({
  replies: z
    .array(
      z.strictObject({
        /** Exact, `*` for any, or a beginning followed by `*`; so is `item`. */
        step: z.string().min(1).optional(),
        item: z.string().min(1).optional(),
        attempt: z.int().positive().optional(),
        /** 0, the first call, unless given; `*` for every call. */
        continuation: z.union([z.int().nonnegative(), z.literal("*")]).default(0),
        ...behaviour,
      }),
    )
    .default([]),
  default: z.strictObject({ ...behaviour, rates: ratesSchema.optional() }).optional(),
});

export type RehearsalScript = Readonly<z.infer<typeof scriptSchema>>;
export type ScriptedBehaviour = Pick<RehearsalScript["replies"][number], keyof typeof behaviour>;

export function parseRehearsalScript(text: string): RehearsalScript {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [syntax] = errors;
  if (syntax || !tree) {
    throw errorAt(text, {
      code: "rehearsal_script_invalid",
      message: `The rehearsal script is no JSON: ${syntax ? spaced(printParseErrorCode(syntax.error)) : "it is empty"}`,
      offset: syntax?.offset ?? 0,
    });
  }
  const parsed = scriptSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = (issue?.path ?? []).filter((part) => typeof part !== "symbol");
  throw errorAt(text, {
    code: "rehearsal_script_invalid",
    message: `The rehearsal script cannot be used: ${path.join(".") || "it"}: ${issue?.message ?? "is wrong"}`,
    offset: nearestNode(tree, path).offset,
    hint: "Rules have step, item, attempt, continuation, and reply, set, misbehave or latencyMs.",
  });
}

/** The first rule that fits this call, else, for a first call, the default. */
export function scriptedBehaviour(
  script: RehearsalScript,
  labels: ModelLabels,
): ScriptedBehaviour | undefined {
  const rule = script.replies.find(
    ({ step, item, attempt, continuation }) =>
      fits(step, labels.step) &&
      fits(item, labels.item ?? "") &&
      (attempt === undefined || attempt === labels.attempt) &&
      (continuation === "*" || continuation === labels.continuation),
  );
  return rule ?? (labels.continuation === 0 ? script.default : undefined);
}

function fits(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined || pattern === "*") return true;
  return pattern.endsWith("*") ? value.startsWith(pattern.slice(0, -1)) : value === pattern;
}

function nearestNode(tree: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return node;
  }
  return tree;
}

/** `CommaExpected` → `comma expected`. */
function spaced(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
