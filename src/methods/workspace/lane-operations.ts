/** Lanes: how many calls to a model may be under way at once, and how fast they may start. */

import { z } from "zod";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { table } from "../../kernel/operation/terminal-text.ts";
import { limitLane } from "../../kernel/run/lanes.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../kernel/store/events.ts";
import { db } from "../../kernel/store/query-builder.ts";

const laneShape = z.object({
  name: z.string(),
  maxRunning: z.number().nullable().describe("null: as many as there are workers for."),
  ratePerMinute: z.number().nullable().describe("null: as fast as they come."),
  burst: z.number().nullable().describe("How many may start at once before the rate counts."),
  running: z.number().describe("Under way now; counted only where there is a limit."),
});

const laneList = z.object({ items: z.array(laneShape) });

const list = defineOperation({
  name: "lane.list",
  summary: "Lists lanes, one per model and one for moves, with their limits.",
  effect: "reads",
  permission: "read",
  input: z.object({}),
  output: laneList,
  surfaces: { cli: { render: rendering(laneList, renderLanes) }, mcp: "full" },
  run: ({ kernel }) =>
    kernel.store.read(function* () {
      return { items: yield* listLanes() };
    }),
});

const limit = defineOperation({
  name: "lane.limit",
  summary: "Limits a lane, or lifts its limits; what is under way goes on.",
  effect: "writes",
  permission: "administer",
  input: z.object({
    name: z
      .string()
      .regex(/^[\w:./@+-]{1,200}$/, "must be the name of a lane, such as model:anthropic/claude")
      .describe("The lane; a model's is `model:` and its name."),
    maxRunning: z
      .int()
      .min(1)
      .max(100_000)
      .nullable()
      .optional()
      .describe("How many at once; null lifts it, left out keeps it."),
    ratePerMinute: z
      .number()
      .positive()
      .max(10_000_000)
      .nullable()
      .optional()
      .describe("How many may start in a minute; null lifts it, left out keeps it."),
    burst: z
      .int()
      .min(1)
      .max(100_000)
      .nullable()
      .optional()
      .describe("How many may start at once before the rate counts."),
  }),
  output: laneShape,
  surfaces: {
    cli: {
      positionals: ["name"],
      examples: [
        "lane limit model:anthropic/claude-sonnet-5-5 --max-running 4 --rate-per-minute 50",
      ],
      render: rendering(laneShape, (lane) => doneLine(`Lane ${lane.name}: ${limitText(lane)}.`)),
    },
    mcp: "none",
  },
  run: async (context, { name, ...wanted }) => {
    const lane = await change(context, function* ({ actor, now }) {
      const before = (yield* listLanes()).find((each) => each.name === name) ?? UNLIMITED;
      const limits = {
        maxRunning: wanted.maxRunning === undefined ? before.maxRunning : wanted.maxRunning,
        ratePerMinute:
          wanted.ratePerMinute === undefined ? before.ratePerMinute : wanted.ratePerMinute,
        burst: wanted.burst === undefined ? before.burst : wanted.burst,
      };
      yield* limitLane(name, limits, now);
      const event = {
        stream: WORKSPACE_STREAM,
        type: "lane.limited",
        projectId: null,
        actor,
        data: { name, ...limits },
      };
      yield* appendEvents([event], now);
      return { ...before, ...limits, name };
    });
    context.kernel.wake();
    return lane;
  },
});

export const laneOperations: readonly Operation[] = [list, limit];

type ShownLane = z.output<typeof laneShape>;

const UNLIMITED = { maxRunning: null, ratePerMinute: null, burst: null, running: 0 };

function* listLanes(): DatabaseWork<ShownLane[]> {
  const rows = yield* query(
    db
      .selectFrom("lane")
      .select(["name", "max_running", "rate_per_minute", "burst", "running"])
      .orderBy("name"),
  );
  return rows.map(({ name, max_running, rate_per_minute, burst, running }) => {
    return { name, maxRunning: max_running, ratePerMinute: rate_per_minute, burst, running };
  });
}

function limitText({ maxRunning, ratePerMinute, burst }: ShownLane): string {
  const parts = [
    maxRunning === null ? "" : `${maxRunning} at once`,
    ratePerMinute === null ? "" : `${ratePerMinute} a minute`,
    burst === null ? "" : `burst ${burst}`,
  ];
  return parts.filter(Boolean).join(", ") || "no limit";
}

function renderLanes({ items }: z.output<typeof laneList>): string {
  if (items.length === 0)
    return "No lanes yet; a model has one from its first call. Limit it ahead with `lane limit model:NAME --max-running 4`.";
  const columns = [
    { title: "LANE", width: 60 },
    { title: "LIMIT" },
    { title: "NOW", align: "right" as const },
  ];
  return table(
    columns,
    items.map((lane) => [lane.name, limitText(lane), isLimited(lane) ? String(lane.running) : ""]),
  );
}

function isLimited({ maxRunning, ratePerMinute }: ShownLane): boolean {
  return maxRunning !== null || ratePerMinute !== null;
}
