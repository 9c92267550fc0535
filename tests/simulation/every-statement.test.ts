/**
 * A process killed before every statement, and after every commit, of a flow of each method: the next one brings it to
 * the same end. `EVERY=1` tries all of them; some are tried otherwise. Every tenth time the second one is killed, too.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { missingProgram } from "../scratch/scratch-repository.ts";
import { type Flowed, flow } from "./reference-flow.ts";
import { sessionFlow } from "./session-flow.ts";
import { REFERENCE } from "./workload.ts";

const { EVERY, EVERY_POSTGRES = EVERY } = process.env;
const SPACING = { sqlite: Number(EVERY ?? 307), postgres: Number(EVERY_POSTGRES ?? 907) };
const DIALECTS = ["sqlite", "postgres"] as const;

/** More than any flow has. */
const MANY = 1_000_000;

describe("killed at any statement", () => {
  for (const dialect of DIALECTS) {
    for (const work of REFERENCE) {
      test(`on ${dialect}, ${work.name} comes to the same end, with nothing missing and nothing twice`, async (t) => {
        const figures = await tryAll(SPACING[dialect], (killsAt) => flow(work, dialect, killsAt));
        t.diagnostic(`${work.name} on ${dialect}: ${figures}`);
      });
    }
    const skip = missingProgram("git") ?? false;
    test(`on ${dialect}, a session comes to the same end, with nothing missing and nothing twice`, {
      skip,
    }, async (t) => {
      const figures = await tryAll(SPACING[dialect], (killsAt) => sessionFlow(dialect, killsAt));
      t.diagnostic(`a session on ${dialect}: ${figures}`);
    });
  }
});

async function tryAll(
  spacing: number,
  flowWith: (killsAt: readonly number[]) => Promise<Flowed>,
): Promise<string> {
  const whole = await flowWith([MANY]);
  const statements = MANY - whole.left;
  let kills = 0;
  let points = 0;
  // At least one, in the middle of it, however far apart they are.
  const first = Math.max(1, Math.min(Math.ceil(statements / 2), spacing));
  for (let point = spacing === 1 ? 1 : first; point <= statements; point += spacing) {
    const second = points % 10 === 9 ? [1 + (point % 40)] : [];
    const killed = await flowWith([point, ...second]);
    points += 1;
    kills += killed.kills;
    assert.deepEqual(killed.outline, whole.outline, `killed at statement ${point}`);
  }
  // How often it polls is not the same every time, so the very last point may not be reached.
  assert.ok(points > 0 && kills >= points - 1, `${kills} kills at ${points} points`);
  return `${statements} statements and commits, ${points} points tried, ${kills} kills`;
}
