/**
 * How long a command takes from nothing to its last line, as a person who types it feels it.
 *
 *   node bench/cold-start.ts [times]
 *
 * The program as it is installed (built into a scratch directory) and from source. `node` is Node.js doing nothing.
 * The least is what the command costs; the median is what this machine made of it today.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { buildProgram } from "../build-program.ts";
import { percentiles } from "./percentiles.ts";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";
import { range } from "./subject.ts";

const TIMES = Number(process.argv[2] ?? 20);
const root = path.join(import.meta.dirname, "..");
const scratch = makeScratchDirectory("cold-start");
const home = makeScratchDirectory("home", scratch);

const programs = { installed: await build(), source: path.join(root, "src", "main.ts") };
report("node", ["-e", "0"]);
run([programs.installed, "init", "--sample"]);
for (const [kind, main] of Object.entries(programs)) {
  report(`${kind}: --help`, [main, "--help"]);
  report(`${kind}: project list, closed`, [main, "project", "list"]);
  report(`${kind}: task add, closed`, [main, "task", "add", "Water the plants"]);
}
const server = await startServer(programs.installed);
for (const [kind, main] of Object.entries(programs)) {
  report(`${kind}: project list, served`, [main, "project", "list"]);
  report(`${kind}: task add, served`, [main, "task", "add", "Water the plants"]);
  report(`${kind}: project --help, served`, [main, "project", "--help"]);
}
server.kill("SIGTERM");
await once(server, "exit");
removeScratchDirectory(scratch);

async function build(): Promise<string> {
  const place = path.join(scratch, "program");
  await buildProgram(path.join(place, "dist"));
  for (const beside of ["library", "web", "node_modules", "package.json"]) {
    symlinkSync(path.join(root, beside), path.join(place, beside));
  }
  return path.join(place, "dist", "main.js");
}

function report(name: string, args: readonly string[]): void {
  // The first time fills the cache of compiled code.
  run(args);
  const waits = range(TIMES).map(() => {
    const before = performance.now();
    run(args);
    return performance.now() - before;
  });
  const least = Math.min(...waits)
    .toFixed(0)
    .padStart(5);
  const median = percentiles(waits).p50.toFixed(0).padStart(5);
  console.log(`${name.padEnd(36)} least ${least} ms, median ${median} ms`);
}

function run(args: readonly string[]): void {
  execFileSync(process.execPath, args, { cwd: home, stdio: "ignore" });
}

async function startServer(main: string): Promise<ChildProcess> {
  const started = spawn(process.execPath, [main, "serve"], {
    cwd: home,
    env: { ...process.env, THROUGHLINE_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve) => {
    started.stdout.on("data", (chunk) => {
      if (String(chunk).includes("code=")) resolve();
    });
  });
  return started;
}
