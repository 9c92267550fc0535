/** Workflows on a terminal: as lists, as an outline of their steps, with what is wrong where. */

import type { z } from "zod";
import { moreLine } from "../../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { checkMark, doneLine } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  indent,
  manyLines,
  oneLine,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import { edgeText, type workflowDiff } from "./diff-workflows.ts";
import type {
  checkShape,
  problemShape,
  savedShape,
  stepDetail,
  versionList,
  workflowDetail,
  workflowGraph,
  workflowList,
} from "./workflow-shape.ts";

type Problem = z.output<typeof problemShape>;
type Detail = z.output<typeof workflowDetail>;
type Step = Detail["steps"][number];

export function renderWorkflowList(page: z.output<typeof workflowList>): string {
  const { items, nextCursor, library, asOf } = page;
  const short = shortIds(items.map(({ id }) => id));
  const own = items.map((workflow) => [
    short(workflow.id),
    workflow.name,
    workflow.currentVersion === undefined ? "draft" : `v${workflow.currentVersion}`,
    workflow.projectName ?? "workspace",
    timeAgo(workflow.updatedAt, asOf),
    workflow.isArchived ? "archived" : "",
    workflow.description,
  ]);
  const ready = library.map(({ ref, name, layer, steps, errors, description }) => [
    ref,
    name,
    count(steps, "step"),
    layer === "built-in" ? "" : layer,
    errors === 0 ? "" : count(errors, "error"),
    description,
  ]);
  const columns = [
    { title: "ID", width: 36 },
    { title: "NAME", width: 40 },
    { title: "VERSION" },
    { title: "OF", width: 20, isSpare: true },
    { title: "CHANGED" },
    { title: "" },
    { title: "WHAT FOR", width: 60 },
  ];
  const readyColumns = [
    { title: "REF", width: 40 },
    { title: "NAME", width: 40 },
    { title: "STEPS", isSpare: true },
    { title: "FROM" },
    { title: "" },
    { title: "WHAT FOR", width: 60 },
  ];
  return blocks(
    own.length === 0 ? "No workflows of your own to show." : table(columns, own),
    section("Library", ready.length === 0 ? "" : table(readyColumns, ready)),
    moreLine(nextCursor),
    own.length === 0 && ready.length > 0
      ? "Make one of these your own with `workflow copy REF`, or one from scratch with `workflow create NAME < FILE`."
      : undefined,
  );
}

export function renderWorkflow(detail: Detail): string {
  const { name, description, workflow, library, shownVersion, isDraft, problems, asOf } = detail;
  const at = shownVersion === undefined ? "" : `, version ${shownVersion}`;
  const isOld = workflow?.currentVersion !== undefined && shownVersion !== workflow.currentVersion;
  const state = isDraft ? " (draft)" : isOld ? ` (current is ${workflow.currentVersion})` : "";
  const by = detail.createdByName === undefined ? "" : ` by ${detail.createdByName}`;
  return blocks(
    `${oneLine(name)}${at}${state}${workflow?.isArchived ? ", archived" : ""}`,
    manyLines(description),
    fieldLines([
      ["id", workflow?.id],
      ["library", library?.ref ?? workflow?.libraryRef],
      ["file", library && `${library.path} (${library.layer})`],
      ["project", workflow?.projectName],
      ["runs", workflow && String(detail.runs)],
      ["made", workflow && `${timeAgo(workflow.createdAt, asOf)}${by}`],
      ["changed", workflow && timeAgo(workflow.updatedAt, asOf)],
    ]),
    section("Steps", detail.steps.map((step) => outline(step, detail.edges)).join("\n")),
    section("Problems", problems.map(problemText).join("\n")),
  );
}

export function renderGraph(graph: z.output<typeof workflowGraph>): string {
  const { name, steps, edges, problems } = graph;
  return blocks(
    name === undefined ? undefined : oneLine(name),
    steps.map((step) => outline(step, edges)).join("\n"),
    section("Problems", problems.map(problemText).join("\n")),
  );
}

export function renderStep(detail: z.output<typeof stepDetail>): string {
  const { step, comesFrom, leadsTo } = detail;
  const { id, name, stepType, execution, prompt, outputSchema, ...more } = step;
  return blocks(
    `${id}  ${oneLine(name)} (${kindText(stepType, execution)})`,
    fieldLines([
      ["comes from", comesFrom.map(edgeText).join(", ")],
      ["leads to", leadsTo.map(edgeText).join(", ")],
      ...Object.entries(more).map(([key, value]) => [key, valueText(value)] as const),
    ]),
    section("Prompt", typeof prompt === "string" ? manyLines(prompt) : ""),
    section(
      "Output",
      outputSchema === undefined ? "" : manyLines(JSON.stringify(outputSchema, null, 2)),
    ),
  );
}

export function renderVersions(page: z.output<typeof versionList>): string {
  const { items, nextCursor, asOf } = page;
  const columns = [
    { title: "VERSION", align: "right" as const },
    { title: "" },
    { title: "SAVED" },
    { title: "BY", width: 24 },
    { title: "WHAT CHANGED", width: 70 },
  ];
  const rows = items.map((version) => [
    String(version.version),
    version.isCurrent ? "current" : version.isDraft ? "draft" : "",
    timeAgo(version.createdAt, asOf),
    version.createdByName ?? version.createdBy,
    version.summary,
  ]);
  return blocks(`Versions of "${oneLine(page.name)}"`, table(columns, rows), moreLine(nextCursor));
}

export function renderDiff(diff: z.output<typeof workflowDiff>): string {
  const { name, from, to, steps, edges, unified } = diff;
  if (unified === "") return `Versions ${from} and ${to} of "${oneLine(name)}" say the same.`;
  const lines = [
    ...steps.added.map(({ id, name: label }) => `+ ${id}  ${oneLine(label)}`),
    ...steps.removed.map(({ id, name: label }) => `- ${id}  ${oneLine(label)}`),
    ...steps.changed.map(({ id, name: label, fields }) => {
      return `~ ${id}  ${oneLine(label)}: ${fields.join(", ")}`;
    }),
    ...edges.added.map((edge) => `+ ${oneLine(edge)}`),
    ...edges.removed.map((edge) => `- ${oneLine(edge)}`),
  ];
  return blocks(
    `"${oneLine(name)}" from version ${from} to ${to}`,
    lines.length === 0 ? "No step and no way changed; only the text." : lines.join("\n"),
    manyLines(unified),
  );
}

export function renderCheck(check: z.output<typeof checkShape>): string {
  const { isValid, steps, edges, errors, warnings, problems } = check;
  const name = check.name === undefined ? "It" : `"${oneLine(check.name)}"`;
  const size = `${count(steps, "step")}, ${count(edges, "edge")}`;
  const found = [
    ...(errors === 0 ? [] : [count(errors, "error")]),
    ...(warnings === 0 ? [] : [count(warnings, "warning")]),
  ].join(" and ");
  const verdict = isValid
    ? `${checkMark(warnings === 0 ? "ok" : "warn")} ${name} can run: ${size}${found === "" ? "" : `; ${found}`}.`
    : `${checkMark("bad")} ${name} cannot run: ${found}.`;
  return blocks(...problems.map(problemText), verdict);
}

export function renderSaved(verb: string, saved: z.output<typeof savedShape>): string {
  const { id, name, savedVersion, isNew, isDraft, problems } = saved;
  const what = `workflow ${shortId(id)} "${oneLine(name)}"`;
  const line = isNew
    ? `${verb} ${isDraft ? `draft ${savedVersion}` : `version ${savedVersion}`} of ${what}.`
    : `Version ${savedVersion} of ${what} says the same already: nothing was added.`;
  return blocks(doneLine(line), section("Problems", problems.map(problemText).join("\n")));
}

export function renderImported(
  saved: z.output<typeof savedShape> & { readonly agents: readonly ShownAgent[] },
): string {
  const agents = saved.agents.map(({ id, displayName, outcome, note }) => [
    outcome,
    oneLine(displayName),
    id,
    note,
  ]);
  const columns = [
    { title: "AGENT" },
    { title: "NAME" },
    { title: "ID", width: 40 },
    { title: "" },
  ];
  return blocks(
    renderSaved("Imported", saved),
    agents.length === 0 ? undefined : table(columns, agents),
    saved.isDraft && saved.agents.some(({ outcome }) => outcome === "missing")
      ? "It stays a draft until its agents are there: `agent add`, then `workflow save`."
      : undefined,
  );
}

interface ShownAgent {
  readonly id: string;
  readonly displayName: string;
  readonly outcome: string;
  readonly note?: string | undefined;
}

/** `12:5 error message`, with the line and an arrow under the place. */
export function problemText(problem: Problem): string {
  const { severity, code, message, hint, line, column, excerpt } = problem;
  const place = line === undefined ? "" : `${line}:${column ?? 1} `;
  const lines = [
    `${place}${severity} ${oneLine(message)} [${code}]`,
    ...(excerpt === undefined ? [] : [indent(manyLines(excerpt))]),
    ...(hint === undefined ? [] : [indent(oneLine(hint))]),
  ];
  return lines.join("\n");
}

/** A step with where it leads; a decision with a line for each of its branches. */
function outline(step: Step, edges: Detail["edges"]): string {
  const ways = edges.filter(({ source }) => source === step.id);
  const head = `${step.id}  ${oneLine(step.name)} (${kindText(step.stepType, step.execution)})`;
  const extra = [
    itemsText(step),
    typeof step["defaultAssigneeId"] === "string" ? `by ${step["defaultAssigneeId"]}` : "",
    typeof step["subflowId"] === "string" ? `runs ${step["subflowId"]}` : "",
  ].filter((text) => text !== "");
  const tail = extra.length === 0 ? "" : `, ${extra.join(", ")}`;
  if (step.stepType === "decision") {
    const branches = ways.map(({ target, when }) => `${clip(when ?? "always", 60)} → ${target}`);
    return [head, ...branches.map((branch) => indent(branch))].join("\n");
  }
  const targets = ways.map(({ target }) => target).join(", ");
  return `${head}${tail}${targets === "" ? "" : ` → ${targets}`}`;
}

function itemsText(step: Step): string {
  const { itemsPath, itemVariable } = step;
  const isKnown = typeof itemsPath === "string" && typeof itemVariable === "string";
  return isKnown ? `each ${itemVariable} of ${itemsPath}` : "";
}

function kindText(stepType: string, execution: string | undefined): string {
  return stepType === "task" && execution !== undefined ? execution : stepType;
}

function valueText(value: unknown): string {
  return oneLine(typeof value === "string" ? value : JSON.stringify(value));
}
