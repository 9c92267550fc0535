/** Pruning of teams that concluded long ago: old versions lose their words, and the team can still work on. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import { loadOperations } from "../../kernel/operation/noun-index.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { examineStore } from "../../kernel/store/doctor-store.ts";
import { engineTables } from "../../kernel/store/engine-migration.ts";
import type { Finding } from "../../kernel/store/finding.ts";
import { nounTables } from "../../kernel/store/noun-migration.ts";
import { pruneOlderThan } from "../../kernel/store/prune.ts";
import { searchTables } from "../../kernel/store/search-migration.ts";
import { hashText } from "../../kernel/base/hash.ts";
import { writePuts } from "./state/team-rows.ts";
import { teamRunTables } from "./state/team-migration.ts";
import { TEAM_NOUNS } from "./team-nouns.ts";
import { openTeamRig, ROUNDS, type TeamRig } from "./team-rig.suite.ts";

const MIGRATIONS = [engineTables, nounTables, searchTables, teamRunTables];
const registry = createOperationRegistry(await loadOperations(TEAM_NOUNS));

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`pruning a team on ${dialect}`, () => {
    test("keeps the words of what is chosen and of the last three versions; the team works on", async (t) => {
      const rig = await openTeamRig({ dialect });
      t.after(() => rig.close());
      const runId = await rig.play("lab", { stop: ROUNDS(2) });
      await writeOn(rig, runId, 4);
      const before = (await rig.state(runId)).versions;

      const pruned = await prune(rig, "superseded");

      const { versions, products } = await rig.state(runId);
      assert.deepEqual(
        versions.map(({ id, hash }) => [id, hash]),
        before.map(({ id, hash }) => [id, hash]),
      );
      const chosen = new Set(products.map(({ selectedVersionId }) => selectedVersionId));
      const latest = (productId: string) =>
        Math.max(...versions.filter((each) => each.productId === productId).map((v) => v.number));
      const expected = versions.filter(
        ({ id, productId, number }) => !chosen.has(id) && number < latest(productId) - 2,
      );
      assert.ok(expected.length > 0, "some are old enough");
      assert.deepEqual(
        versions.filter(({ content }) => content === null).map(({ id }) => id),
        expected.map(({ id }) => id),
      );
      assert.ok(pruned.methodTexts >= expected.length);
      assert.deepEqual(await damageIn(rig), []);
      const [old] = expected;
      assert.ok(old);
      const said = before.find(({ id }) => id === versionAfter(versions, old)?.id)?.content ?? "";
      const sentence = said.split("\n").find((line) => line.trim().length > 20) ?? said;
      const found = await ask(rig, "team.blame", {
        runId,
        product: old.productId,
        sentence,
        version: versionAfter(versions, old)?.id,
      });
      assert.equal(found.isCutOff, true);
      await assert.rejects(
        ask(rig, "team.blame", { runId, product: old.productId, sentence, version: old.id }),
        { code: "team_version_pruned" },
      );

      await ask(rig, "team.round", { runId });
      await rig.idle();
      const { state, reason } = await rig.run(runId);
      assert.equal(state, "completed", reason ?? "");
      assert.equal((await rig.state(runId)).round, 3);
    });

    test("of all outputs leaves hashes, and the team says that it cannot work on", async (t) => {
      const rig = await openTeamRig({ dialect });
      t.after(() => rig.close());
      const runId = await rig.play("lab", { stop: ROUNDS(1) });

      await prune(rig, "all");

      const { versions } = await rig.state(runId);
      assert.ok(versions.length > 0 && versions.every(({ content }) => content === null));
      assert.deepEqual(await damageIn(rig), []);
      const { markdown } = await ask(rig, "team.report", { runId });
      assert.match(markdown, /The words were pruned; the hash still proves what they were\./);
      await assert.rejects(ask(rig, "team.round", { runId }), { code: "team_version_pruned" });
      const items = await rowsOf<{ item: string }>(
        rig.kernel.store,
        "select item from team_refusal where run_id = ?",
        [runId],
      );
      assert.ok(items.every(({ item }) => item === "null"));
    });
  });
}

/** So many further versions of the product that was written first. */
async function writeOn(rig: TeamRig, runId: string, count: number): Promise<void> {
  const { versions, products } = await rig.state(runId);
  const first = versions[0] ?? assert.fail();
  const product = products.find(({ id }) => id === first.productId) ?? assert.fail();
  const own = versions.filter(({ productId }) => productId === product.id);
  const last = own.at(-1) ?? first;
  const written = Array.from({ length: count }, (_, place) => {
    const number = last.number + place + 1;
    const content = `${last.content}\n\nWhat version ${number} adds to all of it.`;
    const id = `v${versions.length + place + 1}`;
    return { ...last, id, number, content, hash: hashText(content), lastDirectiveId: null };
  });
  const chosen = { ...product, selectedVersionId: written.at(-1)?.id ?? null };
  await rig.kernel.store.write(() =>
    writePuts(runId, [
      ...written.map((record) => ({ noun: "versions" as const, record })),
      { noun: "products", record: chosen },
    ]),
  );
}

type Versions = Awaited<ReturnType<TeamRig["state"]>>["versions"];

function versionAfter(versions: Versions, { productId, number }: Versions[number]) {
  return versions.find(
    (each) => each.productId === productId && each.number > number && each.content !== null,
  );
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of any operation
async function ask(rig: TeamRig, name: string, input: object): Promise<any> {
  return invoke(rig.kernel, registry, name, callerOf("admin", false, undefined), input);
}

function prune(rig: TeamRig, artifacts: "superseded" | "all") {
  const asked = { before: Date.now() + 60_000, artifacts, migrations: MIGRATIONS };
  return pruneOlderThan(rig.kernel.store, asked, { actor: "admin", now: Date.now() });
}

async function damageIn(rig: TeamRig): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await examineStore(rig.kernel.store, {
    migrations: MIGRATIONS,
    report: (finding) => findings.push(finding),
  });
  return findings;
}
