/** How much of each thing a packet shows, in a project in which everything is longer and more than fits. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ScratchStore } from "../../../../tests/scratch/scratch-store.ts";
import { archiveConversation, insertConversation } from "../../../kernel/store/conversations.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { insertDecision } from "../../../kernel/store/decisions.ts";
import { insertHighlight } from "../../../kernel/store/highlights.ts";
import { appendMessages } from "../../../kernel/store/messages.ts";
import { insertProject } from "../../../kernel/store/projects.ts";
import { insertTask, updateTask } from "../../../kernel/store/tasks.ts";
import { compilePacket } from "./compile-packet.ts";
import { gatherDecision } from "./gather-decision.ts";
import { gatherProject } from "./gather-project.ts";
import { gatherTask } from "./gather-task.ts";
import { INTENTS, readIntent } from "./intents.ts";
import type { PacketMaterial } from "./packet-material.ts";
import {
  daysAgo,
  idOf,
  library,
  NOW,
  openPacketStore,
  optionsFor,
  viewer,
} from "./packet-world.suite.ts";

const PROJECT = idOf("p", 1);
const TALK = idOf("c", 1);
const ARCHIVED = idOf("c", 2);
const DECISION = idOf("d", 100);
const TASK = idOf("t", 100);
const ROOM = 40_000;
const request = { viewer: viewer("mara"), now: NOW, pins: [], bans: [] };

/** Words of many lengths, every one told from the next. */
const long = (name: string): string =>
  Array.from({ length: 80 }, (_, n) => `${name}${"x".repeat(n % 7)}${n}`).join(" ");

describe("of what is long or many", () => {
  let scratch: ScratchStore;

  before(async () => {
    scratch = await openPacketStore();
    await scratch.store.write(furnish);
  });
  after(() => scratch.remove());

  const read = <Result>(work: () => DatabaseWork<Result>) => scratch.store.read(work);
  const textOf = (material: PacketMaterial, intent: object = {}): string =>
    compilePacket(material, optionsFor(intent, ROOM)).prompt.text;
  const sectionOf = (text: string, heading: string): string =>
    text.split(`${heading}\n`)[1]?.split("\n\n")[0] ?? "";

  test("a decision packet shows five tasks, five other decisions, ten highlights and five messages, each to its length", async () => {
    const text = textOf(await read(() => gatherDecision({ ...request, id: DECISION })));

    const project = sectionOf(text, "PROJECT CONTEXT");
    assertCut(/^Description: (.*)$/m.exec(project)?.[1], 200, long("project"));
    const kinds = [
      ["RELATED ACTIVE TASKS", /\(in_progress\): (.*)$/, 5, 100, "task"],
      ["OTHER DECISIONS IN THIS PROJECT", /: (.*)$/, 5, 100, "decision"],
      ["KEY HIGHLIGHTS", /: (.*)$/, 10, 150, "highlight"],
    ] as const;
    for (const [heading, shown, most, length, name] of kinds) {
      const lines = sectionOf(text, heading).split("\n");
      assert.equal(lines.length, most, heading);
      for (const line of lines) assertCut(shown.exec(line)?.[1], length, long(name));
    }
    const said = sectionOf(text, "CONVERSATION CONTEXT").split("\n").slice(2);
    const nearest = [5, 6, 7, 8, 9];
    assert.equal(said.length, nearest.length);
    for (const [at, line] of said.entries())
      assertCut(line.replace(/^- (?:User|AI): /, ""), 200, long(`message${nearest[at]}.`));
  });

  test("a task packet shows 300 characters of its highlight and its own description whole", async () => {
    const text = textOf(await read(() => gatherTask({ ...request, id: TASK })));

    assertCut(sectionOf(text, "Source Highlight:"), 300, long("highlight"));
    assert.equal(sectionOf(text, "Description:"), long("task"));
  });

  test("a project packet has at most seven constraints and five sentences of direction", async () => {
    const pins = Array.from({ length: 8 }, (_, n) => ({
      type: "decision" as const,
      id: idOf("d", n + 1),
    }));
    const intent = { intent: "generate_next_actions" };
    const plain = textOf(await read(() => gatherProject({ ...request, id: PROJECT })), intent);
    const pinned = textOf(
      await read(() => gatherProject({ ...request, id: PROJECT, pins })),
      intent,
    );

    const constraints = sectionOf(plain, "NON-NEGOTIABLE CONSTRAINTS").split("\n");
    assert.equal(constraints.length, 1 + 3);
    assertCut(constraints[0]?.slice("1. ".length), 200, long("project"));
    for (const line of constraints.slice(1))
      assertCut(/: (.*)$/.exec(line)?.[1], 150, long("decision"));
    assert.equal(sectionOf(pinned, "NON-NEGOTIABLE CONSTRAINTS").split("\n").length, 7);
    const direction = sectionOf(plain, "CURRENT DIRECTION OF TRAVEL");
    assert.equal(direction.split(/\. ?/).filter(Boolean).length, 5, direction);
    assert.match(direction, /^Latest decision: .*In progress: .*Last completed: Done\.$/);
    const highlights = /Key Highlights: 5 of 12\n((?:- .*\n)*)/.exec(plain)?.[1] ?? "";
    assert.equal(highlights.trimEnd().split("\n").length, 5);
    for (const line of highlights.trimEnd().split("\n"))
      assertCut(/: (.*)$/.exec(line)?.[1], 150, long("highlight"));
  });

  test("an archived conversation is neither named, counted nor quoted", async () => {
    const text = textOf(await read(() => gatherProject({ ...request, id: PROJECT })), {
      intent: "generate_next_actions",
    });
    const { conversation } = await read(() => gatherDecision({ ...request, id: idOf("d", 200) }));

    assert.match(text, /Recent Conversations: 1 of 1\n- Talk \(/);
    assert.ok(!text.includes("Archived"));
    assert.equal(conversation, undefined);
  });

  test("each of the seven intents prints its label and asks in words of its own, in every kind of packet", async () => {
    const materials = [
      await read(() => gatherProject({ ...request, id: PROJECT })),
      await read(() => gatherTask({ ...request, id: TASK })),
      await read(() => gatherDecision({ ...request, id: DECISION })),
    ];
    const instructions = new Set<string>();
    for (const slug of INTENTS) {
      const { label, instruction } = readIntent(library, slug);
      instructions.add(instruction);
      const own = slug === "custom" ? { customIntent: "Sing of it." } : {};
      const asked = slug === "custom" ? "Sing of it." : instruction;
      for (const material of materials) {
        const text = textOf(material, { intent: slug, ...own });
        assert.ok(text.includes(asked), `${slug} in a ${material.origin}`);
        assert.ok(!text.includes(slug) || slug === "custom", slug);
        if (material.origin !== "project") continue;
        const first = slug === "custom" ? "Sing of it." : label;
        assert.ok(text.startsWith(`CONTINUITY INTENT\n${first}\n\n`), slug);
        assert.equal(sectionOf(text, "INTENT + REQUEST").split("\n").at(-1), asked);
      }
    }
    assert.equal(instructions.size, 7);
  });
});

/** No longer than it may be, on a word boundary, with an ellipsis, and as long as that allows. */
function assertCut(shown: string | undefined, most: number, whole: string): void {
  assert.ok(shown !== undefined && shown.length <= most, `${shown?.length} of ${most}: ${shown}`);
  assert.ok(shown.endsWith("…"), shown);
  const kept = shown.slice(0, -1);
  assert.ok(whole.startsWith(`${kept} `), `cut inside a word: ${shown}`);
  const [next = ""] = whole.slice(kept.length + 1).split(" ", 1);
  assert.ok(kept.length + 1 + next.length + 1 > most, `another word had room: ${shown}`);
}

function* furnish(): DatabaseWork<void> {
  const at = (days: number) => ({ actor: "mara", now: daysAgo(days) });
  yield* insertProject(
    { id: PROJECT, name: "Long", description: long("project"), ownerId: "mara" },
    at(60),
  );
  for (const [id, title, days] of [
    [TALK, "Talk", 9],
    [ARCHIVED, "Archived", 1],
  ] as const) {
    yield* insertConversation(
      { id, title, source: "test", startedAt: daysAgo(days), projectIds: [PROJECT] },
      at(days),
    );
    yield* appendMessages(
      id,
      Array.from({ length: 14 }, (_, n) => ({
        id: id === TALK ? idOf("m", n) : idOf("m", 100 + n),
        role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
        position: n,
        content: long(`message${n}.`),
      })),
      at(days),
    );
  }
  yield* insertDecision(
    { id: DECISION, title: "In question", projectId: PROJECT, messageId: idOf("m", 7) },
    at(40),
  );
  yield* insertDecision(
    {
      id: idOf("d", 200),
      title: "Of an archived talk",
      projectId: PROJECT,
      messageId: idOf("m", 107),
    },
    at(50),
  );
  for (let n = 1; n <= 8; n += 1) {
    yield* insertDecision(
      { id: idOf("d", n), title: `Decision ${n}`, content: long("decision"), projectId: PROJECT },
      at(n),
    );
    yield* insertTask(
      {
        id: idOf("t", n),
        title: `Task ${n}`,
        description: long("task"),
        projectId: PROJECT,
        status: "in_progress",
      },
      at(n),
    );
  }
  for (let n = 1; n <= 12; n += 1) {
    yield* insertHighlight(
      { id: idOf("h", n), label: `Label ${n}`, content: long("highlight"), projectId: PROJECT },
      at(n),
    );
  }
  yield* insertTask(
    {
      id: TASK,
      title: "Of a highlight",
      description: long("task"),
      projectId: PROJECT,
      source: { type: "highlight", id: idOf("h", 1) },
    },
    at(30),
  );
  yield* insertTask(
    { id: idOf("t", 300), title: "Done", projectId: PROJECT, status: "in_progress" },
    at(5),
  );
  yield* updateTask(idOf("t", 300), { status: "completed" }, at(2));
  yield* archiveConversation(ARCHIVED, at(0));
}
