/** A workflow out of its mermaid source, with everything that can be said against it. */

import { nearMatches } from "../../../kernel/contract/near-match.ts";
import type { Diagram, DiagramNode } from "../diagram/diagram.ts";
import { indexLines, type PositionOf } from "../diagram/line-index.ts";
import { readDiagram } from "../diagram/parse-diagram.ts";
import { buildStep, checkSchema } from "./build-step.ts";
import { type ConfigEntry, readConfig } from "./config-entries.ts";
import { locateValue } from "./json-text.ts";
import { routeEdges } from "./route-edges.ts";
import { checkWorkflowConfig, type WorkflowConfig } from "./step-config.ts";
import { collectSettings, locateIn, NO_SETTINGS, type StepSettings } from "./step-settings.ts";
import { WORKFLOW_DEFAULTS, type WorkflowDefinition } from "./workflow-definition.ts";
import {
  type Finding,
  inReadingOrder,
  toProblem,
  type WorkflowProblem,
} from "./workflow-problem.ts";

export interface ReadWorkflow {
  /** As much of it as could be read. */
  readonly definition: WorkflowDefinition;
  readonly problems: readonly WorkflowProblem[];
  /** False when the drawing itself is broken: what is missing then may stand in what was not read. */
  readonly isWhole: boolean;
  /** Where a value of a step's settings stands in the source, or one of its characters. */
  locate: LocateSetting;
}

export type LocateSetting = (
  stepId: string,
  path: readonly PropertyKey[],
  character?: number,
) => WorkflowProblem["position"];

export function readWorkflow(source: string): ReadWorkflow {
  const { diagram, faults } = readDiagram(source);
  const positionOf = indexLines(source);
  const read = readConfig(diagram);
  const isWhole = faults.length === 0;
  const findings: Finding[] = [
    ...faults.map(({ code, message, offset, hint }): Finding => {
      const advice = hint === undefined ? {} : { hint };
      return { code, severity: "error", message: `${message}.`, offset, ...advice };
    }),
    ...read.findings,
  ];
  const nodes = stepNodes(diagram, findings);
  const stepIds = new Set(nodes.map(({ id }) => id));
  const settings = collectSettings(read.entries, { stepIds, isWhole }, findings);
  if (isWhole) findings.push(...undefinedNodes(nodes, settings));
  const whole = readWholeConfig(read.entries, findings);
  const steps = nodes.map((node) => {
    const position = positionOf(node.mentions[0]?.span.start ?? 0);
    const place = { position, maxIterations: whole.maxIterations };
    return buildStep(node, settings.get(node.id) ?? NO_SETTINGS, place, findings);
  });
  const definition = {
    name: whole.name ?? diagram.title,
    description: whole.description,
    direction: diagram.direction,
    inputSchema: whole.inputSchema,
    maxTasks: whole.maxTasks ?? WORKFLOW_DEFAULTS.maxTasks,
    ...routeEdges(steps, { diagram, settings, positionOf }, findings),
  };
  return {
    definition,
    problems: inReadingOrder(findings.map((finding) => toProblem(finding, positionOf))),
    isWhole,
    locate: locateSettings(settings, definition, positionOf),
  };
}

/** A link to a subgraph makes a node of its id in mermaid; it is no step. */
function stepNodes({ nodes, subgraphs }: Diagram, findings: Finding[]): readonly DiagramNode[] {
  const groups = new Set(subgraphs.map(({ id }) => id));
  return nodes.filter(({ id, mentions }) => {
    if (!groups.has(id)) return true;
    findings.push({
      code: "edge_to_subgraph",
      severity: "error",
      message: `"${id}" is a subgraph; an edge needs a step at both ends.`,
      hint: "Lead the edge to a step inside it.",
      offset: mentions[0]?.span.start ?? 0,
    });
    return false;
  });
}

const MOST_SUGGESTIONS = 10;

/** In a chart that labels its steps, a bare id without settings is a target that nobody described. */
function undefinedNodes(
  nodes: readonly DiagramNode[],
  settings: ReadonlyMap<string, StepSettings>,
): Finding[] {
  const isDefined = ({ id, shape }: DiagramNode) => shape !== "none" || settings.has(id);
  const known = nodes.filter(isDefined).map(({ id }) => id);
  if (known.length === 0) return [];
  const missing = nodes.filter((node) => !isDefined(node));
  return missing.map(({ id, mentions }, index) => {
    const near = index < MOST_SUGGESTIONS && id.length > 2 ? nearMatches(id, known) : [];
    const names = near.map((other) => `"${other}"`).join(" or ");
    const [nearest, ...others] = near;
    const isPlain = nearest !== undefined && others.length === 0;
    return {
      code: "unknown_target",
      severity: "error",
      message: `"${id}" has neither a label nor settings: nobody says what it does.`,
      hint: near.length > 0 ? `Did you mean ${names}?` : `Write ${id}[What it does].`,
      stepId: id,
      offset: mentions[0]?.span.start ?? 0,
      ...(isPlain ? { meant: { from: id, to: nearest } } : {}),
    };
  });
}

function readWholeConfig(entries: readonly ConfigEntry[], findings: Finding[]): WorkflowConfig {
  const [first, ...others] = entries.filter(({ stepId }) => stepId === undefined);
  for (const { name } of others) {
    const message = "The workflow has settings already, further up.";
    const hint = "Put them together in one place.";
    findings.push({
      code: "config_duplicate",
      severity: "error",
      message,
      hint,
      offset: name.start,
    });
  }
  if (first === undefined) return {};
  const { config, findings: found } = checkWorkflowConfig(first);
  findings.push(...found);
  if (config.inputSchema !== undefined) {
    const locate = (path: readonly string[]) =>
      first.json.start + locateValue(first.text, ["inputSchema", ...path]).start;
    checkSchema(config.inputSchema, locate, (finding) => findings.push(finding));
  }
  return config;
}

function locateSettings(
  settings: ReadonlyMap<string, StepSettings>,
  { steps }: WorkflowDefinition,
  positionOf: PositionOf,
): LocateSetting {
  const offsets = new Map(steps.map(({ id, position }) => [id, position.offset]));
  return (stepId, path, character) => {
    const otherwise = offsets.get(stepId);
    if (otherwise === undefined) return undefined;
    return positionOf(locateIn(settings.get(stepId) ?? NO_SETTINGS, otherwise)(path, character));
  };
}
