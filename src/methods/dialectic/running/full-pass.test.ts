/** Full passes on the rehearsal model: exact counts, every input read, every file at its path. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type DialecticRig, openDialecticRig, REQUEST } from "../dialectic-rig.suite.ts";

const MODEL = "rehearsal/rehearsal";

describe("a full pass", () => {
  let rig: DialecticRig;
  before(async () => {
    rig = await openDialecticRig();
  });
  after(() => rig.close());

  for (const [slots, turns, documents] of [
    [1, 33, 18],
    [2, 104, 46],
  ] as const) {
    test(`with ${slots} slots of one model takes ${turns} turns`, async () => {
      const model = Array.from({ length: slots }, () => MODEL);
      const { runId } = await rig.invoke("dialectic.start", {
        request: REQUEST,
        model,
        auto: true,
      });
      await rig.idle();

      const status = await rig.invoke("dialectic.status", { session: runId });
      assert.equal(status.state, "completed", status.reason);
      assert.equal(await rig.turns(runId), turns);
      const artifacts = await rig.artifacts(runId);
      assert.equal(artifacts.filter(({ kind }) => kind === "document").length, documents);
      assert.ok(artifacts.every(({ state }) => state === "complete"));
    });
  }
});
