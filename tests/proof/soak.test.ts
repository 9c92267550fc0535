/**
 * A server that works for long: questions asked, answered and looked at without a pause, while its store grows. What it
 * needs stays what it was, and it gets no slower. `SOAK=60` says for how many minutes.
 */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Server, scratchFolder } from "../scratch/program.ts";

const { SOAK } = process.env;
const MINUTES = Number(SOAK ?? 0);
const skip =
  SOAK === undefined
    ? "SOAK=60 says for how many minutes"
    : existsSync("/proc/self/fd")
      ? false
      : "only Linux tells here what a process needs";
const ASKERS = 12;
const PAUSE_MS = 100;
const SAMPLES = 48;
const MEGABYTE = 2 ** 20;
/** What a collector of garbage may leave lying about at one moment and not at another, and minutes of warming up. */
const NOISE_BYTES = (MINUTES < 10 ? 96 : 48) * MEGABYTE;
const MOST_LOG_BYTES = 64 * MEGABYTE;
const MOST_HANDLES_MORE = 8;

interface Sample {
  readonly bytes: number;
  readonly handles: number;
  readonly logBytes: number;
  readonly answers: number;
  readonly slowestReadMs: number;
}

test(`${MINUTES} minutes of work: memory, handles, log and speed stay as they were`, {
  skip,
  timeout: (MINUTES + 5) * 60_000,
}, async (t) => {
  const home = scratchFolder();
  t.after(() => home.remove());
  const folder = path.join(home.folder, ".throughline");
  mkdirSync(folder, { mode: 0o700 });
  const providers = { quick: { kind: "rehearsal", latencyMs: 20 } };
  writeFileSync(
    path.join(folder, "config.json"),
    JSON.stringify({ providers, rateLimit: { perSecond: 0, burst: 1 } }),
  );
  const server = await home.serve();
  const log = path.join(folder, "workspace.db-wal");
  let answers = 0;
  let slowestReadMs = 0;
  let isOver = false;
  const ask = async (asker: number) => {
    for (let number = 0; !isOver; number += 1) {
      const request = `Question ${number} of ${asker}`;
      await post(server, "ask/answer", { request, model: "quick/rehearsal" });
      answers += 1;
      const begun = performance.now();
      await post(server, READS[number % READS.length] ?? "run/list", { limit: 20 });
      slowestReadMs = Math.max(slowestReadMs, performance.now() - begun);
      await sleep(PAUSE_MS);
    }
  };
  const asking = Promise.all(Array.from({ length: ASKERS }, (_, asker) => ask(asker)));
  asking.catch(() => undefined);

  const samples: Sample[] = [];
  for (let taken = 0; taken < SAMPLES; taken += 1) {
    const before = answers;
    slowestReadMs = 0;
    await Promise.race([sleep((MINUTES * 60_000) / SAMPLES), asking]);
    samples.push({
      bytes: memoryOf(server.processId),
      handles: readdirSync(`/proc/${server.processId}/fd`).length,
      logBytes: existsSync(log) ? statSync(log).size : 0,
      answers: answers - before,
      slowestReadMs,
    });
  }
  isOver = true;
  await asking;

  // The first quarter is for what is compiled, opened and filled once.
  const quarter = SAMPLES / 4;
  const early = samples.slice(quarter, 2 * quarter);
  const late = samples.slice(-quarter);
  const figure = (part: readonly Sample[], of: (sample: Sample) => number) => middle(part.map(of));
  const grown = figure(late, (each) => each.bytes) - figure(early, (each) => each.bytes);
  // From the middle of the second quarter to that of the last.
  const anHour = MINUTES < 10 ? "" : ` (${megabytes((grown * 120) / MINUTES)} MB an hour)`;
  const slower = figure(late, (each) => each.answers) / figure(early, (each) => each.answers);
  const handles = Math.max(...late.map((each) => each.handles));
  const logBytes = Math.max(...samples.map((each) => each.logBytes));
  t.diagnostic(
    `${MINUTES} minutes, ${answers} answers: memory ${megabytes(figure(early, (each) => each.bytes))} to ${megabytes(figure(late, (each) => each.bytes))} MB${anHour}, at most ${handles} handles, log at most ${megabytes(logBytes)} MB, speed of the last quarter ${slower.toFixed(2)} of the second, slowest read ${Math.round(Math.max(...late.map((each) => each.slowestReadMs)))} ms`,
  );
  assert.ok(grown < NOISE_BYTES, `it grew by ${megabytes(grown)} MB`);
  assert.ok(handles <= Math.max(...early.map((each) => each.handles)) + MOST_HANDLES_MORE);
  assert.ok(logBytes <= MOST_LOG_BYTES, `a log of ${megabytes(logBytes)} MB`);
  assert.ok(slower > 0.6, `${slower} of the speed it had`);
});

const READS = ["run/list", "inbox/list", "task/list"] as const;

function memoryOf(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}

async function post({ url, token }: Server, route: string, body: object): Promise<void> {
  const response = await fetch(`${url}/api/v1/${route}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, `${route}: ${text}`);
}
