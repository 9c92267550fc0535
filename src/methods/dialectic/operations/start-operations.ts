/** Beginning a dialectic, and what it will take. */

import { z } from "zod";
import { change } from "../../../kernel/operation/change-work.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import { projectField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { clip } from "../../../kernel/operation/terminal-text.ts";
import { projectOverlays } from "../dialectic-settings.ts";
import { countAllTurns } from "../planning/topology.ts";
import type { OverlayValues } from "../recipe/domain-file.ts";
import { openPinned, pinDomain } from "../recipe/pinned-domain.ts";
import { beginSession } from "../running/begin-session.ts";
import { estimatePass, estimateShape, renderEstimate } from "./estimate.ts";
import { SESSION_FOLLOWED } from "./session-followed.ts";
import { resolveSession } from "./session-ref.ts";

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
    mcp: "full",
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

export const beginOperations: readonly Operation[] = [start, estimate];
