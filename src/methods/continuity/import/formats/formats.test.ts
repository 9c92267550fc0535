import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fixture, readSample, spoken } from "../read-sample.suite.ts";

const CLAUDE_CODE = "claude-code-5e55c0de-0000-4000-8000-00000000c0de.jsonl";
const CODEX = "rollout-2026-04-02T10-00-00-0196c0de-1111-7222-8333-444455556666.jsonl";

describe("ChatGPT", () => {
  test("the visible branch is read from the leaf that is shown, every kind of content kept or noted", async () => {
    const { source, conversations, faults, notes } = await readSample(
      "chatgpt-conversations.export",
    );
    const [tide, kinds, buoy] = conversations;

    assert.equal(source, "chatgpt");
    assert.deepEqual(faults, []);
    assert.deepEqual(spoken(tide), [
      [
        "user: [image · file-service://file-8sTideChart · 1024×768] Which tide tables should the harbour app show first? [attachment · chart.png · image/png · 48211 bytes]",
        "other: Weighing tables People at the quay look at today.",
        "tool: Calls python: ``` import tides print(tides.today('Cuxhaven')) ```",
        "tool: Result of python: ``` high 03:12 low 09:40 ```",
        "assistant: Today first: high water at 03:12, low at 09:40 ([BSH](https://example.org/tides)).",
        "user: Decided: today's table opens the app.",
      ],
    ]);
    assert.deepEqual(
      [tide?.id, tide?.title, tide?.startedAt, tide?.details],
      [
        "6a0f0001-1111-4222-8333-444455556666",
        "Tide tables for the harbour app",
        1760000000500,
        { model: "gpt-5", updatedAt: 1760000900750, isStarred: true },
      ],
    );
    assert.equal(kinds?.title, "Look this up and run it by voice.");
    assert.deepEqual(spoken(kinds), [
      [
        "user: Look this up and run it by voice.",
        "tool: What tides are L0: Tides explained",
        "tool: Moon – https://example.org/moon The moon pulls.",
        "tool: Sea – https://example.org/sea The sea answers.",
        "tool: Failure of tool_error: Timed out",
        "tool: [screenshot]",
        "tool: ``` 42 ```",
        'user: Say it aloud. [recording · sediment://a] ```json { "content_type": "hologram", "beam": 7 } ```',
        'assistant: ```json { "content_type": "super_widget", "payload": { "answer": "kept as it came" } } ```',
        "assistant: ```python print('tide') ```",
      ],
    ]);
    assert.deepEqual(spoken(buoy), [["user: Name the buoy.", "assistant: Call it Gerda."]]);
    assert.deepEqual(notes, {
      "personal instructions left out": 1,
      "image named, not kept": 1,
      "attachment named, not kept": 1,
      "time of thinking left out": 1,
      "message on a branch that was left": 2,
      "screenshot named, not kept": 1,
      "recording named, not kept": 1,
      'unknown part "hologram" kept as JSON': 1,
      'unknown content "super_widget" kept as JSON': 1,
    });
  });

  test("asked for, branches that were left come too, each with the message it leaves from", async () => {
    const { conversations, notes } = await readSample("chatgpt-conversations.export", undefined, {
      branches: "all",
    });
    const [, branch] = conversations[0]?.threads ?? [];

    assert.equal(branch?.after, "aaa00001-0000-4000-8000-000000000003");
    assert.deepEqual(spoken(conversations[0])[1], [
      "assistant: Show the yearly table.",
      "user: No, that is too long.",
    ]);
    assert.equal(notes["message on a branch that was left"], undefined);
  });

  test("a shard, a single conversation and a list inside an object are told by their content", async () => {
    const list = fixture("chatgpt-conversations.export").toString();
    const [first] = JSON.parse(list) as unknown[];
    const titles = async (name: string, text: string) => {
      const { source, conversations } = await readSample(name, text);
      return [source, conversations.length, conversations[0]?.title];
    };
    const title = "Tide tables for the harbour app";

    assert.deepEqual(await titles("conversations-007.json", list), ["chatgpt", 3, title]);
    assert.deepEqual(await titles("x", JSON.stringify(first)), ["chatgpt", 1, title]);
    assert.deepEqual(await titles("x", JSON.stringify(first, null, 2)), ["chatgpt", 1, title]);
    assert.deepEqual(await titles("x", `{"conversations":${list}}`), ["chatgpt", 3, title]);
    assert.deepEqual(await titles("x", `\ufeff${list}`), ["chatgpt", 3, title]);
  });

  test("without a current node the newest leaf is shown; circles and lost parents do no harm", async () => {
    const message = (text: string, at: number) => ({
      author: { role: "user" },
      create_time: at,
      content: { content_type: "text", parts: [text] },
    });
    const mapping = {
      a: { parent: null, message: message("a", 1760000001) },
      b: { parent: "a", message: message("b", 1760000002) },
      c: { parent: "a", message: message("c", 1760000003) },
      lost: { parent: "gone", message: message("lost", 1760000000) },
      x: { parent: "y", message: message("x", 1760000000) },
      y: { parent: "x", message: message("y", 1760000000) },
    };
    const { conversations } = await readSample("x", JSON.stringify([{ id: "1", mapping }]), {
      branches: "all",
    });

    assert.deepEqual(
      spoken(conversations[0]).map((thread) => thread.map((each) => each.slice(6))),
      [["a", "c"], ["lost"], ["b"], ["x", "y"]],
    );
    assert.deepEqual(
      conversations[0]?.threads.map(({ after }) => after),
      [undefined, undefined, "a", undefined],
    );
  });

  test("records and messages of the wrong shape are reported, not guessed at", async () => {
    const { conversations, faults, notes } = await readSample(
      "x",
      JSON.stringify([
        {
          id: 7,
          title: 5,
          create_time: "yesterday",
          mapping: {
            a: {
              message: {
                author: "me",
                create_time: -5,
                content: { content_type: "text", parts: [null, 3, "words"] },
              },
            },
            b: 5,
            ["__proto__"]: {
              message: {
                author: { role: "user" },
                content: { content_type: "text", parts: ["kept"] },
              },
            },
          },
          current_node: "a",
        },
        { id: "none" },
        17,
      ]),
    );

    assert.deepEqual(
      faults.map(({ code }) => code),
      ["record_strange", "record_strange"],
    );
    assert.equal(conversations[0]?.id, "7");
    assert.match(spoken(conversations[0])[0]?.[0] ?? "", /^other: .*words$/);
    assert.equal(notes["wrong date left out"], 1);
    assert.equal(conversations[0]?.startedAt, undefined);
  });
});

describe("Claude", () => {
  test("blocks become messages of their own kind, attachments keep their text, the newest branch is shown", async () => {
    const { source, conversations, notes } = await readSample("claude-conversations.export");
    const [ferry, older] = conversations;

    assert.equal(source, "claude");
    assert.deepEqual(spoken(ferry), [
      [
        "user: What should a crossing cost? [file · ferry.jpg]",
        "user: [attachment · costs.csv · text/csv] fuel,120 crew,300",
        "other: Cost per crossing is 420.",
        'tool: Calls repl: ```json { "code": "(120+300)/30" } ``` Result of repl: 14',
        "assistant: Fourteen a head covers it.",
        "user: And for bicycles?",
        "assistant: Three more.",
      ],
    ]);
    assert.equal(ferry?.startedAt, Date.UTC(2026, 1, 3, 9));
    assert.deepEqual(spoken(older), [
      ["user: An older chat without a tree.", "assistant: Read in the order it stands."],
    ]);
    assert.equal(older?.title, "An older chat without a tree.");
    assert.deepEqual(notes, { "file named, not kept": 1, "message on a branch that was left": 1 });
  });

  test("a branch leaves from the last thing said before it", async () => {
    const { conversations } = await readSample("claude-conversations.export", undefined, {
      branches: "all",
    });

    assert.equal(conversations[0]?.threads[1]?.after, "c1a00001-0000-4000-8000-0000000000a2/2");
    assert.deepEqual(spoken(conversations[0])[1], ["user: And for children?"]);
  });

  test("two messages with one id are both kept", async () => {
    const { conversations, notes } = await readSample(
      "x",
      JSON.stringify([
        {
          uuid: "c",
          name: "Twice",
          chat_messages: [
            { uuid: "m", sender: "human", text: "one" },
            { uuid: "m", sender: "assistant", text: "two" },
            null,
          ],
        },
      ]),
    );

    assert.deepEqual(spoken(conversations[0]), [["user: one", "assistant: two"]]);
    assert.deepEqual(notes, { "id used twice": 1, "message that is none left out": 1 });
  });
});

describe("Claude Code", () => {
  test("parallel tool calls stay on the visible thread; a prompt asked anew and sub-agents leave it", async () => {
    const { source, conversations, notes } = await readSample(CLAUDE_CODE);
    const [session] = conversations;

    assert.equal(source, "claude-code");
    assert.deepEqual(
      [session?.id, session?.title, session?.details],
      [
        "5e55c0de-0000-4000-8000-00000000c0de",
        "Fix the tide count",
        { cwd: "/home/ann/harbour", gitBranch: "main", model: "claude-sonnet-5" },
      ],
    );
    assert.deepEqual(spoken(session), [
      [
        "user: Why does the tide test fail?",
        "other: Look at both files.",
        'tool: Calls Read: ```json { "file_path": "/home/ann/harbour/tide.ts" } ```',
        'tool: Calls Bash: ```json { "command": "npm test" } ```',
        "tool: Result of Read: export const tide = 1;",
        "tool: Failure of Bash: 1 failing",
        "assistant: It counts from zero.",
        "user: Only fix the count. [image · image/png]",
        "assistant: Fixed.",
      ],
    ]);
    assert.deepEqual(notes, {
      "message of the program itself left out": 1,
      "step of a sub-agent": 2,
      "message on a branch that was left": 2,
      "image named, not kept": 1,
      'line "system" left out': 1,
    });
  });

  test("asked for, the left branch and the sub-agent come as threads of their own", async () => {
    const { conversations } = await readSample(CLAUDE_CODE, undefined, { branches: "all" });
    const [, side, left] = conversations[0]?.threads ?? [];

    assert.deepEqual([side?.after, side?.messages.map(({ id }) => id)], [undefined, ["s1", "s2"]]);
    assert.deepEqual([left?.after, left?.messages.map(({ id }) => id)], ["a4", ["u2", "a5"]]);
  });

  test("a file of a sub-agent alone is not taken for the session that called it", async () => {
    const lines = fixture(CLAUDE_CODE)
      .toString()
      .split("\n")
      .filter((line) => line.includes('"isSidechain": true'))
      .join("\n");

    const all = await readSample("agent-a1b2.jsonl", lines, { branches: "all" });
    const visible = await readSample("agent-a1b2.jsonl", lines);

    assert.equal(all.conversations[0]?.id, "5e55c0de-0000-4000-8000-00000000c0de/a1b2");
    assert.deepEqual(visible.conversations, []);
    assert.equal(visible.notes["session without messages"], 1);
  });

  test("a broken line costs only itself, and its place is told", async () => {
    const lines = fixture(CLAUDE_CODE).toString().split("\n");
    const offset = Buffer.byteLength(`${lines.slice(0, 4).join("\n")}\n`);
    lines.splice(4, 0, '{"type":"assistant","uuid":"broken');

    const { conversations, faults } = await readSample(CLAUDE_CODE, lines.join("\n"));

    assert.deepEqual(
      faults.map(({ code, line, offset: at }) => [code, line, at]),
      [["record_broken", 5, offset]],
    );
    assert.equal(spoken(conversations[0])[0]?.length, 9);
  });

  test("a long session comes in parts that follow each other", async () => {
    const line = (n: number) =>
      JSON.stringify({
        type: n % 2 ? "user" : "assistant",
        uuid: `m${n}`,
        parentUuid: n > 1 ? `m${n - 1}` : null,
        sessionId: "long",
        message: { role: n % 2 ? "user" : "assistant", content: `${n} ${"x".repeat(100_000)}` },
      });
    const text = Array.from({ length: 60 }, (_, i) => line(i + 1)).join("\n");

    const { conversations } = await readSample("long.jsonl", text);

    assert.ok(conversations.length > 2);
    assert.deepEqual(
      conversations.map(({ digest }) => digest !== undefined),
      conversations.map((_, i) => i === conversations.length - 1),
    );
    const parts = conversations.map(({ threads }) => threads[0]);
    for (const [i, part] of parts.entries()) {
      if (i > 0 && part !== undefined) assert.equal(part.after, parts[i - 1]?.messages.at(-1)?.id);
    }
    assert.equal(parts.flatMap((part) => part?.messages ?? []).length, 60);
  });
});

describe("Codex", () => {
  test("items are read, events that repeat them are not, instructions by the program are noted", async () => {
    const { source, conversations, notes } = await readSample(CODEX);
    const [session] = conversations;

    assert.equal(source, "codex");
    assert.deepEqual(
      [session?.id, session?.title, session?.details],
      [
        "0196c0de-1111-7222-8333-444455556666",
        "List the buoys.",
        { cwd: "/home/ann/harbour", gitBranch: "quay", model: "gpt-5-codex" },
      ],
    );
    assert.deepEqual(spoken(session), [
      [
        "user: List the buoys.",
        "other: **Finding the list**",
        'tool: Calls shell: ```json { "command": [ "ls", "buoys" ] } ```',
        "tool: Result of shell: gerda hans ",
        "tool: Calls apply_patch: ``` *** Begin Patch ```",
        "tool: Result of apply_patch: Done",
        "assistant: Gerda and Hans.",
      ],
    ]);
    assert.deepEqual(notes, {
      "instructions by the program left out": 2,
      'item "ghost_snapshot" left out': 1,
    });
  });

  test("older files hold the items without a wrapping", async () => {
    const text = [
      {
        id: "0196aaaa-1111-7222-8333-444455556666",
        timestamp: "2025-07-01T00:00:00Z",
        instructions: null,
        git: {},
      },
      { record_type: "state" },
      { type: "message", id: null, role: "user", content: [{ type: "input_text", text: "Ahoy" }] },
      {
        type: "message",
        id: null,
        role: "assistant",
        content: [{ type: "output_text", text: "Ahoy too" }],
      },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n");

    const { source, conversations } = await readSample("rollout-x.jsonl", text);

    assert.equal(source, "codex");
    assert.equal(conversations[0]?.id, "0196aaaa-1111-7222-8333-444455556666");
    assert.deepEqual(spoken(conversations[0]), [["user: Ahoy", "assistant: Ahoy too"]]);
  });
});

describe("transcripts", () => {
  test("speakers are found by headings, and neither code nor quoted words are taken for one", async () => {
    const { source, conversations } = await readSample("headings.md");

    assert.equal(source, "markdown");
    assert.equal(conversations[0]?.title, "Which rope for the mooring");
    assert.equal(conversations[0]?.startedAt, Date.UTC(2026, 4, 1, 9));
    assert.deepEqual(spoken(conversations[0]), [
      [
        "other: _Exported on 2026-05-01_",
        "user: Which rope holds best? ```yaml ## Assistant User: not a speaker, this is code ```",
        "assistant: Polyamide stretches, polyester does not. User: is a word I may use in an answer.",
        "user: Then polyester.",
      ],
    ]);
  });

  test("the ways people and tools mark speakers", async () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      [
        fixture("chatgpt-copied.txt").toString(),
        [
          "user: How deep is the basin?",
          "assistant: Four metres at low water. Assistant: is how I sign nothing.",
          "user: Good.",
        ],
      ],
      [
        fixture("bold.md").toString(),
        [
          "user: May we dredge in spring?",
          "assistant: Only after the birds have left. That is **June**.",
          "user: Noted.",
        ],
      ],
      ["User: Hi\nthere\nAssistant: Hello\n", ["user: Hi there", "assistant: Hello"]],
      ["Human: Hi\r\n\r\nGPT-4o: Hello\r\n", ["user: Hi", "assistant: Hello"]],
      ["[User] Hi\n[Claude 3.5 Sonnet] Hello", ["user: Hi", "assistant: Hello"]],
      [
        "_**User**_\n\nHi\n\n---\n\n_**Agent (model x)**_\n\nHello\n",
        ["user: Hi", "assistant: Hello"],
      ],
      ["### Prompt:\nHi\n### Response:\nHello", ["user: Hi", "assistant: Hello"]],
      ["---\ntitle: Quay\nuser: ann\n---\nMe: Hi\nAI: Hello", ["user: Hi", "assistant: Hello"]],
      ["#### You said:\nHi\n#### ChatGPT said:\nHello", ["user: Hi", "assistant: Hello"]],
    ];

    for (const [text, expected] of cases) {
      const { conversations } = await readSample("chat.md", text);
      assert.deepEqual(spoken(conversations[0]), [expected], text);
    }
  });

  test("a text in which nobody speaks is refused, not taken as somebody's words", async () => {
    const { conversations, faults } = await readSample(
      "README.md",
      "# Notes\n\nBuy rope.\nNote: soon.\n",
    );

    assert.deepEqual(conversations, []);
    assert.deepEqual(
      faults.map(({ code }) => code),
      ["speakers_unknown"],
    );
  });

  test("a file that goes on is the same conversation; another beginning is another one", async () => {
    const id = async (text: string, name = "chat.md") =>
      (await readSample(name, text)).conversations[0]?.id;
    const first = await id("User: Hi\nAssistant: Hello\n");

    assert.equal(await id("User: Hi\nAssistant: Hello\nUser: More?\n"), first);
    assert.notEqual(await id("User: Hey\nAssistant: Hello\n"), first);
    assert.notEqual(await id("User: Hi\nAssistant: Hello\n", "other.md"), first);
  });
});

describe("role and content", () => {
  test("a message on each line is one conversation, in any of the usual shapes", async () => {
    const { source, conversations } = await readSample("messages.jsonl");

    assert.equal(source, "jsonl");
    assert.equal(conversations[0]?.title, "Is berth 4 free?");
    assert.deepEqual(spoken(conversations[0]), [
      [
        "system: You are a harbour master.",
        "user: Is berth 4 free?",
        "assistant: From noon.",
        'tool: Calls berths: ``` {"id":4} ```',
        "tool: free",
      ],
    ]);
  });

  test("a conversation on each line, a list of them, one object, and a list of messages", async () => {
    const lines = await readSample("conversations.jsonl");
    const turns = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ];
    const list = await readSample(
      "x.json",
      JSON.stringify([{ id: "a", messages: turns }, { messages: turns }]),
    );
    const one = await readSample(
      "x.json",
      JSON.stringify({ title: "One", messages: turns }, null, 2),
    );
    const bare = await readSample("x.json", JSON.stringify(turns));

    assert.deepEqual(lines.conversations.map(({ id, title }) => [id, title]).at(0), [
      "one",
      "First",
    ]);
    assert.deepEqual(spoken(lines.conversations[1]), [["user: Two?", "assistant: Two."]]);
    for (const { source, conversations } of [list, one, bare]) {
      assert.equal(source, "jsonl");
      assert.deepEqual(spoken(conversations[0]), [["user: Hi", "assistant: Hello"]]);
    }
    assert.equal(list.conversations.length, 2);
  });

  test("lines that name their conversation are sorted into it", async () => {
    const text = ["a", "b", "a"]
      .map((id, i) => JSON.stringify({ conversation_id: id, role: "user", content: `${id}${i}` }))
      .join("\n");

    const { conversations } = await readSample("x.jsonl", text);

    assert.deepEqual(
      conversations.map((each) => [each.id, spoken(each)]),
      [
        ["a", [["user: a0", "user: a2"]]],
        ["b", [["user: b1"]]],
      ],
    );
  });
});

describe("what is no conversation", () => {
  test("is told why", async () => {
    const cases: readonly (readonly [string | Buffer, RegExp])[] = [
      ["", /empty/],
      ["  \n", /empty/],
      ["[]", /list is empty/],
      [
        '[{"id":"1","conversation_id":"2","title":"x","is_anonymous":true}]',
        /no conversations \(it has id, conversation_id/,
      ],
      ['{"id":"user-1","email":"a@example.org"}', /no conversations \(it has id, email/],
      ["<!DOCTYPE html><html></html>", /page/],
      [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), /no text/],
    ];

    for (const [content, reason] of cases) {
      const sample = await readSample("x", content);
      assert.equal(sample.source, undefined);
      assert.match(sample.reason ?? "", reason);
    }
  });
});
