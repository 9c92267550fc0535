/** The inbox: everything every run of every method waits for. The first answer counts. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { momentInput, momentOf } from "../../kernel/operation/moment-text.ts";
import { nameOf, userNames } from "../../kernel/operation/names.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  expectedVersionField,
  orderField,
  pageFields,
  projectField,
  userField,
} from "../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../kernel/operation/redacted-view.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import {
  resolveOptional,
  resolveProject,
  resolveUser,
} from "../../kernel/operation/resolve-names.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { momentText } from "../../kernel/operation/terminal-time.ts";
import { readForm } from "../../kernel/run/answer-form.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { answerOperations } from "./answer-operations.ts";
import { assignEntry, snoozeEntry } from "./inbox-changes.ts";
import { mayAnswer, requireAssignable, requireOpen, requireStanding } from "./inbox-rights.ts";
import { getEntry, listOpenEntries, type WaitRecord } from "./inbox-rows.ts";
import { waitDetail, waitIdField, waitList, waitSummary } from "./inbox-shape.ts";
import { renderEntry, renderInbox } from "./inbox-view.ts";

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

const assign = defineOperation({
  name: "inbox.assign",
  summary: "Hands an inbox entry to somebody, or back to anybody.",
  effect: "writes",
  permission: "answer",
  projectScope: { waitId: "wait" },
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
  projectScope: { waitId: "wait" },
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

export const inboxOperations: readonly Operation[] = [
  list,
  show,
  ...answerOperations,
  assign,
  snooze,
];

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

function momentPast(): ProductError {
  return new ProductError("moment_past", "That moment is over.", {
    hint: "Choose one that is still to come.",
  });
}
