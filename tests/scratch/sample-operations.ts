/** A few operations for testing surfaces: they read, write, destroy, wait, fail and report. */

import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { notFound, ProductError } from "../../src/kernel/base/errors.ts";
import type { IndexedNoun } from "../../src/kernel/operation/noun-index.ts";
import { defineOperation, type Operation } from "../../src/kernel/operation/operation.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../../src/kernel/operation/operation-registry.ts";
import { appendEvents } from "../../src/kernel/store/events.ts";

interface Note {
  readonly id: string;
  readonly text: string;
  readonly urgency: "low" | "high";
  readonly version: number;
}

export interface SampleWorld {
  readonly registry: OperationRegistry;
  readonly nouns: readonly IndexedNoun[];
  /** How often something was changed; refused requests must leave it as it is. */
  readonly effects: () => number;
}

/** The notes live in memory; every change is also told in the event log. */
export function sampleWorld(): SampleWorld {
  const notes = new Map<string, Note>();
  let effects = 0;
  const note = z.object({
    id: z.string(),
    text: z.string(),
    urgency: z.enum(["low", "high"]),
    version: z.number(),
  });

  const add = defineOperation({
    name: "note.add",
    summary: "Adds a note.",
    effect: "writes",
    permission: "edit",
    input: z.object({
      text: z.string().min(1).describe("What to remember."),
      urgency: z.enum(["low", "high"]).default("low").describe("How much it presses."),
      tags: z.array(z.string()).default([]).describe("Words to find it by."),
      details: z.record(z.string(), z.unknown()).optional().describe("Anything else."),
      weight: z.number().optional(),
      isPinned: z.boolean().default(false).describe("Keep it on top."),
      assignee: z.string().nullable().optional(),
    }),
    output: note,
    surfaces: {
      cli: {
        positionals: ["text"],
        stdin: "text",
        examples: ['note add "Buy milk" --urgency high'],
      },
      http: { alias: { method: "POST", path: "/api/start-note/generate" } },
    },
    run: async ({ kernel, caller }, { text, urgency }) => {
      const created = { id: `n${notes.size + 1}`, text, urgency, version: 1 };
      const event = {
        stream: "workspace",
        type: "note.added",
        projectId: null,
        actor: caller.userId,
        data: { id: created.id },
      };
      await kernel.store.write(() => appendEvents([event], kernel.clock.now()));
      notes.set(created.id, created);
      effects += 1;
      return created;
    },
  });
  const get = (id: string): Note => {
    const found = notes.get(id);
    if (found === undefined) throw notFound("note", id);
    return found;
  };

  const operations: readonly Operation[] = [
    add,
    defineOperation({
      name: "note.list",
      summary: "Lists notes.",
      effect: "reads",
      permission: "read",
      input: z.object({
        urgency: z.enum(["low", "high"]).optional(),
        limit: z.number().int().min(1).max(200).default(50),
        tags: z.array(z.string()).optional(),
        where: z.object({ textContains: z.string() }).optional(),
        cursor: z.string().optional(),
      }),
      output: z.object({ items: z.array(note), nextCursor: z.string().optional() }),
      run: async (_, { urgency, limit, where }) => {
        const fitting = [...notes.values()].filter(
          (item) =>
            (urgency === undefined || item.urgency === urgency) &&
            item.text.includes(where?.textContains ?? ""),
        );
        const items = fitting.slice(0, limit);
        return fitting.length > limit ? { items, nextCursor: "more" } : { items };
      },
    }),
    defineOperation({
      name: "note.show",
      summary: "Shows one note.",
      effect: "reads",
      permission: "read",
      input: z.object({ id: z.string() }),
      output: note,
      surfaces: { cli: { positionals: ["id"] } },
      run: async (_, { id }) => get(id),
    }),
    defineOperation({
      name: "note.edit",
      summary: "Changes a note.",
      effect: "writes",
      permission: "edit",
      input: z.object({ id: z.string(), text: z.string(), expectedVersion: z.number().optional() }),
      output: note,
      run: async (_, { id, text, expectedVersion }) => {
        const before = get(id);
        if (expectedVersion !== undefined && expectedVersion !== before.version)
          throw new ProductError("version_conflict", "It has changed since.", { kind: "conflict" });
        const after = { ...before, text, version: before.version + 1 };
        notes.set(id, after);
        effects += 1;
        return after;
      },
    }),
    defineOperation({
      name: "note.delete",
      summary: "Deletes a note for good.",
      effect: "destroys",
      permission: "edit",
      input: z.object({ id: z.string() }),
      output: z.object({}),
      surfaces: { cli: { positionals: ["id"] } },
      run: async (_, { id }) => {
        get(id);
        notes.delete(id);
        effects += 1;
        return {};
      },
    }),
    defineOperation({
      name: "work.count",
      summary: "Counts slowly.",
      effect: "writes",
      permission: "run",
      input: z.object({
        to: z.number().int().min(1).max(1000),
        failAt: z.number().optional(),
        pauseMs: z.number().default(5),
      }),
      output: z.object({ counted: z.number() }),
      surfaces: { cli: { positionals: ["to"] } },
      run: async ({ report, signal }, { to, failAt, pauseMs }) => {
        for (let done = 1; done <= to; done += 1) {
          signal.throwIfAborted();
          if (done === failAt)
            throw new ProductError("count_stuck", `Stuck at ${done}.`, { kind: "provider" });
          report({ message: "Counting", done, total: to });
          await sleep(pauseMs);
        }
        effects += 1;
        return { counted: to };
      },
    }),
    defineOperation({
      name: "work.start",
      summary: "Starts work that tells its story in events.",
      effect: "writes",
      permission: "run",
      input: z.object({ end: z.enum(["completed", "failed", "waiting"]).default("completed") }),
      output: z.object({ runId: z.string() }),
      surfaces: {
        cli: {
          follow: {
            stream: "runId",
            until: { "work.completed": "ok", "work.failed": "internal", "work.waiting": "waiting" },
          },
        },
      },
      run: async ({ kernel, caller }, { end }) => {
        const runId = kernel.ids.next();
        const tell = (type: string) =>
          kernel.store.write(() =>
            appendEvents(
              [{ stream: runId, type, projectId: null, actor: caller.userId, data: { runId } }],
              kernel.clock.now(),
            ),
          );
        await tell("work.started");
        setTimeout(() => void tell("work.stepped").then(() => tell(`work.${end}`)), 20).unref();
        return { runId };
      },
    }),
    defineOperation({
      name: "workspace.check",
      summary: "Looks whether all is well.",
      effect: "reads",
      permission: "read",
      input: z.object({ isBad: z.boolean().default(false) }),
      output: z.object({ problems: z.array(z.object({ what: z.string() })) }),
      surfaces: {
        cli: {
          words: ["check"],
          outcome: (output) =>
            (output as { problems: unknown[] }).problems.length > 0 ? "check_failed" : "ok",
        },
      },
      run: async (_, { isBad }) => ({
        problems: isBad ? [{ what: "\u001b[31mred\u001b[0m \u202egnp" }] : [],
      }),
    }),
    defineOperation({
      name: "workspace.explode",
      summary: "Fails in a way nobody foresaw.",
      effect: "reads",
      permission: "administer",
      input: z.object({}),
      output: z.object({}),
      run: async () => {
        throw new TypeError("secret /home/path and select * from user");
      },
    }),
  ];
  const load = async () => operations;
  const nouns: readonly IndexedNoun[] = [
    { name: "note", summary: "Things to remember.", group: "Think", load },
    { name: "work", summary: "Work that takes a while.", group: "Work", load },
    {
      name: "workspace",
      summary: "This place.",
      group: "Set up",
      words: { check: "Looks whether all is well.", workspace: "This place." },
      load,
    },
  ];
  return { registry: createOperationRegistry(operations, nouns), nouns, effects: () => effects };
}
