/** Search over all thinking. The index catches up first, for a moment; what is left is said. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { nameOf, projectNames } from "../../kernel/operation/names.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { asOfField, pageFields, projectField } from "../../kernel/operation/operation-fields.ts";
import { moreLine, rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { shortIds } from "../../kernel/operation/short-ids.ts";
import { blocks, clip, count, indent } from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import { SEARCH_KINDS } from "../../kernel/store/noun-tables.ts";
import { refreshSearch } from "../../kernel/store/search-index.ts";
import { searchThinking } from "../../kernel/store/search-thinking.ts";

const hitShape = z.object({
  kind: z.enum(SEARCH_KINDS),
  id: z.string(),
  title: z.string(),
  snippet: z.object({
    text: z.string(),
    marks: z.array(z.object({ start: z.number(), end: z.number() })).readonly(),
  }),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  conversationId: z.string().optional(),
  createdAt: z.number(),
  score: z.number().describe("Higher is better; comparable within one answer only."),
});

const hitList = z.object({
  items: z.array(hitShape),
  nextCursor: z.string().optional(),
  pending: z.number().describe("Changes the index has not caught up with yet."),
  asOf: asOfField,
});

const search = defineOperation({
  name: "thinking.search",
  summary:
    "Finds conversations, messages, highlights, tasks, decisions and artifacts by their words.",
  effect: "reads",
  permission: "read",
  input: z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(1000)
      .describe("Words that must all occur; the last one may be unfinished."),
    kinds: z.array(z.enum(SEARCH_KINDS)).min(1).optional().describe("Only these kinds."),
    project: projectField.optional().describe("Only within this project."),
    limit: pageFields.limit.default(20),
    cursor: pageFields.cursor,
  }),
  output: hitList,
  surfaces: {
    cli: {
      words: ["search"],
      positionals: ["text"],
      examples: ['search "lease expiry"', "search clock --kinds decision --project Tidepool"],
      render: rendering(hitList, renderHits),
    },
    mcp: "core",
  },
  run: async ({ kernel, caller }, { text, kinds, project, limit, cursor }) => {
    await catchUp(kernel);
    return kernel.store.read(function* () {
      const projectId = yield* resolveOptional(project, (name) => resolveProject(name, caller));
      const { hits, nextCursor, pending } = yield* searchThinking(kernel.store.dialect, {
        viewer: caller,
        text,
        kinds,
        projectIds: projectId === undefined ? undefined : [projectId],
        limit,
        cursor,
      });
      const names = yield* projectNames(hits.map((hit) => hit.projectId));
      return {
        items: hits.map((hit) => ({ ...hit, projectName: nameOf(names, hit.projectId) })),
        nextCursor,
        pending,
        asOf: kernel.clock.now(),
      };
    });
  },
});

export const searchOperations: readonly Operation[] = [search];

const CATCH_UP_MS = 300;

/** On a full disk people must still find what is indexed. */
async function catchUp({ store, clock }: Kernel): Promise<void> {
  try {
    await refreshSearch(store, { clock, budgetMs: CATCH_UP_MS });
  } catch (error) {
    const isDisk = error instanceof ProductError && error.kind === "unavailable";
    if (!isDisk && !(error instanceof ProductError && error.code === "store_read_only"))
      throw error;
  }
}

function renderHits({ items, nextCursor, pending, asOf }: z.output<typeof hitList>): string {
  const late =
    pending === 0
      ? undefined
      : `${count(pending, "change")} not indexed yet; search again in a moment.`;
  if (items.length === 0)
    return blocks("Nothing found. Every word must occur; try fewer or shorter ones.", late);
  const short = shortIds(items.map(({ id }) => id));
  const found = items.map(({ kind, id, title, snippet, projectName, createdAt }) => {
    const where = [kind, short(id), projectName, timeAgo(createdAt, asOf)]
      .filter(Boolean)
      .join("  ");
    const head = title === "" ? where : `${clip(title, 80)}\n${indent(where)}`;
    return `${head}\n${indent(clip(snippet.text, 160))}`;
  });
  return blocks(...found, late, moreLine(nextCursor));
}
