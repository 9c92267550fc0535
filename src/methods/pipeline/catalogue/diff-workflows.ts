/** What changed between two sources: steps and ways in words of the workflow, and the text line by line. */

import { z } from "zod";
import { canonicalJson } from "../../../kernel/base/json.ts";
import { type DiffLine, diffLines } from "../../../kernel/prompt/diff-lines.ts";
import { readSource } from "./definition-cache.ts";
import { showEdges, showSteps } from "./shown-workflows.ts";

const changedStep = z.object({
  id: z.string(),
  name: z.string(),
  fields: z.array(z.string()).describe("What about it is different."),
});

export const workflowDiff = z.object({
  workflowId: z.string(),
  name: z.string(),
  from: z.number(),
  to: z.number(),
  steps: z.object({
    added: z.array(z.object({ id: z.string(), name: z.string() })),
    removed: z.array(z.object({ id: z.string(), name: z.string() })),
    changed: z.array(changedStep),
  }),
  edges: z.object({ added: z.array(z.string()), removed: z.array(z.string()) }),
  unified: z
    .string()
    .describe("The change of the text in unified format; empty when there is none."),
});

type WorkflowDiff = Pick<z.output<typeof workflowDiff>, "steps" | "edges" | "unified">;

export function diffWorkflows(before: string, after: string): WorkflowDiff {
  const old = readSource(before).definition;
  const now = readSource(after).definition;
  return {
    steps: diffSteps(showSteps(old), showSteps(now)),
    edges: diffEdges(showEdges(old), showEdges(now)),
    unified: unifiedDiff(diffLines(before, after)),
  };
}

type Steps = ReturnType<typeof showSteps>;

function diffSteps(old: Steps, now: Steps): WorkflowDiff["steps"] {
  const before = new Map(old.map((step) => [step.id, step]));
  const after = new Map(now.map((step) => [step.id, step]));
  return {
    added: now.filter(({ id }) => !before.has(id)).map(idAndName),
    removed: old.filter(({ id }) => !after.has(id)).map(idAndName),
    changed: now.flatMap((step) => {
      const fields = differingFields(before.get(step.id), step);
      return fields.length === 0 ? [] : [{ ...idAndName(step), fields }];
    }),
  };
}

function differingFields(before: Steps[number] | undefined, after: Steps[number]): string[] {
  if (before === undefined) return [];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => canonicalJson(before[field]) !== canonicalJson(after[field]),
  );
}

function idAndName({ id, name }: Steps[number]): { id: string; name: string } {
  return { id, name };
}

type Edges = ReturnType<typeof showEdges>;

function diffEdges(old: Edges, now: Edges): WorkflowDiff["edges"] {
  const before = old.map(edgeText);
  const after = now.map(edgeText);
  return {
    added: after.filter((edge) => !before.includes(edge)),
    removed: before.filter((edge) => !after.includes(edge)),
  };
}

export function edgeText({ source, target, when }: Edges[number]): string {
  return `${source} → ${target}${when === undefined ? "" : ` when ${when}`}`;
}

const CONTEXT = 3;
const SIGNS = { same: " ", removed: "-", added: "+" } as const;

/** Hunks as `diff -u` writes them, without the file names. */
export function unifiedDiff(lines: readonly DiffLine[]): string {
  const hunks: string[] = [];
  let [old, now] = [1, 1];
  const numbered = lines.map((line) => {
    const place = { line, old, now };
    if (line.change !== "added") old += 1;
    if (line.change !== "removed") now += 1;
    return place;
  });
  for (let at = 0; at < numbered.length; ) {
    if (numbered[at]?.line.change === "same") {
      at += 1;
      continue;
    }
    const start = Math.max(0, at - CONTEXT);
    const end = hunkEnd(lines, at);
    hunks.push(hunk(numbered.slice(start, end)));
    at = end;
  }
  return hunks.join("\n");
}

/** Changes with little between them share a hunk. */
function hunkEnd(lines: readonly DiffLine[], from: number): number {
  let last = from;
  for (let at = from; at < lines.length && at <= last + 2 * CONTEXT; at += 1) {
    if (lines[at]?.change !== "same") last = at;
  }
  return Math.min(lines.length, last + 1 + CONTEXT);
}

interface NumberedLine {
  readonly line: DiffLine;
  readonly old: number;
  readonly now: number;
}

function hunk(lines: readonly NumberedLine[]): string {
  const [first] = lines;
  const count = (other: "added" | "removed") =>
    lines.filter(({ line }) => line.change !== other).length;
  const range = (start: number, length: number) =>
    length === 1 ? `${start}` : `${length === 0 ? start - 1 : start},${length}`;
  const head = `@@ -${range(first?.old ?? 1, count("added"))} +${range(first?.now ?? 1, count("removed"))} @@`;
  return [head, ...lines.map(({ line }) => SIGNS[line.change] + line.text)].join("\n");
}
