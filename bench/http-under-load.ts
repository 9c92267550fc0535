/**
 * How long a reader waits while the engine has more to do than it can: a real server with its engine thread, clients
 * that start runs as fast as they are let, and beside them a steady reader. Prints percentiles of the reader's waits.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "../tests/scratch/program.ts";

const SECONDS = Number(process.argv[2] ?? 10);
const CLIENTS = 16;
const READS_PER_SECOND = 200;

const home = scratchFolder({ THROUGHLINE_CONCURRENCY: "1000" });
const server = await home.serve();
const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
const until = performance.now() + SECONDS * 1000;
let started = 0;

const starting = Array.from({ length: CLIENTS }, async () => {
  while (performance.now() < until) {
    const response = await fetch(`${server.url}/api/v1/ask/start`, {
      method: "POST",
      headers,
      body: JSON.stringify({ request: `Question ${started}: what is next?` }),
    });
    await response.arrayBuffer();
    if (response.ok) started += 1;
  }
});

const waits: number[] = [];
const reading: Promise<void>[] = [];
while (performance.now() < until) {
  const before = performance.now();
  reading.push(
    fetch(`${server.url}/api/v1/run/list?limit=10`, { headers })
      .then((response) => response.arrayBuffer())
      .then(() => void waits.push(performance.now() - before)),
  );
  await sleep(1000 / READS_PER_SECOND);
}
await Promise.all([...starting, ...reading]);
await home.remove();

const sorted = waits.toSorted((a, b) => a - b);
const percentile = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
console.log(
  JSON.stringify({
    runsStartedPerSecond: Math.round(started / SECONDS),
    reads: sorted.length,
    p50: percentile(0.5),
    p99: percentile(0.99),
    max: (sorted.at(-1) ?? 0).toFixed(1),
  }),
);
