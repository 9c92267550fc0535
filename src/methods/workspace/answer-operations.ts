/** Answering what runs wait for: an entry of the inbox, or a question that is known by its key before it is asked. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { inputInvalid, toPointer } from "../../kernel/operation/input-problems.ts";
import { nameOf, userNames } from "../../kernel/operation/names.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../kernel/operation/operation.ts";
import {
  asOfField,
  expectedVersionField,
  idField,
  jsonValue,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { readFields, readForm } from "../../kernel/run/answer-form.ts";
import { type Answering, answerByKey, answerWait } from "../../kernel/run/answer-wait.ts";
import type { WaitAnswer } from "../../kernel/run/decision.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { alreadyAnswered, requireAnswerer, requireOpen } from "./inbox-rights.ts";
import { getEntry, type WaitRecord } from "./inbox-rows.ts";
import { waitIdField } from "./inbox-shape.ts";
import { getRun } from "./run-rows.ts";
import { RUN_STATES } from "./run-shape.ts";

const answerFields = {
  choice: z.string().min(1).max(200).describe("One of the allowed answers, such as `approve`."),
  fields: z
    .record(z.string(), jsonValue)
    .default({})
    .describe("What the form asks for, by field name."),
  note: z.string().max(10_000).optional().describe("A note, kept with the answer."),
};

type Given = z.output<z.ZodObject<typeof answerFields>>;

const answered = z.object({
  waitId: z.string(),
  choice: z.string(),
  runId: z.string(),
  runState: z.enum(RUN_STATES),
  asOf: asOfField,
});

export const answer = defineOperation({
  name: "inbox.answer",
  summary: "Answers an inbox entry with one of its allowed answers; the run goes on from there.",
  effect: "writes",
  permission: "answer",
  projectScope: { waitId: "wait" },
  input: z.object({ waitId: waitIdField, ...answerFields, expectedVersion: expectedVersionField }),
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
  run: (context, { waitId, expectedVersion: version, ...given }) =>
    answering(context, function* (now) {
      const { kernel, caller } = context;
      const wait = yield* getEntry(waitId, caller);
      const checked = yield* checkAnswer(wait, caller, given);
      yield* answerWait(kernel.engine, wait.id, { ...checked, version }, now);
      const { state: runState } = yield* getRun(wait.runId, "everything");
      return { waitId: wait.id, choice: given.choice, runId: wait.runId, runState, asOf: now };
    }),
});

const answeredByKey = z.object({
  runId: z.string(),
  key: z.string(),
  choice: z.string(),
  outcome: z
    .enum(["answered", "kept"])
    .describe("Kept: it is not asked yet; the answer is used when it is, if it fits."),
  runState: z.enum(RUN_STATES),
  asOf: asOfField,
});

export const answerKeyed = defineOperation({
  name: "inbox.answer-by-key",
  summary:
    "Answers what a run waits for by its key, also before it is asked: then the answer is kept, and used if it fits.",
  effect: "writes",
  permission: "answer",
  projectScope: { runId: "run" },
  input: z.object({
    runId: idField("run"),
    key: z.string().min(1).max(500).describe("What the run calls it; `inbox show` tells."),
    ...answerFields,
  }),
  output: answeredByKey,
  surfaces: {
    cli: {
      positionals: ["runId", "key", "choice"],
      examples: ["inbox answer-by-key 0199a1b2-c3d4 review approve"],
      render: rendering(answeredByKey, ({ outcome, choice, key, runId, runState }) =>
        doneLine(
          outcome === "answered"
            ? `Answered "${choice}". Run ${shortId(runId)} is ${runState}.`
            : `Kept "${choice}" until run ${shortId(runId)} asks for ${key}.`,
        ),
      ),
    },
    mcp: "full",
  },
  run: (context, { runId: givenRun, key, ...given }) =>
    answering(context, function* (now) {
      const { kernel, caller } = context;
      const runId = yield* resolveId("run", givenRun, caller);
      const outcome = yield* answerByKey(
        kernel.engine,
        { runId, key },
        { answer: toAnswer(given, given.fields), by: caller.userId },
        now,
        function* (waitId) {
          return yield* checkAnswer(yield* getEntry(waitId, caller), caller, given);
        },
      );
      if (outcome === "kept") refuseAgent(caller);
      const { state: runState } = yield* getRun(runId, "everything");
      return { runId, key, choice: given.choice, outcome, runState, asOf: now };
    }),
});

export const answerOperations: readonly Operation[] = [answer, answerKeyed];

async function answering<Output>(
  context: OperationContext,
  work: (now: number) => DatabaseWork<Output>,
): Promise<Output> {
  try {
    return await change(context, ({ now }) => work(now));
  } catch (error) {
    throw await withName(context, error);
  } finally {
    context.kernel.wake();
  }
}

function* checkAnswer(wait: WaitRecord, caller: Caller, given: Given): DatabaseWork<Answering> {
  yield* requireOpen(wait);
  yield* requireAnswerer(wait, caller);
  const form = readForm(wait.kind, wait.answers, wait.form);
  const { values, problems } = readFields(form, given.choice, given.fields);
  if (problems.length > 0) {
    throw inputInvalid(
      problems.map(({ name, message }) => ({ pointer: toPointer(["fields", name]), message })),
    );
  }
  return { answer: toAnswer(given, values), by: caller.userId };
}

function toAnswer({ choice, note }: Given, fields: Readonly<Record<string, Json>>): WaitAnswer {
  return {
    choice,
    ...(note === undefined ? {} : { note }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  };
}

/** To whom a question will go is not known before it is asked. */
function refuseAgent({ isAgent }: Caller): void {
  if (!isAgent) return;
  throw new ProductError("answer_by_agent", "Agents answer only what is assigned to them.", {
    kind: "not_allowed",
    hint: "Answer it when it is asked, if it is for you.",
  });
}

/** Two may answer at the same moment; the second is told the first one's name. */
async function withName({ kernel }: OperationContext, error: unknown): Promise<unknown> {
  if (!(error instanceof ProductError) || error.code !== "wait_answered") return error;
  const by = String(error.details["by"]);
  const names = await kernel.store.read(() => userNames([by]));
  return alreadyAnswered(nameOf(names, by) ?? by, by);
}
