/**
 * The one move that plans: it looks at what a session has, starts what can start, and when a stage is done
 * asks a person to go on, or goes on by itself.
 */

import { hashText } from "../../../kernel/base/hash.ts";
import type { Json } from "../../../kernel/base/json.ts";
import type { Decision, Effect, NewJob, NewWait } from "../../../kernel/run/decision.ts";
import type { MoveHandler } from "../../../kernel/run/handler.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { identityKey } from "../planning/identity.ts";
import {
  type PlannedJob,
  planStage,
  type SeedFact,
  type StagePlan,
} from "../planning/plan-stage.ts";
import { compileSeed } from "../prompts/seed-prompt.ts";
import { type CompiledStage, stageOf } from "../recipe/compiled-domain.ts";
import { LOOKED, MOVED, type MovedData, SEEDED, type SeededData } from "./dialectic-effects.ts";
import { dialectic } from "./dialectic-tables.ts";
import {
  loadFacts,
  loadSession,
  modelOf,
  type Session,
  type SessionFacts,
} from "./load-session.ts";
import { promptValues } from "./step-values.ts";
import { TURN, type TurnInput } from "./turn-input.ts";

const LOOK = "dialectic.look";
export const GATE = "dialectic.gate";
export const GATE_WAIT = "dialectic_stage";

export function lookJob(number: number): NewJob {
  return { key: `look:${number}`, handler: LOOK, step: "plan", input: {} };
}

/** The look that has not been yet: asked for by many at once, it happens once and sees what all of them changed. */
export function* nextLook(runId: string): DatabaseWork<NewJob> {
  const row = yield* queryFirst(
    dialectic.selectFrom("dialectic_session").select("look").where("run_id", "=", runId),
  );
  return lookJob(row?.look ?? 0);
}

export function lookHandler(nextId: () => string): MoveHandler {
  return {
    kind: "move",
    name: LOOK,
    goesLast: true,
    *decide(job) {
      const session = yield* loadSession(job.runId);
      const facts = yield* loadFacts(session);
      const looked: Effect = { key: job.key, kind: LOOKED, data: {} };
      const decision = decide(session, facts, nextId);
      return { ...decision, effects: [looked, ...(decision.effects ?? [])] };
    },
  };
}

function decide(session: Session, facts: SessionFacts, nextId: () => string): Decision {
  const { domain, row } = session;
  const current = domain.stages.findIndex(({ key }) => key === row.stage);
  const seed = seedFor(session, facts, nextId);
  const effects = seed.effect === undefined ? [] : [seed.effect];
  // What was built earlier is brought up to date first; later stages read it.
  for (const stage of domain.stages.slice(0, current + 1)) {
    const isCurrent = stage.key === row.stage;
    if (!isCurrent && row.is_refreshing === 0) continue;
    const plan = planOf(
      session,
      facts,
      stage,
      isCurrent ? seed.fact : seedOf(facts, stage, row.iteration),
    );
    const [problem] = plan.problems;
    if (problem !== undefined) return heldAt(plan);
    if (plan.jobs.length + plan.waiting.length > 0) {
      return { effects, jobs: plan.jobs.map((job) => turnJob(session, job)) };
    }
  }
  return stageIsDone(session, facts, effects);
}

function planOf(
  { row, topology }: Session,
  { artifacts, feedback, request }: SessionFacts,
  stage: CompiledStage,
  seed: SeedFact,
): StagePlan {
  return planStage(stage, {
    topology,
    iteration: row.iteration,
    artifacts,
    feedback,
    seed,
    request,
    refreshes: row.is_refreshing === 1,
  });
}

function heldAt({ problems }: StagePlan): Decision {
  return {
    hold: {
      code: "dialectic_input_missing",
      message: `The stage cannot be planned: ${problems
        .slice(0, 3)
        .map(({ message }) => message)
        .join(" ")}`,
      hint: "Make what is missing again with `dialectic run`, then let this try again.",
    },
  };
}

/** An earlier iteration's seed stands for a stage that this one has not come to. */
function seedOf(facts: SessionFacts, stage: CompiledStage, iteration: number): SeedFact {
  for (let at = iteration; at > 0; at -= 1) {
    const found = facts.seeds.get(`${stage.key}/${at}`);
    if (found !== undefined) return found;
  }
  return { id: `seed:${stage.key}`, hash: "" };
}

function seedFor(
  session: Session,
  facts: SessionFacts,
  nextId: () => string,
): { readonly fact: SeedFact; readonly effect?: Effect } {
  const { domain, library, row, overlays } = session;
  const stage = stageOf(domain, row.stage);
  const known = facts.seeds.get(`${stage.key}/${row.iteration}`);
  if (known !== undefined) return { fact: known };
  const text = compileSeed({
    library,
    domain: domain.key,
    stage,
    request: row.request,
    overlays,
    values: promptValues(session, stage),
    before: beforeStage(session, facts),
  });
  const data: SeededData = {
    id: nextId(),
    stage: stage.key,
    iteration: row.iteration,
    text,
    hash: hashText(text),
  };
  const key = `seed:${stage.key}:${row.iteration}`;
  return {
    fact: { id: data.id, hash: data.hash },
    effect: { key, kind: SEEDED, data: data as unknown as Json },
  };
}

/** Titles and numbers only, so that an edit changes no seed. */
function beforeStage({ domain, row }: Session, { artifacts }: SessionFacts) {
  const current = domain.stages.findIndex(({ key }) => key === row.stage);
  return domain.stages.slice(0, current).flatMap((stage) =>
    stage.steps
      .filter(({ outputType }) => outputType !== "HeaderContext")
      .map((step) => ({
        title: `${step.shape.title} (${stage.title})`,
        count: new Set(
          artifacts
            .filter((each) => each.stage === stage.key && each.step === step.key)
            .map(identityKey),
        ).size,
      }))
      .filter(({ count }) => count > 0),
  );
}

function turnJob(session: Session, { key, identity, inputs }: PlannedJob): NewJob {
  const input: TurnInput = {
    identity,
    iteration: session.row.iteration,
    model: modelOf(session, identity.slot),
    inputs,
    jobs: [],
  };
  return newTurn(key, input);
}

export function newTurn(key: string, input: TurnInput): NewJob {
  return {
    key,
    handler: TURN,
    step: input.identity.step,
    item: itemOf(input.identity),
    input: input as unknown as Json,
  };
}

/** `s2.l1.m3`: who writes it, about whose proposal, with whose review. */
function itemOf(identity: TurnInput["identity"]): string {
  return identityKey(identity).split("/").at(-1) ?? "";
}

function stageIsDone(
  session: Session,
  { artifacts }: SessionFacts,
  effects: readonly Effect[],
): Decision {
  const { domain, row } = session;
  const at = domain.stages.findIndex(({ key }) => key === row.stage);
  const next = domain.stages[at + 1];
  const stale = artifacts.filter(({ state }) => state === "stale").length;
  if (row.is_auto === 1 && next !== undefined && stale === 0) {
    const moved = advance(session, next);
    return {
      effects: [...effects, moved],
      jobs: [lookJob(row.look + 1)],
      events: [completed(row)],
    };
  }
  if (row.is_auto === 1 && stale === 0) {
    const done: MovedData = { stage: row.stage, iteration: row.iteration, status: "finished" };
    return {
      effects: [...effects, movedEffect(session, done)],
      events: [completed(row)],
      run: { end: { state: "completed", result: { iteration: row.iteration } } },
    };
  }
  const status =
    next === undefined ? "iteration_complete_pending_review" : `${row.stage}_completed`;
  const isNews = row.status !== status || row.is_refreshing === 1;
  const told: MovedData = { stage: row.stage, iteration: row.iteration, status, keepsGate: true };
  return {
    effects: isNews ? [...effects, movedEffect(session, told)] : effects,
    events: row.status === status ? [] : [completed(row)],
    waits: [gateOf(session, next, stale)],
  };
}

function completed({ stage, iteration }: Session["row"]) {
  return { type: "stage.completed", data: { stage, iteration } };
}

export function advance({ row }: Session, next: CompiledStage): Effect {
  const data: MovedData = {
    stage: next.key,
    iteration: row.iteration,
    status: `running_${next.key}`,
  };
  return { key: `moved:${row.gates}:${next.key}`, kind: MOVED, data: data as unknown as Json };
}

export function movedEffect({ row }: Session, data: MovedData): Effect {
  const key = `moved:${row.gates}:${row.look}:${data.status}`;
  return { key, kind: MOVED, data: data as unknown as Json };
}

export function gateKey({ row }: Session): string {
  return `gate:${row.gates}`;
}

function gateOf(session: Session, next: CompiledStage | undefined, stale: number): NewWait {
  const { domain, row, title } = session;
  const stage = stageOf(domain, row.stage);
  const staleText =
    stale === 0 ? "" : ` ${stale} artifacts are stale: something they were built on has changed.`;
  return {
    key: gateKey(session),
    kind: GATE_WAIT,
    title:
      next === undefined ? `${title}: all stages are done` : `${title}: ${stage.title} is done`,
    reason:
      (next === undefined
        ? "Read the documents. Finish, or begin another iteration that takes over what stands and answers your feedback."
        : `Read the documents and say what should change; then go on to ${next.title}.`) +
      staleText,
    answers: next === undefined ? ["finish", "iterate"] : ["next"],
    followUp: { key: `${gateKey(session)}:answered`, handler: GATE, step: "gate", input: {} },
  };
}
