/** Letting a dialectic go on, or not. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { actOnRun } from "../../../kernel/run/act-on-run.ts";
import { answerByKey } from "../../../kernel/run/answer-wait.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import type { EngineTools } from "../../../kernel/run/engine-transaction.ts";
import {
  cancelRun,
  pauseRun,
  resumeRun,
  retryRun,
  type RunControl,
} from "../../../kernel/run/run-control.ts";
import {
  type DatabaseWork,
  execute,
  query,
  queryFirst,
} from "../../../kernel/store/database-work.ts";
import { acceptStale } from "../running/dialectic-effects.ts";
import { dialectic } from "../running/dialectic-tables.ts";
import { passGate } from "../running/gate-handler.ts";
import { requireWords } from "../running/kept-words.ts";
import type { Session } from "../running/load-session.ts";
import { gateKey, lookJob } from "../running/look-handler.ts";
import { SESSION_FOLLOWED } from "./session-followed.ts";
import { parsePlace, placeOfSession, resolveSession, sessionField } from "./session-ref.ts";

const goneOn = z.object({
  runId: z.string(),
  stage: z.string(),
  iteration: z.int(),
  did: z.string(),
});

function renderGoneOn({ did }: z.output<typeof goneOn>): string {
  return doneLine(did);
}

const next = defineOperation({
  name: "dialectic.next",
  summary: "Lets a dialectic go on to its next stage, to another iteration, or finish.",
  effect: "writes",
  permission: "run",
  projectScope: { session: placeOfSession },
  input: z.object({
    session: sessionField,
    iterate: z
      .boolean()
      .default(false)
      .describe("Begins another iteration: takes over what stands, answers open feedback."),
    from: z
      .string()
      .max(80)
      .optional()
      .describe("The stage the iteration begins with; the first unless given."),
    finish: z.boolean().default(false).describe("Finishes it here."),
    acceptStale: z.boolean().default(false).describe("Takes stale documents as they are."),
  }),
  output: goneOn,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(goneOn, renderGoneOn),
      follow: SESSION_FOLLOWED,
      examples: ["dialectic next --follow", "dialectic next --iterate --from parenthesis"],
    },
    mcp: "full",
  },
  run: async (context, input) => {
    const { kernel, caller } = context;
    const answer = await change(context, function* ({ actor, now }) {
      const session = yield* resolveSession(input.session, caller);
      const choice = input.finish ? "finish" : input.iterate ? "iterate" : "next";
      checkGate(session, choice, input.from);
      if (choice !== "finish") yield* requireWords(session.runId);
      yield* checkStale(session, input.acceptStale);
      yield* answerGate(session, choice, input.from, { tools: kernel.engine, actor, now });
      return described(session, choice);
    });
    kernel.wake();
    return answer;
  },
});

function checkGate({ domain, row }: Session, choice: string, from: string | undefined): void {
  const at = domain.stages.findIndex(({ key }) => key === row.stage);
  const isLast = at === domain.stages.length - 1;
  if (from !== undefined && !domain.stages.some(({ key }) => key === from)) {
    throw new ProductError("stage_unknown", `There is no stage "${from}".`, {
      kind: "not_found",
      hint: `Stages are ${domain.stages.map(({ key }) => key).join(", ")}.`,
    });
  }
  const isDone =
    row.status === `${row.stage}_completed` || row.status === "iteration_complete_pending_review";
  const mayIterate = choice !== "next" && row.status === "finished";
  if (!isDone && !mayIterate) {
    throw new ProductError(
      "dialectic_not_at_gate",
      row.status === "finished"
        ? "The dialectic is finished."
        : `The stage "${row.stage}" is still under way.`,
      {
        kind: "conflict",
        hint:
          row.status === "finished"
            ? "`dialectic next --iterate` begins another iteration."
            : "`dialectic status --follow` shows it live.",
      },
    );
  }
  if (choice === "next" && isLast) {
    throw new ProductError("dialectic_last_stage", "There is no stage after this one.", {
      kind: "conflict",
      hint: "Use --finish, or --iterate for another iteration.",
    });
  }
}

function* checkStale({ runId }: Session, accepts: boolean): DatabaseWork<void> {
  if (accepts) return yield* acceptStale(runId);
  const stale = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .select("id")
      .where("run_id", "=", runId)
      .where("state", "=", "stale"),
  );
  if (stale.length === 0) return;
  throw new ProductError(
    "dialectic_stale",
    `${stale.length} documents are stale: what they were built on has changed since.`,
    {
      kind: "conflict",
      hint: "`dialectic run --stale` makes them again; --accept-stale takes them as they are.",
      details: { stale: stale.map(({ id }) => id) },
    },
  );
}

interface Answering {
  readonly tools: EngineTools;
  readonly actor: string;
  readonly now: number;
}

/** The gate is a wait in the inbox; a run that has ended already is taken up again. */
function* answerGate(
  session: Session,
  choice: string,
  from: string | undefined,
  { tools, actor, now }: Answering,
): DatabaseWork<void> {
  const { runId, row } = session;
  const place = { runId, key: gateKey(session) };
  const open = yield* queryFirst(
    dialectic
      .selectFrom("wait")
      .select(["id", "answers"])
      .where("run_id", "=", runId)
      .where("key", "=", place.key)
      .where("state", "=", "open"),
  );
  const offers = open === undefined ? [] : (JSON.parse(open.answers) as readonly string[]);
  if (open === undefined || !offers.includes(choice) || from !== undefined) {
    const withdraw = open === undefined ? {} : { withdraw: { waits: [place.key] } };
    yield* actOnRun(
      tools,
      { runId, actor, reopens: row.status === "finished" },
      function* (): DatabaseWork<Decision> {
        yield* [];
        return { ...passGate(session, choice, from), ...withdraw };
      },
      now,
    );
    return;
  }
  yield* answerByKey(tools, place, { answer: { choice }, by: actor }, now);
}

function described({ domain, row, runId }: Session, choice: string): z.output<typeof goneOn> {
  const at = domain.stages.findIndex(({ key }) => key === row.stage);
  const after = domain.stages[at + 1];
  const base = { runId, stage: row.stage, iteration: row.iteration };
  if (choice === "next" && after !== undefined)
    return { ...base, stage: after.key, did: `On to ${after.title}.` };
  if (choice === "iterate")
    return {
      ...base,
      iteration: row.iteration + 1,
      did: `Iteration ${row.iteration + 1} has begun.`,
    };
  return { ...base, did: "Finished." };
}

const run = defineOperation({
  name: "dialectic.run",
  summary: "Makes what is stale again, or lets the rest of the stages run without asking.",
  effect: "writes",
  permission: "run",
  projectScope: { session: placeOfSession },
  input: z.object({
    session: sessionField,
    stale: z.boolean().default(false).describe("Makes again exactly what is stale."),
    auto: z.boolean().optional().describe("From now on goes on by itself; false asks again."),
  }),
  output: goneOn,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(goneOn, renderGoneOn),
      follow: SESSION_FOLLOWED,
      examples: ["dialectic run --stale --follow", "dialectic run --auto --follow"],
    },
    mcp: "full",
  },
  run: async (context, { session: given, stale, auto }) => {
    const { kernel, caller } = context;
    const answer = await change(context, function* ({ actor, now }) {
      const session = yield* resolveSession(given, caller);
      const { runId, row } = session;
      if (!stale && auto === undefined) {
        throw new ProductError("dialectic_nothing_to_run", "Say what should run.", {
          hint: "--stale makes stale documents again, --auto goes on by itself; `dialectic next` goes one stage on.",
        });
      }
      yield* requireWords(runId);
      const isAuto = auto ?? row.is_auto === 1;
      yield* execute(
        dialectic
          .updateTable("dialectic_session")
          .set({ is_auto: isAuto ? 1 : 0, is_refreshing: stale ? 1 : row.is_refreshing })
          .where("run_id", "=", runId),
      );
      const waits = isAuto ? { withdraw: { waits: [gateKey(session)] } } : {};
      yield* actOnRun(
        kernel.engine,
        { runId, actor, reopens: true },
        function* (): DatabaseWork<Decision> {
          yield* [];
          return { ...waits, jobs: [lookJob(row.look)] };
        },
        now,
      );
      const did = stale
        ? "Stale documents are being made again."
        : isAuto
          ? "It goes on by itself."
          : "It asks before each stage.";
      return { runId, stage: row.stage, iteration: row.iteration, did };
    });
    kernel.wake();
    return answer;
  },
});

function controlOperation(
  verb: "pause" | "resume" | "cancel",
  summary: string,
  says: string,
  control: RunControl,
): Operation {
  return defineOperation({
    name: `dialectic.${verb}`,
    summary,
    effect: "writes",
    permission: "run",
    projectScope: { session: placeOfSession },
    input: z.object({ session: sessionField }),
    output: goneOn,
    surfaces: {
      cli: {
        positionals: ["session"],
        render: rendering(goneOn, renderGoneOn),
        examples: [`dialectic ${verb} 0199a1b2`],
      },
      mcp: "full",
    },
    run: async (context, { session: given }) => {
      const { kernel, caller } = context;
      const answer = await change(context, function* ({ actor, now }) {
        const { runId, row } = yield* resolveSession(given, caller);
        yield* control(kernel.engine, runId, actor, now);
        return { runId, stage: row.stage, iteration: row.iteration, did: says };
      });
      kernel.wake();
      return answer;
    },
  });
}

const retry = defineOperation({
  name: "dialectic.retry",
  summary: "Lets what could not be had try again: one document, or all that are held.",
  effect: "writes",
  permission: "run",
  projectScope: { session: placeOfSession },
  input: z.object({
    session: sessionField,
    document: z
      .string()
      .max(200)
      .optional()
      .describe("Only this one, by its place, such as thesis/business_case/s1."),
  }),
  output: goneOn,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(goneOn, renderGoneOn),
      follow: SESSION_FOLLOWED,
      examples: [
        "dialectic retry 0199a1b2",
        "dialectic retry --document thesis/business_case/s1 --follow",
      ],
    },
    mcp: "full",
  },
  run: async (context, { session: given, document }) => {
    const { kernel, caller } = context;
    const answer = await change(context, function* ({ actor, now }) {
      const session = yield* resolveSession(given, caller);
      const { runId, row } = session;
      const base = { runId, stage: row.stage, iteration: row.iteration };
      if (document === undefined) {
        if ((yield* retryRun(kernel.engine, runId, actor, now)) === 0) throw nothingHeld();
        return { ...base, did: "What was held tries again." };
      }
      const key = yield* heldWaitOf(session, document);
      const answered = { answer: { choice: "retry" }, by: actor };
      yield* answerByKey(kernel.engine, { runId, key }, answered, now);
      return { ...base, did: `${document} tries again.` };
    });
    kernel.wake();
    return answer;
  },
});

/** What the inbox asks about the one document: trying again is an answer to it. */
function* heldWaitOf({ domain, runId }: Session, document: string): DatabaseWork<string> {
  const place = parsePlace(document);
  const steps = domain.stages
    .filter(({ key }) => key === place?.stage)
    .flatMap((stage) => stage.steps)
    .filter(({ key, documentKey }) => key === place?.key || documentKey === place?.key);
  const held = yield* query(
    dialectic
      .selectFrom("job")
      .innerJoin("wait", "wait.job_id", "job.id")
      .select(["wait.key", "job.step", "job.item"])
      .where("job.run_id", "=", runId)
      .where("job.state", "=", "held")
      .where("wait.state", "=", "open"),
  );
  const found = held.find(
    ({ step, item }) => item === place?.item && steps.some(({ key }) => key === step),
  );
  if (found !== undefined) return found.key;
  if (held.length === 0) throw nothingHeld();
  throw new ProductError("document_not_held", `"${document}" is not among what is held.`, {
    kind: "not_found",
    hint: `Held: ${held.map(({ step, item }) => `${step}/${item ?? ""}`).join(", ")}.`,
  });
}

function nothingHeld(): ProductError {
  return new ProductError("dialectic_nothing_held", "Nothing of this dialectic is held.", {
    kind: "conflict",
    hint: "`dialectic status` shows where it stands.",
  });
}

export const goOnOperations: readonly Operation[] = [
  next,
  run,
  controlOperation(
    "pause",
    "Pauses a dialectic: calls under way finish, nothing new starts.",
    "Paused.",
    pauseRun,
  ),
  controlOperation("resume", "Lets a paused dialectic go on.", "It goes on.", resumeRun),
  controlOperation(
    "cancel",
    "Cancels a dialectic for good; its documents stay.",
    "Cancelled.",
    cancelRun,
  ),
  retry,
];
