/**
 * What a step's settings may say: the seed's fields and ours. Each member is checked by itself, so
 * that all that is wrong is found and what is right still counts.
 */

import * as z from "zod";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { nearMatches } from "../../../kernel/contract/near-match.ts";
import type { ConfigEntry } from "./config-entries.ts";
import { parseDuration } from "./duration.ts";
import { type JsonMember, locateValue, membersAt } from "./json-text.ts";
import type { StepType } from "./workflow-definition.ts";
import { andMore, type Finding } from "./workflow-problem.ts";

const json: z.ZodType<Json> = z.json();
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
const text = z.string().trim().min(1, "it must not be empty");
const wholeNumber = (least: number, most: number) => z.int().min(least).max(most);
const durationHint = 'a duration is written like "90s", "10m", "2h" or "1d"';
const duration = z.string(durationHint).transform((written, context) => {
  const milliseconds = parseDuration(written);
  if (milliseconds !== undefined) return milliseconds;
  context.addIssue(durationHint);
  return z.NEVER;
});

/** For each of its keys, the steps that have a use for it; absent for all. */
const workTypes: readonly StepType[] = ["task", "foreach", "join"];

export const stepConfigSchema = z.object({
  name: text,
  description: z.string(),
  stepType: z.enum(["task", "decision", "foreach", "join", "subflow"]),
  hitlPhase: z.string(),
  config: jsonObject,
  maxIterations: wholeNumber(1, 1_000_000),
  execution: z.enum(["automated", "manual"]),
  /** Once the name of `execution`. */
  type: z.enum(["automated", "manual"]),
  prompt: z.string(),
  defaultAssigneeId: text,
  outputSchema: jsonObject,
  minConfidence: z.number().min(0).max(1),
  retries: wholeNumber(0, 100),
  timeout: duration,
  branches: z.array(z.strictObject({ condition: z.string().nullable(), targetStepId: text })),
  defaultBranch: text,
  itemsPath: text,
  itemVariable: z
    .string()
    .regex(/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u, "it must be one word, such as file"),
  maxItems: wholeNumber(1, 100_000),
  concurrency: wholeNumber(1, 10_000),
  awaitTag: text,
  minPercent: z.number().gt(0).max(100),
  minCount: wholeNumber(1, 100_000),
  deadline: duration,
  onDeadline: z.enum(["partial", "fail"]),
  subflowId: text,
  inputMapping: z.record(z.string().min(1), z.string()),
});

export type StepConfig = Partial<z.output<typeof stepConfigSchema>>;

const USED_BY: Readonly<Partial<Record<keyof StepConfig, readonly StepType[]>>> = {
  execution: workTypes,
  type: workTypes,
  prompt: workTypes,
  defaultAssigneeId: workTypes,
  outputSchema: workTypes,
  minConfidence: workTypes,
  retries: workTypes,
  timeout: [...workTypes, "subflow"],
  branches: ["decision"],
  defaultBranch: ["decision"],
  itemsPath: ["foreach"],
  itemVariable: ["foreach"],
  maxItems: ["foreach"],
  concurrency: ["foreach"],
  awaitTag: ["join"],
  minPercent: ["join"],
  minCount: ["join"],
  deadline: ["join"],
  onDeadline: ["join"],
  subflowId: ["subflow"],
  inputMapping: ["subflow"],
};

export const workflowConfigSchema = z.object({
  name: text,
  description: z.string(),
  /** JSON Schema that the input of a run must meet. */
  inputSchema: jsonObject,
  maxTasks: wholeNumber(1, 1_000_000),
  /** For every step that does not say otherwise. */
  maxIterations: wholeNumber(1, 1_000_000),
});

export type WorkflowConfig = Partial<z.output<typeof workflowConfigSchema>>;

export interface CheckedConfig<Config> {
  readonly config: Config;
  readonly findings: readonly Finding[];
}

export function checkStepConfig(entry: ConfigEntry): CheckedConfig<StepConfig> {
  return checkMembers(entry, stepConfigSchema);
}

export function checkWorkflowConfig(entry: ConfigEntry): CheckedConfig<WorkflowConfig> {
  return checkMembers(entry, workflowConfigSchema);
}

/** Settings that a step of this type never looks at. */
export function findIdleKeys(entry: ConfigEntry, stepType: StepType): Finding[] {
  return membersOf(entry).flatMap(({ key, keySpan }) => {
    const users = isKeyOf(USED_BY, key) ? USED_BY[key] : undefined;
    if (users === undefined || users.includes(stepType)) return [];
    const message = `"${key}" means nothing for a ${stepType}; only ${listed(users)} can use it.`;
    return [warning(entry, "config_idle_key", keySpan.start, message)];
  });
}

function checkMembers<Shape extends z.core.$ZodShape>(
  entry: ConfigEntry,
  schema: z.ZodObject<Shape>,
): CheckedConfig<Partial<z.output<z.ZodObject<Shape>>>> {
  const findings: Finding[] = [];
  const config: Record<string, unknown> = {};
  for (const member of membersOf(entry)) {
    const { key } = member;
    const known: z.core.$ZodType | undefined = Object.hasOwn(schema.shape, key)
      ? schema.shape[key]
      : undefined;
    if (known === undefined) {
      findings.push(unknownKey(entry, member, Object.keys(schema.shape)));
      continue;
    }
    const checked = z.safeParse(known, entry.value?.[key]);
    if (checked.success) config[key] = checked.data;
    else findings.push(badValue(entry, key, checked.error.issues));
  }
  // Every member was checked by the schema's own part for it.
  return { config: config as Partial<z.output<z.ZodObject<Shape>>>, findings };
}

function membersOf(entry: ConfigEntry): readonly JsonMember[] {
  return entry.value === undefined ? [] : membersAt(entry.text, 0);
}

function unknownKey(entry: ConfigEntry, member: JsonMember, known: readonly string[]): Finding {
  const near = nearMatches(member.key, known);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((key) => `"${key}"`).join(" or ")}?`
      : 'What is only for yourself goes into "config".';
  const message = `There is no setting "${member.key}".`;
  const [nearest, ...others] = near;
  const isPlain = nearest !== undefined && others.length === 0;
  const meant = isPlain ? { meant: { from: `"${member.key}"`, to: `"${nearest}"` } } : {};
  return { ...warning(entry, "config_unknown_key", member.keySpan.start, message), hint, ...meant };
}

function badValue(entry: ConfigEntry, key: string, issues: readonly z.core.$ZodIssue[]): Finding {
  const path = [key, ...(issues[0]?.path ?? [])];
  const offset = locateValue(entry.text, path).start;
  const reason = (issues[0]?.message ?? "it is not valid").replace(/\.$/, "");
  const words = reason.charAt(0).toLowerCase() + reason.slice(1) + andMore(issues.length);
  const message = `"${path.join(".")}" cannot be used: ${words}.`;
  return { ...warning(entry, "config_invalid_value", offset, message), severity: "error" };
}

function warning(entry: ConfigEntry, code: string, offset: number, message: string): Finding {
  const about = entry.stepId === undefined ? {} : { stepId: entry.stepId };
  return { code, severity: "warning", message, offset: entry.json.start + offset, ...about };
}

function listed(types: readonly StepType[]): string {
  return types
    .map((type) => `a ${type}`)
    .join(", ")
    .replace(/, (?=[^,]*$)/, " or ");
}

function isKeyOf<Known extends object>(
  known: Known,
  key: string,
): key is Extract<keyof Known, string> {
  return Object.hasOwn(known, key);
}
