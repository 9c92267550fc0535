/**
 * A process killed before every statement, and after every commit, of a flow of each method: the next one brings it to
 * the same end. `EVERY=1` tries all of them; some are tried otherwise. Every tenth time the second one is killed, too.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { flow } from "./reference-flow.ts";
import { REFERENCE } from "./workload.ts";

const { EVERY } = process.env;
const SPACING = { sqlite: Number(EVERY ?? 101), postgres: Number(EVERY ?? 347) };
const DIALECTS = ["sqlite", "postgres"] as const;

/** More than any flow has. */
const MANY = 1_000_000;

describe("killed at any statement", () => {
  for (const dialect of DIALECTS) {
    for (const work of REFERENCE) {
      test(`on ${dialect}, ${work.name} comes to the same end, with nothing missing and nothing twice`, async (t) => {
        const whole = await flow(work, dialect, [MANY]);
        const statements = MANY - whole.left;
        let kills = 0;
        let points = 0;
        for (let point = 1; point <= statements; point += SPACING[dialect]) {
          const second = points % 10 === 9 ? [1 + (point % 40)] : [];
          const killed = await flow(work, dialect, [point, ...second]);
          points += 1;
          kills += killed.kills;
          assert.deepEqual(killed.outline, whole.outline, `killed at statement ${point}`);
        }
        // How often it polls is not the same every time, so the very last point may not be reached.
        assert.ok(kills >= points - 1, `${kills} kills at ${points} points`);
        t.diagnostic(
          `${statements} statements and commits, ${points} points tried, ${kills} kills`,
        );
      });
    }
  }
});
