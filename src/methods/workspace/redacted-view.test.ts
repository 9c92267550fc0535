/** What is redacted is not shown by any operation of this unit, however it is asked for. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { insertConversation } from "../../kernel/store/conversations.ts";
import { execute } from "../../kernel/store/database-work.ts";
import { appendMessages } from "../../kernel/store/messages.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { insertRedaction } from "../../kernel/store/redactions.ts";
import {
  ADMIN,
  AGENT,
  type Furniture,
  furnish,
  OPERATOR,
  openWorld,
  type World,
} from "./workspace-world.suite.ts";

const SECRET = "the code name is Bluebell-Seven";
const WHOLE = "nobody may read this message at all";

describe("redactions", () => {
  let world: World;
  let own: Furniture;
  let taskId: string;
  let highlightId: string;
  let spoken: { conversationId: string; said: string; hidden: string };

  before(async () => {
    world = await openWorld();
    own = await furnish(world, "own");
    spoken = await speak(world, own.projectId);
    const drawn = { source: { type: "message", id: spoken.said, quote: SECRET } };
    const inProject = { project: own.projectId };
    taskId = idOf(
      await world.as(OPERATOR, "task.add", {
        title: `Find out whether ${SECRET}`,
        description: "Nothing secret here.",
        additionalInfo: { note: SECRET },
        ...inProject,
        ...drawn,
      }),
    );
    highlightId = idOf(
      await world.as(OPERATOR, "highlight.add", {
        content: SECRET,
        message: spoken.said,
        ...inProject,
      }),
    );
    await world.as(OPERATOR, "decision.add", {
      title: "Keep it",
      content: WHOLE,
      message: spoken.hidden,
      ...inProject,
    });
    await redact(world, own.projectId, spoken);
  });
  after(() => world.remove());

  test("a redacted word is not found out by asking tasks for it", async () => {
    const titles = async (text: string) => {
      const input = { project: own.projectId, text };
      const page = (await world.as(OPERATOR, "task.list", input)) as { items: { id: string }[] };
      return page.items.map(({ id }) => id);
    };

    assert.deepEqual(await titles("find out WHETHER"), [taskId]);
    assert.deepEqual(await titles("Bluebell"), []);
  });

  const reads = (): readonly (readonly [string, object])[] => [
    ["task.list", { project: own.projectId }],
    ["task.list", {}],
    ["task.show", { taskId }],
    ["task.next", { project: own.projectId }],
    ["highlight.list", { project: own.projectId }],
    ["highlight.show", { highlightId }],
    ["decision.list", { project: own.projectId }],
    ["conversation.show", { conversationId: spoken.conversationId }],
    ["conversation.show", { conversationId: spoken.conversationId, project: own.projectId }],
    ["thinking.search", { text: "bluebell" }],
    ["thinking.search", { text: "nobody may read" }],
    ["exchange.show", { exchangeId: own.exchangeId }],
    ["exchange.diff", { exchangeId: own.exchangeId, before: own.exchangeId }],
    ["artifact.show", { artifactId: own.artifactId }],
    ["run.show", { runId: own.runId }],
    ["inbox.list", { project: own.projectId }],
    ["inbox.show", { waitId: own.waitId }],
    ["event.list", { project: own.projectId, limit: 200 }],
  ];

  test("hide passages and whole messages in every read, and in what was drawn from them", async () => {
    await plantEverywhere(world, own);

    for (const [name, input] of reads()) {
      const shown = JSON.stringify(await world.as(OPERATOR, name, input));

      assert.ok(!shown.includes("Bluebell"), `${name} ${JSON.stringify(input)} shows the passage`);
      assert.ok(!shown.includes(WHOLE), `${name} ${JSON.stringify(input)} shows the message`);
    }
  });

  test("leave a mark where something is missing, and the rest as it was", async () => {
    const { task } = (await world.as(OPERATOR, "task.show", { taskId })) as {
      task: { title: string; description: string; source: { quote: string } };
    };
    const { messages } = (await world.as(OPERATOR, "conversation.show", {
      conversationId: spoken.conversationId,
    })) as { messages: readonly { content: string; isRedacted: boolean }[] };

    assert.equal(task.title, "Find out whether [redacted]");
    assert.equal(task.description, "Nothing secret here.");
    assert.equal(task.source.quote, "[redacted]");
    assert.deepEqual(
      messages.map(({ content, isRedacted }) => [content, isRedacted]),
      [
        ["Listen: [redacted], tell no one.", true],
        ["[redacted]", true],
        ["Harmless.", false],
      ],
    );
  });

  test("are also not told by the answer to a change", async () => {
    const changed = JSON.stringify(
      await world.as(OPERATOR, "task.update", { taskId, urgency: "high" }),
    );

    assert.ok(!changed.includes("Bluebell"));
  });

  test("say that a prompt is not shown as it was sent", async () => {
    const shown = (await world.as(OPERATOR, "exchange.show", { exchangeId: own.exchangeId })) as {
      isMasked: boolean;
    };

    assert.equal(shown.isMasked, true);
  });

  test("are lifted for the eyes of a person who may edit, not for an agent", async () => {
    const revealed = (await world.as(OPERATOR, "message.reveal", { messageId: spoken.said })) as {
      content: string;
    };

    assert.ok(revealed.content.includes(SECRET));
    const onlyAgent = { ...AGENT, userId: "operator" };
    await assert.rejects(world.as(onlyAgent, "message.reveal", { messageId: spoken.said }), {
      code: "redacted_for_agents",
    });
  });

  test("of one project do not hide the same conversation in another", async () => {
    const other = idOf(await world.as(OPERATOR, "project.add", { name: "Other" }));
    await world.as(OPERATOR, "conversation.link", {
      conversationId: spoken.conversationId,
      project: other,
    });

    const { messages } = (await world.as(OPERATOR, "conversation.show", {
      conversationId: spoken.conversationId,
      project: other,
    })) as { messages: readonly { content: string }[] };

    assert.ok(messages[0]?.content.includes(SECRET));
  });

  test("of a whole conversation hide its title, also from admins' lists", async () => {
    const { conversationId } = spoken;
    const act = { actor: "operator", now: world.kernel.clock.now() };
    await world.kernel.store.write(() =>
      insertRedaction(
        {
          id: world.kernel.ids.next(),
          projectId: own.projectId,
          conversationId,
          reason: "private",
        },
        act,
      ),
    );

    const { items } = (await world.as(ADMIN, "conversation.list", { project: own.projectId })) as {
      items: readonly { id: string; title: string }[];
    };

    assert.equal(items.find(({ id }) => id === conversationId)?.title, "[redacted]");
  });
});

function idOf(output: unknown): string {
  return (output as { readonly id: string }).id;
}

async function speak(world: World, projectId: string) {
  const { ids, store, clock } = world.kernel;
  const act = { actor: "operator", now: clock.now() };
  const [conversationId, said, hidden, last] = [ids.next(), ids.next(), ids.next(), ids.next()];
  await store.write(function* () {
    yield* insertConversation(
      { id: conversationId, title: "Names", source: "test", projectIds: [projectId] },
      act,
    );
    const messages = [
      { id: said, content: `Listen: ${SECRET}, tell no one.` },
      { id: hidden, content: WHOLE },
      { id: last, content: "Harmless." },
    ].map((message, position) => ({ ...message, role: "user" as const, position }));
    yield* appendMessages(conversationId, messages, act);
  });
  return { conversationId, said, hidden };
}

async function redact(
  world: World,
  projectId: string,
  { said, hidden }: { said: string; hidden: string },
): Promise<void> {
  const { ids, store, clock } = world.kernel;
  const act = { actor: "operator", now: clock.now() };
  const span = { start: "Listen: ".length, end: "Listen: ".length + SECRET.length };
  await store.write(function* () {
    const reason = "not for others";
    yield* insertRedaction({ id: ids.next(), projectId, messageId: said, span, reason }, act);
    yield* insertRedaction({ id: ids.next(), projectId, messageId: hidden, reason }, act);
  });
}

/** As if runs had met the passage before it was redacted, in other white space and case. */
async function plantEverywhere(world: World, own: Furniture): Promise<void> {
  const text = SECRET.toUpperCase().replaceAll(" ", "\n ");
  await world.kernel.store.write(function* () {
    const { exchangeId, artifactId, runId, waitId } = own;
    const messages = JSON.stringify([{ role: "user", text: `Know that ${text}.` }]);
    yield* execute(db.updateTable("exchange").set({ messages }).where("id", "=", exchangeId));
    yield* execute(
      db
        .updateTable("answer")
        .set({ reply: `So ${text}?` })
        .where("exchange_id", "=", exchangeId),
    );
    yield* execute(db.updateTable("artifact").set({ body: text }).where("id", "=", artifactId));
    const input = JSON.stringify({ deep: [{ words: SECRET }] });
    yield* execute(db.updateTable("run").set({ input }).where("id", "=", runId));
    const evidence = JSON.stringify([{ quote: SECRET }]);
    yield* execute(
      db.updateTable("wait").set({ evidence, title: SECRET }).where("id", "=", waitId),
    );
  });
}
