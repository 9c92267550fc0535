/** One step out of what is drawn and what its settings say. Settings win; where they differ, it is said. */

import { describeError, ProductError } from "../../../kernel/base/errors.ts";
import type { JsonObject } from "../../../kernel/base/json.ts";
import { isReservedName, type JsonPath, parsePath } from "../../../kernel/base/json-path.ts";
import { parseTemplate } from "../../../kernel/base/template.ts";
import type { TextPosition } from "../../../kernel/base/text-position.ts";
import type { DiagramNode } from "../diagram/diagram.ts";
import { checkOutputSchema } from "../work/output-schema.ts";
import { findIdleKeys, type StepConfig } from "./step-config.ts";
import { type Locate, locateIn, type StepSettings } from "./step-settings.ts";
import { drawnTypeOf, SHAPE_ADVICE, shapeName, subflowNamed } from "./step-type.ts";
import {
  type Execution,
  type JoinPolicy,
  type MappedInput,
  type StepType,
  WORKFLOW_DEFAULTS,
  type WorkflowStep,
} from "./workflow-definition.ts";
import { andMore, type Finding } from "./workflow-problem.ts";

/** A decision gets its branches later, from the edges. */
export function buildStep(
  node: DiagramNode,
  settings: StepSettings,
  place: { readonly position: TextPosition; readonly maxIterations: number | undefined },
  findings: Finding[],
): WorkflowStep {
  const { config, entry } = settings;
  const reader: StepReader = {
    node,
    config,
    locate: locateIn(settings, place.position.offset),
    report: (finding) => findings.push({ ...finding, stepId: node.id }),
  };
  checkId(reader, place.position.offset);
  const { stepType, execution } = kindOf(reader);
  if (entry !== undefined) findings.push(...findIdleKeys(entry, stepType));
  const base = {
    id: node.id,
    name: config.name ?? node.label.replaceAll(/\s+/g, " ").trim(),
    description: config.description,
    hitlPhase: config.hitlPhase,
    config: config.config ?? {},
    maxIterations: config.maxIterations ?? place.maxIterations ?? WORKFLOW_DEFAULTS.maxIterations,
    position: place.position,
  };
  switch (stepType) {
    case "task":
      return { ...base, stepType, ...workOf(reader, execution) };
    case "decision":
      return { ...base, stepType, branches: [], defaultBranch: undefined };
    case "foreach":
      return { ...base, stepType, ...workOf(reader, execution), ...itemsOf(reader) };
    case "join":
      return {
        ...base,
        stepType,
        ...workOf(reader, execution),
        awaitTag: config.awaitTag,
        policy: policyOf(reader),
      };
    case "subflow":
      return {
        ...base,
        stepType,
        subflowId: subflowOf(reader),
        inputMapping: mappingOf(reader),
        timeoutMs: config.timeout,
      };
  }
}

interface StepReader {
  readonly node: DiagramNode;
  readonly config: StepConfig;
  readonly locate: Locate;
  readonly report: (finding: Omit<Finding, "stepId">) => void;
}

function checkId({ node, report }: StepReader, offset: number): void {
  if (!isReservedName(node.id)) return;
  report({
    code: "step_id_reserved",
    severity: "error",
    message: `"${node.id}" cannot be the id of a step.`,
    hint: "Later steps could not ask for its output by that name.",
    offset,
  });
}

function kindOf(reader: StepReader): {
  readonly stepType: StepType;
  readonly execution: Execution;
} {
  const { node, config, locate, report } = reader;
  const drawn = drawnTypeOf(node);
  if (drawn === undefined && config.stepType === undefined) {
    report({
      code: "shape_unknown",
      severity: "error",
      message: `A ${shapeName(node.shape)} does not say what kind of step "${node.id}" is.`,
      hint: SHAPE_ADVICE,
      offset: node.definition?.span.start ?? locate([]),
    });
  }
  const stepType = config.stepType ?? drawn?.stepType ?? "task";
  const isBare = node.shape === "none";
  if (drawn !== undefined && !isBare && stepType !== drawn.stepType) {
    report({
      code: "type_disagrees",
      severity: "warning",
      message: `The diagram draws "${node.id}" as a ${drawn.stepType}, its settings say ${stepType}. The settings win.`,
      hint: SHAPE_ADVICE,
      offset: locate(["stepType"]),
    });
  }
  const written = executionIn(reader);
  const isDrawnOtherwise = drawn?.execution !== undefined && written !== drawn.execution;
  if (
    written !== undefined &&
    stepType === "task" &&
    drawn?.stepType === "task" &&
    isDrawnOtherwise
  ) {
    report({
      code: "execution_disagrees",
      severity: "warning",
      message: `The diagram draws "${node.id}" as ${drawn.execution}, its settings say ${written}. The settings win.`,
      hint: "Draw […] for an automated task and (…) for a manual one.",
      offset: locate([config.execution === undefined ? "type" : "execution"]),
    });
  }
  return { stepType, execution: written ?? drawn?.execution ?? "automated" };
}

function executionIn({ config, locate, report }: StepReader): Execution | undefined {
  const { execution, type } = config;
  if (type !== undefined) {
    report({
      code: "config_deprecated_key",
      severity: "warning",
      message:
        execution === undefined || execution === type
          ? '"type" is now called "execution".'
          : `"type" says ${type} and "execution" says ${execution}; "execution" counts.`,
      hint: 'Write "execution" instead.',
      offset: locate(["type"]),
    });
  }
  return execution ?? type;
}

function workOf(reader: StepReader, execution: Execution) {
  const { config, locate, report } = reader;
  if (config.prompt !== undefined) checkTemplate(reader, ["prompt"], config.prompt);
  if (config.outputSchema !== undefined) {
    checkSchema(config.outputSchema, (path) => locate(["outputSchema", ...path]), report);
  }
  return {
    execution,
    prompt: config.prompt,
    defaultAssigneeId: config.defaultAssigneeId,
    outputSchema: config.outputSchema,
    minConfidence: config.minConfidence,
    retries: config.retries,
    timeoutMs: config.timeout,
  };
}

/** Names that conditions and templates know already. */
const NAMES_IN_SCOPE = new Set(["run", "input", "output", "steps", "index", "total", "parentId"]);

function itemsOf(reader: StepReader) {
  const { node, config, locate, report } = reader;
  const itemVariable = config.itemVariable ?? WORKFLOW_DEFAULTS.itemVariable;
  if (NAMES_IN_SCOPE.has(itemVariable) || isReservedName(itemVariable)) {
    report({
      code: "item_variable_reserved",
      severity: "error",
      message: `"${itemVariable}" has a meaning of its own and cannot name the items of "${node.id}".`,
      hint: "Choose a name for one item, such as file.",
      offset: locate(["itemVariable"]),
    });
  }
  if (config.itemsPath === undefined) {
    report({
      code: "foreach_without_items",
      severity: "error",
      message: `"${node.id}" does not say what it goes through.`,
      hint: 'Set "itemsPath" to an array in the output before it, such as output.files.',
      offset: locate([]),
    });
  }
  return {
    itemsPath: config.itemsPath ?? "",
    items: config.itemsPath === undefined ? [] : readPath(reader, ["itemsPath"], config.itemsPath),
    itemVariable,
    maxItems: config.maxItems ?? WORKFLOW_DEFAULTS.maxItems,
    concurrency: config.concurrency,
  };
}

function policyOf({ config, locate, report }: StepReader): JoinPolicy {
  const { minPercent, minCount, deadline, onDeadline } = config;
  if (minPercent !== undefined && minCount !== undefined) {
    report({
      code: "join_policy_ambiguous",
      severity: "error",
      message: "A join waits for a percentage or for a number, not for both.",
      hint: 'Keep "minPercent" or "minCount".',
      offset: locate(["minCount"]),
    });
  }
  if (onDeadline !== undefined && deadline === undefined) {
    report({
      code: "join_without_deadline",
      severity: "warning",
      message: '"onDeadline" says what happens at a deadline, and there is none.',
      hint: 'Set "deadline", such as "2h".',
      offset: locate(["onDeadline"]),
    });
  }
  const need: JoinPolicy["need"] =
    minPercent !== undefined
      ? { kind: "percent", percent: minPercent }
      : minCount !== undefined
        ? { kind: "count", count: minCount }
        : { kind: "all" };
  return { need, deadlineMs: deadline, onDeadline: onDeadline ?? "fail" };
}

function subflowOf({ node, config, locate, report }: StepReader): string {
  const subflowId = config.subflowId ?? subflowNamed(node.label);
  if (subflowId !== undefined) return subflowId;
  report({
    code: "subflow_unnamed",
    severity: "error",
    message: `"${node.id}" does not say which workflow it runs.`,
    hint: 'Label it "Run: name of the workflow", or set "subflowId".',
    offset: locate([]),
  });
  return "";
}

function mappingOf(reader: StepReader): readonly MappedInput[] {
  return Object.entries(reader.config.inputMapping ?? {}).map(([name, text]) => {
    const path = ["inputMapping", name];
    if (!text.includes("{{"))
      return { name, text, from: { kind: "path", path: readPath(reader, path, text) } };
    checkTemplate(reader, path, text);
    return { name, text, from: { kind: "template", text } };
  });
}

/** An empty path where it cannot be read. */
function readPath(
  { locate, report }: StepReader,
  at: readonly PropertyKey[],
  text: string,
): JsonPath {
  try {
    return parsePath(text.trim());
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    const offset = Number(error.details["offset"]) + (text.length - text.trimStart().length);
    report({ ...badExpression(error), offset: locate(at, offset) });
    return [];
  }
}

function checkTemplate(
  { locate, report }: StepReader,
  at: readonly PropertyKey[],
  text: string,
): void {
  const broken = parseTemplate(text).parts.filter((part) => part.kind === "broken");
  const [first] = broken;
  if (first === undefined) return;
  report({
    code: "template_broken",
    severity: "warning",
    message: `${first.source} will stand in the text as it is: ${first.reason}${andMore(broken.length)}.`,
    offset: locate(at, first.position.offset),
  });
}

/** Of the many things that can be wrong with a schema, the first is shown and the others are counted. */
export function checkSchema(
  schema: JsonObject,
  locate: (path: readonly string[]) => number,
  report: (finding: Omit<Finding, "stepId">) => void,
): void {
  const problems = checkOutputSchema(schema);
  const [first] = problems;
  if (first === undefined) return;
  report({
    code: "schema_invalid",
    severity: "error",
    message: first.message.replace(/\.$/, `${andMore(problems.length)}.`),
    ...(first.hint === undefined ? {} : { hint: first.hint }),
    offset: locate(first.path.split(".").filter((part) => part !== "")),
  });
}

/** The place is told beside the message, as one in the whole source. */
export function badExpression(error: ProductError): Omit<Finding, "offset" | "stepId"> {
  const { message, hint } = describeError(error);
  return {
    code: "bad_expression",
    severity: "error",
    message: message.replace(/ \((?:line \d+, )?column \d+\)\.$/, "."),
    ...(hint === undefined ? {} : { hint }),
  };
}
