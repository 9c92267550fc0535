/**
 * How a round goes: a step calls its members in parallel, their replies wait until the last is in, then they are
 * applied in the order in which the members were called. So who answers first changes nothing.
 */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Decision, NewJob } from "../../../kernel/run/decision.ts";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { missingFromMission } from "../envelope/build-envelope.ts";
import { applyReply } from "../rules/apply-reply.ts";
import { Draft } from "../rules/draft.ts";
import { stopOf } from "../rules/stop-conditions.ts";
import { ROUND_STEPS, type Step, STEPS } from "../state/team-records.ts";
import { loadTeam } from "../state/team-rows.ts";
import { applyPuts, emptyState, type Put, type TeamState } from "../state/team-state.ts";
import { ANSWERED, answerHalt, blockingDetails, givenAnswer, haltWait } from "./halts.ts";
import { ASK_PERSON } from "./person-handlers.ts";
import { callsOf, type PlannedCall } from "./step-calls.ts";
import { ended, putting, REPLY, roundBegun } from "./team-effects.ts";
import { keptReply, TURN } from "./turn-handler.ts";

export const STEP = "team.step";
const SETTLE = "team.settle-step";
export const ROUND = "team.round";

/** At once: a large team must not keep everybody else from the model. */
const CONCURRENCY = 8;

const stepInput = z.object({ round: z.int(), step: z.enum(STEPS) });

export function stepJob(round: number, step: Step): NewJob {
  return {
    key: `r${round}:${step}`,
    handler: STEP,
    step: `begin ${step}`,
    item: `r${round}`,
    input: { round, step },
  };
}

export const stepHandler: MoveHandler = {
  kind: "move",
  name: STEP,
  *decide(job) {
    const { round, step } = stepInput.parse(job.input);
    const state = yield* loadTeam(job.runId);
    const draft = new Draft(state);
    const planned = callsOf(draft, step);
    if ("skipped" in planned) {
      const puts = stepRecord(draft, {
        round,
        step,
        state: "skipped",
        note: planned.skipped,
        calls: 0,
      });
      return {
        effects: [putting(`r${round}:${step} skipped`, puts)],
        jobs: [nextJob(round, step)],
        events: [{ type: "step.skipped", data: { round, step, why: planned.skipped } }],
      };
    }
    const { calls } = planned;
    const puts = stepRecord(draft, {
      round,
      step,
      state: "running",
      note: "",
      calls: calls.length,
    });
    return {
      effects: [putting(`r${round}:${step} begun`, puts)],
      batches: [
        {
          key: `r${round}:${step}`,
          jobs: calls.map((call, place) => callJob(state, { round, step, place }, call)),
          followUp: {
            key: `r${round}:${step}:settle`,
            handler: SETTLE,
            step: `end ${step}`,
            item: `r${round}`,
            input: { round, step },
          },
          concurrency: CONCURRENCY,
        },
      ],
      events: [{ type: "step.started", data: { round, step, calls: calls.length } }],
    };
  },
};

interface CallPlace {
  readonly round: number;
  readonly step: Step;
  readonly place: number;
}

function callJob(state: TeamState, { round, step, place }: CallPlace, call: PlannedCall): NewJob {
  const { memberId, target, isPerson } = call;
  const own = state.members.find(({ id }) => id === memberId)?.model;
  const model = own ?? state.brief.model;
  return {
    key: `r${round}:${step}:${place}`,
    handler: isPerson ? ASK_PERSON : TURN,
    step,
    item: [`r${round}`, memberId, ...(target === null ? [] : [target])].join(" "),
    input: { round, step, memberId, target, model },
  };
}

export const settleHandler: MoveHandler = {
  kind: "move",
  name: SETTLE,
  *decide(job) {
    const { round, step } = stepInput.parse(job.input);
    let state = yield* loadTeam(job.runId);
    const all: Put[] = [];
    let refused = 0;
    for (const { value, call } of yield* readReplies(job.runId, `r${round}:${step}:`)) {
      const { puts, breaches } = applyReply(state, call, value);
      state = applyPuts(state, puts);
      all.push(...puts);
      refused += breaches.length;
    }
    if (step === "bootstrap") all.push(...haltForDetails(state));
    state = applyPuts(state, all);
    const draft = new Draft(state);
    const halts = draft
      .list("halts")
      .filter((halt) => halt.state === "open" && halt.round === round && halt.step === step);
    const note = refused === 0 ? "" : `${refused} refused`;
    const record = stepRecord(draft, {
      round,
      step,
      state: halts.length > 0 ? "halted" : "done",
      note,
    });
    return {
      effects: [putting(`r${round}:${step} settled`, [...all, ...record])],
      ...after(state, round, step, halts),
      events: [{ type: "step.finished", data: { round, step, refused } }],
      ...missionHold(state, step),
    };
  },
};

function after(state: TeamState, round: number, step: Step, halts: TeamState["halts"]): Decision {
  if (halts.length > 0)
    return { waits: halts.map((halt) => haltWait(halt, state.missions.at(-1))) };
  return { jobs: [nextJob(round, step)] };
}

/** Without a whole mission nothing may be written; a person can set what is missing and let it try again. */
function missionHold(state: TeamState, step: Step): Pick<Decision, "hold"> {
  if (step !== "bootstrap") return {};
  const missing = missingFromMission(new Draft(state));
  if (missing.length === 0) return {};
  return {
    hold: {
      code: "team_mission_missing",
      message: `The mission has no ${missing.join(", no ")}.`,
      hint: "Set it with `team mission`, then retry.",
    },
  };
}

function haltForDetails(state: TeamState): readonly Put[] {
  const draft = new Draft(state);
  const blocking = blockingDetails(draft.mission());
  if (blocking.length === 0) return [];
  draft.add("halts", {
    round: state.round,
    step: "bootstrap",
    reason: "missing_details",
    message: blocking.map(({ question }) => question).join("\n"),
    options: [],
    state: "open",
    answer: null,
  });
  return draft.puts();
}

/** After the last step of a round, the round after it. */
function nextJob(round: number, step: Step): NewJob {
  const next = ROUND_STEPS[ROUND_STEPS.indexOf(step) + 1];
  if (step === "bootstrap" || next === undefined) return roundJob(round + 1);
  return stepJob(round, next);
}

export function roundJob(round: number, again = ""): NewJob {
  return {
    key: `round ${round}${again}`,
    handler: ROUND,
    step: "round",
    item: `r${round}`,
    input: { round },
  };
}

export const roundHandler: MoveHandler = {
  kind: "move",
  name: ROUND,
  *decide(job) {
    const { round } = z.object({ round: z.int() }).parse(job.input);
    const draft = new Draft(yield* loadTeam(job.runId));
    const spent = yield* queryFirst(
      db
        .selectFrom("run")
        .select(["input_tokens", "output_tokens", "cost_micro_usd"])
        .where("id", "=", job.runId),
    );
    const stop = stopOf(draft.brief.stop, draft, {
      tokens: (spent?.input_tokens ?? 0) + (spent?.output_tokens ?? 0),
      costMicroUsd: spent?.cost_micro_usd ?? 0,
      now: job.now,
    });
    if (stop !== undefined) return conclude(draft, stop, job.key);
    return {
      effects: [roundBegun(round)],
      jobs: [stepJob(round, "reflect")],
      events: [{ type: "round.started", data: { round } }],
    };
  },
};

export function conclude(
  draft: Draft,
  stop: { readonly code: string; readonly message: string },
  key: string,
): Decision {
  const products = draft.products();
  const accepted = products.filter(({ status }) => status === "accepted").length;
  const result = {
    stop: stop.code,
    message: stop.message,
    rounds: draft.round,
    products: products.length,
    accepted,
  };
  return {
    effects: [ended(`ended ${key}`, stop)],
    events: [{ type: "team.concluded", data: { ...result } }],
    run: { end: { state: "completed", result } },
  };
}

export const answeredHandler: MoveHandler = {
  kind: "move",
  name: ANSWERED,
  *decide(job) {
    const { haltId, answer } = z
      .object({ haltId: z.string(), answer: givenAnswer })
      .parse(job.input);
    const state = yield* loadTeam(job.runId);
    const halt = state.halts.find(({ id }) => id === haltId);
    if (halt === undefined)
      throw new ProductError("team_halt_unknown", `There is no halt ${haltId}.`, {
        kind: "internal",
      });
    const puts = answerHalt(state, haltId, answer);
    const record = stepRecord(new Draft(state), {
      round: halt.round,
      step: halt.step,
      state: "done",
      note: `answered: ${answer.choice}`,
    });
    const effects = [putting(`${haltId} answered`, [...puts, ...record])];
    if (answer.choice === "stop" || answer.choice === "conclude") {
      const message =
        answer.choice === "stop"
          ? "The person stopped the team."
          : "The person agreed that the mission is met.";
      const end = conclude(new Draft(applyPuts(state, puts)), { code: "user", message }, haltId);
      return { ...end, effects: [...effects, ...(end.effects ?? [])] };
    }
    return { effects, jobs: [nextJob(halt.round, halt.step)] };
  },
};

function stepRecord(
  draft: Draft,
  given: {
    round: number;
    step: Step;
    state: "running" | "done" | "skipped" | "halted";
    note: string;
    calls?: number;
  },
): readonly Put[] {
  const { round, step } = given;
  const known = draft.list("steps").find((each) => each.round === round && each.step === step);
  const own = new Draft({ ...emptyState(draft.brief), steps: draft.list("steps") });
  if (known === undefined) own.add("steps", { ...given, calls: given.calls ?? 0 });
  else own.put("steps", { ...known, ...given, calls: given.calls ?? known.calls });
  return own.puts();
}

function* readReplies(
  runId: string,
  prefix: string,
): DatabaseWork<readonly z.output<typeof keptReply>[]> {
  const rows = yield* query(
    db
      .selectFrom("effect")
      .select(["key", "data"])
      .where("run_id", "=", runId)
      .where("kind", "=", REPLY)
      // An underscore stands for any character here; the keys are looked at again below.
      .where("key", "like", `reply ${prefix}%`),
  );
  const start = `reply ${prefix}`;
  const placeOf = (key: string) => Number(key.slice(start.length));
  return (
    rows
      .filter(({ key }) => key.startsWith(start))
      .toSorted((a, b) => placeOf(a.key) - placeOf(b.key))
      // What was purged meanwhile holds nothing any more.
      .flatMap(({ data }) => keptReply.safeParse(JSON.parse(data)).data ?? [])
  );
}
