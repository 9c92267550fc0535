/** Reading documents, saying what should change, changing them. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { checkValue } from "../../../kernel/contract/check-value.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { asOfField, jsonValue } from "../../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  count,
  fieldLines,
  manyLines,
  oneLine,
  section as titled,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { diffLines } from "../../../kernel/prompt/diff-lines.ts";
import { actOnRun } from "../../../kernel/run/act-on-run.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import { type DatabaseWork, execute, query } from "../../../kernel/store/database-work.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import { renderDocument, renderSections } from "../document/render-document.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { type CompiledStep, stepOf } from "../recipe/compiled-domain.ts";
import { identityKey } from "../planning/identity.ts";
import type { Field } from "../recipe/document-file.ts";
import type { FeedbackState } from "../running/dialectic-tables.ts";
import { type ArtifactTable, dialectic } from "../running/dialectic-tables.ts";
import { writeVersion } from "../running/dialectic-effects.ts";
import { identityOf, modelOf, type Session } from "../running/load-session.ts";
import { lookJob, newTurn } from "../running/look-handler.ts";
import { contractOf } from "../running/turn-handler.ts";
import {
  documentField,
  placeOfSession,
  resolveDocument,
  resolveSession,
  sessionField,
} from "./session-ref.ts";
import { SESSION_FOLLOWED } from "./session-operations.ts";

const FEEDBACK_STATES = ["open", "addressed", "deferred", "rejected"] as const;

const feedbackShape = z.object({
  id: z.string(),
  document: z.string(),
  artifactId: z.string(),
  section: z.string(),
  text: z.string(),
  state: z.enum(FEEDBACK_STATES),
  note: z.string().optional(),
  addressedBy: z.string().optional(),
  createdBy: z.string(),
  createdAt: z.number(),
});

const documentShape = z.object({
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
  continuation: z.int(),
  markdown: z.string(),
  value: jsonValue,
  sections: z.array(
    z.object({ key: z.string(), title: z.string(), markdown: z.string(), isMissing: z.boolean() }),
  ),
  gaps: z.array(z.string()),
  setAside: z.array(
    z.object({ call: z.int(), path: z.string(), why: z.string(), received: jsonValue }),
  ),
  inputs: z.array(
    z.object({ type: z.string(), document: z.string(), id: z.string(), isCurrent: z.boolean() }),
  ),
  usedBy: z.array(z.object({ id: z.string(), document: z.string(), state: z.string() })),
  versions: z.array(
    z.object({
      id: z.string(),
      version: z.int(),
      state: z.string(),
      author: z.string(),
      createdAt: z.number(),
    }),
  ),
  feedback: z.array(feedbackShape),
  use: z.object({
    calls: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    costMicroUsd: z.int(),
  }),
  diff: z
    .array(z.object({ change: z.enum(["same", "removed", "added"]), text: z.string() }))
    .optional(),
  asOf: asOfField,
});

const show = defineOperation({
  name: "dialectic.show",
  summary:
    "Shows a document: its text, what it was made from, what is built on it, what people said.",
  effect: "reads",
  permission: "read",
  input: z.object({
    document: documentField,
    session: sessionField,
    diff: z.boolean().default(false).describe("What changed since the version before."),
    json: z.boolean().default(false).describe("The document as data instead of text."),
  }),
  output: documentShape.extend({ asJson: z.boolean() }),
  surfaces: {
    cli: {
      positionals: ["document"],
      render: rendering(documentShape.extend({ asJson: z.boolean() }), renderDocumentView),
      examples: ["dialectic show thesis/business_case/s1", "dialectic show 0199a1b2 --diff"],
    },
    mcp: "core",
  },
  run: ({ kernel, caller }, { document, session: given, diff, json }) =>
    kernel.store.read(function* () {
      const { session, row } = yield* resolveDocument(document, given, caller);
      const shown = yield* shownDocument(session, row, diff);
      const readable = yield* withoutRedactedPassages(shown, session.projectId ?? undefined);
      return { ...readable, asJson: json, asOf: kernel.clock.now() };
    }),
});

function* shownDocument(
  session: Session,
  row: ArtifactTable,
  wantsDiff: boolean,
): DatabaseWork<Omit<z.output<typeof documentShape>, "asOf">> {
  const step = stepOf(session.domain, row.stage, row.step);
  const value = JSON.parse(row.body) as Json;
  const versions = yield* versionsOf(row);
  const before = versions.filter(({ version }) => version < row.version).at(-1);
  const markdown = renderDocument(step.shape, value);
  const names = yield* namesOf(session);
  const inputs = (JSON.parse(row.inputs) as readonly InputRef[]).map((ref) => ({
    type: ref.type,
    document: names.get(ref.id)?.name ?? `${ref.stage}/${ref.documentKey}`,
    id: ref.id,
    isCurrent: names.get(ref.id)?.state !== "superseded",
  }));
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
    continuation: row.continuation,
    markdown,
    value,
    sections: renderSections(step.shape, value).map((each) => ({ ...each })),
    gaps: JSON.parse(row.gaps) as string[],
    setAside: JSON.parse(row.set_aside) as z.output<typeof documentShape>["setAside"],
    inputs,
    usedBy,
    versions: versions.map(({ id, version, state, author, created_at }) => ({
      id,
      version,
      state,
      author,
      createdAt: created_at,
    })),
    feedback: yield* feedbackOn(row),
    use: yield* useOf(row),
    ...(wantsDiff && before !== undefined
      ? {
          diff: diffLines(renderDocument(step.shape, JSON.parse(before.body)), markdown).map(
            ({ change: kind, text }) => ({ change: kind, text }),
          ),
        }
      : {}),
  };
}

/** `thesis/business_case/s1`, by which it can be named. */
export function placeName(
  row: Pick<ArtifactTable, "stage" | "step" | "document_key" | "slot" | "lineage" | "match">,
): string {
  const place = identityKey(identityOf(row)).split("/").at(-1) ?? "";
  return `${row.stage}/${row.document_key}/${place}`;
}

function* versionsOf(row: ArtifactTable): DatabaseWork<readonly ArtifactTable[]> {
  return yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .selectAll()
      .where("run_id", "=", row.run_id)
      .where("stage", "=", row.stage)
      .where("step", "=", row.step)
      .where("slot", "=", row.slot)
      .where("lineage", row.lineage === null ? "is" : "=", row.lineage)
      .where("match", row.match === null ? "is" : "=", row.match)
      .where("iteration", "=", row.iteration)
      .orderBy("version"),
  );
}

function* namesOf({ runId }: Session) {
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

function* useOf({ jobs, run_id }: ArtifactTable) {
  const ids = JSON.parse(jobs) as readonly string[];
  const rows =
    ids.length === 0
      ? []
      : yield* query(
          dialectic
            .selectFrom("exchange")
            .innerJoin("answer", "answer.exchange_id", "exchange.id")
            .select(["answer.input_tokens", "answer.output_tokens", "answer.cost_micro_usd"])
            .where("exchange.run_id", "=", run_id)
            .where("exchange.job_id", "in", ids),
        );
  const sum = (pick: (row: (typeof rows)[number]) => number | null) =>
    rows.reduce((total, row) => total + Number(pick(row) ?? 0), 0);
  return {
    calls: rows.length,
    inputTokens: sum((row) => row.input_tokens),
    outputTokens: sum((row) => row.output_tokens),
    costMicroUsd: sum((row) => row.cost_micro_usd),
  };
}

function* feedbackOn(row: ArtifactTable) {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_feedback")
      .selectAll()
      .where("run_id", "=", row.run_id)
      .where("stage", "=", row.stage)
      .where("step", "=", row.step)
      .where("slot", "=", row.slot)
      .where("lineage", row.lineage === null ? "is" : "=", row.lineage)
      .where("match", row.match === null ? "is" : "=", row.match)
      .orderBy("id"),
  );
  return rows.map(toFeedback);
}

type FeedbackRow = Parameters<typeof placeName>[0] & {
  readonly id: string;
  readonly artifact_id: string;
  readonly section: string;
  readonly body: string;
  readonly state: FeedbackState;
  readonly note: string | null;
  readonly addressed_by: string | null;
  readonly created_by: string;
  readonly created_at: number;
};

function toFeedback(row: FeedbackRow): z.output<typeof feedbackShape> {
  return {
    id: row.id,
    document: placeName(row),
    artifactId: row.artifact_id,
    section: row.section,
    text: row.body,
    state: row.state,
    ...(row.note === null ? {} : { note: row.note }),
    ...(row.addressed_by === null ? {} : { addressedBy: row.addressed_by }),
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

function renderDocumentView(shown: z.output<typeof documentShape> & { asJson: boolean }): string {
  if (shown.asJson) return JSON.stringify(shown.value, null, 2);
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
    body,
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

function sayFeedback({ id, section, state, text }: z.output<typeof feedbackShape>): string {
  return `${shortId(id)}  ${state}  ${section === "" ? "whole" : section}: ${oneLine(text)}`;
}

const feedbackList = z.object({ items: z.array(feedbackShape), asOf: asOfField });

const feedback = defineOperation({
  name: "dialectic.feedback",
  summary:
    "Says what should change in a document or one of its sections; without text, lists what was said.",
  effect: "writes",
  permission: "edit",
  projectScope: { session: placeOfSession },
  input: z.object({
    session: sessionField,
    document: documentField.optional(),
    section: z
      .string()
      .max(80)
      .default("")
      .describe("A section by its key; the whole document unless given."),
    text: z.string().trim().min(1).max(20_000).optional().describe("What should change, and why."),
    item: z.string().max(100).optional().describe("An earlier remark, to settle it."),
    state: z.enum(FEEDBACK_STATES).optional().describe("What becomes of it."),
    note: z.string().max(2_000).optional().describe("Why it is deferred or rejected."),
  }),
  output: feedbackList,
  surfaces: {
    cli: {
      positionals: ["session"],
      stdin: "text",
      render: rendering(feedbackList, ({ items }) =>
        items.length === 0
          ? "Nobody has said anything yet."
          : table(
              [
                { title: "ID" },
                { title: "STATE" },
                { title: "DOCUMENT", width: 50 },
                { title: "SECTION", width: 24 },
                { title: "WHAT", width: 70 },
              ],
              items.map((each) => [
                shortId(each.id),
                each.state,
                each.document,
                each.section,
                each.text,
              ]),
            ),
      ),
      examples: [
        'dialectic feedback --document thesis/business_case/s1 --section risks --text "Name the payment risk."',
        'dialectic feedback --item 0199a1b2 --state rejected --note "Out of scope"',
      ],
    },
    mcp: "core",
  },
  run: async (context, input) => {
    const { kernel, caller } = context;
    return await change(context, function* ({ actor, now }) {
      const { document, text, item } = input;
      if (document !== undefined && text !== undefined) {
        const { session, row } = yield* resolveDocument(document, input.session, caller);
        yield* addFeedback(session, row, { ...input, text }, { id: kernel.ids.next(), actor, now });
        return { items: yield* feedbackOn(row), asOf: now };
      }
      const session = yield* resolveSession(input.session, caller);
      if (item !== undefined) yield* settleFeedback(session, item, input.state, input.note);
      else if (text !== undefined) throw missingDocument();
      const rows = yield* query(
        dialectic
          .selectFrom("dialectic_feedback")
          .selectAll()
          .where("run_id", "=", session.runId)
          .orderBy("id"),
      );
      return { items: rows.map(toFeedback), asOf: now };
    });
  },
});

function missingDocument(): ProductError {
  return new ProductError("feedback_without_document", "Say which document this is about.", {
    hint: "Add --document, such as thesis/business_case/s1.",
  });
}

function* addFeedback(
  session: Session,
  row: ArtifactTable,
  { section, text }: { readonly section: string; readonly text: string },
  { id, actor, now }: { readonly id: string; readonly actor: string; readonly now: number },
): DatabaseWork<void> {
  const { shape } = stepOf(session.domain, row.stage, row.step);
  if (section !== "") requireSection(shape.fields, section);
  const body = storableText(text);
  yield* execute(
    dialectic.insertInto("dialectic_feedback").values({
      id,
      run_id: row.run_id,
      stage: row.stage,
      step: row.step,
      document_key: row.document_key,
      slot: row.slot,
      lineage: row.lineage,
      match: row.match,
      artifact_id: row.id,
      section,
      body,
      hash: hashText(`${section}\n${body}`),
      state: "open",
      note: null,
      addressed_by: null,
      created_by: actor,
      created_at: now,
    }),
  );
}

function requireSection(fields: readonly Field[], key: string): Field {
  const found = fields.find((field) => field.key === key);
  if (found !== undefined) return found;
  throw new ProductError("section_unknown", `The document has no section "${key}".`, {
    kind: "not_found",
    hint: `Sections are ${fields.map((field) => field.key).join(", ")}.`,
  });
}

function* settleFeedback(
  { runId }: Session,
  given: string,
  state: FeedbackState | undefined,
  note: string | undefined,
): DatabaseWork<void> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_feedback")
      .select("id")
      .where("run_id", "=", runId)
      .where("id", "like", `${given.replaceAll(/[%_]/g, "")}%`),
  );
  const [found, second] = rows;
  if (found === undefined || second !== undefined) {
    throw new ProductError("feedback_not_found", `There is no single remark "${given}".`, {
      kind: "not_found",
      hint: "`dialectic feedback` lists them with their ids.",
    });
  }
  if (state === undefined) {
    throw new ProductError("feedback_state_missing", "Say what becomes of it.", {
      hint: "Add --state open, addressed, deferred or rejected.",
    });
  }
  yield* execute(
    dialectic
      .updateTable("dialectic_feedback")
      .set({ state, ...(note === undefined ? {} : { note }) })
      .where("id", "=", found.id),
  );
}

const revised = z.object({ runId: z.string(), document: z.string(), did: z.string() });

const revise = defineOperation({
  name: "dialectic.revise",
  summary: "Has a document revised from what people said about it; the version before is kept.",
  effect: "writes",
  permission: "run",
  projectScope: { session: placeOfSession },
  input: z.object({ document: documentField, session: sessionField }),
  output: revised,
  surfaces: {
    cli: {
      positionals: ["document"],
      follow: SESSION_FOLLOWED,
      render: rendering(revised, ({ did }) => doneLine(did)),
      examples: ["dialectic revise thesis/business_case/s1 --follow"],
    },
    mcp: "full",
  },
  run: async (context, { document, session: given }) => {
    const { kernel, caller } = context;
    const answer = await change(context, function* ({ actor, now }) {
      const { session, row } = yield* resolveDocument(document, given, caller);
      requireCurrent(row);
      const open = (yield* feedbackOn(row)).filter(({ state }) => state === "open");
      if (open.length === 0) {
        throw new ProductError("nothing_to_revise", "Nobody has said what should change in it.", {
          kind: "conflict",
          hint: `Say it first: \`dialectic feedback --document ${placeName(row)} --text …\`.`,
        });
      }
      const identity = identityOf(row);
      const feedbackIds = open.map(({ id }) => id);
      const key = `${identityKey(identity)}/i${row.iteration}/revise/${hashText([row.id, ...feedbackIds].join()).slice(0, 16)}`;
      const job = newTurn(key, {
        identity,
        iteration: row.iteration,
        model: modelOf(session, row.slot),
        inputs: JSON.parse(row.inputs) as readonly InputRef[],
        jobs: [],
        revision: { artifactId: row.id, feedbackIds },
      });
      yield* actOnRun(
        kernel.engine,
        { runId: session.runId, actor, reopens: true },
        function* (): DatabaseWork<Decision> {
          yield* [];
          return { jobs: [job] };
        },
        now,
      );
      return {
        runId: session.runId,
        document: placeName(row),
        did: `${placeName(row)} is being revised from ${count(open.length, "remark")}. \`dialectic show ${placeName(row)} --diff\` shows what changes.`,
      };
    });
    kernel.wake();
    return answer;
  },
});

function requireCurrent({ state, id }: ArtifactTable): void {
  if (state !== "superseded") return;
  throw new ProductError("document_superseded", "This version has been replaced.", {
    kind: "conflict",
    hint: "Name the document instead of this version, such as thesis/business_case/s1.",
    details: { id },
  });
}

const edited = z.object({ id: z.string(), document: z.string(), version: z.int(), stale: z.int() });

const edit = defineOperation({
  name: "dialectic.edit",
  summary:
    "Changes a document by hand; the model's version is kept, what was built on it becomes stale.",
  effect: "writes",
  permission: "edit",
  projectScope: { session: placeOfSession },
  input: z.object({
    document: documentField,
    session: sessionField,
    section: z
      .string()
      .max(80)
      .optional()
      .describe("The section to change; the whole document unless given."),
    text: z
      .string()
      .max(200_000)
      .optional()
      .describe("Its new text; one line a point for lists; JSON for anything with fields."),
    value: jsonValue.optional().describe("The same as JSON."),
  }),
  output: edited,
  surfaces: {
    cli: {
      positionals: ["document"],
      stdin: "text",
      render: rendering(edited, ({ document, version, stale }) =>
        doneLine(
          `${document} is now version ${version}.${stale === 0 ? "" : ` ${count(stale, "document")} built on it became stale; \`dialectic run --stale\` makes them again.`}`,
        ),
      ),
      examples: ["dialectic edit thesis/business_case/s1 --section executive_summary < summary.md"],
    },
    mcp: "full",
  },
  run: async (context, input) => {
    const { kernel, caller } = context;
    const answer = await change(context, function* ({ actor, now }) {
      const { session, row } = yield* resolveDocument(input.document, input.session, caller);
      requireCurrent(row);
      const step = stepOf(session.domain, row.stage, row.step);
      const value = editedValue(step, row, input);
      const staleBefore = yield* countStale(session);
      const id = kernel.ids.next();
      yield* actOnRun(
        kernel.engine,
        { runId: session.runId, actor, reopens: true },
        function* (): DatabaseWork<Decision> {
          yield* writeVersion(
            session,
            {
              id,
              identity: identityOf(row),
              iteration: row.iteration,
              value,
              state: "complete",
              author: actor,
              inputs: JSON.parse(row.inputs) as readonly InputRef[],
              jobs: [],
              continuation: 0,
              gaps: [],
              setAside: [],
              basedOn: row.id,
            },
            { now },
          );
          return {
            // The look opens the gate again where the run had ended.
            jobs: [lookJob(session.row.look)],
            events: [{ type: "document.edited", data: { artifact: id, document: placeName(row) } }],
          };
        },
        now,
      );
      const stale = (yield* countStale(session)) - staleBefore;
      return { id, document: placeName(row), version: row.version + 1, stale: Math.max(0, stale) };
    });
    kernel.wake();
    return answer;
  },
});

function* countStale({ runId }: Session): DatabaseWork<number> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .select("id")
      .where("run_id", "=", runId)
      .where("state", "=", "stale"),
  );
  return rows.length;
}

function editedValue(
  step: CompiledStep,
  row: ArtifactTable,
  {
    section,
    text,
    value,
  }: { section?: string | undefined; text?: string | undefined; value?: Json | undefined },
): Json {
  if (text === undefined && value === undefined) {
    throw new ProductError("edit_empty", "Say what it should read.", {
      hint: "Give --text, --value, or the text on standard input.",
    });
  }
  const before = JSON.parse(row.body) as JsonObject;
  const { files_to_generate: added, ...own } = before;
  const whole =
    section === undefined
      ? (value ?? parsedJson(text ?? ""))
      : {
          ...own,
          [section]: value ?? valueOfText(requireSection(step.shape.fields, section), text ?? ""),
        };
  const reading = checkValue(contractOf(step), whole);
  if (!reading.ok) {
    const problems = reading.problems.map(({ message }) => message);
    throw new ProductError(
      "edit_invalid",
      `This does not fit the document: ${problems.slice(0, 3).join(" ")}`,
      {
        hint: "`dialectic show --json` shows it as data.",
        details: { problems },
      },
    );
  }
  const checked = reading.value as JsonObject;
  return added === undefined ? checked : { ...checked, files_to_generate: added };
}

function valueOfText(field: Field, text: string): Json {
  switch (field.kind) {
    case "text":
    case "line":
    case "block":
    case "choice":
      return text.trim();
    case "lines":
      return text
        .split("\n")
        .map((line) => line.replace(/^\s*[-*]\s+/, "").trim())
        .filter((line) => line !== "");
    default:
      return parsedJson(text);
  }
}

function parsedJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ProductError("edit_not_json", "A part with fields of its own is edited as JSON.", {
      hint: "`dialectic show --json` shows it.",
    });
  }
}

export const documentOperations: readonly Operation[] = [show, feedback, revise, edit];
