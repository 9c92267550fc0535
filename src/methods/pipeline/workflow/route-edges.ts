/**
 * What is routed along. Drawn edges in drawing order; of a decision its labels are the conditions,
 * unless its settings list `branches`, which then win.
 *
 * An invisible link (`~~~`) only places nodes and is no edge. One without an arrow head, or with two
 * ends, does not say what follows what: an error. A label outside a decision would have no effect;
 * where it could be read as a condition that is an error, else a warning.
 */

import type { Condition } from "../../../kernel/base/condition.ts";
import { parseCondition } from "../../../kernel/base/condition-parse.ts";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Diagram, DiagramEdge, Label } from "../diagram/diagram.ts";
import type { PositionOf } from "../diagram/line-index.ts";
import { badExpression } from "./build-step.ts";
import {
  type BranchPlace,
  locateBranches,
  locateIn,
  NO_SETTINGS,
  type StepSettings,
} from "./step-settings.ts";
import type {
  DecisionBranch,
  DecisionStep,
  WorkflowEdge,
  WorkflowStep,
} from "./workflow-definition.ts";
import type { Finding } from "./workflow-problem.ts";

export interface Routes {
  readonly steps: readonly WorkflowStep[];
  readonly edges: readonly WorkflowEdge[];
}

export interface Drawing {
  readonly diagram: Diagram;
  readonly settings: ReadonlyMap<string, StepSettings>;
  readonly positionOf: PositionOf;
}

export function routeEdges(
  steps: readonly WorkflowStep[],
  drawing: Drawing,
  findings: Finding[],
): Routes {
  const known = new Map(steps.map((step) => [step.id, step]));
  const drawn = drawing.diagram.edges.filter(
    ({ source, target, link }) =>
      link.stroke !== "invisible" && known.has(source) && known.has(target),
  );
  for (const edge of drawn) checkEnds(edge, findings);
  const bySource = Map.groupBy(drawn, ({ source }) => source);
  const routes = new Map<string, DecisionRoutes>();
  for (const step of steps) {
    if (step.stepType !== "decision") continue;
    routes.set(step.id, routeDecision(step, bySource.get(step.id) ?? [], drawing, known, findings));
  }
  return {
    steps: steps.map((step) => routes.get(step.id)?.step ?? step),
    edges: mergeEdges(drawn, routes, drawing, findings),
  };
}

/** A decision's edges stand where its first one is drawn, in the order in which they are tried. */
function mergeEdges(
  drawn: readonly DiagramEdge[],
  routes: ReadonlyMap<string, DecisionRoutes>,
  { diagram, positionOf }: Drawing,
  findings: Finding[],
): WorkflowEdge[] {
  const edges: WorkflowEdge[] = [];
  const placed = new Set<string>();
  for (const { source, target, label, link } of drawn) {
    const decision = routes.get(source);
    if (decision === undefined) {
      if (label !== undefined) findings.push(labelOutsideDecision(source, label, diagram.source));
      edges.push({ source, target, when: "always", position: positionOf(link.span.start) });
    } else if (!placed.has(source)) {
      placed.add(source);
      edges.push(...decision.edges);
    }
  }
  for (const [source, decision] of routes) if (!placed.has(source)) edges.push(...decision.edges);
  return edges;
}

interface DecisionRoutes {
  readonly step: DecisionStep;
  readonly edges: readonly WorkflowEdge[];
}

/** One way out of a decision: with a condition, as default, or with nothing said. */
interface Way extends BranchPlace {
  readonly target: string;
  readonly text: string | undefined;
  readonly isDefault: boolean;
}

function routeDecision(
  step: DecisionStep,
  drawn: readonly DiagramEdge[],
  drawing: Drawing,
  known: ReadonlyMap<string, WorkflowStep>,
  findings: Finding[],
): DecisionRoutes {
  const report = (finding: Omit<Finding, "stepId">) =>
    findings.push({ ...finding, stepId: step.id });
  const settings = drawing.settings.get(step.id) ?? NO_SETTINGS;
  const { position } = step;
  const all = waysOf(drawn, settings, drawing.diagram.source, position.offset);
  const ways = all.filter(({ target, offset }) => {
    if (known.has(target)) return true;
    report(unknownTarget(step, target, offset));
    return false;
  });
  if (settings.config.branches !== undefined) compareWithDrawing(step, ways, drawn, report);
  const byDefault = chooseDefault(ways, report);
  const edges: WorkflowEdge[] = [];
  const branches: DecisionBranch[] = [];
  for (const way of ways) {
    const place = drawing.positionOf(way.offset);
    if (way === byDefault) {
      edges.push({ source: step.id, target: way.target, when: "default", position: place });
    }
    if (way.isDefault || way.text === undefined) continue;
    const condition = readCondition(way, report);
    const { text, target: targetStepId } = way;
    edges.push({
      source: step.id,
      target: targetStepId,
      when: { text, condition },
      position: place,
    });
    branches.push({ text, condition, targetStepId, position: place });
  }
  return { step: { ...step, branches, defaultBranch: byDefault?.target }, edges };
}

function waysOf(
  drawn: readonly DiagramEdge[],
  settings: StepSettings,
  source: string,
  otherwise: number,
): Way[] {
  const { branches, defaultBranch } = settings.config;
  const places = locateBranches(settings, otherwise);
  const listed = branches?.map(({ condition, targetStepId }, index): Way => {
    const place = places[index] ?? { offset: otherwise, offsetOf: () => otherwise };
    const isDefault = condition === null || isDefaultWord(condition);
    return { target: targetStepId, text: condition ?? "default", isDefault, ...place };
  });
  const ways = listed ?? drawn.map((edge) => wayDrawn(edge, source));
  if (defaultBranch === undefined) return ways;
  const offset = locateIn(settings, otherwise)(["defaultBranch"]);
  const isMeant = (way: Way) =>
    way.target === defaultBranch && (way.isDefault || way.text === undefined);
  if (ways.some(isMeant)) {
    return ways.flatMap((way) =>
      isMeant(way) ? [{ ...way, text: "default", isDefault: true }] : [way],
    );
  }
  const last = { target: defaultBranch, text: "default", isDefault: true, offset };
  return [...ways, { ...last, offsetOf: () => offset }];
}

function wayDrawn({ target, label, link }: DiagramEdge, source: string): Way {
  const offset = label?.span.start ?? link.span.start;
  return {
    target,
    text: label?.text,
    isDefault: label !== undefined && isDefaultWord(label.text),
    offset,
    offsetOf: (character) =>
      label === undefined ? offset : offsetInLabel(label, source, character),
  };
}

function isDefaultWord(text: string): boolean {
  return text.trim().toLowerCase() === "default";
}

/** Exact where the label is written as it reads; its beginning where entities stand in it. */
function offsetInLabel(label: Label, source: string, character: number): number {
  const written = source.slice(label.span.start, label.span.end);
  const lead = written.indexOf(label.text);
  return label.span.start + (lead === -1 ? 0 : lead + character);
}

function chooseDefault(
  ways: readonly Way[],
  report: (finding: Omit<Finding, "stepId">) => void,
): Way | undefined {
  const named = ways.filter(({ isDefault }) => isDefault);
  const bare = ways.filter(({ text }) => text === undefined);
  const [chosen, ...others] = named.length > 0 ? [...named, ...bare] : bare;
  for (const { offset } of others) {
    report({
      code: "branch_ambiguous",
      severity: "error",
      message: "A decision has one default; this would be another.",
      hint: 'Label the edge with a condition, such as "output.score >= 80".',
      offset,
    });
  }
  if (chosen !== undefined && named.length === 0 && others.length === 0) {
    report({
      code: "branch_unlabelled",
      severity: "warning",
      message: `The edge to "${chosen.target}" has no condition and is taken for the default.`,
      hint: "Label it default.",
      offset: chosen.offset,
    });
  }
  return chosen;
}

function readCondition(way: Way, report: (finding: Omit<Finding, "stepId">) => void): Condition {
  try {
    return parseCondition(way.text ?? "");
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    report({ ...badExpression(error), offset: way.offsetOf(Number(error.details["offset"])) });
    return { kind: "literal", value: false };
  }
}

function compareWithDrawing(
  step: DecisionStep,
  ways: readonly Way[],
  drawn: readonly DiagramEdge[],
  report: (finding: Omit<Finding, "stepId">) => void,
): void {
  const targets = new Set(drawn.map(({ target }) => target));
  for (const { target, offset } of ways) {
    if (targets.has(target)) continue;
    report({
      code: "branch_not_drawn",
      severity: "warning",
      message: `The settings lead from "${step.id}" to "${target}", the diagram does not. The settings win.`,
      hint: "Draw the edge, so that people see it.",
      offset,
    });
  }
  const reached = new Set(ways.map(({ target }) => target));
  const listed = new Set(ways.map((way) => routeKey(way.target, way.text ?? "")));
  for (const { target, label, link } of drawn) {
    if (label === undefined ? reached.has(target) : listed.has(routeKey(target, label.text)))
      continue;
    report({
      code: "branch_disagrees",
      severity: "warning",
      message: `The settings of "${step.id}" list other branches than the edge drawn to "${target}". The settings win.`,
      hint: 'Leave "branches" away: the labels of the edges say the same.',
      offset: link.span.start,
    });
  }
}

function routeKey(target: string, condition: string): string {
  return `${target}\n${isDefaultWord(condition) ? "default" : condition.trim()}`;
}

function checkEnds({ source, target, link }: DiagramEdge, findings: Finding[]): void {
  const offset = link.span.start;
  const base = { severity: "error" as const, stepId: source, offset };
  if (link.head === "none") {
    findings.push({
      ...base,
      code: "edge_without_arrow",
      message: `The line between "${source}" and "${target}" has no arrow, so it does not say what follows what.`,
      hint: "Draw --> for an edge, or ~~~ if it should only place the steps.",
    });
  } else if (link.tail !== "none") {
    findings.push({
      ...base,
      code: "edge_both_ways",
      message: `The edge between "${source}" and "${target}" points both ways.`,
      hint: "Draw one edge for each way.",
    });
  }
}

function unknownTarget(
  step: DecisionStep,
  target: string,
  offset: number,
): Omit<Finding, "stepId"> {
  return {
    code: "unknown_target",
    severity: "error",
    message: `"${step.id}" leads to "${target}", which the diagram does not draw.`,
    hint: "Ids are exact, upper and lower case included.",
    offset,
  };
}

function labelOutsideDecision(source: string, label: Label, text: string): Finding {
  const base = { stepId: source, offset: offsetInLabel(label, text, 0) };
  if (!isCondition(label.text)) {
    return {
      ...base,
      code: "label_ignored",
      severity: "warning",
      message: `"${source}" is no decision, so the label of its edge is only a remark.`,
    };
  }
  return {
    ...base,
    code: "condition_outside_decision",
    severity: "error",
    message: `"${source}" is no decision, so the condition on its edge would not be asked.`,
    hint: "Draw a decision {…} between the two steps, or take the label away.",
  };
}

function isCondition(text: string): boolean {
  try {
    parseCondition(text);
    return true;
  } catch (error) {
    if (error instanceof ProductError) return false;
    throw error;
  }
}
