/** The promises of the durable engine, run on every store and queue it can stand on. */

import { describe } from "node:test";
import type { RigKind } from "../../../tests/scratch/engine-rig.ts";
import { batchesSuite } from "./engine-batches.suite.ts";
import { childrenSuite } from "./engine-children.suite.ts";
import { controlSuite } from "./engine-control.suite.ts";
import { heldSuite } from "./engine-held.suite.ts";
import { limitsSuite } from "./engine-limits.suite.ts";
import { turnsSuite } from "./engine-turns.suite.ts";
import { waitsSuite } from "./engine-waits.suite.ts";
import { workersSuite } from "./engine-workers.suite.ts";

export function engineSuite(name: string, kind: RigKind): void {
  // The parts have stores of their own and mostly wait, so they run side by side.
  describe(`the engine on ${name}`, { concurrency: 4 }, () => {
    batchesSuite(kind);
    heldSuite(kind);
    waitsSuite(kind);
    childrenSuite(kind);
    controlSuite(kind);
    limitsSuite(kind);
    turnsSuite(kind);
    workersSuite(kind);
  });
}
