/** Artifacts: what runs left behind, each with its identity, hash and inputs. */

import { z } from "zod";
import { lifecycleOperations } from "../../kernel/operation/lifecycle-operations.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  archivedField,
  asOfField,
  idField,
  isArchivedFilter,
  orderField,
  pageFields,
  pageOf,
  projectField,
} from "../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../kernel/operation/redacted-view.ts";
import { moreLine, rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { shortIds } from "../../kernel/operation/short-ids.ts";
import {
  blocks,
  bytesText,
  fieldLines,
  manyLines,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { loadRedactionScope } from "../../kernel/store/redaction-scope.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { findHiddenArtifacts } from "../../kernel/store/withheld-sources.ts";
import {
  ARTIFACT_STATES,
  archiveArtifact,
  artifactShape,
  deleteArtifact,
  getArtifact,
  getArtifactBody,
  listArtifacts,
  restoreArtifact,
  type ShownArtifact,
} from "./artifact-rows.ts";

const artifactList = pageOf(artifactShape);

const list = defineOperation({
  name: "artifact.list",
  summary: "Lists artifacts of a run, of a project, or all you see.",
  effect: "reads",
  permission: "read",
  input: z.object({
    run: z.string().min(1).max(100).optional().describe("Only of this run."),
    project: projectField.optional().describe("Only of this project."),
    kind: z.string().max(100).optional().describe("Only of this kind."),
    state: z.array(z.enum(ARTIFACT_STATES)).optional().describe("Only in one of these states."),
    archived: archivedField,
    order: orderField,
    ...pageFields,
  }),
  output: artifactList,
  surfaces: {
    cli: {
      examples: ["artifact list --run 0199a1b2-c3d4"],
      render: rendering(artifactList, renderArtifacts),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { run, project, state, archived, ...rest }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listArtifacts(
        {
          ...rest,
          states: state,
          runId: yield* resolveOptional(run, (text) => resolveId("run", text, caller)),
          projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
          isArchived: isArchivedFilter(archived),
        },
        caller,
      );
      return { items: [...items], nextCursor, asOf: kernel.clock.now() };
    }),
});

const artifactDetail = z.object({
  artifact: artifactShape,
  body: z
    .string()
    .optional()
    .describe(
      "Absent once pruned, and where it was made from something redacted since; the hash stays.",
    ),
  isMasked: z.boolean().describe("Something that was redacted since is not shown."),
  asOf: asOfField,
});

const show = defineOperation({
  name: "artifact.show",
  summary: "Shows an artifact with its text.",
  effect: "reads",
  permission: "read",
  input: z.object({ artifactId: idField("artifact") }),
  output: artifactDetail,
  surfaces: {
    cli: { positionals: ["artifactId"], render: rendering(artifactDetail, renderArtifact) },
    mcp: "full",
    resource: {
      title: "Documents and other artifacts",
      key: "artifactId",
      text: "body",
      list: { operation: "artifact.list", name: "path" },
    },
  },
  run: ({ kernel, caller }, { artifactId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("artifact", artifactId, caller);
      const artifact = yield* getArtifact(id);
      const body = yield* getArtifactBody(id);
      return { artifact, ...(yield* readableBody(artifact, body)), asOf: kernel.clock.now() };
    }),
});

/** Of what was made from something hidden nobody can tell any more which words tell of it: nothing of it is shown. */
function* readableBody(
  artifact: ShownArtifact,
  body: string | undefined,
): DatabaseWork<{ readonly body: string | undefined; readonly isMasked: boolean }> {
  const { projectId } = artifact;
  const scope = yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
  const hidden = yield* findHiddenArtifacts([artifact], scope);
  if (hidden.has(artifact.id)) return { body: undefined, isMasked: body !== undefined };
  const readable = yield* withoutRedactedPassages(body, projectId);
  return { body: readable, isMasked: readable !== body };
}

const lifecycle = lifecycleOperations({
  noun: "artifact",
  permission: "run",
  deletePermission: "administer",
  output: artifactShape,
  hasVersion: false,
  find: (given, caller) => resolveId("artifact", given, caller),
  archive: archiveArtifact,
  restore: restoreArtifact,
  remove: deleteArtifact,
});

export const artifactOperations: readonly Operation[] = [list, show, ...lifecycle];

function renderArtifacts({ items, nextCursor, asOf }: z.output<typeof artifactList>): string {
  if (items.length === 0)
    return "No artifacts to show. Runs leave them; `run list` shows what ran.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "KIND", width: 20, isSpare: true },
    { title: "PATH", width: 60 },
    { title: "STATE", isSpare: true },
    { title: "SIZE", align: "right" as const },
    { title: "MADE" },
    { title: "" },
  ];
  const rows = items.map((artifact) => [
    short(artifact.id),
    artifact.kind,
    artifact.path,
    artifact.state,
    bytesText(artifact.bytes),
    timeAgo(artifact.createdAt, asOf),
    artifact.isArchived ? "archived" : "",
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

function renderArtifact({
  artifact,
  body,
  isMasked,
  asOf,
}: z.output<typeof artifactDetail>): string {
  return blocks(
    artifact.path,
    fieldLines([
      ["id", artifact.id],
      ["kind", artifact.kind],
      ["state", artifact.state],
      ["run", artifact.runId],
      ["exchange", artifact.exchangeId],
      ["size", `${bytesText(artifact.bytes)}, ${artifact.mediaType}`],
      ["hash", artifact.hash],
      ["made", timeAgo(artifact.createdAt, asOf)],
      [
        "note",
        isMasked && body !== undefined
          ? "Passages that were redacted since are not shown."
          : undefined,
      ],
    ]),
    body === undefined ? absence(isMasked) : manyLines(body),
  );
}

function absence(isMasked: boolean): string {
  return isMasked
    ? "It tells of something that was redacted since, so it is not shown. What made it can be run again."
    : "Its text was pruned or purged; the hash still proves what it was.";
}
