/** The inbox: everything every run of every method waits for. The first answer counts. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { answerWait } from "../../kernel/run/answer-wait.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import type { Viewer } from "../../kernel/store/visibility.ts";
import { readFields, readForm } from "./answer-form.ts";
import { change } from "./change-work.ts";
import { assignEntry, snoozeEntry } from "./inbox-changes.ts";
import {
  mayAnswer,
  requireAnswerer,
  requireAssignable,
  requireOpen,
  requireStanding,
} from "./inbox-rights.ts";
import { findEntry, listOpenEntries, type WaitRecord } from "./inbox-rows.ts";
import { waitDetail, waitList, waitSummary } from "./inbox-shape.ts";
import { renderEntry, renderInbox } from "./inbox-view.ts";
import { momentInput, momentOf } from "./moment-text.ts";
import { nameOf, userNames } from "./names.ts";
import {
  asOfField,
  expectedVersionField,
  jsonValue,
  orderField,
  pageFields,
  projectField,
  userField,
} from "./operation-fields.ts";
import { withoutRedactedPassages } from "./redacted-view.ts";
import { rendering } from "./rendering.ts";
import { resolveOptional, resolveProject, resolveUser } from "./resolve-names.ts";
import { getRun } from "./run-rows.ts";
import { RUN_STATES } from "./run-shape.ts";
import { shortId } from "./short-ids.ts";
import { doneLine } from "./state-marks.ts";
import { momentText } from "./terminal-time.ts";

const waitIdField = z
  .string()
  .min(1)
  .max(100)
  .describe("The entry's id, or a unique beginning of it.");

const list = defineOperation({
  name: "inbox.list",
  summary: "Lists what waits for you: entries assigned to you or to nobody, in projects you see.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    run: z.string().min(1).max(100).optional().describe("Only of this run."),
    kind: z.string().max(100).optional().describe("Only of this kind, such as `held_job`."),
    assignee: userField.optional().describe("Only assigned to this person; implies --all."),
    all: z.boolean().default(false).describe("Also what others are to answer."),
    snoozed: z
      .enum(["no", "only", "both"])
      .default("no")
      .describe("Whether entries that were put to sleep are shown."),
    order: orderField.default("oldest"),
    ...pageFields,
  }),
  output: waitList,
  surfaces: {
    cli: {
      examples: ["inbox list", "inbox list --project Tidepool --all"],
      render: rendering(waitList, renderInbox),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, run, assignee, all, ...rest }) =>
    kernel.store.read(function* () {
      const now = kernel.clock.now();
      const { items, nextCursor, total } = yield* listOpenEntries(
        {
          ...rest,
          now,
          isAll: all || assignee !== undefined,
          projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
          runId: yield* resolveOptional(run, (text) => resolveId("run", text, caller)),
          assigneeId: yield* resolveOptional(assignee, (text) => resolveUser(text, caller)),
        },
        caller,
      );
      const shown: WaitRecord[] = [];
      for (const item of items) shown.push(yield* readable(item));
      return { items: shown, nextCursor, total, asOf: now };
    }),
});

const show = defineOperation({
  name: "inbox.show",
  summary: "Shows an inbox entry: why it waits, the evidence, the form and the allowed answers.",
  effect: "reads",
  permission: "read",
  input: z.object({ waitId: waitIdField }),
  output: waitDetail,
  surfaces: {
    cli: { positionals: ["waitId"], render: rendering(waitDetail, renderEntry) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { waitId }) =>
    kernel.store.read(function* () {
      const wait = yield* readable(yield* getEntry(waitId, caller));
      const names = yield* userNames([wait.answeredBy]);
      const { fields } = readForm(wait.kind, wait.answers, wait.form);
      return {
        wait,
        runState: wait.runState,
        evidence: wait.evidence,
        form: fields,
        mayAnswer: wait.state === "open" && (yield* mayAnswer(wait, caller)),
        answer: wait.answer && {
          ...wait.answer,
          by: wait.answeredBy ?? "unknown",
          byName: nameOf(names, wait.answeredBy),
          at: wait.answeredAt ?? wait.createdAt,
        },
        asOf: kernel.clock.now(),
      };
    }),
});

const answered = z.object({
  waitId: z.string(),
  choice: z.string(),
  runId: z.string(),
  runState: z.enum(RUN_STATES),
  asOf: asOfField,
});

const answer = defineOperation({
  name: "inbox.answer",
  summary: "Answers an inbox entry with one of its allowed answers; the run goes on from there.",
  effect: "writes",
  permission: "answer",
  input: z.object({
    waitId: waitIdField,
    choice: z.string().min(1).max(200).describe("One of the allowed answers, such as `approve`."),
    fields: z
      .record(z.string(), jsonValue)
      .default({})
      .describe("What the form asks for, by field name."),
    note: z.string().max(10_000).optional().describe("A note, kept with the answer."),
    expectedVersion: expectedVersionField,
  }),
  output: answered,
  surfaces: {
    cli: {
      positionals: ["waitId", "choice"],
      examples: [
        "inbox answer 0199a1b2-c3d4 approve",
        'inbox answer 0199a1b2-c3d4 complete --fields severity=high --note "Seen the diff"',
      ],
      render: rendering(answered, ({ choice, runId, runState }) =>
        doneLine(`Answered "${choice}". Run ${shortId(runId)} is ${runState}.`),
      ),
    },
    mcp: "core",
  },
  run: async (context, { waitId, choice, fields, note, expectedVersion: version }) => {
    const { kernel, caller } = context;
    const outcome = await change(context, function* ({ now }) {
      const wait = yield* getEntry(waitId, caller);
      yield* requireOpen(wait);
      yield* requireAnswerer(wait, caller);
      const filled = readFields(readForm(wait.kind, wait.answers, wait.form), choice, fields);
      const given = { choice, ...(note === undefined ? {} : { note }) };
      const withFields = Object.keys(filled).length === 0 ? given : { ...given, fields: filled };
      const answering = { answer: withFields, by: caller.userId, version };
      yield* answerWait(kernel.engine, wait.id, answering, now);
      const { state } = yield* getRun(wait.runId, "everything");
      return { waitId: wait.id, choice, runId: wait.runId, runState: state, asOf: now };
    }).catch((error: unknown) => withName(context.kernel.store, waitId, caller, error));
    kernel.wake();
    return outcome;
  },
});

const assign = defineOperation({
  name: "inbox.assign",
  summary: "Hands an inbox entry to somebody, or back to anybody.",
  effect: "writes",
  permission: "answer",
  input: z.object({
    waitId: waitIdField,
    user: userField.nullable().describe("Who is to answer; `me`, or null for anybody."),
    expectedVersion: expectedVersionField,
  }),
  output: waitSummary,
  surfaces: {
    cli: {
      positionals: ["waitId", "user"],
      examples: ["inbox assign 0199a1b2-c3d4 me"],
      render: rendering(waitSummary, ({ id, assigneeName }) =>
        doneLine(`Entry ${shortId(id)} is for ${assigneeName ?? "anybody"}.`),
      ),
    },
    mcp: "full",
  },
  run: (context, { waitId, user, expectedVersion }) =>
    change(context, function* (act) {
      const { caller } = context;
      const wait = yield* getToChange(waitId, caller);
      const assigneeId = yield* resolveOptional(user, (text) => resolveUser(text, caller));
      if (assigneeId !== null) yield* requireAssignable(wait, assigneeId);
      yield* assignEntry(wait, assigneeId, act, expectedVersion);
      return yield* getEntryAgain(wait.id);
    }),
});

const snooze = defineOperation({
  name: "inbox.snooze",
  summary: "Puts an inbox entry to sleep until a moment, or wakes it.",
  effect: "writes",
  permission: "answer",
  input: z.object({
    waitId: waitIdField,
    until: momentInput
      .nullable()
      .describe("When it shows up again: a date, a moment, a time from now (4h); null wakes it."),
    expectedVersion: expectedVersionField,
  }),
  output: waitSummary,
  surfaces: {
    cli: {
      positionals: ["waitId", "until"],
      examples: ["inbox snooze 0199a1b2-c3d4 4h", "inbox snooze 0199a1b2-c3d4 2026-12-01"],
      render: rendering(waitSummary, ({ id, snoozedUntil }) =>
        doneLine(
          snoozedUntil === undefined
            ? `Entry ${shortId(id)} is awake.`
            : `Entry ${shortId(id)} sleeps until ${momentText(snoozedUntil)}.`,
        ),
      ),
    },
    mcp: "full",
  },
  run: (context, { waitId, until, expectedVersion }) =>
    change(context, function* (act) {
      const wait = yield* getToChange(waitId, context.caller);
      const at = until === null ? null : momentOf(until, act.now);
      if (at !== null && at <= act.now) throw momentPast();
      yield* snoozeEntry(wait, at, act, expectedVersion);
      return yield* getEntryAgain(wait.id);
    }),
});

export const inboxOperations: readonly Operation[] = [list, show, answer, assign, snooze];

function* getEntry(given: string, viewer: Viewer): DatabaseWork<WaitRecord> {
  const id = yield* resolveEntry(given, viewer);
  const wait = yield* findEntry(id, viewer);
  if (wait === undefined) throw entryNotFound(given);
  return wait;
}

function* resolveEntry(given: string, viewer: Viewer): DatabaseWork<string> {
  try {
    return yield* resolveId("wait", given, viewer);
  } catch (error) {
    if (error instanceof ProductError && error.kind === "not_found") throw entryNotFound(given);
    throw error;
  }
}

function* getEntryAgain(id: string): DatabaseWork<WaitRecord> {
  return yield* readable(yield* getEntry(id, "everything"));
}

function* getToChange(given: string, caller: Caller): DatabaseWork<WaitRecord> {
  const wait = yield* getEntry(given, caller);
  yield* requireOpen(wait);
  yield* requireStanding(wait, caller);
  return wait;
}

function* readable(wait: WaitRecord): DatabaseWork<WaitRecord> {
  const { title, reason, evidence, form, answer } = wait;
  const words = { title, reason, evidence, form, answer };
  return { ...wait, ...(yield* withoutRedactedPassages(words, wait.projectId)) };
}

/** Two may answer at the same moment; the second is told the first one's name. */
async function withName(
  store: { read<Result>(work: () => DatabaseWork<Result>): Promise<Result> },
  waitId: string,
  caller: Caller,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ProductError) || error.code !== "wait_answered") throw error;
  await store.read(function* () {
    yield* requireOpen(yield* getEntry(waitId, caller));
  });
  throw error;
}

function entryNotFound(given: string): ProductError {
  return new ProductError("wait_not_found", `There is no inbox entry "${given}".`, {
    kind: "not_found",
    hint: "List what there is with `inbox list`; ids may be shortened as long as they stay unique.",
    details: { id: given },
  });
}

function momentPast(): ProductError {
  return new ProductError("moment_past", "That moment is over.", {
    hint: "Choose one that is still to come.",
  });
}
