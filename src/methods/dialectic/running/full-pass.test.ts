/** Full passes on the rehearsal model: exact counts, every input read, every file at its path. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Dialect } from "../../../kernel/store/store.ts";
import { type DialecticRig, openDialecticRig, REQUEST } from "../dialectic-rig.suite.ts";
import { placeOf } from "../files/path-codec.ts";
import { identityKey } from "../planning/identity.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { identityOf } from "./load-session.ts";

const A = "rehearsal/rehearsal";
const B = "rehearsal/other";

describe("a full pass", () => {
  let rig: DialecticRig;
  before(async () => {
    rig = await openDialecticRig();
  });
  after(() => rig.close());

  for (const { models, turns, documents } of [
    { models: [A], turns: 33, documents: 18 },
    { models: [A, B], turns: 104, documents: 46 },
    { models: [A, A, B], turns: 237, documents: 84 },
  ]) {
    test(`of ${models.length} slots takes ${turns} turns`, async () => {
      const asked = rig.asked.length;
      const started = await rig.invoke("dialectic.start", {
        request: REQUEST,
        model: models,
        auto: true,
      });
      const { runId } = started;
      await rig.idle();

      assert.equal(started.calls, turns);
      const status = await rig.invoke("dialectic.status", { session: runId });
      assert.equal(status.state, "completed", status.reason);
      assert.equal(await rig.turns(runId), turns);
      assert.equal(rig.asked.length - asked, turns, "one call each");
      const artifacts = await rig.artifacts(runId);
      assert.equal(artifacts.filter(({ kind }) => kind === "document").length, documents);
      assert.equal(artifacts.filter(({ kind }) => kind === "seed").length, 5);
      assert.ok(artifacts.every(({ state }) => state === "complete"));
      assert.equal(
        new Set(
          artifacts
            .filter(({ kind }) => kind !== "seed")
            .map((row) => identityKey(identityOf(row))),
        ).size,
        turns,
      );

      // Every input that was planned stands in the prompt that was sent.
      const files = await rig.invoke("dialectic.tree", { session: runId });
      const byId = new Map(artifacts.map((row) => [row.id, row]));
      const sent = new Map(
        rig.asked
          .slice(asked)
          .map(({ labels, messages }) => [
            `${labels.step}/${labels.item ?? ""}`,
            messages.map(({ text }) => text).join("\n"),
          ]),
      );
      let read = 0;
      for (const row of artifacts.filter(({ kind }) => kind !== "seed")) {
        const item = identityKey(identityOf(row)).split("/").at(-1) ?? "";
        const prompt =
          sent.get(`${row.step}/${item}`) ?? assert.fail(`${row.step} ${item} was not asked`);
        for (const { id, type } of JSON.parse(row.inputs) as InputRef[]) {
          const input = byId.get(id);
          if (type === "project_resource")
            assert.ok(prompt.includes("two bakers see what to bake"));
          if (input === undefined || type === "header_context") continue;
          const text = type === "seed_prompt" ? input.body.trim() : input.body;
          assert.ok(prompt.includes(text), `${row.step} ${item} reads ${input.step}`);
          read += 1;
        }
      }
      assert.ok(read > turns);

      // Every file is at its own path, also where case does not count, and says what it is.
      const paths: readonly string[] = files.files.map((file: { path: string }) => file.path);
      assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, paths.length);
      for (const path of paths) assert.ok(placeOf(path) !== undefined, path);
      const count = (kind: string) =>
        files.files.filter((file: { kind: string }) => file.kind === kind).length;
      assert.equal(count("prompt"), turns);
      assert.equal(count("raw_response"), turns);
      assert.equal(count("document"), documents);
      assert.equal(count("seed_prompt"), 5);
      assert.equal(count("manifest"), 5 * models.length);
    });
  }
});

test("a cheaper topology makes the calls that were counted, each proposal read by so many", async (t) => {
  const rig = await openDialecticRig();
  t.after(() => rig.close());
  const start = { request: REQUEST, model: [A, A, B], reviewers: 1, auto: true };
  const { runId, calls } = await rig.invoke("dialectic.start", start);
  await rig.idle();

  const { state, reason } = await rig.invoke("dialectic.status", { session: runId });
  assert.deepEqual([state, calls, rig.asked.length], ["completed", 123, 123], reason);
  const reviews = (await rig.artifacts(runId)).filter(({ step }) => step.includes("risk_register"));
  assert.equal(reviews.length, 3);
  assert.deepEqual(new Set(reviews.map(({ lineage }) => lineage)), new Set([1, 2, 3]));
});

for (const models of [[A], [A, B], [A, A, B]]) {
  const slots = models.length;
  test(`with a fifth of replies truncated, fenced, broken or wandering ${slots} slots bring the same documents`, () =>
    comparesBadly(models));
}

async function comparesBadly(models: readonly string[]): Promise<void> {
  const rates = {
    truncate: 0.04,
    cut: 0.02,
    fence: 0.03,
    prose: 0.02,
    break: 0.04,
    wander: 0.03,
    repeat: 0.02,
  };
  const outcome = async (script?: object) => {
    const rig = await openDialecticRig(script === undefined ? {} : { script: script as never });
    try {
      const { runId } = await rig.invoke("dialectic.start", {
        request: REQUEST,
        model: models,
        auto: true,
      });
      await rig.idle();
      const status = await rig.invoke("dialectic.status", { session: runId });
      const artifacts = await rig.artifacts(runId);
      return { state: status.state, reason: status.reason, artifacts, calls: rig.asked.length };
    } finally {
      await rig.close();
    }
  };
  const well = await outcome();
  const badly = await outcome({ default: { rates } });

  assert.equal(badly.state, "completed", badly.reason);
  const keys = (rows: typeof well.artifacts) =>
    rows
      .filter(({ kind }) => kind !== "seed")
      .map((row) => identityKey(identityOf(row)))
      .toSorted();
  assert.deepEqual(keys(badly.artifacts), keys(well.artifacts));
  assert.ok(badly.calls > well.calls, "some had to be asked for again");
  const partial = badly.artifacts.filter(({ state }) => state === "partial");
  assert.deepEqual(
    partial.map(({ step, gaps }) => `${step}: ${gaps}`),
    [],
  );
}

test("on PostgreSQL the same pass leaves the same documents", async () => {
  const outcome = async (dialect: Dialect) => {
    const rig = await openDialecticRig({ dialect });
    const start = { request: REQUEST, model: [A], auto: true };
    const { runId } = await rig.invoke("dialectic.start", start);
    await rig.idle();
    const { state, reason } = await rig.invoke("dialectic.status", { session: runId });
    const artifacts = await rig.artifacts(runId);
    const asked = rig.asked.length;
    await rig.close();
    const hashes = artifacts.map((row) => `${identityKey(identityOf(row))} ${row.hash}`);
    return { state, reason, asked, hashes: hashes.toSorted() };
  };
  const [here, there] = await Promise.all([outcome("sqlite"), outcome("postgres")]);

  assert.deepEqual([there.state, there.asked], ["completed", 33], there.reason);
  assert.equal(there.hashes.length, 33 + 5);
  assert.deepEqual(there.hashes, here.hashes);
});

test("another domain runs through its own stages and documents", async () => {
  const rig = await openDialecticRig();
  const { runId } = await rig.invoke("dialectic.start", {
    request: "How do city trees lower the temperature of streets at night?",
    domain: "research",
    model: [A],
    auto: true,
  });
  await rig.idle();

  const status = await rig.invoke("dialectic.status", { session: runId });
  await rig.close();
  assert.equal(status.state, "completed");
  assert.equal(status.use.turns, 29);
});
