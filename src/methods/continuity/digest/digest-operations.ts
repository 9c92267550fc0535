/** `digest`: what changed in a project since a date, told by a model over the facts of the event log, and kept. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Json } from "../../../kernel/base/json.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import { momentInput, pastMomentOf } from "../../../kernel/operation/moment-text.ts";
import { nameOf, projectNames } from "../../../kernel/operation/names.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import {
  idField,
  orderField,
  pageFields,
  projectField,
} from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { waitForRun } from "../../../kernel/operation/wait-for-run.ts";
import { startRun } from "../../../kernel/run/start-run.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { getProject } from "../../../kernel/store/projects.ts";
import { detailOf, readFacts } from "./digest-facts.ts";
import { DIGEST_TURN, type DigestInput } from "./digest-handlers.ts";
import { type DigestOutline, type DigestPeriod, outlineDigest } from "./digest-outline.ts";
import { digestDetail, digestFacts, digestList, madeDigest } from "./digest-shape.ts";
import { writeDigest } from "./digest-text.ts";
import { renderDigest, renderDigestList, renderFacts, renderMade } from "./digest-view.ts";
import { type Digest, findLastDigest, getDigest, listDigests, readDigestBody } from "./digests.ts";

const WEEK = 7 * 86_400_000;

const periodInput = {
  project: projectField,
  since: momentInput
    .optional()
    .describe(
      "From when: a date or a time back, such as 7d. Where the last digest ended unless given, or a week.",
    ),
  until: momentInput.optional().describe("Up to when; now unless given."),
};

const make = defineOperation({
  name: "digest.make",
  summary:
    "Tells what changed in a project since a date: decided, opened, closed, contradicted, still blocking. Kept as an artifact.",
  effect: "writes",
  permission: "run",
  projectScope: { project: "project" },
  input: z.object({
    ...periodInput,
    model: z
      .string()
      .max(200)
      .optional()
      .describe("`provider/model`; the workspace's default unless given."),
    wait: z
      .boolean()
      .default(true)
      .describe(
        "Whether to wait for the digest; without, it comes back as soon as the run has started.",
      ),
  }),
  output: madeDigest,
  surfaces: {
    cli: {
      words: ["digest"],
      positionals: ["project"],
      examples: [
        "digest Tidepool",
        "digest Tidepool --since 30d",
        "digest Tidepool --since 2026-10-01 --until 2026-11-01 --model anthropic/claude-sonnet-4-5",
      ],
      render: rendering(madeDigest, renderMade),
      outcome: (output) => outcomeOf(madeDigest.parse(output).state),
      follow: {
        stream: "runId",
        until: { "run.completed": "ok", "run.held": "waiting", "run.failed": "internal" },
      },
    },
    mcp: "full",
  },
  run: async (context, input) => {
    const { kernel, caller, signal, report } = context;
    const model = input.model ?? (await kernel.models.defaultModel());
    // Unknown models are refused here, before anything is written.
    await kernel.models.find(model);
    const { projectId, projectName, outline } = await outlineOf(context, input);
    const about = {
      projectId,
      projectName,
      ...outline.period,
      counts: outline.counts,
      asOf: kernel.clock.now(),
    };
    if (outline.items.length === 0) return { ...about, state: "unchanged" };
    const runId = await begin(kernel, caller, { projectId, model, outline }, projectName);
    if (!input.wait) return { ...about, runId, state: "queued" };
    report({ message: "Telling what changed…" });
    const { state, result, reason } = await waitForRun(kernel, runId, signal);
    const { data: done } = resultShape.safeParse(result);
    if (done === undefined) return { ...about, runId, state, reason };
    const { digestId } = done;
    const { text } = await kernel.store.read(function* () {
      return yield* readDigestBody(yield* getDigest(digestId, caller));
    });
    return { ...about, runId, state, digestId, text };
  },
});

const resultShape = z.object({ digestId: z.string() });

const preview = defineOperation({
  name: "digest.preview",
  summary: "Lists the facts that a digest would tell of; no model is asked and nothing is kept.",
  effect: "reads",
  permission: "read",
  projectScope: { project: "project" },
  input: z.object(periodInput),
  output: digestFacts,
  surfaces: {
    cli: {
      positionals: ["project"],
      examples: ["digest preview Tidepool --since 7d"],
      render: rendering(digestFacts, renderFacts),
    },
    mcp: "full",
  },
  run: async (context, input) => {
    const { kernel } = context;
    const { projectId, projectName, outline } = await outlineOf(context, input);
    const facts = await kernel.store.read(() => readFacts(projectId, outline));
    return {
      projectId,
      projectName,
      ...outline.period,
      counts: facts.counts,
      withheld: facts.withheld,
      facts: facts.facts.map((fact) => ({ ...fact, detail: detailOf(fact) })),
      text: writeDigest({ projectName, period: outline.period, facts }),
      asOf: kernel.clock.now(),
    };
  },
});

const list = defineOperation({
  name: "digest.list",
  summary: "Lists digests.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    order: orderField,
    ...pageFields,
  }),
  output: digestList,
  surfaces: {
    cli: {
      examples: ["digest list --project Tidepool"],
      render: rendering(digestList, renderDigestList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, ...page }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listDigests({
        ...page,
        viewer: caller,
        projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
      });
      return { items: [...(yield* withNames(items))], nextCursor, asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "digest.show",
  summary: "Shows a digest.",
  effect: "reads",
  permission: "read",
  input: z.object({ digestId: idField("digest") }),
  output: digestDetail,
  surfaces: {
    cli: {
      positionals: ["digestId"],
      examples: ["digest show 0199a1b2-c3d4"],
      render: rendering(digestDetail, renderDigest),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { digestId }) =>
    kernel.store.read(function* () {
      const found = yield* getDigest(digestId, caller);
      const [digest] = yield* withNames([found]);
      if (digest === undefined) throw new Error("A digest lost its project.");
      return { digest, ...(yield* readDigestBody(found)), asOf: kernel.clock.now() };
    }),
});

export const digestOperations: readonly Operation[] = [make, preview, list, show];

interface Request {
  readonly project: string;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

interface Outlined {
  readonly projectId: string;
  readonly projectName: string;
  readonly outline: DigestOutline;
}

async function outlineOf(
  { kernel, caller }: OperationContext,
  request: Request,
): Promise<Outlined> {
  const { store, clock } = kernel;
  const { project, period } = await store.read(function* () {
    const id = yield* resolveProject(request.project, caller);
    return {
      project: yield* getProject(id, caller),
      period: yield* periodOf(request, id, clock.now()),
    };
  });
  const outline = await outlineDigest(store, project.id, period);
  return { projectId: project.id, projectName: project.name, outline };
}

function* periodOf(
  { since, until }: Request,
  projectId: string,
  now: number,
): DatabaseWork<DigestPeriod> {
  const end = until === undefined ? now : Math.min(pastMomentOf(until, now), now);
  const begin =
    since === undefined
      ? ((yield* findLastDigest(projectId))?.until ?? end - WEEK)
      : pastMomentOf(since, now);
  if (begin < end) return { since: begin, until: end };
  throw new ProductError("digest_period", "This stretch of time ends before it begins.", {
    hint: "Give a date or a time back with `--since`, such as 7d; `--until` must lie after it.",
    details: { since: begin, until: end },
  });
}

async function begin(
  kernel: Kernel,
  caller: Caller,
  input: DigestInput,
  projectName: string,
): Promise<string> {
  const { projectId, model, outline } = input;
  const runId = await kernel.store.write(() =>
    startRun(
      kernel.engine,
      {
        method: "continuity",
        title: `Digest of ${projectName} with ${model}`,
        input: { projectId, model, ...outline.period },
        jobs: [
          {
            key: "digest",
            handler: DIGEST_TURN,
            step: "digest",
            input: JSON.parse(JSON.stringify(input)) as Json,
          },
        ],
      },
      { projectId, startedBy: caller.userId },
      kernel.clock.now(),
    ),
  );
  kernel.wake();
  return runId;
}

function* withNames(digests: readonly Digest[]) {
  const names = yield* projectNames(digests.map(({ projectId }) => projectId));
  return digests.map((digest) => ({
    ...digest,
    projectName: nameOf(names, digest.projectId) ?? digest.projectId,
  }));
}

function outcomeOf(state: string): "ok" | "waiting" | "internal" {
  if (state === "completed" || state === "queued" || state === "unchanged") return "ok";
  return state === "held" || state === "paused" ? "waiting" : "internal";
}
