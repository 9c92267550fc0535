import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ScratchServer, scratchServer } from "../../../../tests/scratch/scratch-server.ts";
import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import { isAllowed } from "../../../kernel/operation/authorise.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { query } from "../../../kernel/store/database-work.ts";
import { insertDecision } from "../../../kernel/store/decisions.ts";
import { examineStore } from "../../../kernel/store/doctor-store.ts";
import { deleteProject, insertProject } from "../../../kernel/store/projects.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { insertRedaction } from "../../../kernel/store/redactions.ts";
import { putSetting } from "../../../kernel/store/settings.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { insertTask } from "../../../kernel/store/tasks.ts";
import {
  ADMIN,
  type ContinuityWorld,
  caller,
  furnishWorld,
  MARA,
  OTTO,
  openContinuityWorld,
  registry,
  VERA,
  worldOptions,
} from "../continuity-world.suite.ts";
import { harvestTables } from "../harvest/harvest-migration.ts";
import type { ContextRef } from "./context-refs.ts";
import { packetTables } from "./packet-migration.ts";
import { idOf, MIGRATIONS, NOW, TIDEPOOL } from "./packet-world.suite.ts";
import { movePacket } from "./packets.ts";

interface Compiled {
  readonly packetId: string;
  readonly promptText: string;
  readonly contextRefs: readonly ContextRef[];
  readonly hash: string;
  readonly name: string;
  readonly tokens: number;
  readonly characters: number;
  readonly budget: number;
  readonly isTruncated: boolean;
  readonly cuts: readonly {
    readonly cause: string;
    readonly title?: string;
    readonly to: number;
  }[];
  readonly counts: Readonly<Record<string, { readonly chosen: number; readonly count: number }>>;
}

interface Shown {
  readonly packet: {
    readonly status: string;
    readonly version: number;
    readonly title: string;
    readonly runId?: string;
  };
  readonly promptText?: string;
  readonly answer?: string;
  readonly isMasked: boolean;
  readonly contextRefs: readonly ContextRef[];
  readonly ledger: readonly {
    readonly outcome: string;
    readonly title?: string;
    readonly why: string;
  }[];
}

const project = { originType: "project", originId: "Tidepool", intent: "generate_next_actions" };
const task = { originType: "task", originId: idOf("t", 20) };
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
  describe(`packets on ${dialect}`, () => {
    let world: ContinuityWorld;

    before(async () => {
      world = await openContinuityWorld({ dialect });
    });
    after(() => world.remove());

    const compile = (input: object, who: Caller = MARA) =>
      world.as<Compiled>(who, "packet.compile", input);
    const show = (packetId: string, who: Caller = MARA) =>
      world.as<Shown>(who, "packet.show", { packetId });

    test("is compiled, kept and shown as it was", async () => {
      const made = await compile(project);
      const shown = await show(made.packetId);

      assert.equal(shown.promptText, made.promptText);
      assert.deepEqual(shown.contextRefs, made.contextRefs);
      assert.equal(made.hash, hashText(made.promptText));
      assert.equal(made.characters, made.promptText.length);
      assert.ok(made.promptText.includes(`{"packet": "${made.name}"`));
      assert.ok(made.tokens > 300 && made.tokens < made.characters);
      assert.deepEqual(made.counts["tasks"], { chosen: 5, count: 10, isMore: false });
      assert.equal(shown.packet.status, "drafted");
    });

    test("says what it can be for and where it can be taken, and remembers what was pinned and banned", async () => {
      const { intents, targets } = await world.as<{
        readonly intents: readonly { readonly slug: string; readonly label: string }[];
        readonly targets: readonly { readonly tool: string; readonly openUrl?: string }[];
      }>(VERA, "packet.choices", {});
      const pin = [`decision:${idOf("d", 1)}`];
      const ban = [`task:${idOf("t", 20)}`];
      const { packetId } = await compile({ ...project, pin, ban });
      const shown = await world.as<{ pin: string[]; ban: string[] }>(MARA, "packet.show", {
        packetId,
      });

      assert.equal(intents.length, 7);
      assert.deepEqual(intents.at(-1), { slug: "custom", label: "Custom request" });
      assert.deepEqual(
        targets.map(({ tool, openUrl }) => [tool, openUrl !== undefined]),
        [
          ["chatgpt", true],
          ["claude", true],
          ["cursor", false],
          ["other", false],
        ],
      );
      assert.deepEqual([shown.pin, shown.ban], [pin, ban]);
    });

    test("goes from drafted to copied, and no further by copying", async () => {
      const { packetId, promptText } = await compile(task);

      const copied = await world.as<{ promptText: string }>(MARA, "packet.copy", { packetId });
      await world.as(MARA, "packet.copy", { packetId });
      await world.kernel.store.write(() =>
        movePacket(packetId, "partially_harvested", { actor: "mara", now: NOW }),
      );
      await world.as(MARA, "packet.copy", { packetId });

      assert.equal(copied.promptText, promptText);
      assert.equal((await show(packetId)).packet.status, "partially_harvested");
    });

    test("is abandoned once, and nothing follows", async () => {
      const { packetId } = await compile(decision);

      await world.as(MARA, "packet.abandon", { packetId });
      const again = await refusal(world.as(MARA, "packet.abandon", { packetId }));
      const harvest = await refusal(
        world.kernel.store.write(() => movePacket(packetId, "harvested", { actor: "m", now: NOW })),
      );

      assert.deepEqual([again.code, harvest.code], ["packet_transition", "packet_transition"]);
      assert.equal((await show(packetId)).packet.status, "abandoned");
    });

    test("a harvest can be taken back, and only that", async () => {
      const { packetId } = await compile(decision);
      const { store } = world.kernel;
      const act = { actor: "mara", now: NOW };

      await store.write(() => movePacket(packetId, "harvested", act));
      const plain = await refusal(store.write(() => movePacket(packetId, "drafted", act)));
      await store.write(() => movePacket(packetId, "drafted", act, { isUndo: true }));

      assert.equal(plain.code, "packet_transition");
      assert.equal((await show(packetId)).packet.status, "drafted");
    });

    test("a packet is sent to a model, and the whole answer is kept with it", async () => {
      const { packetId, promptText } = await compile(project);

      const sent = await world.as<{
        state: string;
        answer: string;
        exchangeId: string;
        runId: string;
      }>(MARA, "packet.send", { packetId });

      assert.equal(sent.state, "completed");
      assert.match(sent.answer, /## Answer\n.+/);
      const shown = await show(packetId);
      assert.equal(shown.answer, sent.answer);
      assert.equal(shown.packet.status, "copied");
      const [exchange] = await world.kernel.store.read(() =>
        query(
          db
            .selectFrom("exchange")
            .innerJoin("answer", "answer.exchange_id", "exchange.id")
            .select(["exchange.messages", "exchange.contract", "answer.reply"])
            .where("exchange.id", "=", sent.exchangeId),
        ),
      );
      assert.deepEqual(JSON.parse(exchange?.messages ?? ""), [{ role: "user", text: promptText }]);
      assert.equal(exchange?.contract, "continuity.answer");
      assert.equal(exchange?.reply, sent.answer);
    });

    test("a packet says which run its answer will come from as soon as it is sent", async () => {
      const { packetId } = await compile(project);

      const sent = await world.as<{ runId: string }>(MARA, "packet.send", {
        packetId,
        wait: false,
      });

      assert.equal((await show(packetId)).packet.runId, sent.runId);
      const answered = await world.as<{ runId: string; answer: string }>(MARA, "packet.send", {
        packetId,
      });
      const again = await world.as<{ runId: string }>(MARA, "packet.send", {
        packetId,
        wait: false,
      });
      const shown = await show(packetId);
      assert.notEqual(again.runId, answered.runId);
      assert.equal(
        shown.answer,
        answered.answer,
        "the answer that is there stays until another comes",
      );
    });

    test("two packets are compared, part by part", async () => {
      const first = await compile(project);
      await world.kernel.store.write(() =>
        insertDecision(
          {
            id: idOf("d", dialect === "sqlite" ? 501 : 502),
            title: "Ship on Friday",
            projectId: TIDEPOOL,
          },
          { actor: "mara", now: NOW },
        ),
      );
      const second = await compile(project);

      const diff = await world.as<{
        parts: readonly { change: string; title?: string; section: string }[];
        lines: readonly { change: string; text: string }[];
      }>(MARA, "packet.diff", { before: first.packetId, after: second.packetId });

      const added = diff.parts.filter(({ change }) => change === "added");
      assert.deepEqual(
        added.map(({ section, title }) => [section, title]),
        [
          ["constraints", "Ship on Friday"],
          ["direction", "Ship on Friday"],
          // The fourth decision is a constraint no more, but still counted and so still named.
          ["snapshot", "Leases, not locks"],
        ],
      );
      assert.ok(
        diff.lines.some(({ change, text }) => change === "added" && text === "2. Ship on Friday"),
      );
    });

    test("packets go with their project", async () => {
      const { store } = world.kernel;
      const act = { actor: "mara", now: NOW };
      const id = idOf("p", 300);
      await store.write(() => insertProject({ id, name: "Short-lived", ownerId: "mara" }, act));
      const { packetId } = await compile({ ...project, originId: id });

      await store.write(() => deleteProject(id, act));

      assert.equal((await refusal(show(packetId, ADMIN))).code, "packet_not_found");
    });

    test("doctor finds every packet as it was written", async () => {
      const findings: string[] = [];

      await examineStore(world.kernel.store, {
        migrations: [...MIGRATIONS, packetTables, harvestTables],
        report: ({ code, place }) => findings.push(`${code} ${place}`),
      });

      assert.deepEqual(findings, []);
    });
  });
}

describe("what may be asked for", () => {
  let world: ContinuityWorld;

  before(async () => {
    world = await openContinuityWorld();
  });
  after(() => world.remove());

  const compile = (input: object, who: Caller = MARA) =>
    world.as<Compiled>(who, "packet.compile", input);

  test("a named intent stands as its label with its own instruction, free words as themselves", async () => {
    const said = async (input: object) => (await compile({ ...project, ...input })).promptText;

    assert.match(
      await said({ intent: "stress_test_direction" }),
      /^CONTINUITY INTENT\nStress-test the direction\n/,
    );
    assert.match(
      await said({ intent: "custom", customIntent: "What would\nyou cut?" }),
      /^CONTINUITY INTENT\nWhat would you cut\?\n[^]*INTENT \+ REQUEST\nDo the following[^]*:\nWhat would\nyou cut\?\n/,
    );
    assert.match(
      await said({ intent: "Think of the children" }),
      /state above:\nThink of the children\n/,
    );
    const unknown = await compile({ ...project, intent: "do_the_dishes" });
    assert.match(unknown.promptText, /^CONTINUITY INTENT\ndo_the_dishes\n/);
  });

  test("free words are needed with custom and unwelcome beside a named intent", async () => {
    const codes = [
      await refusal(compile({ ...project, intent: "custom" })),
      await refusal(compile({ ...project, intent: "custom", customIntent: "  " })),
      await refusal(compile({ ...project, customIntent: "Also this" })),
    ].map(({ code, kind }) => [code, kind]);

    assert.deepEqual(codes, [
      ["custom_intent_missing", "invalid"],
      ["custom_intent_missing", "invalid"],
      ["custom_intent_unexpected", "invalid"],
    ]);
  });

  test("the budget is the call's, else the project's, else the workspace's, else the tool's", async () => {
    const { store } = world.kernel;
    const act = { actor: "mara", now: NOW };
    const budgetOf = async (input: object = {}) =>
      (await compile({ ...project, targetTool: "claude", ...input })).budget;
    const put = (place: Parameters<typeof putSetting>[0], value: number) =>
      store.write(() => putSetting(place, { key: "continuity.budget.claude", value }, act));

    const own = await budgetOf();
    await put({ scope: "workspace" }, 6000);
    const workspace = await budgetOf();
    await put({ scope: "project", projectId: TIDEPOOL }, 5000);
    const inProject = await budgetOf();

    assert.deepEqual([own, workspace, inProject], [7000, 6000, 5000]);
    assert.equal(await budgetOf({ budget: 4000 }), 4000);
    assert.equal(await budgetOf({ targetTool: "chatgpt" }), 7000);
  });

  test("a small budget says what it cost, and too small a one what it takes", async () => {
    const small = await compile({ ...project, budget: 2000 });
    const error = await refusal(compile({ ...project, budget: 700 }));

    assert.ok(small.isTruncated && small.promptText.length <= 2000);
    assert.match(small.promptText, /\n\n\[Prompt truncated to budget\]\n\nEXPLICIT/);
    const lost = small.cuts.filter(({ cause, to }) => cause === "budget" && to === 0);
    assert.ok(lost.some(({ title }) => title === "Naming things"));
    assert.equal(error.code, "packet_budget_too_small");
    assert.match(error.hint ?? "", /Raise the budget to 1,\d{3} characters/);
  });

  test("pins and bans name thoughts with or without their kind, and clash loudly", async () => {
    const { promptText } = await compile({
      ...project,
      pin: [`decision:${idOf("d", 6)}`],
      ban: [idOf("t", 1)],
    });
    const clash = await refusal(compile({ ...project, pin: [idOf("t", 1)], ban: [idOf("t", 1)] }));
    const unknown = await refusal(compile({ ...project, ban: [idOf("t", 999)] }));

    assert.ok(promptText.includes("English first") && !promptText.includes("Two workers"));
    assert.deepEqual([clash.code, unknown.code], ["packet_wishes_clash", "thought_not_found"]);
  });

  test("a preview says everything about what is in and out, and keeps nothing", async () => {
    const countPackets = async () =>
      (await world.as<{ items: unknown[] }>(MARA, "packet.list", { limit: 200 })).items.length;
    const before = await countPackets();

    const preview = await world.as<Shown & Compiled>(MARA, "packet.preview", {
      ...project,
      budget: 2400,
    });

    assert.equal(await countPackets(), before);
    const reasons = new Set(preview.ledger.map(({ why }) => why));
    assert.ok(reasons.has("Required."));
    assert.ok(reasons.has("Others matter more, and there are no more places."));
    assert.ok([...reasons].some((why) => why.startsWith("Is less important than ")));
  });

  test("packets are found by state, project and the name they give themselves", async () => {
    const { packetId, name } = await compile({ ...task, budget: 6500 });
    await world.as(MARA, "packet.copy", { packetId });

    const copied = await world.as<{ items: readonly { id: string }[] }>(MARA, "packet.list", {
      project: "Tidepool",
      status: ["copied"],
      origin: idOf("t", 20),
    });
    const named = await world.as<{ packet: { id: string } }>(MARA, "packet.show", {
      packetId: name,
    });

    assert.deepEqual(
      copied.items.map(({ id }) => id),
      [packetId],
    );
    assert.equal(named.packet.id, packetId);
  });

  test("packets of different projects are not compared", async () => {
    await world.kernel.store.write(() =>
      insertProject(
        { id: idOf("p", 55), name: "Other", ownerId: "mara" },
        { actor: "mara", now: NOW },
      ),
    );
    const other = await compile({ ...project, originId: "Other" });
    const here = await compile(project);

    const error = await refusal(
      world.as(MARA, "packet.diff", { before: here.packetId, after: other.packetId }),
    );

    assert.equal(error.code, "packets_unrelated");
  });

  test("an unknown model is refused before anything is written", async () => {
    const { packetId } = await compile(project);

    const error = await refusal(
      world.as(MARA, "packet.send", { packetId, model: "nobody/nothing" }),
    );

    assert.equal(error.code, "model_unknown");
    const shown = await world.as<Shown>(MARA, "packet.show", { packetId });
    assert.equal(shown.packet.status, "drafted");
  });

  test("a task of nobody's project is its maker's, and so is its packet", async () => {
    await world.kernel.store.write(() =>
      insertTask({ id: idOf("t", 600), title: "Mine" }, { actor: "otto", now: NOW }),
    );

    const { packetId } = await compile({ originType: "task", originId: idOf("t", 600) }, OTTO);

    assert.ok(await world.as(OTTO, "packet.show", { packetId }));
    assert.equal((await refusal(world.as(MARA, "packet.show", { packetId }))).kind, "not_found");
    assert.ok(await world.as(ADMIN, "packet.show", { packetId }));
  });
});

describe("who may do what", () => {
  let world: ContinuityWorld;
  let packetId: string;
  let harvestId: string;
  let digestId: string;

  before(async () => {
    world = await openContinuityWorld();
    packetId = (await world.as<Compiled>(MARA, "packet.compile", project)).packetId;
    const read = { packetId, answer: "## Next steps\n- Feed the gulls\n" };
    harvestId = (await world.as<{ harvestId: string }>(MARA, "harvest.read", read)).harvestId;
    const since = { project: "Tidepool", since: "30d" };
    digestId = (await world.as<{ digestId: string }>(MARA, "digest.make", since)).digestId;
  });
  after(() => world.remove());

  const INPUTS: Readonly<Record<string, () => object>> = {
    "packet.choices": () => ({}),
    "packet.compile": () => project,
    "packet.preview": () => project,
    "packet.list": () => ({ project: "Tidepool" }),
    "packet.show": () => ({ packetId }),
    "packet.diff": () => ({ before: packetId, after: packetId }),
    "packet.copy": () => ({ packetId }),
    "packet.send": () => ({ packetId, wait: false }),
    "packet.abandon": () => ({ packetId }),
    "harvest.read": () => ({ packetId, answer: "## Next steps\n- Feed the crabs\n" }),
    "harvest.list": () => ({ project: "Tidepool" }),
    "harvest.show": () => ({ harvestId }),
    "harvest.review": () => ({ harvestId, skip: [1] }),
    "harvest.accept-all": () => ({ harvestId }),
    "harvest.undo": () => ({ harvestId }),
    "distill.start": () => ({ conversationId: idOf("c", 1), wait: false }),
    "highlight.convert": () => ({ highlightId: idOf("h", 1), to: "task" }),
    "digest.make": () => ({ project: "Tidepool", since: "7d", wait: false }),
    "digest.preview": () => ({ project: "Tidepool", since: "7d" }),
    "digest.list": () => ({ project: "Tidepool" }),
    "digest.show": () => ({ digestId }),
    "redaction.list": () => ({ project: "Tidepool" }),
    "redaction.try": () => ({ project: "Tidepool", text: "Some words." }),
    "redaction.held": () => ({ project: "Tidepool" }),
    "redaction.add": () => ({ project: "Tidepool", conversation: idOf("c", 2) }),
    "redaction.purge": () => ({ project: "Tidepool" }),
    "redaction.lift": () => ({ redactionId: idOf("p", 77) }),
  };

  test("there is a case for every operation", () => {
    assert.deepEqual(
      registry.operations.map(({ name }) => name).toSorted(),
      Object.keys(INPUTS).toSorted(),
    );
  });

  test("whoever does not see the project is told that there is no such thing", async () => {
    await world.kernel.store.write(() =>
      insertRedaction(
        { id: idOf("p", 77), projectId: TIDEPOOL, conversationId: idOf("c", 2), reason: "test" },
        { actor: "mara", now: NOW },
      ),
    );
    // What can be chosen for packets is about no project.
    for (const [name, input] of Object.entries(INPUTS).filter(
      ([each]) => each !== "packet.choices",
    )) {
      const error = await refusal(world.as(OTTO, name, input()));
      assert.equal(error.kind, "not_found", name);
    }
  });

  test("who may only look in the project looks, and does nothing else", async () => {
    for (const [name, input] of Object.entries(INPUTS)) {
      const { permission } = registry.get(name);
      if (permission === "read") await world.as(VERA, name, input());
      else assert.equal((await refusal(world.as(VERA, name, input()))).kind, "not_allowed", name);
    }
  });

  test("a role or a token that lacks the right is refused", async () => {
    const reader = caller("mara", "operator", { scopes: ["read"] });
    const viewer = caller("viewer", "viewer");
    for (const [name, input] of Object.entries(INPUTS)) {
      for (const who of [reader, viewer]) {
        if (isAllowed(who, registry.get(name).permission)) continue;
        assert.equal((await refusal(world.as(who, name, input()))).kind, "not_allowed", name);
      }
    }
  });

  test("agents neither lift nor purge what hides words from them", async () => {
    const agent = caller("mara", "operator", { isAgent: true });

    const codes = [
      await refusal(world.as(agent, "redaction.lift", { redactionId: idOf("p", 77) })),
      await refusal(world.as(agent, "redaction.purge", { project: "Tidepool" })),
    ].map(({ kind }) => kind);

    assert.deepEqual(codes, ["not_allowed", "not_allowed"]);
  });
});

describe("POST /api/start-chat/generate", () => {
  let server: ScratchServer;

  before(async () => {
    server = await scratchServer({ registry, workspace: worldOptions });
    await furnishWorld(server.kernel.store);
  });
  after(() => server.close());

  const generate = async (body: unknown) => {
    const token = await server.token("admin");
    const response = await server.fetch("/api/start-chat/generate", {
      method: "POST",
      body: JSON.stringify(body),
      token,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test("answers the seed's keys with ours beside them", async () => {
    const { status, body } = await generate({
      originType: "project",
      originId: TIDEPOOL,
      intent: "decide_between_options",
      targetTool: "chatgpt",
    });

    assert.equal(status, 200);
    assert.match(String(body["promptText"]), /^CONTINUITY INTENT\nDecide between options\n/);
    const [first] = body["contextRefs"] as readonly ContextRef[];
    assert.deepEqual(Object.keys(first ?? {}).toSorted(), ["id", "ranges", "type"]);
    for (const key of ["packetId", "hash", "cuts", "counts"]) assert.ok(key in body, key);
  });

  test("a task and a decision need no intent", async () => {
    assert.equal((await generate({ ...task, targetTool: "cursor" })).status, 200);
    assert.equal((await generate({ ...decision, targetTool: "other" })).status, 200);
  });

  test("refuses with 400 what the seed refuses, and says what to do instead", async () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ originType: "project", originId: TIDEPOOL, targetTool: "claude" }, "intent_missing"],
      [
        { originType: "project", originId: TIDEPOOL, intent: " ", targetTool: "claude" },
        "intent_missing",
      ],
      [
        { originType: "highlight", originId: idOf("h", 1), targetTool: "claude" },
        "packet_origin_refused",
      ],
      [
        { originType: "conversation", originId: idOf("c", 1), targetTool: "claude" },
        "packet_origin_refused",
      ],
      [{ originType: "poem", originId: "x", targetTool: "claude" }, "input_invalid"],
      [{ originType: "task", targetTool: "claude" }, "input_invalid"],
      [{ ...task, targetTool: "typewriter" }, "input_invalid"],
      [{ ...project, intent: "custom" }, "custom_intent_missing"],
      [{ ...project, budget: 600 }, "packet_budget_too_small"],
    ];
    for (const [body, code] of cases) {
      const { status, body: problem } = await generate(body);
      assert.deepEqual([status, problem["code"]], [400, code], JSON.stringify(body));
      assert.ok(typeof problem["hint"] === "string" || code === "input_invalid", code);
    }
    const { body } = await generate({ originType: "highlight", originId: "x" });
    assert.match(String(body["hint"]), /Convert it to a Task or a Decision first/);
  });

  test("what is not there is not found, and nobody in particular gets nothing", async () => {
    const gone = await generate({
      originType: "task",
      originId: idOf("t", 999),
      targetTool: "claude",
    });
    const anonymous = await fetch(`${server.url}/api/start-chat/generate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });

    assert.equal(gone.status, 404);
    assert.equal(anonymous.status, 401);
  });
});
