/** Pruning of dialectics that ended long ago: what was replaced loses its words, what stands can still go on. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { examineStore } from "../../../kernel/store/doctor-store.ts";
import { engineTables } from "../../../kernel/store/engine-migration.ts";
import type { Finding } from "../../../kernel/store/finding.ts";
import { nounTables } from "../../../kernel/store/noun-migration.ts";
import { pruneOlderThan } from "../../../kernel/store/prune.ts";
import { countMethodTexts } from "../../../kernel/store/prune-method-texts.ts";
import { searchTables } from "../../../kernel/store/search-migration.ts";
import { type DialecticRig, openDialecticRig, REQUEST } from "../dialectic-rig.suite.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { dialecticTables } from "./dialectic-migration.ts";

const MODEL = "rehearsal/rehearsal";
const BUSINESS_CASE = "thesis/business_case/s1";
const MIGRATIONS = [engineTables, nounTables, searchTables, dialecticTables];

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`pruning a dialectic on ${dialect}`, () => {
    test("takes what was replaced and nothing reads any more; everything else goes on", async (t) => {
      const { rig, runId } = await begun(dialect);
      t.after(() => rig.close());
      // The reviews stay built on the first version; the second is replaced before anything reads it.
      await edit(rig, runId, "Second.");
      await edit(rig, runId, "Third.");
      const isUnderWay = await prune(rig, "superseded");
      await rig.invoke("dialectic.next", { session: runId, acceptStale: true, finish: true });
      await rig.idle();
      const before = await rig.artifacts(runId);

      const counted = await rig.kernel.store.read(() =>
        countMethodTexts({ migrations: MIGRATIONS, before: soon(), outputs: "superseded" }),
      );
      const pruned = await prune(rig, "superseded");

      assert.equal(isUnderWay.methodTexts, 0, "nothing of what is under way");
      assert.deepEqual([counted.rows, pruned.methodTexts], [1, 1]);
      const after = await rig.artifacts(runId);
      const versions = after.filter(
        ({ document_key, slot }) => document_key === "business_case" && slot === 1,
      );
      assert.deepEqual(
        versions.map(({ version, state, body }) => [version, state, body !== ""]),
        [
          [1, "superseded", true],
          [2, "superseded", false],
          [3, "complete", true],
        ],
      );
      assert.deepEqual(
        after.map(({ id, hash }) => [id, hash]),
        before.map(({ id, hash }) => [id, hash]),
      );
      const words = new Map(after.map(({ id, body }) => [id, body]));
      for (const { inputs } of after.filter(({ state }) => state !== "superseded")) {
        for (const { id } of JSON.parse(inputs) as InputRef[])
          assert.notEqual(words.get(id), "", "what stands has all that it reads");
      }
      assert.deepEqual(await damageIn(rig), []);
      const [, old] = versions;
      assert.match(
        await rig.show("dialectic.show", { session: runId, document: old?.id }),
        /The words were pruned; the hash still proves what they were\./,
      );
      const shown = await rig.invoke("dialectic.show", {
        session: runId,
        document: BUSINESS_CASE,
        diff: true,
      });
      assert.deepEqual([shown.isPruned, shown.diff], [false, undefined]);
      const { files } = await rig.invoke("dialectic.tree", { session: runId });
      const names: readonly string[] = files.map(({ path }: { path: string }) => path);
      assert.ok(names.some((name) => name.endsWith("business_case_version_1.md")));
      assert.ok(!names.some((name) => name.endsWith("business_case_version_2.md")));
      assert.ok(!names.some((name) => name.endsWith("_prompt.md") && !name.includes("seed")));

      // A review that was kept reads the first version once more, and the next iteration all that stands.
      const review = "antithesis/risk_register/s1.l1";
      await rig.invoke("dialectic.feedback", {
        session: runId,
        document: review,
        text: "Shorter.",
      });
      await rig.invoke("dialectic.revise", { session: runId, document: review });
      await rig.idle();
      await rig.invoke("dialectic.next", { session: runId, iterate: true, acceptStale: true });
      await rig.idle();
      const status = await rig.invoke("dialectic.status", { session: runId });
      assert.deepEqual([status.iteration, status.state], [2, "waiting"], status.reason);
    });

    test("of all outputs leaves hashes; what was pruned is shown as that and cannot go on", async (t) => {
      const { rig, runId } = await begun(dialect);
      t.after(() => rig.close());
      await rig.invoke("dialectic.cancel", { session: runId });
      const { runId: open } = await rig.invoke("dialectic.start", {
        request: REQUEST,
        model: [MODEL],
      });
      await rig.idle();

      await prune(rig, "all");

      assert.ok((await rig.artifacts(runId)).every(({ body, hash }) => body === "" && hash !== ""));
      assert.ok((await rig.artifacts(open)).every(({ body }) => body !== ""));
      assert.deepEqual(await damageIn(rig), []);
      const shown = await rig.invoke("dialectic.show", { session: runId, document: BUSINESS_CASE });
      assert.deepEqual([shown.isPruned, shown.sections, shown.markdown], [true, [], ""]);
      assert.equal((await rig.invoke("dialectic.status", { session: runId })).state, "cancelled");
      const { files } = await rig.invoke("dialectic.tree", { session: runId });
      assert.deepEqual(
        [...new Set(files.map(({ kind }: { kind: string }) => kind))],
        ["manifest"],
        "the manifests, which have the hashes",
      );
      for (const [name, input] of [
        ["dialectic.edit", { document: BUSINESS_CASE, section: "executive_summary", text: "x" }],
        ["dialectic.run", { stale: true }],
      ] as const) {
        await assert.rejects(rig.invoke(name, { session: runId, ...input }), {
          code: "dialectic_pruned",
        });
      }
    });
  });
}

/** Up to the reviews, by one slot. */
async function begun(dialect: "sqlite" | "postgres") {
  const rig = await openDialecticRig({ dialect });
  const start = { request: REQUEST, model: [MODEL] };
  const { runId } = await rig.invoke<{ runId: string }>("dialectic.start", start);
  await rig.idle();
  await rig.invoke("dialectic.next", { session: runId });
  await rig.idle();
  return { rig, runId };
}

async function edit(rig: DialecticRig, runId: string, text: string): Promise<void> {
  const place = { session: runId, document: BUSINESS_CASE, section: "executive_summary" };
  await rig.invoke("dialectic.edit", { ...place, text });
  await rig.idle();
}

function soon(): number {
  return Date.now() + 60_000;
}

function prune(rig: DialecticRig, artifacts: "superseded" | "all") {
  const asked = { before: soon(), artifacts, migrations: MIGRATIONS };
  return pruneOlderThan(rig.kernel.store, asked, { actor: "admin", now: Date.now() });
}

async function damageIn(rig: DialecticRig): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await examineStore(rig.kernel.store, {
    migrations: MIGRATIONS,
    report: (finding) => findings.push(finding),
  });
  return findings;
}
