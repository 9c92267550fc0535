/**
 * A ChatGPT export of 1 GB, made here, imported as the program does it, and imported again.
 *
 *   node bench/import-1gb.ts [bytes] [folder] [postgres]
 *
 * Prints how fast it went, how much memory the process took in each tenth of the way (flat is the promise), that one broken
 * record was reported and the rest came in, and that the second import added nothing. The file is removed at the end.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { appendUpload, beginUpload } from "../src/kernel/operation/uploads.ts";
import type { ImportResult } from "../src/methods/continuity/import/import-shape.ts";
import { OPERATOR, openImportWorld } from "../src/methods/continuity/import/import-world.suite.ts";
import type { MadeExport } from "./make-chatgpt-export.ts";

const BYTES = Number(process.argv[2] ?? 1e9);
const PART = 32 * 1024 * 1024;
const folder = mkdtempSync(path.join(process.argv[3] ?? tmpdir(), "throughline-1gb-"));
const dialect = process.argv[4] === "postgres" ? "postgres" : "sqlite";
const file = path.join(folder, "conversations.json");

try {
  const made = makeElsewhere(file, BYTES, 100);
  console.log(
    `made      ${megabytes(statSync(file).size)} MB, ${made.conversations} conversations, ${made.messages} messages, one of them broken`,
  );
  const world = await openImportWorld({ dialect });
  try {
    const first = await measured("first", await sendFile());
    console.log(
      `          ${JSON.stringify(first.totals)}, ${first.progress.problems} problem: ${JSON.stringify(first.problems[0])}`,
    );
    const second = await measured("second", await sendFile());
    console.log(
      `          ${JSON.stringify(second.totals)}, ${second.progress.unchanged} unchanged`,
    );
    const holds =
      first.totals.added === made.conversations - 1 &&
      first.progress.problems === 1 &&
      second.totals.added + second.totals.messagesAdded === 0;
    console.log(
      holds ? "holds: all but the broken one came in, the second import added nothing" : "BROKEN",
    );
    process.exitCode = holds ? 0 : 1;
  } finally {
    await world.remove();
  }

  /** Sends it and gives what imports it: sending is not what is measured. */
  async function sendFile(): Promise<() => Promise<ImportResult>> {
    const { size } = statSync(file);
    const upload = await beginUpload(world.kernel, OPERATOR, {
      name: "conversations.json",
      bytes: size,
    });
    for (let at = 0; at < size; at += PART) {
      const chunk = partOf(file, at, PART);
      await appendUpload(world.kernel, OPERATOR, { id: upload.id, offset: at, chunk });
    }
    return async () =>
      (await world.as(OPERATOR, "import.start", { file: upload.id })) as ImportResult;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** In a process of its own: what making it leaves in memory is none of the import's. */
function makeElsewhere(place: string, bytes: number, broken: number): MadeExport {
  const maker = path.join(import.meta.dirname, "make-chatgpt-export.ts");
  const args = [maker, place, String(bytes), String(broken)];
  return JSON.parse(execFileSync(process.execPath, args).toString()) as MadeExport;
}

/** Through one buffer, so that what is measured is the import and not what was left of sending. */
async function* partOf(place: string, from: number, length: number): AsyncGenerator<Uint8Array> {
  const handle = await open(place);
  const buffer = Buffer.allocUnsafe(1 << 20);
  try {
    for (let done = 0; done < length; ) {
      const wanted = Math.min(buffer.length, length - done);
      const { bytesRead } = await handle.read(buffer, 0, wanted, from + done);
      if (bytesRead === 0) return;
      done += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function measured(name: string, work: () => Promise<ImportResult>): Promise<ImportResult> {
  const sizes: number[] = [];
  const watch = setInterval(() => sizes.push(process.memoryUsage.rss()), 100);
  const lag = monitorEventLoopDelay({ resolution: 5 });
  lag.enable();
  const before = process.cpuUsage();
  const ownBefore = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const own = process.threadCpuUsage(ownBefore);
  clearInterval(watch);
  const tenths = Array.from({ length: 10 }, (_, i) => {
    const share = sizes.slice((sizes.length * i) / 10, (sizes.length * (i + 1)) / 10);
    return Math.round(Math.max(...share) / 1e6);
  });
  const seconds = result.tookMs / 1000;
  console.log(
    `${name.padEnd(9)} ${seconds.toFixed(1)} s, ${(result.bytes / 1e6 / seconds).toFixed(1)} MB/s, ${((user + system) / 1e6).toFixed(1)} s of CPU (${((own.user + own.system) / 1e6).toFixed(1)} s in the thread that writes), ` +
      `peak RSS ${Math.round(Math.max(...sizes) / 1e6)} MB (by tenths ${tenths.join(" ")}), ` +
      `event loop p99 ${(lag.percentile(99) / 1e6).toFixed(0)} ms, most ${(lag.max / 1e6).toFixed(0)} ms`,
  );
  return result;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
