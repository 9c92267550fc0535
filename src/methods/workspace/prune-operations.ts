/** Letting go of old words while the record of them stays, and how much room everything takes. */

import { z } from "zod";
import { spanInput, spanMs } from "../../kernel/operation/moment-text.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { becauseField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import {
  blocks,
  bytesText,
  fieldLines,
  groupDigits,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { dateText } from "../../kernel/operation/terminal-time.ts";
import { diskUse } from "../../kernel/store/disk-use.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import { pruneOlderThan } from "../../kernel/store/prune.ts";
import { countPrunable, prunedShape } from "./prunable-counts.ts";

const useShape = z.object({
  bytes: z.number(),
  freeBytes: z.number().describe("Inside the file but unused; it is filled before the file grows."),
});

const pruneResult = z.object({
  isDryRun: z.boolean(),
  before: z.number().describe("Only what ended before this moment."),
  pruned: prunedShape,
  diskBefore: useShape,
  diskAfter: useShape,
});

const pruneWith = (migrations: readonly Migration[]) =>
  defineOperation({
    name: "workspace.prune",
    summary:
      "Lets go of the words of old work: prompts, replies, event data. Hashes stay, so every chain still verifies.",
    effect: "destroys",
    permission: "administer",
    input: z.object({
      olderThan: spanInput.describe("Only what ended longer ago than this, such as 90d."),
      artifacts: z
        .enum(["none", "superseded", "all"])
        .default("superseded")
        .describe("Which old artifacts lose their text."),
      dryRun: z.boolean().default(false).describe("Only say how much it would be."),
      because: becauseField,
    }),
    output: pruneResult,
    surfaces: {
      cli: {
        words: ["prune"],
        examples: ["prune --older-than 90d --dry-run", "prune --older-than 365d"],
        render: rendering(pruneResult, renderPruned),
      },
      mcp: "none",
    },
    run: async ({ kernel, caller, report }, { olderThan, artifacts, dryRun, because }) => {
      const { store, clock } = kernel;
      const now = clock.now();
      const before = now - spanMs(olderThan);
      const diskBefore = await diskUse(store);
      if (dryRun) {
        const pruned = await store.read(() => countPrunable(before, artifacts, migrations));
        return { isDryRun: true, before, pruned, diskBefore, diskAfter: diskBefore };
      }
      report({ message: `Letting go of what is older than ${dateText(before)}` });
      const act = { actor: caller.userId, now, because };
      const pruned = await pruneOlderThan(store, { before, artifacts, migrations }, act);
      kernel.changes.notify();
      return { isDryRun: false, before, pruned, diskBefore, diskAfter: await diskUse(store) };
    },
  });

const diskReport = useShape.extend({
  location: z.string(),
  tables: z.array(z.object({ table: z.string(), bytes: z.number() })).readonly(),
});

const disk = defineOperation({
  name: "workspace.disk",
  summary: "Shows how much room the store takes, table by table.",
  effect: "reads",
  permission: "administer",
  input: z.object({}),
  output: diskReport,
  surfaces: { cli: { words: ["disk"], render: rendering(diskReport, renderDisk) }, mcp: "none" },
  run: async ({ kernel }) => ({
    ...(await diskUse(kernel.store)),
    location: kernel.store.location,
  }),
});

/** `migrations`: all tables of the store, of which methods say what may go. */
export function pruneOperations(migrations: readonly Migration[]): readonly Operation[] {
  return [pruneWith(migrations), disk];
}

function renderPruned(result: z.output<typeof pruneResult>): string {
  const { isDryRun, before, pruned, diskBefore, diskAfter } = result;
  const amount = (n: number) => (n === 0 ? undefined : groupDigits(n));
  const head = isDryRun
    ? `Older than ${dateText(before)} there is this to let go of (${bytesText(pruned.bytes)}):`
    : doneLine(`Let go of ${bytesText(pruned.bytes)} of words older than ${dateText(before)}.`);
  const lines = fieldLines([
    ["events", amount(pruned.events)],
    ["prompts", amount(pruned.prompts)],
    ["replies", amount(pruned.replies)],
    ["jobs", amount(pruned.jobs)],
    ["effects", amount(pruned.effects)],
    ["deltas", amount(pruned.deltas)],
    ["artifacts", amount(pruned.artifacts)],
    ["texts of methods", amount(pruned.methodTexts)],
    ["shared texts", amount(pruned.sharedTexts)],
  ]);
  const room = isDryRun
    ? `The store takes ${bytesText(diskBefore.bytes)}.`
    : `The store takes ${bytesText(diskAfter.bytes)} (before: ${bytesText(diskBefore.bytes)}), ${bytesText(diskAfter.freeBytes)} of it free for new work.`;
  return blocks(head, lines === "" ? "Nothing is that old." : lines, room);
}

function renderDisk({ bytes, freeBytes, location, tables }: z.output<typeof diskReport>): string {
  const columns = [
    { title: "TABLE", width: 40 },
    { title: "SIZE", align: "right" as const },
    { title: "SHARE", align: "right" as const },
  ];
  const rows = tables
    .slice(0, MOST_TABLES)
    .map((each) => [
      each.table,
      bytesText(each.bytes),
      `${Math.round((each.bytes / Math.max(1, bytes)) * 100)} %`,
    ]);
  return blocks(
    `${location} takes ${bytesText(bytes)}, ${bytesText(freeBytes)} of it free for new work.`,
    table(columns, rows),
    tables.length > MOST_TABLES ? `and ${tables.length - MOST_TABLES} smaller ones` : undefined,
  );
}

const MOST_TABLES = 12;
