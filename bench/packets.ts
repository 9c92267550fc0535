/**
 * What a packet costs over 100, 10,000 and 100,000 thoughts: reading and compiling, whole, as an operation does it.
 *
 *   node bench/packets.ts [--postgres] [--compiles 2000]
 *
 * The sizes take turns, so that a slow minute of the machine hits all alike. Growth is what counts: the time over the
 * largest project against the time over the smallest.
 */

import path from "node:path";
import { parseArgs } from "node:util";
import { openLibrary } from "../src/kernel/library/library.ts";
import { estimateTokens } from "../src/kernel/model/estimate-tokens.ts";
import { execute, executeSql } from "../src/kernel/store/database-work.ts";
import { engineTables } from "../src/kernel/store/engine-migration.ts";
import { migrate } from "../src/kernel/store/migrate.ts";
import { nounTables } from "../src/kernel/store/noun-migration.ts";
import { openPostgres as openPostgresStore } from "../src/kernel/store/postgres-store.ts";
import { db } from "../src/kernel/store/query-builder.ts";
import { searchTables } from "../src/kernel/store/search-migration.ts";
import { sqlText } from "../src/kernel/store/sql-text.ts";
import { openSqlite } from "../src/kernel/store/sqlite-store.ts";
import type { Store } from "../src/kernel/store/store.ts";
import { compilePacket } from "../src/methods/continuity/packet/compile-packet.ts";
import { gatherDecision } from "../src/methods/continuity/packet/gather-decision.ts";
import { gatherProject } from "../src/methods/continuity/packet/gather-project.ts";
import { gatherTask } from "../src/methods/continuity/packet/gather-task.ts";
import { resolveIntent } from "../src/methods/continuity/packet/intents.ts";
import type { PacketMaterial } from "../src/methods/continuity/packet/packet-material.ts";
import { packetTables } from "../src/methods/continuity/packet/packet-migration.ts";
import { readPacketWords } from "../src/methods/continuity/packet/packet-words.ts";
import { openPostgres } from "./postgres.ts";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";

const { values: flags } = parseArgs({
  options: {
    postgres: { type: "boolean", default: false },
    compiles: { type: "string", default: "2000" },
  },
});
const COMPILES = Number(flags.compiles);
const SIZES = [100, 10_000, 100_000] as const;
const NOW = Date.UTC(2026, 10, 18);
const DAY = 86_400_000;
const MIGRATIONS = [engineTables, nounTables, searchTables, packetTables];

const library = openLibrary({
  layers: [{ name: "built-in", folder: path.join(import.meta.dirname, "..", "library") }],
});

const request = {
  viewer: { userId: "ann", role: "operator" },
  now: NOW,
  pins: [],
  bans: [],
} as const;

const ORIGINS = ["project", "task", "decision"] as const;
type Origin = (typeof ORIGINS)[number];

interface World {
  readonly size: number;
  readonly store: Store;
  readonly times: Readonly<Record<Origin, Spent[]>>;
}

interface Spent {
  readonly ms: number;
  /** Of this process alone: what a busy machine does not distort. */
  readonly cpuMs: number;
}

const scratch = makeScratchDirectory("packets");
const server = flags.postgres ? await openPostgres() : undefined;
try {
  const worlds: World[] = [];
  for (const size of SIZES) {
    const store = await openStore(size);
    await fill(store, size);
    worlds.push({ size, store, times: { project: [], task: [], decision: [] } });
  }
  for (let round = 0; round < COMPILES + 200; round += 1) {
    for (const { store, times } of worlds) {
      for (const origin of ORIGINS) {
        const spent = await timed(() => compileFrom(origin, store));
        // The first rounds warm up the program and its caches.
        if (round >= 200) times[origin].push(spent);
      }
    }
  }
  report(worlds);
  for (const { store, size } of worlds) {
    if (server !== undefined) {
      const drop = sqlText(`drop schema ${schemaOf(size)} cascade`);
      await store.write(() => executeSql(drop, []));
    }
    await store.close();
  }
} finally {
  await server?.stop();
  removeScratchDirectory(scratch);
}

async function openStore(size: number): Promise<Store> {
  const store =
    server === undefined
      ? openSqlite({ path: path.join(scratch, `${size}.db`) })
      : openPostgresStore({ connectionString: server.url, schema: schemaOf(size) });
  await migrate(store, MIGRATIONS, NOW);
  return store;
}

function schemaOf(size: number): string {
  return `packets_${process.pid}_${size}`;
}

async function timed(work: () => Promise<unknown>): Promise<Spent> {
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { ms, cpuMs: (user + system) / 1000 };
}

async function compileFrom(origin: Origin, store: Store): Promise<unknown> {
  switch (origin) {
    case "project":
      return compile(await store.read(() => gatherProject({ ...request, id: "project" })), {
        intent: "generate_next_actions",
      });
    case "task":
      return compile(await store.read(() => gatherTask({ ...request, id: idOf("t", 2) })));
    case "decision":
      return compile(await store.read(() => gatherDecision({ ...request, id: idOf("d", 1) })));
  }
}

function compile(material: PacketMaterial, ask?: { readonly intent: string }): unknown {
  return compilePacket(material, {
    words: readPacketWords(library),
    intent: ask && resolveIntent(library, ask),
    budget: { characters: 7000 },
    countTokens: estimateTokens,
  });
}

function idOf(kind: string, number: number): string {
  return `0199a000-000${kind === "t" ? 1 : kind === "d" ? 2 : kind === "h" ? 3 : 4}-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** Six in ten are tasks of every class, of which half are finished; the rest decisions and highlights. */
async function fill(store: Store, size: number): Promise<void> {
  const [tasks, decisions, highlights] = [size * 0.6, size * 0.2, size * 0.2];
  const talks = Math.max(3, size / 50);
  const cells = { version: 1, row_hash: "", updated_at: NOW, created_by: "ann" };
  await store.write(function* () {
    yield* execute(
      db.insertInto("user").values({
        id: "ann",
        display_name: "Ann",
        role: "operator",
        is_active: 1,
        is_agent: 0,
        groups: "[]",
        preferences: "{}",
        version: 1,
        created_at: NOW,
        updated_at: NOW,
        row_hash: "",
      } as never),
    );
    yield* execute(
      db.insertInto("project").values({
        id: "project",
        name: "Bench",
        description: "A project of many thoughts. ".repeat(20),
        glossary: JSON.stringify([{ term: "thought", meaning: "What is kept." }]),
        owner_id: "ann",
        visibility: "private",
        is_archived: 0,
        version: 1,
        created_at: NOW,
        updated_at: NOW,
        row_hash: "",
      } as never),
    );
  });
  const at = (index: number, count: number): number => NOW - Math.floor((index / count) * 90 * DAY);
  await insertAll(store, "conversation", talks, (index) => ({
    id: idOf("c", index),
    title: `Conversation ${index}`,
    source: "bench",
    details: "{}",
    is_inactive: 0,
    message_count: 0,
    started_at: at(index, talks),
    created_at: NOW,
    ...cells,
  }));
  await insertAll(store, "conversation_project", talks, (index) => ({
    conversation_id: idOf("c", index),
    project_id: "project",
    started_at: at(index, talks),
    created_at: NOW,
    row_hash: "",
  }));
  const open = ["pending", "in_progress", "waiting", "on_hold"];
  await insertAll(store, "task", tasks, (index) => ({
    id: idOf("t", index),
    title: `Task number ${index} of the project`,
    description: "What there is to know about it. ".repeat(8),
    status: index % 2 === 0 ? open[(index / 2) % 4] : "completed",
    urgency: index % 5 === 0 ? "high" : "normal",
    tags: "[]",
    questions: "[]",
    is_blocker: 0,
    is_open_loop: 0,
    has_blocker: index % 7 === 0 ? 1 : 0,
    has_open_loop: index % 11 === 0 ? 1 : 0,
    is_pressing: index % 5 === 0 ? 1 : 0,
    project_id: "project",
    hold_reason: "waits",
    finished_at: at(index, tasks),
    is_inactive: 0,
    created_at: at(index, tasks),
    ...cells,
  }));
  await insertAll(store, "decision", decisions, (index) => ({
    id: idOf("d", index),
    title: `Decision number ${index}`,
    content: "Because of this and that. ".repeat(10),
    project_id: "project",
    is_inactive: 0,
    created_at: at(index, decisions),
    ...cells,
  }));
  await insertAll(store, "highlight", highlights, (index) => ({
    id: idOf("h", index),
    content: "A passage worth keeping for later. ".repeat(6),
    label: index % 3 === 0 ? "label" : null,
    project_id: "project",
    is_inactive: 0,
    created_at: at(index, highlights),
    ...cells,
  }));
  await store.write(function* () {
    for (const kind of ["decision", "highlight"]) {
      const label = kind === "highlight" ? "case when label is null then 0 else 1 end" : "0";
      yield* executeSql(
        sqlText(
          `insert into project_thought (project_id, kind, thought_id, is_labelled, created_at)
           select project_id, '${kind}', id, ${label}, created_at from ${kind}`,
        ),
        [],
      );
    }
    yield* executeSql(sqlText("delete from search_queue"), []);
  });
  await store.write(() => executeSql({ sqlite: "analyze", postgres: "analyze" }, []));
}

async function insertAll(
  store: Store,
  table: string,
  count: number,
  row: (index: number) => object,
): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, (_, i) => row(from + i));
    await store.write(() => execute(db.insertInto(table as "task").values(rows as never)));
  }
}

function report(worlds: readonly World[]): void {
  const kind = flags.postgres ? "PostgreSQL" : "SQLite";
  console.log(`Packets on ${kind}, ${COMPILES} compiles each, ms\n`);
  console.log(
    "| packet | thoughts | median | p99 | own CPU, median | own CPU, p99 |\n|---|---|---|---|---|---|",
  );
  for (const packet of ORIGINS) {
    for (const { size, times } of worlds) {
      const spent = times[packet];
      const cells = [
        quantile(spent, "ms", 0.5),
        quantile(spent, "ms", 0.99),
        quantile(spent, "cpuMs", 0.5),
        quantile(spent, "cpuMs", 0.99),
      ];
      console.log(
        `| ${packet} | ${size.toLocaleString("en-US")} | ${cells.map(text).join(" | ")} |`,
      );
    }
  }
  for (const packet of ORIGINS) {
    const [first = [], last = []] = [worlds[0], worlds.at(-1)].map((world) => world?.times[packet]);
    const growth = (what: keyof Spent, share: number) =>
      (quantile(last, what, share) / quantile(first, what, share)).toFixed(2);
    console.log(
      `\n${packet}: growth from the smallest to the largest: median ${growth("ms", 0.5)}×, p99 ${growth("ms", 0.99)}×, own CPU ${growth("cpuMs", 0.5)}×; target ≤ 1.5×, p99 ≤ 10 ms`,
    );
  }
}

function quantile(spent: readonly Spent[], what: keyof Spent, share: number): number {
  const sorted = spent.map((each) => each[what]).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function text(ms: number): string {
  return ms.toFixed(2);
}
