import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import type { ScratchStore } from "../../../../tests/scratch/scratch-store.ts";
import { ProductError } from "../../../kernel/base/errors.ts";
import { insertConversation } from "../../../kernel/store/conversations.ts";
import { type DatabaseWork, runSql } from "../../../kernel/store/database-work.ts";
import { archiveDecision, insertDecision } from "../../../kernel/store/decisions.ts";
import { archiveHighlight, insertHighlight } from "../../../kernel/store/highlights.ts";
import { appendMessages } from "../../../kernel/store/messages.ts";
import { TASK_STATUSES } from "../../../kernel/store/noun-tables.ts";
import { insertProject } from "../../../kernel/store/projects.ts";
import { insertRedaction } from "../../../kernel/store/redactions.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { archiveTask, insertTask } from "../../../kernel/store/tasks.ts";
import { READ_STATEMENTS } from "./candidate-reads.ts";
import { compilePacket } from "./compile-packet.ts";
import { gatherDecision } from "./gather-decision.ts";
import { gatherProject } from "./gather-project.ts";
import { gatherTask } from "./gather-task.ts";
import {
  DAY,
  furnishTidepool,
  idOf,
  NOW,
  openPacketStore,
  optionsFor,
  TIDEPOOL,
  viewer,
} from "./packet-world.suite.ts";
import { selectDecisions, selectHighlights, selectTasks } from "./select-thoughts.ts";

const mara = viewer("mara");
const otto = viewer("otto");
const plain = { viewer: mara, now: NOW, pins: [], bans: [] };
const act = { actor: "mara", now: NOW };
const intent = { intent: "summarize_state_propose_path" };

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
  describe(`gathering on ${dialect}`, () => {
    let scratch: ScratchStore;

    before(async () => {
      scratch = await openPacketStore(dialect);
    });
    after(() => scratch.remove());

    const read = <Result>(work: () => DatabaseWork<Result>) => scratch.store.read(work);

    test("finds in the store what looking at everything would find", async () => {
      let number = 0;
      await fc.assert(
        fc.asyncProperty(anyState, async (state) => {
          number += 1;
          const world = await furnishState(scratch, state, number);
          const { tasks, decisions, highlights } = world.eligible;

          const found = await read(() =>
            gatherProject({ ...plain, id: world.projectId, bans: world.bans }),
          );

          const expected = selectTasks(tasks, NOW);
          assert.deepEqual(ids(found.tasks), ids(expected.top));
          assert.deepEqual(ids(found.tensions), ids(expected.tensions));
          assert.deepEqual(ids(found.underWay), ids(expected.underWay));
          assert.deepEqual(ids(found.decisions), ids(selectDecisions(decisions, NOW).top));
          assert.deepEqual(ids(found.highlights), ids(selectHighlights(highlights, NOW).top));
          assert.deepEqual(
            found.tasks.map(({ score }) => score),
            expected.top.map(({ score }) => score),
          );
          const { prompt } = compilePacket(found, optionsFor(intent, 2600));
          assert.ok(prompt.text.length <= 2600);
          for (const id of world.hidden) assert.ok(!prompt.text.includes(id), "it is redacted");
        }),
        { numRuns: dialect === "sqlite" ? 40 : 8 },
      );
    });
  });
}

const ids = (things: readonly { readonly id: string }[]): string[] => things.map(({ id }) => id);

interface ThoughtState {
  readonly days: number;
  /** 0: of the project itself; 1–3: of a conversation of that number. */
  readonly from: number;
  /** Whether it goes through a message, through a highlight of it, or names the conversation. */
  readonly by: "message" | "highlight" | "conversation";
  readonly isInactive: boolean;
  readonly isBanned: boolean;
}

const anyThought: fc.Arbitrary<ThoughtState> = fc.record({
  days: fc.integer({ min: 0, max: 60 }),
  from: fc.integer({ min: 0, max: 3 }),
  by: fc.constantFrom("message", "highlight", "conversation"),
  isInactive: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
  isBanned: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
});

const anyTask = fc.tuple(
  anyThought,
  fc.record({
    status: fc.constantFrom(...TASK_STATUSES),
    isPressing: fc.boolean(),
    isBlocker: fc.boolean(),
    isOpenLoop: fc.boolean(),
  }),
);

const many = { size: "max", maxLength: 40 } as const;
const anyState = fc.record({
  tasks: fc.array(anyTask, { size: "max", maxLength: 70 }),
  decisions: fc.array(anyThought, many),
  highlights: fc.array(fc.tuple(anyThought, fc.boolean()), many),
  /** By conversation: nothing, the whole of it, or its only message. */
  redacted: fc.tuple(...[1, 2, 3].map(() => fc.constantFrom("nothing", "conversation", "message"))),
});

type State = typeof anyState extends fc.Arbitrary<infer Value> ? Value : never;

/** Writes a state down through the same doors as everybody, and says what of it is eligible. */
async function furnishState({ store }: ScratchStore, state: State, world: number) {
  const base = world * 100_000;
  const projectId = idOf("p", base + 1);
  const conversation = (from: number) => idOf("c", base + from);
  const message = (from: number) => idOf("m", base + from);
  const source = (from: number) => idOf("h", base + from);
  const isHidden = ({ from, by }: ThoughtState): boolean => {
    const how = from === 0 ? "nothing" : state.redacted[from - 1];
    return how === "conversation" || (how === "message" && by !== "conversation");
  };
  const isEligible = (each: ThoughtState) => !each.isInactive && !each.isBanned && !isHidden(each);
  const at = (days: number) => ({ actor: "mara", now: NOW - days * DAY });
  const tasks = state.tasks.map(([thought, more], index) => ({
    id: idOf("t", base + 100 + index),
    createdAt: NOW - thought.days * DAY,
    thought,
    status: more.status,
    isPressing: more.isPressing,
    hasBlocker: more.isBlocker,
    hasOpenLoop: more.isOpenLoop,
  }));
  const decisions = state.decisions.map((thought, index) => ({
    id: idOf("d", base + 100 + index),
    createdAt: NOW - thought.days * DAY,
    thought,
  }));
  const highlights = state.highlights.map(([thought, isLabelled], index) => ({
    id: idOf("h", base + 100 + index),
    createdAt: NOW - thought.days * DAY,
    thought,
    isLabelled,
  }));
  /** Highlights that others were drawn from are inactive, so that they are nobody's answer. */
  await store.write(function* () {
    yield* insertProject({ id: projectId, name: `World ${world}`, ownerId: "mara" }, at(90));
    for (const from of [1, 2, 3]) {
      yield* insertConversation(
        { id: conversation(from), title: `Talk ${from}`, source: "test", projectIds: [projectId] },
        at(90),
      );
      const said = {
        id: message(from),
        role: "user",
        position: 0,
        content: `Said ${from}.`,
      } as const;
      yield* appendMessages(conversation(from), [said], at(90));
      yield* insertHighlight({ id: source(from), content: "x", messageId: message(from) }, at(90));
      yield* archiveHighlight(source(from), at(90));
      const how = state.redacted[from - 1];
      if (how === "nothing") continue;
      yield* insertRedaction(
        {
          id: idOf("p", base + 50 + from),
          projectId,
          reason: "test",
          ...(how === "message"
            ? { messageId: message(from) }
            : { conversationId: conversation(from) }),
        },
        at(1),
      );
    }
    const drawn = ({ from, by }: ThoughtState) => {
      if (from === 0) return {};
      const id = {
        message: message(from),
        highlight: source(from),
        conversation: conversation(from),
      }[by];
      return { source: { type: by, id } as const };
    };
    for (const { id, thought, status, ...more } of tasks) {
      yield* insertTask(
        {
          id,
          title: `Task ${id}`,
          projectId,
          status,
          holdReason: status === "on_hold" ? "waits" : undefined,
          urgency: more.isPressing ? "urgent" : "normal",
          isBlocker: more.hasBlocker,
          isOpenLoop: more.hasOpenLoop,
          ...drawn(thought),
        },
        at(thought.days),
      );
      if (thought.isInactive) yield* archiveTask(id, at(0));
    }
    for (const { id, thought } of decisions) {
      const place = thought.from === 0 ? { projectId } : placeOf(thought, conversation, message);
      const more = thought.by === "highlight" ? { projectId, ...drawn(thought) } : place;
      yield* insertDecision({ id, title: `Decision ${id}`, ...more }, at(thought.days));
      if (thought.isInactive) yield* archiveDecision(id, at(0));
    }
    for (const { id, thought, isLabelled } of highlights) {
      const place = thought.from === 0 ? { projectId } : placeOf(thought, conversation, message);
      const more = thought.by === "highlight" ? { projectId, ...drawn(thought) } : place;
      const label = isLabelled ? "label" : undefined;
      yield* insertHighlight({ id, content: `Highlight ${id}`, label, ...more }, at(thought.days));
      if (thought.isInactive) yield* archiveHighlight(id, at(0));
    }
  });
  const bans = [
    ...tasks.map((each) => ({ type: "task" as const, ...each })),
    ...decisions.map((each) => ({ type: "decision" as const, ...each })),
    ...highlights.map((each) => ({ type: "highlight" as const, ...each })),
  ]
    .filter(({ thought }) => thought.isBanned)
    .map(({ type, id }) => ({ type, id }));
  const everything = [...tasks, ...decisions, ...highlights];
  return {
    projectId,
    bans,
    /** Every title and content of these names its own id. */
    hidden: everything.filter(({ thought }) => isHidden(thought)).map(({ id }) => id),
    eligible: {
      tasks: tasks.filter(({ thought }) => isEligible(thought)),
      decisions: decisions.filter(({ thought }) => isEligible(thought)),
      highlights: highlights.filter(({ thought }) => isEligible(thought)),
    },
  };
}

function placeOf(
  { from, by }: ThoughtState,
  conversation: (from: number) => string,
  message: (from: number) => string,
) {
  return by === "message" ? { messageId: message(from) } : { conversationId: conversation(from) };
}

describe("reading", () => {
  let scratch: ScratchStore;

  before(async () => {
    scratch = await openPacketStore();
    await furnishTidepool(scratch.store);
  });
  after(() => scratch.remove());

  const read = <Result>(work: () => DatabaseWork<Result>) => scratch.store.read(work);

  test("walks indexes and sorts nothing, whatever the size of the project", async () => {
    for (const [what, { sqlite }] of Object.entries(READ_STATEMENTS)) {
      const plan = await read(() =>
        runSql<{ detail: string }>(sqlText(`explain query plan ${sqlite}`), ["p"]),
      );
      const steps = plan.map(({ detail }) => detail).join("; ");

      assert.match(steps, /USING (?:COVERING )?INDEX/, what);
      assert.doesNotMatch(
        steps,
        /TEMP B-TREE|SCAN (?!(?:\d+ )?CONSTANT|counted|class_|few_)/,
        `${what}: ${steps}`,
      );
    }
  });

  test("nothing of a project is shown to whoever does not see it", async () => {
    const foreign = { ...plain, viewer: otto };

    const refused = [
      await refusal(read(() => gatherProject({ ...foreign, id: TIDEPOOL }))),
      await refusal(read(() => gatherTask({ ...foreign, id: idOf("t", 20) }))),
      await refusal(read(() => gatherDecision({ ...foreign, id: idOf("d", 1) }))),
    ];

    assert.deepEqual(
      refused.map(({ kind }) => kind),
      ["not_found", "not_found", "not_found"],
    );
  });

  test("what lies elsewhere is left out of a packet whose reader does not see it", async () => {
    await scratch.store.write(function* () {
      yield* insertProject({ id: idOf("p", 7), name: "Otto's", ownerId: "otto" }, act);
      const open = {
        id: idOf("p", 8),
        name: "Open",
        ownerId: "otto",
        visibility: "workspace",
      } as const;
      yield* insertProject(open, act);
      yield* insertConversation(
        { id: idOf("c", 70), title: "Hush", source: "test", projectIds: [idOf("p", 7)] },
        { ...act, actor: "otto" },
      );
      const said = {
        id: idOf("m", 70),
        role: "user",
        position: 0,
        content: "Only for Otto.",
      } as const;
      yield* appendMessages(idOf("c", 70), [said], { ...act, actor: "otto" });
      yield* insertHighlight(
        {
          id: idOf("h", 70),
          projectId: idOf("p", 7),
          content: "Only for Otto.",
          messageId: idOf("m", 70),
        },
        act,
      );
      yield* insertTask(
        {
          id: idOf("t", 70),
          title: "Open task",
          projectId: idOf("p", 8),
          source: { type: "highlight", id: idOf("h", 70) },
        },
        act,
      );
      yield* insertDecision(
        {
          id: idOf("d", 70),
          title: "Open decision",
          projectId: idOf("p", 8),
          messageId: idOf("m", 70),
        },
        act,
      );
    });
    const texts = async (who: typeof mara) => {
      const task = await read(() => gatherTask({ ...plain, viewer: who, id: idOf("t", 70) }));
      const decision = await read(() =>
        gatherDecision({ ...plain, viewer: who, id: idOf("d", 70) }),
      );
      return [task, decision].map((each) => compilePacket(each, optionsFor({})).prompt.text);
    };

    const [task = "", decision = ""] = await texts(mara);

    assert.ok(!task.includes("Otto") && task.includes("TASK: Open task"));
    assert.ok(!decision.includes("Otto") && !decision.includes("Hush"));
    assert.ok((await texts(otto)).every((text) => text.includes("Only for Otto.")));
  });

  test("a decision without a project belongs to the first of its conversation's that the reader sees", async () => {
    const material = await read(() => gatherDecision({ ...plain, id: idOf("d", 4) }));

    assert.equal(material.project?.id, TIDEPOOL);
    assert.equal(material.projectId, TIDEPOOL);
    assert.equal(material.tasks.length, 5);
  });

  test("without a message the messages nearest in time are shown", async () => {
    const { conversation } = await read(() => gatherDecision({ ...plain, id: idOf("d", 4) }));

    assert.deepEqual(
      conversation?.messages.map(({ content }) => content.text),
      [
        "And the refused write must not vanish.",
        "Keep it beside the note as a stray and offer it to its author.",
        "Clocks on phones are off by seconds, too.",
        "Never compare wall clocks of two devices; only the order of leases counts.",
        "Saved.",
      ],
    );
  });

  test("a decision that belongs to nothing has only itself", async () => {
    await scratch.store.write(() => insertDecision({ id: idOf("d", 71), title: "Loose" }, act));

    const material = await read(() => gatherDecision({ ...plain, id: idOf("d", 71) }));

    const { project, conversation, tasks, decisions, highlights } = material;
    assert.deepEqual([project, conversation], [undefined, undefined]);
    assert.equal(tasks.length + decisions.length + highlights.length, 0);
  });

  test("archived origins are not there", async () => {
    await scratch.store.write(function* () {
      yield* insertTask({ id: idOf("t", 72), title: "Gone" }, act);
      yield* archiveTask(idOf("t", 72), act);
    });

    const error = await refusal(read(() => gatherTask({ ...plain, id: idOf("t", 72) })));

    assert.equal(error.code, "task_not_found");
  });
});

describe("wishes", () => {
  let scratch: ScratchStore;

  before(async () => {
    scratch = await openPacketStore();
    await furnishTidepool(scratch.store);
  });
  after(() => scratch.remove());

  const project = (wishes: object) =>
    scratch.store.read(() => gatherProject({ ...plain, id: TIDEPOOL, ...wishes }));

  test("a pinned decision becomes a constraint, a pinned highlight and task are in", async () => {
    const pins = [
      { type: "decision", id: idOf("d", 6) },
      { type: "task", id: idOf("t", 4) },
      { type: "highlight", id: idOf("h", 2) },
    ] as const;

    const material = await project({ pins });
    const { prompt } = compilePacket(material, optionsFor(intent, 2100));

    assert.match(prompt.text, /CONSTRAINTS\n(?:.*\n)*\d\. English first\n/);
    assert.match(prompt.text, /Measure tide length on 2G/);
    assert.match(prompt.text, /when a device dies/);
    assert.equal(prompt.marker, "shown");
  });

  test("what is banned is out, the next one moves up, and the ledger says so", async () => {
    const bans = [
      { type: "task", id: idOf("t", 1) },
      { type: "decision", id: idOf("d", 4) },
    ] as const;

    const material = await project({ bans });
    const { prompt } = compilePacket(material, optionsFor(intent));

    assert.ok(!prompt.text.includes("Two workers") && !prompt.text.includes("Strays are kept"));
    assert.match(prompt.text, /Latest decision: Plain files are the truth\./);
    assert.equal(material.tasks.length, 5);
    assert.deepEqual(
      prompt.ledger.filter(({ reason }) => reason === "banned").map(({ note }) => note),
      ["Strays are kept for thirty days", "Two workers see an expired lease at once"],
    );
  });

  test("what cannot be in cannot be pinned, and the reason is said", async () => {
    await scratch.store.write(function* () {
      yield* insertTask({ id: idOf("t", 80), title: "Loose" }, act);
      yield* insertRedaction(
        { id: idOf("p", 80), projectId: TIDEPOOL, messageId: idOf("m", 12), reason: "x" },
        act,
      );
      yield* insertHighlight(
        { id: idOf("h", 80), content: "Saved.", messageId: idOf("m", 12) },
        act,
      );
    });
    const pin = async (type: string, id: string) =>
      (await refusal(project({ pins: [{ type, id }] }))).message;

    assert.match(await pin("task", idOf("t", 80)), /it is not in this project/);
    assert.match(await pin("task", idOf("t", 9)), /it is completed/);
    assert.match(await pin("highlight", idOf("h", 80)), /it is redacted/);
    assert.match(await pin("decision", idOf("d", 99)), /archived, or not in this project/);
  });

  test("the origin itself can be neither pinned nor banned, and a task packet takes only its source", async () => {
    const decision = (wishes: object) =>
      scratch.store.read(() => gatherDecision({ ...plain, id: idOf("d", 1), ...wishes }));
    const task = (wishes: object) =>
      scratch.store.read(() => gatherTask({ ...plain, id: idOf("t", 20), ...wishes }));
    const itself = [{ type: "decision", id: idOf("d", 1) }];

    const codes = [
      await refusal(decision({ bans: itself })),
      await refusal(decision({ pins: itself })),
      await refusal(task({ pins: [{ type: "task", id: idOf("t", 1) }] })),
    ].map(({ code }) => code);
    const without = await task({ bans: [{ type: "highlight", id: idOf("h", 1) }] });

    assert.deepEqual(codes, ["packet_ban_refused", "packet_pin_refused", "packet_pin_refused"]);
    assert.equal(without.highlight, undefined);
  });
});

describe("redactions", () => {
  let scratch: ScratchStore;

  before(async () => {
    scratch = await openPacketStore();
    await furnishTidepool(scratch.store);
  });
  after(() => scratch.remove());

  const texts = async (): Promise<readonly string[]> => {
    const { store } = scratch;
    const project = await store.read(() => gatherProject({ ...plain, id: TIDEPOOL }));
    const task = await store.read(() => gatherTask({ ...plain, id: idOf("t", 20) }));
    const decision = await store.read(() => gatherDecision({ ...plain, id: idOf("d", 1) }));
    return [
      compilePacket(project, optionsFor(intent)),
      compilePacket(task, optionsFor({})),
      compilePacket(decision, optionsFor({})),
    ].map(({ prompt, contextRefs }) => JSON.stringify([prompt, contextRefs]));
  };
  let number = 0;
  const redact = (what: object) =>
    scratch.store.write(() =>
      insertRedaction(
        { id: idOf("p", 900 + (number += 1)), projectId: TIDEPOOL, reason: "test", ...what },
        act,
      ),
    );

  test("a passage is taken out of everything that repeats it, in every packet", async () => {
    // "A lock outlives its owner" of message 4: highlight 1, decision 1 and the message itself repeat it.
    await redact({ messageId: idOf("m", 4), span: { start: 0, end: 25 } });

    const packets = await texts();

    for (const packet of packets) assert.ok(!packet.includes("lock outlives its owner"));
    assert.ok(packets[2]?.includes("[REDACTED]"));
    // The highlight was nothing but the passage, so it is not there at all.
    assert.ok(!packets[0]?.includes(`"highlight","id":"${idOf("h", 1)}","field"`));
  });

  test("a message is left out with all that was drawn from it", async () => {
    await redact({ messageId: idOf("m", 6) });

    const refused = await refusal(
      scratch.store.read(() => gatherDecision({ ...plain, id: idOf("d", 1) })),
    );
    const project = await scratch.store.read(() => gatherProject({ ...plain, id: TIDEPOOL }));
    const { prompt } = compilePacket(project, optionsFor(intent));

    assert.equal(refused.code, "packet_origin_redacted");
    assert.ok(!prompt.text.includes("Leases, not locks"));
    assert.ok(
      project.withheld.some(
        ({ id, reason, title }) =>
          id === idOf("d", 1) && reason === "redacted" && title === undefined,
      ),
    );
  });

  test("a conversation is left out with its title, its messages and its thoughts", async () => {
    await redact({ conversationId: idOf("c", 1) });

    const project = await scratch.store.read(() => gatherProject({ ...plain, id: TIDEPOOL }));
    const task = await refusal(
      scratch.store.read(() => gatherTask({ ...plain, id: idOf("t", 20) })),
    );
    const { prompt } = compilePacket(project, optionsFor(intent));

    for (const gone of ["Lease expiry", "Strays are kept", "when a device dies", "front page"]) {
      assert.ok(!prompt.text.includes(gone), gone);
    }
    assert.match(prompt.text, /Recent Conversations: 1 of 2\n- Naming things/);
    assert.equal(task.code, "packet_origin_redacted");
  });

  test("a hundred hidden thoughts in front do not hide the one behind them", async () => {
    await scratch.store.write(function* () {
      for (let index = 0; index < 100; index += 1) {
        yield* insertHighlight(
          {
            id: idOf("h", 1000 + index),
            content: `hidden ${index}`,
            messageId: idOf("m", 4),
            label: "x",
          },
          act,
        );
      }
      const seen = { id: idOf("h", 2000), content: "seen", label: "x", projectId: TIDEPOOL };
      yield* insertHighlight(seen, { actor: "mara", now: NOW - 20 * DAY });
    });

    const { highlights } = await scratch.store.read(() =>
      gatherProject({ ...plain, id: TIDEPOOL }),
    );

    assert.deepEqual(ids(highlights), [idOf("h", 2000)]);
  });
});
