/** A document with everything that is known about it. */

import { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import { asOfField, jsonValue } from "../../../kernel/operation/operation-fields.ts";
import { userNames } from "../../../kernel/operation/names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import {
  blocks,
  count,
  fieldLines,
  manyLines,
  section as titled,
} from "../../../kernel/operation/terminal-text.ts";
import { diffLines } from "../../../kernel/prompt/diff-lines.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { renderDocument, renderSections } from "../document/render-document.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { dependantsOf } from "../planning/staleness.ts";
import { stepOf } from "../recipe/compiled-domain.ts";
import { type ArtifactTable, dialectic } from "../running/dialectic-tables.ts";
import { identityOf, type Session } from "../running/load-session.ts";
import { feedbackOn, feedbackShape, placeName, sayFeedback } from "./feedback-rows.ts";

export const documentShape = z.object({
  id: z.string(),
  runId: z.string(),
  stage: z.string(),
  step: z.string(),
  documentKey: z.string(),
  title: z.string(),
  description: z.string(),
  place: z.string(),
  iteration: z.int(),
  version: z.int(),
  state: z.string(),
  author: z.string(),
  hash: z.string(),
  isPruned: z.boolean().describe("Its words were let go of; the hash still proves what they were."),
  continuation: z.int(),
  markdown: z.string(),
  value: jsonValue,
  sections: z.array(
    z.object({
      key: z.string(),
      title: z.string(),
      markdown: z.string(),
      isMissing: z.boolean(),
      kind: z.string().describe("`text`, `lines`, `list` …: how it is edited."),
    }),
  ),
  gaps: z.array(z.string()),
  setAside: z.array(
    z.object({ call: z.int(), path: z.string(), why: z.string(), received: jsonValue }),
  ),
  inputs: z.array(
    z.object({
      type: z.string(),
      document: z.string(),
      id: z.string(),
      isCurrent: z.boolean(),
      state: z.string().optional().describe("Of a document: as it stands now."),
    }),
  ),
  usedBy: z.array(z.object({ id: z.string(), document: z.string(), state: z.string() })),
  dependants: z
    .int()
    .describe(
      "How many documents rest on it, directly or through others: a change makes them stale.",
    ),
  versions: z.array(
    z.object({
      id: z.string(),
      version: z.int(),
      state: z.string(),
      author: z.string(),
      authorName: z.string().describe("A model's name, or that of the person who edited it."),
      isEdited: z.boolean(),
      isRevised: z.boolean(),
      createdAt: z.number(),
    }),
  ),
  feedback: z.array(feedbackShape),
  use: z.object({
    calls: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    costMicroUsd: z.int(),
    hasUnknownCost: z.boolean(),
  }),
  calls: z
    .array(
      z.object({
        exchangeId: z.string(),
        model: z.string(),
        attempt: z.int(),
        continuation: z.int(),
        outcome: z.string(),
        inputTokens: z.int(),
        outputTokens: z.int(),
        costMicroUsd: z.int().nullable().describe("Null where the model has no known price."),
        finishedAt: z.number(),
      }),
    )
    .describe("The calls that brought it, each with the prompt that was sent."),
  diff: z
    .array(z.object({ change: z.enum(["same", "removed", "added"]), text: z.string() }))
    .optional(),
  asOf: asOfField,
});

export function* shownDocument(
  session: Session,
  row: ArtifactTable,
  wantsDiff: boolean,
): DatabaseWork<Omit<z.output<typeof documentShape>, "asOf">> {
  const step = stepOf(session.domain, row.stage, row.step);
  const isPruned = row.body === null;
  const value: Json = row.body === null ? null : (JSON.parse(row.body) as Json);
  const versions = yield* versionsOf(row);
  const before = versions.filter(({ version }) => version < row.version).at(-1);
  const markdown = isPruned ? "" : renderDocument(step.shape, value);
  const names = yield* namesOf(session);
  const inputs = (JSON.parse(row.inputs) as readonly InputRef[]).map((ref) => ({
    type: ref.type,
    document: names.get(ref.id)?.name ?? `${ref.stage}/${ref.documentKey}`,
    id: ref.id,
    isCurrent: names.get(ref.id)?.state !== "superseded",
    ...(names.has(ref.id) ? { state: names.get(ref.id)?.state ?? "" } : {}),
  }));
  const calls = yield* callsOf(row);
  const people = yield* userNames(versions.map(({ author }) => author));
  const usedBy = [...names]
    .filter(([, each]) => each.inputs.includes(row.id) && each.state !== "superseded")
    .map(([id, each]) => ({ id, document: each.name, state: each.state }));
  return {
    id: row.id,
    runId: row.run_id,
    stage: row.stage,
    step: row.step,
    documentKey: row.document_key,
    title: step.shape.title,
    description: step.shape.description,
    place: placeName(row),
    iteration: row.iteration,
    version: row.version,
    state: row.state,
    author: row.author,
    hash: row.hash,
    isPruned,
    continuation: row.continuation,
    markdown,
    value,
    sections: (isPruned ? [] : renderSections(step.shape, value)).map((each) => ({
      ...each,
      kind: step.shape.fields.find(({ key }) => key === each.key)?.kind ?? "text",
    })),
    gaps: JSON.parse(row.gaps) as string[],
    setAside: JSON.parse(row.set_aside) as z.output<typeof documentShape>["setAside"],
    inputs,
    usedBy,
    dependants: standingDependants(names, row.id),
    versions: versions.map(({ id, version, state, author, based_on, created_at }) => {
      const isEdited = !session.slots.includes(author);
      return {
        id,
        version,
        state,
        author,
        authorName: people.get(author) ?? author,
        isEdited,
        isRevised: !isEdited && based_on !== null,
        createdAt: created_at,
      };
    }),
    feedback: yield* feedbackOn(row),
    use: useOf(calls),
    calls,
    ...(wantsDiff && !isPruned && before !== undefined && before.body !== null
      ? {
          diff: diffLines(renderDocument(step.shape, JSON.parse(before.body)), markdown).map(
            ({ change: kind, text }) => ({ change: kind, text }),
          ),
        }
      : {}),
  };
}

function* versionsOf(row: ArtifactTable): DatabaseWork<readonly ArtifactTable[]> {
  return yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .selectAll()
      .where((where) =>
        where.and({ run_id: row.run_id, ...identityOf(row), iteration: row.iteration }),
      )
      .orderBy("version"),
  );
}

type Names = ReadonlyMap<
  string,
  { readonly name: string; readonly state: string; readonly inputs: readonly string[] }
>;

function* namesOf({ runId }: Session): DatabaseWork<Names> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .select([
        "id",
        "stage",
        "step",
        "document_key",
        "slot",
        "lineage",
        "match",
        "state",
        "inputs",
      ])
      .where("run_id", "=", runId),
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        name: placeName(row),
        state: row.state,
        inputs: (JSON.parse(row.inputs) as readonly InputRef[]).map(({ id }) => id),
      },
    ]),
  );
}

/** The same that an edit would mark. */
function standingDependants(names: Names, id: string): number {
  const rows = [...names]
    .filter(([, { state }]) => state !== "superseded")
    .map(([each, { inputs }]) => ({ id: each, inputs: inputs.map((input) => ({ id: input })) }));
  return dependantsOf(rows, [id]).filter((each) =>
    ["complete", "partial"].includes(names.get(each)?.state ?? ""),
  ).length;
}

function* callsOf({
  jobs,
  run_id,
}: ArtifactTable): DatabaseWork<z.output<typeof documentShape>["calls"]> {
  const ids = JSON.parse(jobs) as readonly string[];
  if (ids.length === 0) return [];
  const rows = yield* query(
    dialectic
      .selectFrom("exchange")
      .innerJoin("answer", "answer.exchange_id", "exchange.id")
      .select(["exchange.id", "exchange.model", "exchange.attempt", "exchange.continuation"])
      .select(["answer.outcome", "answer.finished_at"])
      .select(["answer.input_tokens", "answer.output_tokens", "answer.cost_micro_usd"])
      .where("exchange.run_id", "=", run_id)
      .where("exchange.job_id", "in", ids)
      .orderBy("exchange.id"),
  );
  return rows.map((row) => ({
    exchangeId: row.id,
    model: row.model,
    attempt: row.attempt,
    continuation: row.continuation,
    outcome: row.outcome,
    inputTokens: row.input_tokens ?? 0,
    outputTokens: row.output_tokens ?? 0,
    costMicroUsd: row.cost_micro_usd,
    finishedAt: row.finished_at,
  }));
}

function useOf(calls: z.output<typeof documentShape>["calls"]) {
  const sum = (pick: (call: (typeof calls)[number]) => number) =>
    calls.reduce((total, call) => total + pick(call), 0);
  return {
    calls: calls.length,
    inputTokens: sum((call) => call.inputTokens),
    outputTokens: sum((call) => call.outputTokens),
    costMicroUsd: sum((call) => call.costMicroUsd ?? 0),
    hasUnknownCost: calls.some((call) => call.costMicroUsd === null),
  };
}

export function renderDocumentView(shown: z.output<typeof documentShape>): string {
  const signs = { same: " ", removed: "-", added: "+" } as const;
  const body =
    shown.diff === undefined
      ? manyLines(shown.markdown)
      : shown.diff.map(({ change: kind, text }) => `${signs[kind]} ${manyLines(text)}`).join("\n");
  return blocks(
    fieldLines([
      ["Document", `${shown.place}  ${shortId(shown.id)}`],
      ["Written by", shown.author],
      ["State", `${shown.state}, version ${shown.version}, iteration ${shown.iteration}`],
      ["Made from", count(shown.inputs.length, "input")],
      ["Used by", count(shown.usedBy.length, "document")],
      [
        "Cost",
        `${count(shown.use.calls, "call")}, ${shown.use.inputTokens} + ${shown.use.outputTokens} tokens`,
      ],
    ]),
    shown.isPruned ? "The words were pruned; the hash still proves what they were." : body,
    titled("Missing", shown.gaps.join("\n")),
    titled(
      "Received and not taken",
      shown.setAside
        .map(({ call, path, why }) => `reply ${call + 1}${path === "" ? "" : ` ${path}`}: ${why}`)
        .join("\n"),
    ),
    titled("What people said", shown.feedback.map(sayFeedback).join("\n")),
  );
}
