/** Beginning a dialectic, seeing where it stands, letting it go on. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import {
  defineOperation,
  type FollowHint,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import { asOfField, projectField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { doneLine, runMark } from "../../../kernel/operation/state-marks.ts";
import { clip, table } from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import { actOnRun } from "../../../kernel/run/act-on-run.ts";
import { answerByKey } from "../../../kernel/run/answer-wait.ts";
import type { Decision } from "../../../kernel/run/decision.ts";
import type { EngineTools } from "../../../kernel/run/engine-transaction.ts";
import { cancelRun, pauseRun, resumeRun, retryRun } from "../../../kernel/run/run-control.ts";
import {
  type DatabaseWork,
  execute,
  query,
  queryFirst,
} from "../../../kernel/store/database-work.ts";
import type { RunState } from "../../../kernel/store/engine-tables.ts";
import { findSetting } from "../../../kernel/store/settings.ts";
import { seesRun } from "../../../kernel/store/visibility.ts";
import { countAllTurns } from "../planning/topology.ts";
import { type OverlayValues, overlayValues } from "../recipe/domain-file.ts";
import { openPinned, pinDomain } from "../recipe/pinned-domain.ts";
import { beginSession } from "../running/begin-session.ts";
import { acceptStale } from "../running/dialectic-effects.ts";
import { dialectic } from "../running/dialectic-tables.ts";
import { passGate } from "../running/gate-handler.ts";
import type { Session } from "../running/load-session.ts";
import { gateKey, lookJob } from "../running/look-handler.ts";
import { estimatePass, estimateShape, renderEstimate } from "./estimate.ts";
import { placeOfSession, resolveSession, sessionField } from "./session-ref.ts";
import { statusOf, statusShape } from "./session-status.ts";
import { renderStatus } from "./status-view.ts";

/** Shown live until it ends or asks for somebody. */
export const SESSION_FOLLOWED: FollowHint = {
  stream: "runId",
  until: {
    "run.completed": "ok",
    "run.failed": "internal",
    "run.cancelled": "internal",
    "run.waiting": "waiting",
    "run.held": "waiting",
  },
  view: "dialectic.status",
};

const MOST_SLOTS = 8;

const modelsField = z
  .array(z.string().min(1).max(200))
  .max(MOST_SLOTS)
  .optional()
  .describe("The models of the slots, one each; the same one may be named several times.");

const reviewersField = z
  .int()
  .min(1)
  .max(MOST_SLOTS)
  .optional()
  .describe("How many slots review each proposal; all unless given. Fewer is cheaper.");

const domainField = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/)
  .default("software")
  .describe("The domain whose recipes are followed; `dialectic check` lists them.");

const requestField = z
  .string()
  .trim()
  .min(1)
  .max(200_000)
  .describe("What you want, in your own words.");

/** Projects keep theirs as a setting. */
export const OVERLAY_SETTING = "dialectic.overlays";

const startedShape = z.object({
  runId: z.string(),
  title: z.string(),
  domain: z.string(),
  slots: z.array(z.string()),
  calls: z.int(),
});

const start = defineOperation({
  name: "dialectic.start",
  summary: "Begins a dialectic: several models propose, review, refine and plan what you ask for.",
  effect: "writes",
  permission: "run",
  projectScope: { project: "project" },
  input: z.object({
    request: requestField,
    domain: domainField,
    model: modelsField,
    reviewers: reviewersField,
    auto: z.boolean().default(false).describe("Goes on from stage to stage without asking."),
    title: z.string().trim().min(1).max(200).optional().describe("What lists call it."),
    overlay: z
      .array(z.string().regex(/^[a-z][a-z0-9_]*=[\s\S]+$/, "looks like name=text"))
      .default([])
      .describe("What every prompt of this session is told, as name=text; over the project's."),
    project: projectField.optional().describe("The project it belongs to."),
  }),
  output: startedShape,
  surfaces: {
    cli: {
      positionals: ["request"],
      stdin: "request",
      follow: SESSION_FOLLOWED,
      render: rendering(startedShape, ({ runId, title, slots, calls }) =>
        doneLine(
          `Began "${clip(title, 60)}" as ${shortId(runId)} with ${slots.join(", ")}; a full pass takes ${calls} calls. \`dialectic status --follow\` shows it live.`,
        ),
      ),
      examples: [
        'dialectic start "A booking system for a small clinic" --model openai/gpt-5 --model anthropic/claude --follow',
        "dialectic start --domain research --auto < idea.md",
      ],
    },
    mcp: "core",
  },
  run: async (context, input) => {
    const { kernel, caller } = context;
    const slots = await slotsFor(context, input.model);
    const recipe = pinDomain(kernel.library, input.domain);
    const { domain } = openPinned(recipe);
    const title = input.title ?? firstLine(input.request);
    const runId = await change(context, function* ({ now }) {
      const projectId = yield* resolveOptional(input.project, (text) =>
        resolveProject(text, caller),
      );
      const project = projectId === undefined ? {} : yield* projectOverlays(projectId);
      return yield* beginSession(
        kernel.engine,
        {
          title,
          request: input.request,
          recipe,
          slots,
          overlays: {
            ...project,
            ...overlaysOf(input.overlay, { ...domain.overlays, ...project }),
          },
          reviewers: input.reviewers,
          isAuto: input.auto,
        },
        { projectId: projectId ?? null, startedBy: caller.userId },
        now,
      );
    });
    kernel.wake();
    const calls = countAllTurns(domain, { slots: slots.length, reviewers: input.reviewers });
    return { runId, title, domain: domain.key, slots: [...slots], calls };
  },
});

async function slotsFor(
  { kernel: { models } }: OperationContext,
  given: readonly string[] | undefined,
): Promise<readonly string[]> {
  const slots = given === undefined || given.length === 0 ? [await models.defaultModel()] : given;
  // Unknown models are refused here, before anything is written.
  for (const name of slots) await models.find(name);
  return slots;
}

function firstLine(request: string): string {
  return clip(request.split("\n").find((line) => line.trim() !== "") ?? request, 80);
}

function* projectOverlays(projectId: string): DatabaseWork<OverlayValues> {
  const setting = yield* findSetting({ scope: "project", projectId }, OVERLAY_SETTING);
  const parsed = overlayValues.safeParse(setting?.value ?? {});
  return parsed.success ? parsed.data : {};
}

/** A name that is known keeps its title. */
function overlaysOf(given: readonly string[], known: OverlayValues): OverlayValues {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf("=");
      const name = each.slice(0, at);
      const words = name.replaceAll("_", " ");
      const title = known[name]?.title ?? words.charAt(0).toUpperCase() + words.slice(1);
      return [name, { title, text: each.slice(at + 1) }];
    }),
  );
}

const status = defineOperation({
  name: "dialectic.status",
  summary: "Shows where a dialectic stands: stages, documents, slots, tokens and cost.",
  effect: "reads",
  permission: "read",
  input: z.object({
    session: sessionField,
    runId: z.string().max(100).optional().describe("The same, as followers name it."),
  }),
  output: statusShape,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(statusShape, renderStatus),
      follow: SESSION_FOLLOWED,
      examples: ["dialectic status", "dialectic status 0199a1b2 --follow"],
    },
    mcp: "core",
  },
  run: ({ kernel, caller }, { session, runId }) =>
    kernel.store.read(function* () {
      return yield* statusOf(yield* resolveSession(session ?? runId, caller), kernel.clock.now());
    }),
});

const listed = z.object({
  items: z.array(
    z.object({
      runId: z.string(),
      title: z.string(),
      domain: z.string(),
      stage: z.string(),
      iteration: z.int(),
      status: z.string(),
      state: z.string(),
      slots: z.array(z.string()),
      createdAt: z.number(),
    }),
  ),
  asOf: asOfField,
});

const list = defineOperation({
  name: "dialectic.list",
  summary: "Lists dialectics, the newest first.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    limit: z.int().min(1).max(200).default(50).describe("How many at most."),
  }),
  output: listed,
  surfaces: {
    cli: {
      render: rendering(listed, ({ items, asOf }) => {
        const short = shortIds(items.map(({ runId }) => runId));
        return items.length === 0
          ? 'None yet. Begin one with `dialectic start "What you want"`.'
          : table(
              [
                { title: "ID" },
                { title: "STATE" },
                { title: "STAGE" },
                { title: "TITLE", width: 50 },
                { title: "SLOTS", align: "right" },
                { title: "BEGUN" },
              ],
              items.map((each) => [
                short(each.runId),
                runMark(each.state as RunState),
                each.stage,
                each.title,
                String(each.slots.length),
                timeAgo(each.createdAt, asOf),
              ]),
            );
      }),
      examples: ["dialectic list"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, limit }) =>
    kernel.store.read(function* () {
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      let select = dialectic
        .selectFrom("run")
        .innerJoin("dialectic_session as s", "s.run_id", "run.id")
        .select(["run.id", "run.title", "run.state", "run.created_at"])
        .select(["s.domain", "s.stage", "s.iteration", "s.status", "s.slots"])
        .where(seesRun(caller))
        .where("run.is_archived", "=", 0)
        .orderBy("run.id", "desc")
        .limit(limit);
      if (projectId !== undefined) select = select.where("run.project_id", "=", projectId);
      const rows = yield* query(select);
      return {
        items: rows.map(({ id, created_at, slots, ...rest }) => ({
          runId: id,
          createdAt: created_at,
          slots: JSON.parse(slots) as string[],
          ...rest,
        })),
        asOf: kernel.clock.now(),
      };
    }),
});

const estimate = defineOperation({
  name: "dialectic.estimate",
  summary: "Counts the calls of a full pass and estimates tokens and cost, before anything starts.",
  effect: "reads",
  permission: "read",
  input: z.object({
    session: z.string().max(100).optional().describe("As this dialectic is set up; else as given."),
    domain: domainField,
    model: modelsField,
    reviewers: reviewersField,
    request: z.string().max(200_000).default("").describe("What would be asked for."),
  }),
  output: estimateShape,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(estimateShape, renderEstimate),
      examples: ["dialectic estimate --model openai/gpt-5 --model anthropic/claude"],
    },
    mcp: "full",
  },
  run: async (context, { session, domain, model, reviewers, request }) => {
    const { kernel, caller } = context;
    const costOf = (name: string, usage: Parameters<typeof kernel.models.costOf>[1]) =>
      kernel.models.costOf(name, usage);
    if (session !== undefined) {
      const known = await kernel.store.read(() => resolveSession(session, caller));
      return estimatePass({
        library: known.library,
        domain: known.domain,
        request: known.row.request,
        slots: known.slots,
        reviewers: reviewers ?? known.row.reviewers ?? undefined,
        costOf,
      });
    }
    const slots = await slotsFor(context, model);
    const pinned = openPinned(pinDomain(kernel.library, domain));
    return estimatePass({ ...pinned, request, slots, reviewers, costOf });
  },
});

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
    mcp: "core",
  },
  run: async (context, input) => {
    const { kernel, caller } = context;
    const answer = await change(context, function* ({ actor, now }) {
      const session = yield* resolveSession(input.session, caller);
      const choice = input.finish ? "finish" : input.iterate ? "iterate" : "next";
      yield* checkGate(session, choice, input.from);
      yield* checkStale(session, input.acceptStale);
      yield* answerGate(session, choice, input.from, { tools: kernel.engine, actor, now });
      return described(session, choice);
    });
    kernel.wake();
    return answer;
  },
});

function* checkGate(
  session: Session,
  choice: string,
  from: string | undefined,
): DatabaseWork<void> {
  const { domain, row } = session;
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
  yield* [];
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

type Control = (
  tools: EngineTools,
  runId: string,
  actor: string,
  now: number,
) => DatabaseWork<unknown>;

function controlOperation(
  verb: "pause" | "resume" | "cancel" | "retry",
  summary: string,
  says: string,
  control: Control,
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

function* retryHeld(...args: Parameters<Control>): DatabaseWork<void> {
  if ((yield* retryRun(...args)) > 0) return;
  throw new ProductError("dialectic_nothing_held", "Nothing of this dialectic is held.", {
    kind: "conflict",
    hint: "`dialectic status` shows where it stands.",
  });
}

export const sessionOperations: readonly Operation[] = [
  start,
  list,
  status,
  estimate,
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
  controlOperation(
    "retry",
    "Lets every document that could not be had try again.",
    "What was held tries again.",
    retryHeld,
  ),
];
