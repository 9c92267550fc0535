/** A workflow's text as whoever edits it needs it: read as a graph with its places, and what its texts may name. */

import { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { projectField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { clip, count, table } from "../../../kernel/operation/terminal-text.ts";
import type { Span } from "../diagram/diagram.ts";
import { indexLines } from "../diagram/line-index.ts";
import { readDiagram } from "../diagram/parse-diagram.ts";
import { readConfig } from "../workflow/config-entries.ts";
import { knownPaths } from "../workflow/known-paths.ts";
import { checkSource, shownProblems } from "./check-source.ts";
import { readSource } from "./definition-cache.ts";
import { openVersion } from "./open-version.ts";
import { callingFor } from "./resolve-workflow.ts";
import { seenValues } from "./seen-values.ts";
import { conditionOf, showSteps } from "./shown-workflows.ts";
import { stepUnknown } from "./step-unknown.ts";
import {
  pathList,
  sourceField,
  stageField,
  versionField,
  workflowField,
  workflowGraph,
} from "./workflow-shape.ts";
import { renderGraph } from "./workflow-view.ts";

const textFields = {
  workflowId: workflowField,
  workflowVersion: versionField.optional(),
  source: sourceField
    .optional()
    .describe("What is being edited, where it is not saved yet; what is saved unless given."),
};

const graph = defineOperation({
  name: "workflow.graph",
  summary: "Reads a workflow, also one being edited, as a graph: steps, ways, places, problems.",
  effect: "reads",
  permission: "read",
  input: z.object({
    ...textFields,
    workflowId: workflowField
      .optional()
      .describe("A workflow; not needed where a source is given."),
    project: projectField
      .optional()
      .describe("Where the source would go: names mean what is there."),
  }),
  output: workflowGraph,
  surfaces: {
    cli: {
      positionals: ["workflowId"],
      stdin: "source",
      examples: ["workflow graph library:pr-review", "workflow graph < release-notes.mmd"],
      render: rendering(workflowGraph, renderGraph),
    },
    mcp: "full",
  },
  run: (context, { workflowId, workflowVersion, source: given, project }) =>
    context.kernel.store.read(function* () {
      const wanted = yield* resolveOptional(project, (text) =>
        resolveProject(text, context.caller),
      );
      const opened =
        workflowId === undefined
          ? undefined
          : yield* openVersion(workflowId, workflowVersion, callingFor(context));
      const source = given ?? opened?.source ?? "";
      const place = wanted ?? opened?.stored?.workflow.projectId;
      const { definition, problems } = yield* checkSource(source, callingFor(context, place));
      const places = placesIn(source);
      const errors = problems.filter(({ severity }) => severity === "error").length;
      return {
        name: opened?.name ?? definition.name,
        direction: definition.direction,
        inputSchema: definition.inputSchema,
        isValid: errors === 0,
        steps: showSteps(definition),
        places: definition.steps.map(({ id }) => ({ id, ...places(id) })),
        edges: definition.edges.map(({ source: from, target, when, position }) => ({
          source: from,
          target,
          when: conditionOf(when),
          line: position.line,
        })),
        errors,
        warnings: problems.length - errors,
        problems: shownProblems(source, problems),
      };
    }),
});

interface Place {
  readonly from: number;
  readonly to: number;
}

function placesIn(source: string): (stepId: string) => { drawnAt: Place[]; settingsAt?: Place } {
  const { diagram } = readDiagram(source);
  const positionOf = indexLines(source);
  const linesOf = ({ start, end }: Span) => ({
    from: positionOf(start).line,
    to: positionOf(Math.max(start, end - 1)).line,
  });
  const drawn = new Map(diagram.nodes.map(({ id, mentions }) => [id, mentions]));
  const settings = new Map(readConfig(diagram).entries.map(({ stepId, span }) => [stepId, span]));
  return (stepId) => {
    const span = settings.get(stepId);
    return {
      drawnAt: (drawn.get(stepId) ?? []).map((mention) => linesOf(mention.span)),
      ...(span === undefined ? {} : { settingsAt: linesOf(span) }),
    };
  };
}

const MOST_PATHS = 300;

const paths = defineOperation({
  name: "workflow.paths",
  summary: "Lists what a step's prompt may name between braces, with examples from the newest run.",
  effect: "reads",
  permission: "read",
  input: z.object({ ...textFields, stageId: stageField }),
  output: pathList,
  surfaces: {
    cli: {
      positionals: ["workflowId", "stageId"],
      examples: ["workflow paths library:pr-review G"],
      render: rendering(pathList, renderPaths),
    },
    mcp: "full",
  },
  run: (context, { workflowId, workflowVersion, source, stageId }) =>
    context.kernel.store.read(function* () {
      const opened = yield* openVersion(workflowId, workflowVersion, callingFor(context));
      const { definition } = readSource(source ?? opened.source);
      const ids = definition.steps.map(({ id }) => id);
      if (!ids.includes(stageId)) throw stepUnknown(stageId, ids);
      const seen =
        opened.stored === undefined
          ? undefined
          : yield* seenValues(opened.stored.workflow.id, context.caller);
      const found = knownPaths(definition, stageId, seen ?? { outputs: new Map() });
      return {
        paths: found.slice(0, MOST_PATHS).map(({ example, ...known }) => ({
          ...known,
          example: example === undefined ? undefined : inShort(example),
        })),
        more: Math.max(0, found.length - MOST_PATHS),
        runId: seen?.runId,
      };
    }),
});

const LONGEST = 48;

function inShort(value: Json): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  if (typeof value === "object" && value !== null) return `{${Object.keys(value).length}}`;
  return clip(JSON.stringify(value), LONGEST);
}

function renderPaths({ paths: found, more, runId }: z.output<typeof pathList>): string {
  const columns = [{ title: "PATH" }, { title: "KIND" }, { title: "FROM" }, { title: "SO FAR" }];
  const rows = found.map(({ path, kind, from, example }) => [path, kind, from, example]);
  const rest = more === 0 ? "" : `\n\n${count(more, "path")} more.`;
  const run = runId === undefined ? "" : `\n\nValues of run ${runId}.`;
  return table(columns, rows) + rest + run;
}

export const workflowTextOperations: readonly Operation[] = [graph, paths];
