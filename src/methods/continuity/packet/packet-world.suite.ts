/** The state that golden packets are compiled from: a small project with every kind of thought, at fixed times. */

import path from "node:path";
import { type ScratchStore, scratchStore } from "../../../../tests/scratch/scratch-store.ts";
import { openLibrary } from "../../../kernel/library/library.ts";
import { estimateTokens } from "../../../kernel/model/estimate-tokens.ts";
import { insertConversation } from "../../../kernel/store/conversations.ts";
import { insertDecision } from "../../../kernel/store/decisions.ts";
import { engineTables } from "../../../kernel/store/engine-migration.ts";
import { insertHighlight } from "../../../kernel/store/highlights.ts";
import { appendMessages } from "../../../kernel/store/messages.ts";
import { nounTables } from "../../../kernel/store/noun-migration.ts";
import type { UserRole } from "../../../kernel/store/noun-tables.ts";
import { insertProject } from "../../../kernel/store/projects.ts";
import { searchTables } from "../../../kernel/store/search-migration.ts";
import type { Dialect, Store } from "../../../kernel/store/store.ts";
import type { NewTask } from "../../../kernel/store/task.ts";
import { insertTask, updateTask } from "../../../kernel/store/tasks.ts";
import { insertUser } from "../../../kernel/store/users.ts";
import type { PacketOptions } from "./compile-packet.ts";
import { type IntentInput, resolveIntent } from "./intents.ts";
import { readPacketWords } from "./packet-words.ts";

export const DAY = 86_400_000;
/** Noon, so that whole days ago are whole days. */
export const NOW = Date.UTC(2026, 10, 18, 12);
export const daysAgo = (days: number): number => NOW - days * DAY;

export const library = openLibrary({
  layers: [{ name: "built-in", folder: path.join(import.meta.dirname, "../../../../library") }],
});

export const MIGRATIONS = [engineTables, nounTables, searchTables];

export function viewer(userId: string, role: UserRole = "operator") {
  return { userId, role } as const;
}

export async function openPacketStore(dialect: Dialect = "sqlite"): Promise<ScratchStore> {
  const scratch = await scratchStore(dialect, MIGRATIONS);
  await scratch.store.write(function* () {
    for (const id of ["mara", "otto"]) {
      yield* insertUser({ id, displayName: id, role: "operator" }, { actor: "test", now: 0 });
    }
  });
  return scratch;
}

export function optionsFor(given: IntentInput, budget = 7000): PacketOptions {
  return {
    words: readPacketWords(library),
    intent: resolveIntent(library, given),
    budget: { characters: budget },
    countTokens: estimateTokens,
  };
}

/** Ids that sort as they were made and are told apart at a glance. */
export function idOf(kind: "p" | "c" | "m" | "h" | "t" | "d", number: number): string {
  const code = { p: "1", c: "2", m: "3", h: "4", t: "5", d: "6" }[kind];
  return `0199a000-000${code}-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

const act = (days: number) => ({ actor: "mara", now: daysAgo(days) });

export const TIDEPOOL = idOf("p", 1);

const DESCRIPTION = `Tidepool is a local-first notes app.
Sync must survive a week offline and never lose a keystroke, whatever the clocks of the devices say. People own their data: every note is a plain file that other programs can read, and nothing needs a server in charge.`;

/** A project with one of every rule. */
export async function furnishTidepool(store: Store): Promise<void> {
  await store.write(function* () {
    yield* insertProject(
      {
        id: TIDEPOOL,
        name: "Tidepool",
        ownerId: "mara",
        description: DESCRIPTION,
        glossary: [
          { term: "lease", meaning: "The right to write a note for a while; it ends by itself." },
          { term: "stray", meaning: "A write that came too late for its lease." },
        ],
      },
      act(60),
    );
    yield* insertConversation(
      {
        id: idOf("c", 1),
        title: "Lease expiry under clock skew",
        source: "chatgpt",
        startedAt: daysAgo(9),
        projectIds: [TIDEPOOL],
      },
      act(8),
    );
    yield* insertConversation(
      {
        id: idOf("c", 2),
        title: "Naming things",
        source: "claude",
        startedAt: daysAgo(20),
        projectIds: [TIDEPOOL],
      },
      act(19),
    );
    yield* appendMessages(
      idOf("c", 1),
      MESSAGES.map(([role, content], index) => ({
        id: idOf("m", index + 1),
        role,
        content,
        position: index,
        at: daysAgo(9) + index * 60_000,
      })),
      act(8),
    );
  });
  await furnishThoughts(store);
}

const MESSAGES = [
  ["user", "Two devices edit the same note offline. Who wins?"],
  ["assistant", "Nobody should lose silently. Start from what the store can order."],
  ["user", "Locks?"],
  ["assistant", "A lock outlives its owner: when a device dies nobody can write any more."],
  ["user", "So something that ends by itself."],
  ["assistant", "A lease. Give every write the number of its lease, and refuse older numbers."],
  ["system", "The user switched to the phone."],
  ["user", "And the refused write must not vanish."],
  ["assistant", "Keep it beside the note as a stray and offer it to its author."],
  ["user", "Clocks on phones are off by seconds, too."],
  ["assistant", "Never compare wall clocks of two devices; only the order of leases counts."],
  ["tool", "Saved."],
] as const;

function* furnishTasks() {
  const task = (number: number, days: number, more: Omit<NewTask, "id" | "projectId">) =>
    insertTask({ id: idOf("t", number), projectId: TIDEPOOL, ...more }, act(days));
  yield* task(1, 45, {
    title: "Two workers see an expired lease at once",
    description: "[Blocker] Repro in sync/session-lock.ts:112.",
  });
  yield* task(2, 3, {
    title: "What becomes of edits made under a lost lease?",
    isOpenLoop: true,
  });
  yield* task(3, 10, {
    title: "Choose the relay's region",
    status: "on_hold",
    holdReason: "waits for the\nlegal review",
  });
  yield* task(4, 2, { title: "Measure tide length on 2G" });
  yield* task(5, 6, { title: "Rewrite the lease table", status: "in_progress" });
  yield* task(6, 15, { title: "Ship the importer", urgency: "high" });
  yield* task(7, 1, { title: "Tidy the changelog" });
  yield* task(8, 5, { title: "Old idea", urgency: "urgent" });
  yield* task(9, 12, { title: "Draw the state machine", status: "in_progress" });
  yield* updateTask(idOf("t", 9), { status: "completed" }, act(4));
  yield* task(10, 2, { title: "Drop the old lock files", status: "in_progress", urgency: "high" });
  yield* task(11, 4, { title: "Dead end", status: "in_progress" });
  yield* updateTask(idOf("t", 11), { status: "cancelled" }, act(3));
}

async function furnishThoughts(store: Store): Promise<void> {
  await store.write(function* () {
    const decision = (number: number, days: number, title: string, more: object = {}) =>
      insertDecision({ id: idOf("d", number), title, ...more }, act(days));
    const direct = { projectId: TIDEPOOL };
    yield* decision(1, 30, "Leases, not locks", {
      ...direct,
      messageId: idOf("m", 6),
      content:
        "A device holds a lease of thirty seconds on a note and renews it while it writes. A lock outlives its owner; a lease ends by itself, so that no note stays closed when a device is lost.",
    });
    yield* decision(2, 12, "Plain files are the truth", { ...direct, content: "" });
    yield* decision(3, 40, "Postgres only for the relay", direct);
    yield* decision(4, 7, "Strays are kept for thirty days", {
      conversationId: idOf("c", 1),
      content: "Long enough for a holiday.",
    });
    yield* decision(5, 50, "No accounts in version one", direct);
    yield* decision(6, 55, "English first", direct);
    const highlight = (number: number, days: number, more: { content: string; label?: string }) =>
      insertHighlight({ id: idOf("h", number), messageId: idOf("m", 4), ...more }, act(days));
    yield* highlight(1, 8, { content: "A lock outlives its owner", label: "locks" });
    yield* highlight(2, 6, { content: "when a device dies nobody can write any more" });
    yield* furnishTasks();
    yield* insertTask(
      {
        id: idOf("t", 20),
        projectId: TIDEPOOL,
        title: "Explain leases on the front page",
        description: "Readers ask twice a week.\n\n- keep it short\n- draw it",
        source: { type: "highlight", id: idOf("h", 1) },
      },
      act(0),
    );
  });
}
