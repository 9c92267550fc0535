import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { runSql } from "../../../kernel/store/database-work.ts";
import { insertDecision } from "../../../kernel/store/decisions.ts";
import { insertRedaction } from "../../../kernel/store/redactions.ts";
import { refreshSearch } from "../../../kernel/store/search-index.ts";
import { searchThinking } from "../../../kernel/store/search-thinking.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { insertTask, updateTask } from "../../../kernel/store/tasks.ts";
import {
  type ContinuityWorld,
  MARA,
  OTTO,
  openContinuityWorld,
  VERA,
} from "../continuity-world.suite.ts";
import { daysAgo, idOf, NOW, TIDEPOOL } from "../packet/packet-world.suite.ts";
import { MOST_PER_SECTION } from "./digest-outline.ts";
import type { digestDetail, digestFacts, digestList, madeDigest } from "./digest-shape.ts";

type Made = z.output<typeof madeDigest>;
type Facts = z.output<typeof digestFacts>;
type Detail = z.output<typeof digestDetail>;
type List = z.output<typeof digestList>;

const act = { actor: "mara", now: NOW };

async function refusal(promise: Promise<unknown>): Promise<ProductError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

const SAYS = {
  replies: [
    {
      step: "digest",
      reply: {
        summary: "Strays were settled; the lease race still blocks.",
        lines: [{ sentence: "The region of the relay waits for lawyers.", refs: ["t3", "d1"] }],
      },
    },
  ],
};

const bySection = (facts: Facts["facts"], section: string) =>
  facts.filter((fact) => fact.section === section).map(({ id, detail }) => [id, detail]);

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`digests on ${dialect}`, () => {
    let world: ContinuityWorld;
    before(async () => {
      world = await openContinuityWorld({ dialect, says: SAYS });
      await world.kernel.store.write(function* () {
        const fresh = { actor: "mara", now: daysAgo(1) };
        yield* insertDecision(
          {
            id: idOf("d", 20),
            projectId: TIDEPOOL,
            title: "No relay in Europe",
            content: "The lawyers said so.",
            supersedesId: idOf("d", 3),
          },
          fresh,
        );
        yield* insertTask(
          { id: idOf("t", 30), projectId: TIDEPOOL, title: "Made and done" },
          fresh,
        );
        yield* updateTask(idOf("t", 30), { status: "in_progress" }, fresh);
        yield* updateTask(idOf("t", 30), { status: "completed" }, act);
      });
    });
    after(() => world.remove());

    test("the facts are those of the log and the present state, each where it belongs", async () => {
      const { facts, counts } = await world.as<Facts>(MARA, "digest.preview", {
        project: "Tidepool",
        since: "2026-11-14",
      });

      assert.deepEqual(bySection(facts, "decided"), [[idOf("d", 20), "The lawyers said so."]]);
      assert.deepEqual(bySection(facts, "contradicted"), [
        [idOf("d", 3), "superseded by: No relay in Europe"],
      ]);
      assert.deepEqual(bySection(facts, "opened"), [
        [idOf("t", 2), "pending"],
        [idOf("t", 4), "pending"],
        [idOf("t", 10), "in progress"],
        [idOf("t", 7), "pending"],
        [idOf("t", 20), "pending"],
      ]);
      assert.deepEqual(bySection(facts, "closed"), [
        [idOf("t", 9), "completed"],
        [idOf("t", 11), "cancelled"],
        [idOf("t", 30), "completed"],
      ]);
      assert.deepEqual(bySection(facts, "blocking"), [
        [idOf("t", 1), "pending"],
        [idOf("t", 3), "on hold: waits for the\nlegal review"],
      ]);
      assert.equal(counts.highlights, 0);
    });

    test("a stretch that lies in the past tells what stood then, not what came after", async () => {
      const { facts } = await world.as<Facts>(MARA, "digest.preview", {
        project: "Tidepool",
        since: "13d",
        until: "11d",
      });

      // Closed four days ago, which is none of that time's business.
      assert.deepEqual(bySection(facts, "opened"), [[idOf("t", 9), "completed"]]);
      assert.deepEqual(bySection(facts, "closed"), []);
      assert.deepEqual(bySection(facts, "decided"), [[idOf("d", 2), ""]]);
    });

    test("is told by a model over the facts it was shown, and kept as an artifact", async () => {
      const made = await world.as<Made>(MARA, "digest.make", {
        project: "Tidepool",
        since: "2026-11-14",
      });

      assert.equal(made.state, "completed");
      const text = made.text ?? "";
      assert.match(text, /^# Tidepool: 2026-11-14 to 2026-11-18\n\nStrays were settled; the lease/);
      assert.ok(
        text.includes(
          `- The region of the relay waits for lawyers. (task:${idOf("t", 10)}, decision:${idOf("d", 20)})`,
        ),
        text,
      );
      assert.deepEqual(
        [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title),
        ["Decided", "Contradicted", "Opened", "Closed", "Still blocking"],
      );
      const shown = await world.as<Detail>(VERA, "digest.show", { digestId: made.digestId });
      assert.equal(shown.text, text);
      const listed = await world.as<List>(MARA, "digest.list", { project: "Tidepool" });
      assert.deepEqual(
        listed.items.map(({ id, until }) => [id, until]),
        [[made.digestId, NOW]],
      );
      const [row] = await world.kernel.store.read(() =>
        runSql<{ kind: string; exchange_id: string; media_type: string }>(
          sqlText("select kind, exchange_id, media_type from artifact where id = ?"),
          [made.digestId ?? ""],
        ),
      );
      assert.deepEqual([row?.kind, row?.media_type], ["digest", "text/markdown"]);
      assert.equal(typeof row?.exchange_id, "string");
    });

    test("what was opened and blocks is shown to the model under both headings, the state in our words", async () => {
      const made = await world.as<Made>(MARA, "digest.make", {
        project: "Tidepool",
        since: "60d",
      });

      const [sent] = await world.kernel.store.read(() =>
        runSql<{ messages: string }>(sqlText("select messages from exchange where run_id = ?"), [
          made.runId ?? "",
        ]),
      );
      const words = JSON.parse(sent?.messages ?? "[]") as readonly { readonly text?: string }[];
      const prompt = words.map(({ text = "" }) => text).join("\n");
      assert.match(
        prompt,
        /# Opened\n(?:.*\n)*?\[t\d+\] 2026-10-04 .*Two workers see.* – pending\n/,
      );
      assert.match(
        prompt,
        /# Still blocking\n\[t\d+\] since 2026-10-04 .*Two workers .* – pending\n/,
      );
      assert.match(
        prompt,
        /Choose the relay's region<.* – on hold: <untrusted-\w+ from="task">waits/,
      );
    });

    test("the next one begins where the last ended, and where nothing happened no model is asked", async () => {
      const later = await refusal(world.as(MARA, "digest.make", { project: "Tidepool" }));
      assert.equal(later.code, "digest_period");
      const { runs } = await countRuns(world);
      const made = await world.as<Made>(MARA, "digest.make", {
        project: "Tidepool",
        since: "1970-01-01",
        until: "1970-01-02",
      });

      assert.equal(made.state, "unchanged");
      assert.equal((await countRuns(world)).runs, runs);
    });

    test("what is redacted is in neither prompt nor digest, and an older digest is withheld, found nowhere, listed and purged", async () => {
      const made = await world.as<Made>(MARA, "digest.make", { project: "Tidepool", since: "10d" });
      assert.match(made.text ?? "", /Strays are kept for thirty days/);
      await refreshSearch(world.kernel.store, { clock: world.kernel.clock, budgetMs: 60_000 });
      const find = () =>
        world.kernel.store.read(() =>
          searchThinking(dialect, {
            viewer: MARA,
            text: "holiday",
            kinds: ["artifact"],
            projectIds: [TIDEPOOL],
          }),
        );
      assert.ok((await find()).hits.some(({ id }) => id === made.digestId));

      await world.kernel.store.write(() =>
        insertRedaction(
          {
            id: `talk-${dialect}`,
            projectId: TIDEPOOL,
            conversationId: idOf("c", 1),
            reason: "private",
          },
          act,
        ),
      );

      const again = await world.as<Made>(MARA, "digest.make", {
        project: "Tidepool",
        since: "10d",
      });
      assert.doesNotMatch(again.text ?? "", /Strays are kept|holiday/);
      const [sent] = await world.kernel.store.read(() =>
        runSql<{ messages: string }>(sqlText("select messages from exchange where run_id = ?"), [
          again.runId ?? "",
        ]),
      );
      assert.ok(!sent?.messages.includes("holiday"), "the prompt tells it");
      const old = await world.as<Detail>(MARA, "digest.show", { digestId: made.digestId });
      assert.deepEqual([old.text, old.isMasked], [undefined, true]);
      assert.equal((await find()).hits.length, 0);
      const { holdings } = await world.as<{ holdings: readonly { kind: string; id: string }[] }>(
        MARA,
        "redaction.held",
        { project: "Tidepool" },
      );
      assert.ok(holdings.some(({ kind, id }) => kind === "artifact" && id === made.digestId));
      await world.as(MARA, "redaction.purge", { project: "Tidepool" });
      const [kept] = await world.kernel.store.read(() =>
        runSql<{ body: string | null; hash: string }>(
          sqlText("select body, hash from artifact where id = ?"),
          [made.digestId ?? ""],
        ),
      );
      assert.equal(kept?.body, null);
      assert.match(kept?.hash ?? "", /^[0-9a-f]{64}$/);
      await world.as(MARA, "redaction.lift", { redactionId: `talk-${dialect}` });
    });

    test("whoever may only look cannot have one made; whoever does not see the project finds none", async () => {
      const input = { project: "Tidepool", since: "2026-11-14" };
      assert.equal((await refusal(world.as(VERA, "digest.make", input))).kind, "not_allowed");
      assert.equal((await refusal(world.as(OTTO, "digest.make", input))).kind, "not_found");
      assert.equal((await refusal(world.as(OTTO, "digest.preview", input))).kind, "not_found");
      assert.deepEqual((await world.as<List>(OTTO, "digest.list")).items, []);
    });
  });
}

async function countRuns({ kernel }: ContinuityWorld): Promise<{ readonly runs: number }> {
  const rows = await kernel.store.read(() =>
    runSql<{ runs: number }>(sqlText("select count(*) as runs from run"), []),
  );
  return { runs: Number(rows[0]?.runs) };
}

describe("a digest of very much", () => {
  test("lists the newest, counts the rest, and says what the model was not told", async (t) => {
    const world = await openContinuityWorld();
    t.after(() => world.remove());
    const extra = 350;
    await world.kernel.store.write(function* () {
      for (let n = 0; n < extra; n += 1) {
        const title = `Sweep basin ${n} ${"before the tide comes in again ".repeat(9)}`;
        yield* insertTask(
          { id: `bulk-${n}`, projectId: TIDEPOOL, title },
          { actor: "mara", now: daysAgo(2) + n },
        );
      }
    });

    const made = await world.as<Made>(MARA, "digest.make", {
      project: "Tidepool",
      since: "2026-11-14",
    });

    const text = made.text ?? "";
    assert.equal(made.state, "completed");
    assert.equal(made.counts.opened, extra + 5);
    assert.ok(text.includes(`- and ${extra + 5 - MOST_PER_SECTION} older ones`), text.slice(-300));
    assert.match(text, /without \d+ facts for which there was no room/);
    assert.ok(text.includes("Sweep basin 349") && !text.includes("Sweep basin 100 "));
  });

  test("reads well on a terminal", async (t) => {
    const world = await openContinuityWorld();
    t.after(() => world.remove());

    const text = await world.show(MARA, "digest.make", {
      project: "Tidepool",
      since: "2026-11-14",
    });
    const facts = await world.show(MARA, "digest.preview", { project: "Tidepool", since: "1h" });

    assert.match(text, /## Still blocking/);
    assert.match(text, /\(task 0199a000/);
    assert.match(text, /✓ Kept as digest \S+\. Show it again: throughline digest show /);
    assert.match(facts, /A preview: no model was asked, nothing was kept\./);
  });
});
