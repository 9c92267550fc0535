/** `session`: every prompt to an agent leaves a trail. Begin it, record each change, finish with one commit and a report. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { becauseField, idField, projectField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { LONGEST_INTENT } from "../../kernel/vcs/intent-message.ts";
import { abandonSession } from "./abandon-session.ts";
import { bindRun } from "./bind-run.ts";
import { givenText } from "./exact-text.ts";
import { finishSession } from "./finish-session.ts";
import { adoptIntent, recordIntent } from "./record-intent.ts";
import { rely } from "./rely-on.ts";
import { openDesk, openSession, placeOfSession, type SessionPorts } from "./session-desk.ts";
import { toHead } from "./session-output.ts";
import {
  changedSession,
  finishedSession,
  recordedIntent,
  startedSession,
  writtenReport,
} from "./session-shape.ts";
import { REPORT_KINDS } from "./session-tables.ts";
import { listEntries, listIntents } from "./session-trail.ts";
import {
  renderAbandoned,
  renderBound,
  renderFinished,
  renderIntent,
  renderReliance,
  renderStarted,
  renderWritten,
} from "./session-view.ts";
import { startSession } from "./start-session.ts";
import { writeSessionReport } from "./write-report.ts";

const MOST_TEXT = 4_000_000;

export const sessionField = idField("session")
  .optional()
  .describe("The session's id, or a unique beginning of it; the only open one unless given.");

const allowSecret = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .optional()
  .describe("Why what looks like a key or a password is none; kept with the session.");

const fileField = z.string().min(1).max(4000).optional();

const about = {
  session: sessionField,
  project: projectField
    .optional()
    .describe("The project whose repository it is about; the workspace's own unless given."),
};
const scope = { session: placeOfSession, project: "project" } as const;

const reportFields = {
  answer: z
    .string()
    .max(MOST_TEXT)
    .optional()
    .describe("The final answer, as Markdown; the summary unless given."),
  answerFile: fileField.describe(
    "The final answer: on the command line a file or `-`; elsewhere the id of an upload.",
  ),
  kind: z.enum(REPORT_KINDS).optional().describe("What the report is; an answer unless given."),
  title: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .optional()
    .describe("The report's title; the summary unless given."),
  subject: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("What it is about, by any of the subject's names; `subject list` shows them."),
  newSubject: z.boolean().default(false).describe("The subject may be a new one."),
};

export function sessionOperations(ports: SessionPorts): readonly Operation[] {
  const start = defineOperation({
    name: "session.start",
    summary:
      "Begins a session: keeps the prompt byte for byte and what you make of it, on a clean working copy.",
    effect: "writes",
    permission: "run",
    projectScope: { project: "project" },
    input: z.object({
      promptFile: fileField.describe(
        "The prompt: on the command line a file or `-`; elsewhere the id of an upload.",
      ),
      prompt: z
        .string()
        .max(MOST_TEXT)
        .optional()
        .describe("The prompt itself, instead of a file."),
      interpretation: z
        .string()
        .trim()
        .min(1)
        .max(20_000)
        .describe("How you understand the prompt, in a few sentences."),
      strategy: z.string().max(20_000).default("").describe("How you mean to go about it."),
      constraints: z
        .array(z.string().trim().min(1).max(1000))
        .max(100)
        .default([])
        .describe("What must be kept to; one each."),
      subject: reportFields.subject,
      project: about.project,
      reliesOn: z
        .string()
        .min(4)
        .max(100)
        .optional()
        .describe("A change below the working copy whose knowledge the work counts on."),
      commitExisting: z
        .boolean()
        .default(false)
        .describe("Record what is changed already first, one intent for each group."),
      allowSecret,
    }),
    output: startedSession,
    surfaces: {
      cli: {
        positionals: ["promptFile"],
        files: { promptFile: [] },
        untyped: ["prompt"],
        examples: [
          'session start - --interpretation "Reading settings is slow; read them once." < prompt.md',
          'session start prompt.md --interpretation "…" --strategy "Measure first." --commit-existing',
        ],
        render: rendering(startedSession, renderStarted),
      },
      mcp: "core",
    },
    run: async (context, { promptFile, prompt: given, project, ...words }) => {
      const prompt = await givenText(context, "prompt", { text: given, file: promptFile });
      if (prompt === undefined || prompt.trim() === "") throw promptMissing();
      const desk = await openDesk(ports, context, project);
      const session = await startSession(desk, {
        ...words,
        prompt,
        projectId: desk.projectId,
      });
      return context.kernel.store.read(function* () {
        const entries = yield* listEntries(session.id);
        return {
          session: yield* toHead(session),
          base: session.base.changeId,
          existing: entries
            .filter(({ kind }) => kind === "existing_recorded")
            .map(({ data }) => {
              const { change: changeId, message } = data as { change: string; message: string };
              return { changeId, what: message.trim() };
            }),
        };
      });
    },
  });

  const intent = defineOperation({
    name: "session.intent",
    summary: "Records one change as one commit that says in one line what it does.",
    effect: "writes",
    permission: "run",
    projectScope: scope,
    input: z.object({
      what: z
        .string()
        .max(LONGEST_INTENT)
        .optional()
        .describe("What this change does: one line, in your own words."),
      ...about,
      paths: z
        .array(z.string().min(1).max(4000))
        .max(5000)
        .optional()
        .describe(
          "Only these files or folders, from the repository's root; everything unless given.",
        ),
      change: z
        .string()
        .min(4)
        .max(100)
        .optional()
        .describe(
          "A commit `intent: …` made by hand that belongs to the session, instead of a new one.",
        ),
      allowSecret,
    }),
    output: recordedIntent,
    surfaces: {
      cli: {
        positionals: ["what"],
        examples: [
          'session intent "Read the settings once"',
          'session intent "Measure it" --paths bench --paths docs/speed.md',
        ],
        render: rendering(recordedIntent, renderIntent),
      },
      mcp: "core",
    },
    run: async (context, { what, session, project, change: adopted, ...request }) => {
      if ((what === undefined) === (adopted === undefined)) throw intentUnclear();
      const desk = await openSession(ports, context, { session, project }, ["open"]);
      const { id } = desk.session;
      const commit =
        adopted === undefined
          ? await recordIntent(desk, id, { what: what ?? "", ...request })
          : await adoptIntent(desk, id, adopted);
      const { changeId, commitId, message } = commit;
      return { sessionId: id, changeId, commitId, what: message.trim() };
    },
  });

  const finish = defineOperation({
    name: "session.finish",
    summary:
      "Brings the session's intents together into one `session:` commit with its report, pushes it and verifies that.",
    effect: "writes",
    permission: "run",
    projectScope: scope,
    input: z.object({
      summary: z
        .string()
        .trim()
        .min(1)
        .max(300)
        .optional()
        .describe("What was achieved, in one line. Needed unless an earlier try has it."),
      ...about,
      ...reportFields,
      release: z.boolean().default(false).describe("To the bookmark of releases instead."),
      push: z
        .boolean()
        .optional()
        .describe("Whether it is pushed; what the settings say unless given."),
      allowSecret,
    }),
    output: finishedSession,
    surfaces: {
      cli: {
        positionals: ["summary"],
        files: { answerFile: [] },
        untyped: ["answer"],
        examples: [
          'session finish "Settings are read once" --subject Settings --answer-file answer.md',
          'session finish "Nothing to change" --kind question --no-push',
        ],
        render: rendering(finishedSession, renderFinished),
        outcome: (output) =>
          finishedSession.parse(output).session.state === "finished" ? "ok" : "unavailable",
      },
      mcp: "core",
    },
    run: async (context, input) => {
      const { session, project, answer, answerFile, newSubject, release, ...words } = input;
      const text = await givenText(context, "answer", { text: answer, file: answerFile });
      const states = ["open", "finishing", "synthesised"] as const;
      const desk = await openSession(ports, context, { session, project }, states);
      const ended = await finishSession(desk, desk.session.id, {
        ...words,
        answer: text,
        isNewSubject: newSubject,
        isRelease: release,
      });
      return context.kernel.store.read(function* () {
        const intents = yield* listIntents(ended.id);
        return {
          session: yield* toHead(ended),
          squashed: intents.flatMap(({ duplicateId }) => duplicateId ?? []),
          originals: intents.map(({ changeId }) => changeId),
        };
      });
    },
  });

  const report = defineOperation({
    name: "session.report",
    summary:
      "Writes a report of an open session before it ends, such as a question or a draft; `finish` takes it along.",
    effect: "writes",
    permission: "run",
    projectScope: scope,
    input: z.object({
      ...about,
      ...reportFields,
      title: z.string().trim().min(1).max(300).describe("The report's title."),
      allowSecret,
    }),
    output: writtenReport,
    surfaces: {
      cli: {
        positionals: ["title"],
        files: { answerFile: [] },
        untyped: ["answer"],
        examples: ['session report "Which format?" --kind question --answer-file - < question.md'],
        render: rendering(writtenReport, renderWritten),
      },
      mcp: "full",
    },
    run: async (context, { session, project, answer, answerFile, newSubject, ...words }) => {
      const text = await givenText(context, "answer", { text: answer, file: answerFile });
      if (text === undefined || text.trim() === "") throw answerMissing();
      const desk = await openSession(ports, context, { session, project }, ["open"]);
      return writeSessionReport(desk, desk.session.id, {
        ...words,
        answer: text,
        isNewSubject: newSubject,
      });
    },
  });

  const relying = defineOperation({
    name: "session.rely",
    summary: "Says which change below the working copy the session now counts on.",
    effect: "writes",
    permission: "run",
    projectScope: scope,
    input: z.object({
      change: z.string().min(4).max(100).describe("Its change id, or a unique beginning."),
      ...about,
    }),
    output: changedSession,
    surfaces: {
      cli: { positionals: ["change"], render: rendering(changedSession, renderReliance) },
      mcp: "full",
    },
    run: async (context, { change: given, ...choice }) => {
      const desk = await openSession(ports, context, choice, ["open"]);
      const session = await rely(desk, desk.session.id, given);
      return context.kernel.store.read(function* () {
        return { session: yield* toHead(session) };
      });
    },
  });

  const abandon = defineOperation({
    name: "session.abandon",
    summary: "Gives a session up. Its commits stay as they are; nothing is squashed or pushed.",
    effect: "writes",
    permission: "run",
    projectScope: scope,
    input: z.object({ ...about, because: becauseField }),
    output: changedSession,
    surfaces: {
      cli: {
        positionals: ["session"],
        examples: ['session abandon --because "The prompt was withdrawn"'],
        render: rendering(changedSession, renderAbandoned),
      },
      mcp: "full",
    },
    run: async (context, { because, ...choice }) => {
      const desk = await openSession(ports, context, choice, ["open", "finishing"]);
      const session = await abandonSession(desk, desk.session.id, because);
      return context.kernel.store.read(function* () {
        return { session: yield* toHead(session) };
      });
    },
  });

  const bind = defineOperation({
    name: "session.bind",
    summary:
      "Binds a run to a session: what its turns change here becomes intents, and its end finishes the session.",
    effect: "writes",
    permission: "run",
    projectScope: { ...scope, run: "run" },
    input: z.object({ run: idField("run"), ...about }),
    output: changedSession,
    surfaces: {
      cli: {
        positionals: ["run"],
        examples: ["session bind 0199a1b2-c3d4"],
        render: rendering(changedSession, renderBound),
      },
      mcp: "full",
    },
    run: async (context, { run, ...choice }) => {
      const { session } = await openSession(ports, context, choice, ["open"]);
      return change(context, function* (act) {
        yield* bindRun({ given: run, session, caller: context.caller }, act);
        return { session: yield* toHead(session) };
      });
    },
  });

  return [start, intent, finish, report, relying, abandon, bind];
}

function promptMissing(): ProductError {
  return new ProductError("session_prompt_missing", "A session begins with the prompt.", {
    hint: "Pipe it in: session start - < prompt.md",
  });
}

function intentUnclear(): ProductError {
  return new ProductError("session_intent_unclear", "Say what the change does, or name a commit.", {
    hint: 'session intent "Read the settings once", or session intent --change CHANGE',
  });
}

function answerMissing(): ProductError {
  return new ProductError("session_answer_missing", "A report holds an answer.", {
    hint: "Pipe it in: session report TITLE --answer-file - < answer.md",
  });
}
