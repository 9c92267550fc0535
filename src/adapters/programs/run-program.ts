/**
 * Runs a program to its end: no shell, the environment it is given, a process group of its own, a time limit after
 * which the whole group is gone.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { ProductError } from "../../kernel/base/errors.ts";
import type { ProgramCall, ProgramResult, RunProgram } from "../../kernel/vcs/program.ts";

export interface ProgramLimits {
  readonly totalMs: number;
  readonly mostOutputBytes: number;
}

const USUAL_LIMITS: ProgramLimits = { totalMs: 600_000, mostOutputBytes: 512 * 1024 * 1024 };
const MOST_ERROR_CHARACTERS = 64_000;

export function programRunner(limits: ProgramLimits = USUAL_LIMITS): RunProgram {
  return async (call) => run(call, limits);
}

function run(call: ProgramCall, limits: ProgramLimits): Promise<ProgramResult> {
  refuseNul(call);
  return new Promise((resolve, reject) => {
    const child = spawn(call.program, call.args, {
      cwd: call.folder,
      env: call.environment,
      shell: false,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let errors = "";
    let failure: ProductError | undefined;
    const stop = (error: ProductError) => {
      failure ??= error;
      killGroup(child);
    };
    const timer = setTimeout(() => stop(stalled(call, limits)), limits.totalMs);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.mostOutputBytes) stop(tooLoud(call, limits));
      else chunks.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString("utf8")).slice(-MOST_ERROR_CHARACTERS);
    });
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(notStarted(call, error));
    });
    child.once("close", (exitCode, signal) => {
      clearTimeout(timer);
      if (failure) reject(failure);
      else if (exitCode === null) reject(ended(call, String(signal)));
      else resolve({ exitCode, output: Buffer.concat(chunks), errors });
    });
    // A program that does not read its input closes the pipe; its exit code tells whether that matters.
    child.stdin.on("error", () => {});
    child.stdin.end(call.input ?? "");
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Nobody left in the group is what we want.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** A NUL would silently end an argument early. */
function refuseNul({ program, args, folder }: ProgramCall): void {
  if (![...args, folder].some((text) => text.includes("\0"))) return;
  throw new ProductError("program_holds_nul", `An argument for ${program} holds a NUL character.`, {
    hint: "Remove the character; no program can take it.",
  });
}

function notStarted({ program, folder }: ProgramCall, error: NodeJS.ErrnoException): ProductError {
  if (error.code === "E2BIG") {
    return new ProductError("program_too_much", `These are too many names for one ${program}.`, {
      kind: "limit",
      hint: "Name folders instead of files, or do it in parts.",
    });
  }
  return new ProductError("program_missing", `${program} cannot be started: ${error.message}.`, {
    kind: "internal",
    hint: `Check that ${program} is installed and that the folder ${folder} exists.`,
    cause: error,
  });
}

function stalled({ program }: ProgramCall, { totalMs }: ProgramLimits): ProductError {
  return new ProductError(
    "program_stalled",
    `${program} did not finish within ${totalMs / 1000} s.`,
    { kind: "internal", hint: "Run it by hand to see what it waits for." },
  );
}

function tooLoud({ program }: ProgramCall, { mostOutputBytes }: ProgramLimits): ProductError {
  return new ProductError(
    "program_too_loud",
    `${program} wrote more than ${mostOutputBytes} bytes.`,
    { kind: "limit" },
  );
}

function ended({ program }: ProgramCall, signal: string): ProductError {
  return new ProductError("program_ended", `${program} was ended by ${signal}.`, {
    kind: "internal",
  });
}
