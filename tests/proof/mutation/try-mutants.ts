/** Tries mutants in as many processes as there is room for, and tells which of them no test noticed. */

import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fastestPlace } from "../../scratch/fastest-place.ts";
import type { Mutant } from "./make-mutants.ts";
import type { Outcome, Trial } from "./mutant-process.ts";
import { parseSource } from "./syntax.ts";

export interface Verdict {
  readonly mutant: Mutant;
  /** The test that failed, or what else became of it; undefined when nothing noticed. */
  readonly noticedBy: string | undefined;
  /** It was at work for so long that it was ended. */
  readonly isEnded: boolean;
}

/** What a mutant may take of the processor, as a multiple of the file as it is. */
const MOST_TIMES = 5;
const MOST_ADDED_MS = 1000;
/** As it is, a file's own tests are quick. */
const AS_IS_MS = 120_000;
/** Modules that were loaded stay in memory: a process is not used for ever. */
const MOST_TRIALS = 200;

export type Tests = Pick<Trial, "tests" | "without" | "amount">;

export async function tryMutants(
  mutants: readonly Mutant[],
  testsOf: (file: string) => Tests,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  // Whoever is ended leaves things behind.
  const folder = mkdtempSync(path.join(fastestPlace(), "mutants-of-throughline-"));
  const left = mutants.entries();
  const work = async () => {
    let desk = openDesk(folder);
    const fresh = () => {
      desk.close();
      desk = openDesk(folder);
      return desk;
    };
    try {
      for (const [index, mutant] of left) {
        if (desk.trials >= MOST_TRIALS || !desk.isOpen) fresh();
        const tests = testsOf(mutant.file);
        const outcome = await tryMutant(desk, mutant, tests);
        // A process may have ended of what was tried in it before: alone it shows whose fault it was.
        verdicts[index] =
          outcome === "gone"
            ? verdictOf(mutant, await tryMutant(fresh(), mutant, tests))
            : verdictOf(mutant, outcome);
      }
    } finally {
      desk.close();
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, work));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return verdicts;
}

function verdictOf(mutant: Mutant, outcome: Outcome | Ending): Verdict {
  if (outcome === "endless") return { mutant, noticedBy: "it was ended", isEnded: true };
  if (outcome === "gone") return { mutant, noticedBy: "its process ended", isEnded: false };
  return { mutant, noticedBy: outcome.failed, isEnded: false };
}

async function tryMutant(desk: Desk, mutant: Mutant, tests: Tests): Promise<Outcome | Ending> {
  const { file, line, source, was, becomes } = mutant;
  const asIs = desk.asIs.get(file) ?? (await tryAsIs(desk, mutant, tests));
  desk.asIs.set(file, asIs);
  const milliseconds = MOST_TIMES * asIs.milliseconds + MOST_ADDED_MS;
  const outcome = await desk.ask({ file, source, ...tests, milliseconds });
  if (typeof outcome === "string") return outcome;
  const what = `${file}:${line} ${was} → ${becomes}`;
  // Throws where it is no program: then nothing was tried. An expression made of text may be wrong, too.
  if (outcome.isSyntax) parseSource(what, source);
  if (outcome.failed === undefined && outcome.passed !== asIs.passed)
    throw new Error(`${what}: ${outcome.passed} tests ran, not ${asIs.passed}`);
  return outcome;
}

/** Twice: the first time shows what reaches the file and loads all else, the second how long a trial takes. */
async function tryAsIs(desk: Desk, { file, original }: Mutant, tests: Tests): Promise<Outcome> {
  const check = (outcome: Outcome | Ending) => {
    if (typeof outcome === "string") throw new Error(`${file} as it is: the process ended`);
    const { failed, message, passed, isReached } = outcome;
    if (failed !== undefined) throw new Error(`${file} as it is: ${failed}: ${message}`);
    if (passed === 0 || !isReached)
      throw new Error(`${file} is not tried by ${tests.tests.join(", ")}`);
    return outcome;
  };
  check(await desk.ask({ file, ...tests, milliseconds: AS_IS_MS }));
  return check(await desk.ask({ file, source: original, ...tests, milliseconds: AS_IS_MS }));
}

/** `endless` was ended by its own watch; `gone` is any other end, such as no more memory. */
type Ending = "endless" | "gone";

interface Desk {
  readonly trials: number;
  readonly isOpen: boolean;
  readonly asIs: Map<string, Outcome>;
  ask(trial: Trial): Promise<Outcome | Ending>;
  close(): void;
}

function openDesk(folder: string): Desk {
  const { NODE_TEST_CONTEXT: _runner, ...env } = process.env;
  const child: ChildProcess = fork(path.join(import.meta.dirname, "mutant-process.ts"), {
    env: { ...env, TMPDIR: folder, TEST_POSTGRES_PLACE: env["TEST_POSTGRES_PLACE"] ?? tmpdir() },
    execArgv: ["--max-old-space-size=1024", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let trials = 0;
  let isOpen = true;
  let answer: ((outcome: Outcome | Ending) => void) | undefined;
  child.on("message", (outcome: Outcome) => answer?.(outcome));
  child.once("exit", (_code, signal) => {
    isOpen = false;
    answer?.(signal === "SIGKILL" ? "endless" : "gone");
  });
  return {
    get trials() {
      return trials;
    },
    get isOpen() {
      return isOpen;
    },
    asIs: new Map(),
    ask: async (trial) => {
      trials += 1;
      return new Promise((resolve) => {
        answer = resolve;
        child.send(trial);
      });
    },
    close: () => child.kill("SIGKILL"),
  };
}
