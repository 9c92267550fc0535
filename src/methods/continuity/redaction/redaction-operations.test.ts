import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../../kernel/base/errors.ts";
import { invoke } from "../../../kernel/operation/invoke.ts";
import { waitForRun } from "../../../kernel/operation/wait-for-run.ts";
import { startRun } from "../../../kernel/run/start-run.ts";
import { query } from "../../../kernel/store/database-work.ts";
import { insertDecision } from "../../../kernel/store/decisions.ts";
import { examineStore } from "../../../kernel/store/doctor-store.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import {
  type ContinuityWorld,
  MARA,
  openContinuityWorld,
  registry,
} from "../continuity-world.suite.ts";
import { harvestTables } from "../harvest/harvest-migration.ts";
import { packetTables } from "../packet/packet-migration.ts";
import { packets } from "../packet/packet-tables.ts";
import { idOf, MIGRATIONS, NOW, TIDEPOOL } from "../packet/packet-world.suite.ts";
import { SEND_TURN } from "../packet/send-packet.ts";

interface Added {
  readonly redactions: readonly { readonly id: string; readonly kind: string }[];
  readonly holdings: number;
  readonly purged?: Readonly<Record<"packets" | "exchanges" | "open" | "repeats", number>>;
}

interface Shown {
  readonly packet: { readonly title: string; readonly hash: string };
  readonly promptText?: string;
  readonly answer?: string;
  readonly isMasked: boolean;
  readonly contextRefs: readonly {
    readonly type: string;
    readonly id: string;
    readonly ranges: readonly { readonly start: number; readonly end: number }[];
  }[];
}

/** Of message 6, which only the decision packet quotes. */
const SECRET = "Give every write the number of its lease";
const project = { originType: "project", originId: "Tidepool", intent: "generate_next_actions" };
const decision = { originType: "decision", originId: idOf("d", 1) };

async function refusal(promise: Promise<unknown>): Promise<ProductError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

for (const dialect of ["sqlite", "postgres"] as const satisfies readonly Dialect[]) {
  describe(`redacting what packets hold already, on ${dialect}`, () => {
    let world: ContinuityWorld;
    let made: { readonly packetId: string; readonly promptText: string; readonly hash: string };
    let other: { readonly packetId: string };

    before(async () => {
      world = await openContinuityWorld({ dialect });
      // With a key, as the command line calls it: the answer is kept to be repeated.
      const keyed = { idempotencyKey: "k1" };
      made = (await invoke(
        world.kernel,
        registry,
        "packet.compile",
        MARA,
        decision,
        keyed,
      )) as typeof made;
      other = await world.as(MARA, "packet.compile", project);
      await world.as(MARA, "packet.send", { packetId: made.packetId });
    });
    after(() => world.remove());

    const show = (packetId: string) => world.as<Shown>(MARA, "packet.show", { packetId });
    /** Every cell of the tables that keep words. */
    const everything = async (): Promise<string> =>
      JSON.stringify(
        await world.kernel.store.read(function* () {
          return [
            yield* query(packets.selectFrom("packet").selectAll()),
            yield* query(db.selectFrom("exchange").selectAll()),
            yield* query(db.selectFrom("answer").selectAll()),
            yield* query(db.selectFrom("effect").selectAll()),
            yield* query(db.selectFrom("text").selectAll()),
            yield* query(db.selectFrom("delta").selectAll()),
            yield* query(db.selectFrom("idempotency").selectAll()),
          ];
        }),
      );

    test("a new redaction says what holds it from before", async () => {
      assert.ok(made.promptText.includes(SECRET));

      const added = await world.as<Added>(MARA, "redaction.add", {
        project: "Tidepool",
        message: idOf("m", 6),
        text: SECRET,
      });

      assert.deepEqual(
        added.redactions.map(({ kind }) => kind),
        ["span"],
      );
      assert.equal(added.holdings, 2);
      const held = await world.as<{ holdings: readonly { kind: string; id: string }[] }>(
        MARA,
        "redaction.held",
        { project: "Tidepool" },
      );
      assert.deepEqual(
        held.holdings.map(({ kind }) => kind),
        ["packet", "exchange"],
      );
      assert.equal(held.holdings[0]?.id, made.packetId);
    });

    test("it is shown nowhere, and what is shown is still where the references say", async () => {
      const shown = await show(made.packetId);

      assert.ok(shown.isMasked);
      assert.ok(!JSON.stringify(shown).includes(SECRET));
      const { promptText = "" } = shown;
      for (const { type, id, ranges } of shown.contextRefs) {
        if (type !== "task" || id !== idOf("t", 8)) continue;
        assert.deepEqual(
          ranges.map(({ start, end }) => promptText.slice(start, end)),
          ["Old idea"],
        );
      }
      const list = await world.as(MARA, "packet.list", {});
      assert.ok(!JSON.stringify(list).includes(SECRET));
    });

    test("any text can be tried against it, and what looks like a secret goes with it", async () => {
      const key = `sk-ant-api03-${"aB3dE5".repeat(16)}`;
      const text = `He said: ${SECRET}. The key is ${key}. The rest stays.`;
      const tried = await world.as<{ text: string; isChanged: boolean; secrets: number }>(
        MARA,
        "redaction.try",
        { project: "Tidepool", text },
      );
      assert.deepEqual([tried.isChanged, tried.secrets], [true, 1]);
      assert.ok(!tried.text.includes(SECRET) && !tried.text.includes(key), tried.text);
      assert.match(tried.text, /The rest stays\.$/);
    });

    test("what holds it can neither be copied nor sent any more", async () => {
      const codes = [
        await refusal(world.as(MARA, "packet.copy", { packetId: made.packetId })),
        await refusal(world.as(MARA, "packet.send", { packetId: made.packetId })),
      ].map(({ code }) => code);

      assert.deepEqual(codes, ["packet_redacted_since", "packet_redacted_since"]);
      assert.ok(await world.as(MARA, "packet.copy", { packetId: other.packetId }));
    });

    test("a run that was started before the redaction is held instead of sending it", async () => {
      const { store, engine } = world.kernel;
      const input = { packetId: made.packetId, model: "rehearsal/default" };
      const jobs = [{ key: "send", handler: SEND_TURN, input }];
      const run = { method: "continuity", title: "Late", input, jobs };
      const owner = { projectId: TIDEPOOL, startedBy: "mara" };
      const runId = await store.write(() => startRun(engine, run, owner, NOW));
      world.kernel.wake();

      const { state } = await waitForRun(world.kernel, runId, new AbortController().signal);

      assert.equal(state, "held");
      const [wait] = await store.read(() =>
        query(db.selectFrom("wait").select("reason").where("run_id", "=", runId)),
      );
      assert.match(wait?.reason ?? "", /redacted after it was compiled/);
      const sent = await store.read(() =>
        query(db.selectFrom("exchange").select("id").where("run_id", "=", runId)),
      );
      assert.deepEqual(sent, []);
    });

    test("a comparison with a packet from before shows it on neither side", async () => {
      const now = await world.as<{ packetId: string }>(MARA, "packet.compile", decision);

      const diff = await world.as(MARA, "packet.diff", {
        before: made.packetId,
        after: now.packetId,
      });

      assert.ok(!JSON.stringify(diff).includes(SECRET));
      assert.ok(!JSON.stringify(diff).includes("number of its lease"));
    });

    test("purging forgets the words, keeps the hash, and doctor finds nothing wrong", async () => {
      assert.ok((await everything()).includes(SECRET));

      const { purged, holdings } = await world.as<Added>(MARA, "redaction.add", {
        project: "Tidepool",
        purge: true,
      });

      assert.deepEqual(purged, {
        packets: 1,
        harvests: 0,
        artifacts: 0,
        exchanges: 1,
        runs: 0,
        open: 0,
        repeats: 1,
      });
      assert.equal(holdings, 0);
      assert.ok(!(await everything()).includes(SECRET));
      const shown = await show(made.packetId);
      assert.equal(shown.promptText, undefined);
      assert.equal(shown.answer, undefined);
      assert.equal(shown.packet.hash, made.hash);
      const findings: string[] = [];
      await examineStore(world.kernel.store, {
        migrations: [...MIGRATIONS, packetTables, harvestTables],
        report: ({ code, place }) => findings.push(`${code} ${place}`),
      });
      assert.deepEqual(findings, []);
    });

    test("purged packets are compared with nothing", async () => {
      const error = await refusal(
        world.as(MARA, "packet.diff", { before: made.packetId, after: other.packetId }),
      );

      assert.equal(error.code, "packet_purged");
    });

    test("a redacted conversation reaches packets through what was drawn from it", async () => {
      const held = async () =>
        (
          await world.as<{ holdings: readonly { id: string }[] }>(MARA, "redaction.held", {
            project: "Tidepool",
          })
        ).holdings.map(({ id }) => id);
      const untouched = await held();
      const { redactions } = await world.as<Added>(MARA, "redaction.add", {
        project: "Tidepool",
        conversation: idOf("c", 1),
      });

      const touched = await held();
      const shown = await show(other.packetId);

      assert.ok(!untouched.includes(other.packetId) && touched.includes(other.packetId));
      for (const gone of ["Strays are kept", "Lease expiry", "when a device dies"]) {
        assert.ok(!JSON.stringify(shown).includes(gone), gone);
      }
      await world.as(MARA, "redaction.lift", { redactionId: redactions[0]?.id });
      assert.ok(JSON.stringify(await show(other.packetId)).includes("Strays are kept"));
    });

    test("an answer kept to be repeated goes with the packet it tells, where a whole conversation is purged", async () => {
      const keyed = { idempotencyKey: "k2" };
      await invoke(world.kernel, registry, "packet.compile", MARA, project, keyed);
      const kept = async () =>
        JSON.stringify(
          await world.kernel.store.read(() => query(db.selectFrom("idempotency").selectAll())),
        );
      assert.ok((await kept()).includes("Strays are kept"));

      const { redactions } = await world.as<Added>(MARA, "redaction.add", {
        project: "Tidepool",
        conversation: idOf("c", 1),
        purge: true,
      });

      assert.ok(!(await kept()).includes("Strays are kept"));
      await world.as(MARA, "redaction.lift", { redactionId: redactions[0]?.id });
    });

    test("what was made of a project is still called by its name when it is purged", async () => {
      await world.as(MARA, "redaction.add", {
        project: "Tidepool",
        conversation: idOf("c", 1),
        purge: true,
      });

      const [ofProject, ofDecision] = [await show(other.packetId), await show(made.packetId)];

      assert.deepEqual([ofProject.promptText, ofDecision.promptText], [undefined, undefined]);
      assert.deepEqual(
        [ofProject.packet.title, ofDecision.packet.title],
        ["Tidepool", "[redacted]"],
      );
    });
  });
}

describe("pointing at what to redact", () => {
  let world: ContinuityWorld;

  before(async () => {
    world = await openContinuityWorld();
  });
  after(() => world.remove());

  const add = (input: object) =>
    world.as<Added>(MARA, "redaction.add", { project: "Tidepool", ...input });

  test("a message, all of its occurrences of some words, or characters by number", async () => {
    const kinds = [
      await add({ message: idOf("m", 1) }),
      await add({ message: idOf("m", 2), text: "s" }),
      await add({ message: idOf("m", 3), start: 0, end: 3 }),
      await add({ message: idOf("m", 4), start: 5 }),
    ].map(({ redactions }) => redactions.map(({ kind }) => kind).join(" "));

    assert.deepEqual(kinds, ["message", "span span span span", "span", "span"]);
  });

  test("what is said wrongly is refused with advice", async () => {
    const codes = [
      await refusal(add({})),
      await refusal(add({ text: "words" })),
      await refusal(add({ conversation: idOf("c", 1), text: "words" })),
      await refusal(add({ message: idOf("m", 1), text: "never said" })),
      await refusal(add({ message: idOf("m", 1), text: "Two", start: 0 })),
      await refusal(add({ message: idOf("m", 1), start: 5, end: 3 })),
    ].map(({ code }) => code);

    assert.deepEqual(codes, [
      "redaction_target_invalid",
      "redaction_target_invalid",
      "redaction_target_invalid",
      "passage_not_found",
      "redaction_target_invalid",
      "span_outside",
    ]);
  });

  test("lists tell who, when and why, and never the words", async () => {
    await world.kernel.store.write(() =>
      insertDecision(
        { id: idOf("d", 300), title: "x", projectId: TIDEPOOL },
        { actor: "mara", now: NOW },
      ),
    );
    await add({ message: idOf("m", 10), text: "Clocks on phones", reason: "a customer said it" });

    const list = await world.as<{ items: readonly { reason: string; createdByName: string }[] }>(
      MARA,
      "redaction.list",
      { project: "Tidepool" },
    );

    assert.equal(list.items[0]?.reason, "a customer said it");
    assert.equal(list.items[0]?.createdByName, "mara");
    assert.ok(!JSON.stringify(list).includes("Clocks on phones"));
  });
});
