/** Changing documents: by a model from what people said, or by hand. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { checkValue } from "../../../kernel/contract/check-value.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { jsonValue } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { count } from "../../../kernel/operation/terminal-text.ts";
import { actOnRun } from "../../../kernel/run/act-on-run.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { REDACTION_MARK } from "../../../kernel/store/redacted-text.ts";
import { identityKey } from "../planning/identity.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { type CompiledStep, stepOf } from "../recipe/compiled-domain.ts";
import type { Field } from "../recipe/document-file.ts";
import { writeVersion } from "../running/dialectic-effects.ts";
import { type ArtifactTable, dialectic } from "../running/dialectic-tables.ts";
import { requireWords, wordsOf } from "../running/kept-words.ts";
import { identityOf, modelOf, type Session } from "../running/load-session.ts";
import { lookJob, newTurn } from "../running/look-handler.ts";
import { contractOf } from "../running/turn-handler.ts";
import { feedbackOn, placeName, requireSection } from "./feedback-rows.ts";
import { SESSION_FOLLOWED } from "./session-followed.ts";
import { documentField, placeOfSession, resolveDocument, sessionField } from "./session-ref.ts";

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
      yield* requireWords(session.runId);
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
      yield* requireWords(session.runId);
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
  const before = JSON.parse(wordsOf(row)) as JsonObject;
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
  requireNoMark(own, checked);
  return added === undefined ? checked : { ...checked, files_to_generate: added };
}

/** Readers are shown a mark where a passage is redacted: saved, it would take the passage's place for good. */
function requireNoMark(before: Json, after: Json): void {
  const marks = (value: Json) => JSON.stringify(value).split(REDACTION_MARK).length - 1;
  if (marks(after) <= marks(before)) return;
  throw new ProductError(
    "edit_redacted",
    `The new text holds ${REDACTION_MARK} where a passage is only hidden; saving it would lose the passage.`,
    {
      kind: "conflict",
      hint: "Write that part in your own words, or lift the redaction first: `redaction list`.",
    },
  );
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

export const changeDocumentOperations: readonly Operation[] = [revise, edit];
