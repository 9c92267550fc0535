import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { invoke } from "../../../kernel/operation/invoke.ts";
import type { Statement, StatementResult } from "../../../kernel/store/database-work.ts";
import { insertDecision, updateDecision } from "../../../kernel/store/decisions.ts";
import { examineStore } from "../../../kernel/store/doctor-store.ts";
import { insertRedaction } from "../../../kernel/store/redactions.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { getTask } from "../../../kernel/store/task-lists.ts";
import { insertTask, updateTask } from "../../../kernel/store/tasks.ts";
import {
  type ContinuityWorld,
  MARA,
  OTTO,
  openContinuityWorld,
  registry,
  VERA,
} from "../continuity-world.suite.ts";
import { packetTables } from "../packet/packet-migration.ts";
import { idOf, MIGRATIONS, NOW, TIDEPOOL } from "../packet/packet-world.suite.ts";
import { harvestTables } from "./harvest-migration.ts";
import { dumpAll, dumpThinking } from "./harvest-rows.suite.ts";
import type {
  harvestDetail,
  readHarvest,
  reviewedHarvest,
  undoneHarvest,
} from "./harvest-shape.ts";

type Read = z.output<typeof readHarvest>;
type Detail = z.output<typeof harvestDetail>;
type Reviewed = z.output<typeof reviewedHarvest>;
type Undone = z.output<typeof undoneHarvest>;

const FIXTURES = path.join(import.meta.dirname, "reading/fixtures");
const contractAnswer = readFileSync(path.join(FIXTURES, "claude-contract.md"), "utf8");
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

interface Packet {
  readonly packetId: string;
  readonly name: string;
}

for (const dialect of ["sqlite", "postgres"] as const satisfies readonly Dialect[]) {
  describe(`harvest on ${dialect}`, () => {
    let world: ContinuityWorld;
    let compiled = 0;
    before(async () => {
      world = await openContinuityWorld({ dialect });
    });
    after(() => world.remove());

    /** Each is another packet with another name. */
    const compile = (): Promise<Packet> => {
      compiled += 1;
      const intent = `What now, question ${compiled}?`;
      return world.as<Packet>(MARA, "packet.compile", {
        originType: "project",
        originId: "Tidepool",
        intent,
      });
    };
    const read = (packetId: string, answer: string, more: object = {}) =>
      world.as<Read>(MARA, "harvest.read", { packetId, answer, ...more });
    const review = (harvestId: string, choices: object) =>
      world.as<Reviewed>(MARA, "harvest.review", { harvestId, ...choices });
    const undo = (harvestId: string) => world.as<Undone>(MARA, "harvest.undo", { harvestId });
    const thinking = () => dumpThinking(world.kernel.store);

    test("reading proposes, says what each candidate is to the project, and writes nothing of it", async () => {
      const { packetId, name } = await compile();
      const before = await thinking();

      const harvest = await read(packetId, contractAnswer.replaceAll("a1b2c3d4e5f6", name));

      assert.deepEqual(await thinking(), before);
      assert.equal(harvest.isNew, true);
      assert.deepEqual(
        harvest.candidates.map(({ type, title, match, choices }) => [
          type,
          title ?? "",
          match.kind,
          match.id,
          choices.join(" "),
        ]),
        [
          [
            "task",
            "Make taking a lease one conditional write",
            "new",
            undefined,
            "accept edit skip",
          ],
          [
            "task",
            "Write a test with two workers and one expired lease",
            "new",
            idOf("t", 1),
            "accept edit skip",
          ],
          [
            "task",
            "Measure tide length on 2G",
            "duplicate",
            idOf("t", 4),
            "accept edit keepBoth skip",
          ],
          [
            "decision",
            "Fence every write with its lease number",
            "new",
            undefined,
            "accept edit skip",
          ],
          [
            "decision",
            "Keep strays for ninety days",
            "contradicts",
            idOf("d", 4),
            "supersede keepBoth skip",
          ],
          ["highlight", "", "new", undefined, "accept edit skip"],
          ["highlight", "Clock skew", "new", undefined, "accept edit skip"],
        ],
      );
      assert.match(harvest.advice ?? "", /^Ship leases first/);
      const answer = contractAnswer.replaceAll("a1b2c3d4e5f6", name);
      for (const { quote } of harvest.candidates) {
        assert.equal(answer.slice(quote.start, quote.end), quote.text);
      }
    });

    test("accepted candidates carry the packet and the words they came from, and undo restores the exact state", async () => {
      const { packetId } = await compile();
      await world.as(MARA, "packet.copy", { packetId });
      const before = await thinking();
      const { harvestId } = await read(
        packetId,
        contractAnswer.replace('"packet": "a1b2c3d4e5f6", ', ""),
      );

      const first = await review(harvestId, {
        accept: [1, 3],
        edit: [{ number: 2, title: "Test two workers on one lease", text: "Must fail first." }],
      });

      assert.equal(first.packetStatus, "partially_harvested");
      assert.deepEqual(
        first.accepted.map(({ number, outcome }) => [number, outcome]),
        [
          [1, "created"],
          [2, "created"],
          [3, "linked"],
        ],
      );
      assert.equal(first.accepted[2]?.id, idOf("t", 4));
      const made = await world.kernel.store.read(() =>
        getTask(first.accepted[0]?.id ?? "", "everything"),
      );
      assert.deepEqual(made.source, {
        type: "packet",
        id: packetId,
        quote:
          "**Make taking a lease one conditional write** in `sync/session-lock.ts:112`, so that two workers cannot both win.",
      });
      assert.equal(made.projectId, TIDEPOOL);

      const second = await review(harvestId, { accept: [4, 6], supersede: [5], skip: [7] });

      assert.equal(second.packetStatus, "harvested");
      assert.equal(second.harvest.state, "reviewed");
      const superseded = (await thinking())["decision"]?.find(({ id }) => id === idOf("d", 4));
      assert.equal(superseded?.["is_inactive"], 1);

      const undone = await undo(harvestId);

      assert.deepEqual(await thinking(), before);
      assert.equal(undone.packetStatus, "copied");
      assert.deepEqual(undone.gone, []);
      assert.deepEqual(undone.harvest.counts, { proposed: 7, accepted: 0, skipped: 0 });
      const findings: string[] = [];
      await examineStore(world.kernel.store, {
        migrations: [...MIGRATIONS, packetTables, harvestTables],
        report: ({ code, place }) => findings.push(`${code} ${place}`),
      });
      assert.deepEqual(findings, []);
    });

    test("the same answer twice adds nothing, however its lines end", async () => {
      const { packetId } = await compile();
      const answer = "## Next steps\n- Paint the relay green\n- Name the stray tray\n";
      const first = await read(packetId, answer, { acceptAll: true });
      const after = await thinking();

      const again = await read(packetId, `${answer.replaceAll("\n", "\r\n")}\n\n`, {
        acceptAll: true,
      });

      assert.equal(again.isNew, false);
      assert.equal(again.harvestId, first.harvestId);
      assert.deepEqual(again.review?.accepted, []);
      assert.deepEqual(await thinking(), after);
      await undo(first.harvestId);
    });

    test("every tool's answer comes in once, adds nothing the second time, and goes without a trace", async () => {
      for (const name of readdirSync(FIXTURES)) {
        const answer = readFileSync(path.join(FIXTURES, name), "utf8").replaceAll(
          /"packet": *"[^"]*",? */g,
          "",
        );
        const { packetId } = await compile();
        const before = await thinking();
        if (name === "nothing.md") {
          const whole = await dumpAll(world.kernel.store);
          await refusal(read(packetId, answer, { acceptAll: true }));
          assert.equal(await dumpAll(world.kernel.store), whole, "nothing readable writes nothing");
          continue;
        }
        const first = await read(packetId, answer, { acceptAll: true });
        const taken = await thinking();
        assert.ok((first.review?.accepted.length ?? 0) > 0, name);
        assert.notDeepEqual(taken, before, name);

        const again = await read(packetId, answer, { acceptAll: true });

        assert.deepEqual([again.isNew, again.harvestId], [false, first.harvestId], name);
        assert.deepEqual(await thinking(), taken, name);
        await undo(first.harvestId);
        assert.deepEqual(await thinking(), before, name);
      }
    });

    test("the same things said in another answer are recognised and add nothing", async () => {
      const { packetId } = await compile();
      const { packetId: other } = await compile();
      const first = await read(packetId, "## Next steps\n- Paint the relay green\n", {
        acceptAll: true,
      });
      const count = (await thinking())["task"]?.length;

      const second = await read(other, "Sure!\n\n**Action items**\n1. Paint the relay green.\n", {
        acceptAll: true,
      });

      assert.deepEqual(
        second.review?.accepted.map(({ outcome, id }) => [outcome, id]),
        [["linked", first.review?.accepted[0]?.id]],
      );
      assert.equal((await thinking())["task"]?.length, count);
      await undo(second.harvestId);
      await undo(first.harvestId);
    });

    test("an update shows what it would change, changes it when accepted, and is put back by undo", async () => {
      const { packetId } = await compile();
      const before = await thinking();
      const answer =
        "## Next steps\n- **Rewrite the lease table**: add the fence column, then backfill it.\n";
      const { harvestId, candidates } = await read(packetId, answer);

      const [candidate] = candidates;
      assert.deepEqual([candidate?.match.kind, candidate?.match.id], ["update", idOf("t", 5)]);
      assert.deepEqual(candidate?.match.diff, [
        {
          field: "text",
          lines: [
            { change: "removed", text: "" },
            { change: "added", text: "add the fence column, then backfill it." },
          ],
        },
      ]);

      await review(harvestId, { accept: [1] });
      const changed = await world.kernel.store.read(() => getTask(idOf("t", 5), "everything"));
      assert.equal(changed.description, "add the fence column, then backfill it.");
      assert.equal(changed.source, undefined);

      await undo(harvestId);
      assert.deepEqual(await thinking(), before);
    });

    test("undo names what has changed since and takes nothing back", async () => {
      const { packetId } = await compile();
      await world.kernel.store.write(() =>
        insertDecision(
          { id: `buoys-${dialect}`, title: "Buoys stay out for five days", projectId: TIDEPOOL },
          act,
        ),
      );
      const answer =
        "## Next steps\n- Paint the relay blue\n- Varnish the relay\n## Decisions\n- **Buoys stay out for nine days**: a compromise.\n";
      const { harvestId } = await read(packetId, answer);
      const { accepted } = await review(harvestId, { accept: [1, 2], supersede: [3] });
      const [first, , third] = accepted;
      await world.kernel.store.write(function* () {
        yield* updateTask(first?.id ?? "", { status: "in_progress" }, act);
        yield* insertDecision(
          {
            id: `later-${dialect}`,
            title: "Buoys stay ashore",
            supersedesId: third?.id,
            projectId: TIDEPOOL,
          },
          act,
        );
      });
      const before = await dumpAll(world.kernel.store);

      const refused = await refusal(undo(harvestId));

      assert.equal(refused.code, "harvest_changed_since");
      assert.match(refused.message, /task “Paint the relay blue” has changed since/);
      assert.match(refused.message, /decision “Buoys stay out for nine days”/);
      assert.doesNotMatch(refused.message, /Varnish/);
      assert.equal(await dumpAll(world.kernel.store), before);
    });

    test("what contradicts a decision is never taken without saying what becomes of the decision", async () => {
      const { packetId } = await compile();
      const answer = "## Decisions\n- Plain files are not the truth\n- Add a search box\n";
      const { harvestId, candidates } = await read(packetId, answer, { acceptAll: true });

      assert.deepEqual(
        candidates.map(({ status }) => status),
        ["proposed", "accepted"],
      );
      const refused = await refusal(review(harvestId, { accept: [1] }));
      assert.equal(refused.code, "review_choice");
      assert.match(refused.message, /contradicts a decision/);

      const both = await review(harvestId, { keepBoth: [1] });
      assert.deepEqual(
        both.accepted.map(({ outcome }) => outcome),
        ["created"],
      );
      await undo(harvestId);
    });

    test("what changed between reading and reviewing is noticed", async () => {
      const { packetId } = await compile();
      const answer =
        "## Next steps\n- Count the gulls\n- Sort the shells by size\n## Decisions\n- Feed the crabs at noon\n";
      const { harvestId } = await read(packetId, answer);
      const [gulls, shells, crabs] = [1, 2, 3].map((n) => `meanwhile-${dialect}-${n}`);
      await world.kernel.store.write(function* () {
        const project = { projectId: TIDEPOOL };
        yield* insertTask({ id: gulls ?? "", title: "Count the gulls", ...project }, act);
        yield* insertTask({ id: shells ?? "", title: "Sort the shells", ...project }, act);
        yield* insertDecision(
          { id: crabs ?? "", title: "Never feed the crabs at noon", ...project },
          act,
        );
      });

      const done = await review(harvestId, { accept: [1, 2, 3] });

      assert.deepEqual(
        done.accepted.map(({ number, outcome, id }) => [number, outcome, id]),
        [[1, "linked", gulls]],
      );
      assert.deepEqual(
        done.lookAgain.map(({ number }) => number),
        [2, 3],
      );
      assert.deepEqual(
        done.candidates.map(({ match }) => match.kind),
        ["duplicate", "update", "contradicts"],
      );
      const seen = await review(harvestId, { accept: [2], skip: [3] });
      assert.deepEqual(
        seen.accepted.map(({ outcome, id }) => [outcome, id]),
        [["updated", shells]],
      );
    });

    test("twice the same in one answer is taken once", async () => {
      const { packetId } = await compile();
      const answer =
        "## Next steps\n- Scrub the deck planks\n\n## Action items\n- Please scrub the deck planks\n";

      const done = await read(packetId, answer, { acceptAll: true });

      assert.deepEqual(
        done.review?.accepted.map(({ outcome }) => outcome),
        ["created", "linked"],
      );
    });

    test("redacted passages are in no candidate, and a redaction made later keeps candidates from being taken", async () => {
      const { packetId } = await compile();
      const passage = "Give every write the number of its lease";
      const message = idOf("m", 6);
      const start = "A lease. ".length;
      const redact = (id: string) =>
        world.kernel.store.write(() =>
          insertRedaction(
            {
              id,
              projectId: TIDEPOOL,
              conversationId: idOf("c", 1),
              messageId: message,
              span: { start, end: start + passage.length },
              reason: "private",
            },
            act,
          ),
        );
      const answer = `## Next steps\n- ${passage}, today\n- Wash the buckets\n`;
      const { packetId: late } = await compile();
      const open = await read(late, answer);

      await redact(`redaction-${dialect}`);
      const masked = await read(packetId, answer);

      assert.equal(masked.candidates[0]?.title, "[redacted], today");
      assert.equal(masked.candidates[0]?.quote.text, "[redacted], today");
      assert.ok(!JSON.stringify(masked).includes("number of its lease"));
      const shown = await world.as<Detail>(MARA, "harvest.show", { harvestId: open.harvestId });
      assert.ok(!JSON.stringify(shown).includes("number of its lease"));
      const done = await review(open.harvestId, { accept: [1, 2] });
      assert.deepEqual(
        done.lookAgain.map(({ number, reason }) => [number, reason]),
        [[1, "It holds something that was redacted since."]],
      );
      const rows = JSON.stringify((await thinking())["task"]);
      assert.ok(!rows.includes("number of its lease"));

      const held = await world.as<{ holdings: { kind: string; id: string }[] }>(
        MARA,
        "redaction.held",
        { project: TIDEPOOL },
      );
      assert.deepEqual(
        held.holdings.filter(({ kind }) => kind === "harvest").map(({ id }) => id),
        [open.harvestId],
      );
      await world.as(MARA, "redaction.purge", { project: TIDEPOOL });
      assert.ok(!(await dumpAll(world.kernel.store)).includes("number of its lease"));
      assert.equal((await refusal(review(open.harvestId, { accept: [1] }))).code, "harvest_purged");
      assert.equal((await refusal(undo(open.harvestId))).code, "harvest_purged");
      await world.as(MARA, "redaction.lift", { redactionId: `redaction-${dialect}` });
    });

    test("an answer to another packet, an unreadable one and none at all are refused, and nothing is written", async () => {
      const { packetId, name } = await compile();
      const { packetId: other } = await compile();
      const before = await dumpAll(world.kernel.store);

      const wrong = await refusal(read(other, contractAnswer.replaceAll("a1b2c3d4e5f6", name)));
      const nothing = await refusal(read(packetId, "I would need to see the code first."));
      const none = await refusal(read(packetId, ""));
      const nameless = await refusal(
        world.as(MARA, "harvest.read", { answer: "## Next steps\n- Go\n" }),
      );

      assert.equal(wrong.code, "harvest_other_packet");
      assert.equal(nothing.code, "harvest_nothing");
      assert.match(nothing.message, /Nothing was written/);
      assert.equal(none.code, "harvest_no_answer");
      assert.equal(nameless.code, "harvest_packet_missing");
      assert.equal(await dumpAll(world.kernel.store), before);
    });

    test("the packet is found by the name in the closing block", async () => {
      const { packetId, name } = await compile();

      const found = await world.as<Read>(MARA, "harvest.read", {
        answer: contractAnswer.replaceAll("a1b2c3d4e5f6", name),
      });

      assert.equal(found.harvest.packetId, packetId);
    });

    test("an abandoned packet takes nothing back", async () => {
      const { packetId } = await compile();
      const { harvestId } = await read(packetId, "## Next steps\n- Row to the buoy\n");
      await world.as(MARA, "packet.abandon", { packetId });

      assert.equal((await refusal(review(harvestId, { accept: [1] }))).code, "packet_transition");
      assert.equal(
        (await refusal(read(packetId, "## Next steps\n- Row\n"))).code,
        "packet_transition",
      );
    });

    test("the answer of a model that the packet was sent to is harvested without the clipboard", async () => {
      const { packetId } = await compile();
      const sent = await world.as<{ answer: string; runId: string; exchangeId: string }>(
        MARA,
        "packet.send",
        { packetId },
      );

      const { harvest, candidates } = await world.as<Read>(MARA, "harvest.read", { packetId });

      assert.ok(candidates.length > 0);
      assert.equal(harvest.exchangeId, sent.exchangeId);
      for (const { quote } of candidates) {
        assert.equal(sent.answer.slice(quote.start, quote.end), quote.text);
      }
    });

    test("who may only look may not harvest, and who does not see the project finds no harvest", async () => {
      const { packetId } = await compile();
      const { harvestId } = await read(packetId, "## Next steps\n- Look at the moon\n");

      const looked = await world.as<Detail>(VERA, "harvest.show", { harvestId });
      assert.equal(looked.candidates.length, 1);
      for (const [name, input] of [
        ["harvest.read", { packetId, answer: "## Next steps\n- Go\n" }],
        ["harvest.review", { harvestId, accept: [1] }],
        ["harvest.accept-all", { harvestId }],
        ["harvest.undo", { harvestId }],
      ] as const) {
        assert.equal((await refusal(world.as(VERA, name, input))).kind, "not_allowed");
        assert.equal((await refusal(world.as(OTTO, name, input))).kind, "not_found");
      }
      assert.equal(
        (await refusal(world.as(OTTO, "harvest.show", { harvestId }))).kind,
        "not_found",
      );
      const { items } = await world.as<{ items: unknown[] }>(OTTO, "harvest.list");
      assert.deepEqual(items, []);
    });

    test("a review that breaks off anywhere before its commit leaves no trace", async () => {
      const { packetId } = await compile();
      const answer =
        "## Next steps\n- Bail out the boat\n- **Ship the importer**: with a flag.\n## Decisions\n- **Keep strays for ten days**: less to store.\n";
      const { harvestId } = await read(packetId, answer);
      const choices = { harvestId, accept: [1, 2], supersede: [3] };
      const before = await dumpAll(world.kernel.store);

      const { steps } = await breakOff(
        world,
        "harvest.review",
        choices,
        Number.POSITIVE_INFINITY,
        true,
      );
      assert.equal(await dumpAll(world.kernel.store), before);
      assert.ok(steps > 20, `${steps} steps`);
      for (let at = 1; at <= steps; at += 1) {
        await breakOff(world, "harvest.review", choices, at, true);
        assert.equal(await dumpAll(world.kernel.store), before, `at step ${at}`);
      }

      const { accepted } = await review(harvestId, { accept: [1, 2], supersede: [3] });
      assert.equal(accepted.length, 3);
      await undo(harvestId);
    });

    test("a decision that was changed since it was superseded keeps the harvest from being undone", async () => {
      const { packetId } = await compile();
      const { harvestId } = await read(packetId, "## Decisions\n- Postgres never for the relay\n");
      await review(harvestId, { supersede: [1] });
      await world.kernel.store.write(() =>
        updateDecision(idOf("d", 3), { content: "Still a good idea." }, act),
      );

      const refused = await refusal(undo(harvestId));

      assert.match(refused.message, /decision “Postgres only for the relay” has changed since/);
    });

    test("is shown on a terminal as a person would want to read it", async () => {
      const { packetId, name } = await compile();
      const text = await world.show(MARA, "harvest.read", {
        packetId,
        answer: contractAnswer.replaceAll("a1b2c3d4e5f6", name),
      });

      assert.match(text, /✓ Harvest \S+: 7 candidates out of packet/);
      assert.match(text, /It recommends:\n {2}Ship leases first/);
      assert.match(
        text,
        /Keep strays for ninety days +contradicts +Strays are kept for thirty days/,
      );
      assert.match(text, /throughline harvest review/);
    });
  });
}

class BrokenOff extends Error {}

/** Runs an operation whose writing transaction is broken off before its n-th statement, or at its very end. */
async function breakOff(
  world: ContinuityWorld,
  name: string,
  input: object,
  at: number,
  isBrokenAtEnd: boolean,
): Promise<{ readonly steps: number }> {
  let steps = 0;
  const { store } = world.kernel;
  const broken = {
    ...world.kernel,
    store: {
      dialect: store.dialect,
      read: store.read.bind(store),
      close: store.close.bind(store),
      write: <Result>(work: () => Generator<Statement, Result, StatementResult>) =>
        store.write(function* () {
          steps = 0;
          const running = work();
          let next = running.next();
          while (!next.done) {
            steps += 1;
            if (steps === at) throw new BrokenOff();
            next = running.next(yield next.value);
          }
          if (isBrokenAtEnd) throw new BrokenOff();
          return next.value;
        }),
    },
  };
  await assert.rejects(
    invoke(
      { ...broken, store: Object.assign(Object.create(store), broken.store) },
      registry,
      name,
      MARA,
      input,
    ),
    BrokenOff,
  );
  return { steps };
}
