/**
 * Measures one subject with one shape in this process and prints one line of JSON.
 *
 *   node bench/run.ts --peer langgraph --shape chain [--warm]
 *
 * With `--warm` the subject does the whole work three times before, on stores of its own, so that the
 * measured work finds compiled code. Exit code 1 means the subject ran but one of its checks failed; its speed then means nothing.
 */

import { parseArgs } from "node:util";
import { findSubject, loadSubject } from "./roster.ts";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";
import { stopwatch } from "./stopwatch.ts";
import {
  failedChecks,
  type Result,
  type Sample,
  SHAPES,
  type Shape,
  type Subject,
} from "./subject.ts";

/** Peers log to standard output; only the result may appear there. */
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

// No peer may spend time, or the network, on telling others about this run.
process.env["MASTRA_TELEMETRY_DISABLED"] = "1";
process.env["LANGSMITH_TRACING"] = "false";

const { values } = parseArgs({
  options: {
    peer: { type: "string" },
    shape: { type: "string" },
    warm: { type: "boolean", default: false },
  },
});
const shape = findShape(values.shape);
const subject = await loadSubject(findSubject(values.peer ?? ""));
// After one round much is still run unoptimised: ours takes 1.5 times the processor of the fourth.
const WARMING_ROUNDS = 3;
for (let round = 0; values.warm && round < WARMING_ROUNDS; round += 1) {
  await measure(subject, shape);
}
const sample = toSample(subject, shape, await measure(subject, shape));
const failed = failedChecks(sample.checks);
for (const { name, expected, found } of failed) {
  console.error(`Check failed: ${name}: expected ${expected}, found ${found}.`);
}
print(`${JSON.stringify(sample)}\n`, () => process.exit(failed.length === 0 ? 0 : 1));

async function measure(subject: Subject, shape: Shape): Promise<Result> {
  if (subject.storage === "postgres") {
    // Loaded only here, so that the memory of embedded subjects holds no server software.
    const { openPostgres } = await import("./postgres.ts");
    const server = await openPostgres();
    try {
      return await server.withFreshDatabase((databaseUrl) =>
        subject.run(shape, { databaseUrl, time: stopwatch }),
      );
    } finally {
      await server.stop();
    }
  }
  const directory = makeScratchDirectory(subject.name);
  try {
    return await subject.run(shape, { directory, time: stopwatch });
  } finally {
    removeScratchDirectory(directory);
  }
}

function toSample(subject: Subject, shape: Shape, result: Result): Sample {
  if (result.checks.length === 0) throw new Error(`${subject.name} checked nothing.`);
  return {
    peer: subject.name,
    storage: subject.storage,
    shape: shape.name,
    ...result,
    stepsPerSecond: result.steps / result.seconds,
    rssMb: process.resourceUsage().maxRSS / 1024,
  };
}

function findShape(name: string | undefined): Shape {
  const found = SHAPES.find((shape) => shape.name === name);
  if (found === undefined) {
    throw new Error(
      `There is no shape "${name}". There are: ${SHAPES.map((shape) => shape.name).join(", ")}.`,
    );
  }
  return found;
}
