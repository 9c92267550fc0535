/**
 * The loop closed once, with the real program: what was said elsewhere comes in, becomes thinking that a person
 * reviewed, leaves as a packet, comes home as an answer, becomes a task that an agent does, and ends as a decision that
 * the next packet is bound by.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Outcome, type Server, scratchFolder } from "../scratch/program.ts";

const EXPORT = [
  {
    conversation_id: "c-mooring",
    title: "Which rope for the mooring",
    create_time: 1_762_000_000,
    current_node: "n4",
    mapping: {
      n1: node("n1", null, "user", "Our boat moved in the night. Which rope should hold it?"),
      n2: node(
        "n2",
        "n1",
        "assistant",
        "Polyamide stretches and takes the shock; polyester does not creep.",
      ),
      n3: node("n3", "n2", "user", "Then polyester. Somebody has to measure the cleats first."),
      n4: node(
        "n4",
        "n3",
        "assistant",
        "Agreed: nothing is ordered before the cleats are measured.",
      ),
    },
  },
];

function node(id: string, parent: string | null, role: string, text: string): object {
  return {
    id,
    parent,
    children: [],
    message: {
      id: `m-${id}`,
      author: { role },
      create_time: 1_762_000_000,
      content: { content_type: "text", parts: [text] },
      weight: 1,
      recipient: "all",
    },
  };
}

const SCRIPT = {
  replies: [
    {
      step: "distill",
      reply: {
        decisions: [
          { message: "m3", quote: "Then polyester.", title: "The mooring line is polyester" },
          { message: "m4", quote: "We ordered it yesterday.", title: "Made up by the model" },
        ],
        tasks: [
          {
            message: "m3",
            quote: "Somebody has to measure the cleats first.",
            title: "Measure the cleats",
            isBlocker: true,
          },
        ],
        highlights: [
          { message: "m2", quote: "Polyamide stretches and takes the shock", label: "ropes" },
        ],
      },
    },
    {
      step: "digest",
      reply: { summary: "The rope is chosen and its size known.", lines: [] },
    },
    {
      step: "*",
      reply: {
        status: "SUCCESS",
        summary: "The cleats take ropes of up to 16 mm.",
        output: { diameter: "16 mm" },
        nextAction: "COMPLETE",
      },
    },
  ],
};

const answerTo = (packet: string): string => `Happy to help with your mooring!

## Answer
Order late, measure first.

## Next steps
- **Compare two chandlers**: ask for 40 m of 16 mm.

## Decisions
- Keep the old line as a spare: it costs nothing.

## Insights
- A polyester line should be replaced after five seasons.

\`\`\`tl-return
{"packet": "${packet}", "tasks": [{"title": "Compare two chandlers", "description": "ask for 40 m of 16 mm."}], "decisions": [{"title": "Keep the old line as a spare", "content": "it costs nothing."}], "highlights": [{"label": "", "content": "A polyester line should be replaced after five seasons."}]}
\`\`\`
`;

describe("from a conversation to a decision and back", () => {
  const home = scratchFolder();
  let server: Server;

  before(async () => {
    const folder = path.join(home.folder, ".throughline");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home.folder, "drill.json"), JSON.stringify(SCRIPT));
    writeFileSync(
      path.join(folder, "config.json"),
      JSON.stringify({
        defaultModel: "drill/rehearsal",
        providers: { drill: { kind: "rehearsal", script: "drill.json" } },
      }),
    );
    writeFileSync(path.join(home.folder, "conversations.json"), JSON.stringify(EXPORT));
    await home.run(["init"]);
    server = await home.serve(["serve"]);
  });
  after(() => home.remove());

  async function command(...args: readonly string[]): Promise<Outcome> {
    const outcome = await home.run(args);
    assert.equal(outcome.code, 0, `${args.join(" ")}: ${outcome.stderr}`);
    return outcome;
  }

  /** As a script would, on the command line. */
  async function data<Output>(...args: readonly string[]): Promise<Output> {
    const { stdout } = await command("--json", ...args);
    return (JSON.parse(stdout) as { data: Output }).data;
  }

  async function post<Output>(route: string, body: object): Promise<Output> {
    const response = await fetch(`${server.url}${route}`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Output;
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  }

  interface Item {
    readonly id: string;
    readonly title: string;
    readonly status: string;
    readonly label?: string;
    readonly content?: string;
  }
  interface Harvest {
    readonly harvestId: string;
    readonly isNew?: boolean;
    readonly dropped?: number;
    readonly candidates: readonly {
      readonly number: number;
      readonly type: string;
      readonly title?: string;
      readonly status: string;
      readonly match: { readonly kind: string };
    }[];
  }
  const list = async (noun: string) =>
    (await data<{ items: readonly Item[] }>(noun, "list", "--project", "Mooring")).items;

  let packetName: string;
  let firstText: string;

  test("import, distill and review: only what was said, and only what a person took", async () => {
    await command("project", "add", "Mooring", "--description", "A boat that stays where it is.");
    await command("import", "conversations.json", "--project", "Mooring");
    const [talk] = await list("conversation");
    assert.equal(talk?.title, "Which rope for the mooring");

    const found = await data<Harvest>("distill", talk.id);

    assert.deepEqual(
      found.candidates.map(({ type, title }) => [type, title]),
      [
        ["decision", "The mooring line is polyester"],
        ["task", "Measure the cleats"],
        ["highlight", "ropes"],
      ],
    );
    assert.equal(found.dropped, 1);
    assert.deepEqual(await list("task"), []);
    const accept = ["--accept", "1", "--accept", "2", "--skip", "3"];
    await command("harvest", "review", found.harvestId, ...accept);
    assert.deepEqual(
      (await list("task")).map(({ title }) => title),
      ["Measure the cleats"],
    );
    assert.deepEqual(await list("highlight"), []);
  });

  test("packet: over HTTP as the seed has it, with what was reviewed in it", async () => {
    const [project] = (await data<{ items: readonly Item[] }>("project", "list")).items;
    const packet = await post<{ promptText: string; contextRefs: readonly object[]; name: string }>(
      "/api/start-chat/generate",
      {
        originType: "project",
        originId: project?.id,
        intent: "generate_next_actions",
        targetTool: "claude",
      },
    );

    packetName = packet.name;
    firstText = packet.promptText;
    assert.match(packet.promptText, /1\. A boat that stays where it is\.\n2\. The mooring line is/);
    assert.match(packet.promptText, /LIVE TENSIONS \/ OPEN QUESTIONS\n1\. \[blocker\] Measure the/);
    assert.ok(packet.promptText.includes(`"packet": "${packetName}"`));
    const copied = await command("packet", "copy", packetName);
    assert.equal(copied.stdout.trimEnd(), packet.promptText.trimEnd());
  });

  test("answer and harvest: read without being told the packet, twice adds nothing, undo takes all back", async () => {
    const answer = answerTo(packetName);
    const read = await home.run(["--json", "harvest"], answer);
    const { data: first } = JSON.parse(read.stdout) as { data: Harvest };
    assert.deepEqual(
      first.candidates.map(({ type, title, match }) => [type, title, match.kind]),
      [
        ["task", "Compare two chandlers", "new"],
        ["decision", "Keep the old line as a spare", "new"],
        ["highlight", undefined, "new"],
      ],
    );
    const before = await state();

    await command("harvest", "accept-all", first.harvestId);
    const taken = await state();
    const again = await home.run(["--json", "harvest", "--accept-all"], answer);
    const { data: second } = JSON.parse(again.stdout) as { data: Harvest };
    const afterAgain = await state();
    await command("harvest", "undo", first.harvestId);
    const undone = await state();
    await command("harvest", "accept-all", first.harvestId);

    assert.notEqual(taken, before);
    assert.deepEqual([second.isNew, second.harvestId], [false, first.harvestId]);
    assert.equal(afterAgain, taken);
    assert.equal(undone, before);
    assert.match((await command("packet", "show", packetName)).stdout, /^✓ harvested/);
  });

  test("an agent does the task by itself, and what it found becomes a decision", async () => {
    await command("agent", "add", "Deckhand", "--agent-prompt", "You measure things.");
    const task = (await list("task")).find(({ title }) => title === "Measure the cleats");
    assert.ok(task);
    await command("task", "update", task.id, "--assignee", "Deckhand");

    const done = await until(async () => {
      const { task: now } = await data<{ task: Item & { runId?: string } }>(
        "task",
        "show",
        task.id,
      );
      return now.status === "completed" ? now : undefined;
    });

    const source = JSON.stringify({ type: "run", id: done.runId });
    const reason = "The cleats take ropes of up to 16 mm.";
    await command(
      "decision",
      "add",
      "The line is 16 mm",
      "--project",
      "Mooring",
      "--content",
      reason,
      "--source",
      source,
    );
    const titles = (await list("decision")).map(({ title }) => title).toSorted();
    assert.deepEqual(titles, [
      "Keep the old line as a spare",
      "The line is 16 mm",
      "The mooring line is polyester",
    ]);
  });

  test("the next packet is bound by it, its difference is told, and the digest tells the whole story", async () => {
    const next = await data<{ packetId: string; promptText: string }>(
      "packet",
      "compile",
      "project",
      "Mooring",
      "--intent",
      "produce_plan_architecture",
    );
    const { stdout: difference } = await command("packet", "diff", packetName, next.packetId);
    const { stdout: digest } = await command("digest", "Mooring", "--since", "1d");

    assert.ok(firstText.includes("[blocker] Measure the cleats"));
    assert.doesNotMatch(next.promptText, /\[blocker\]/);
    assert.match(next.promptText, /\d\. The line is 16 mm: The cleats take ropes of up to 16 mm\./);
    assert.match(next.promptText, /Last completed: Measure the cleats\./);
    assert.match(difference, /^\+ constraints: The line is 16 mm$/m);
    assert.match(difference, /^− tensions: Measure the cleats/m);
    assert.match(digest, /The rope is chosen and its size known\./);
    assert.match(digest, /## Decided\n\n(?:- .*\n){3}/);
    assert.match(digest, /## Closed\n\n- \S+ Measure the cleats – completed/);
    assert.match(digest, /## Opened\n\n- \S+ Compare two chandlers – pending/);
  });

  test("on a terminal each candidate is asked about, also when the answer comes from a file", {
    skip:
      process.platform === "linux" && existsSync("/usr/bin/script")
        ? false
        : "needs /usr/bin/script for a real terminal",
  }, async () => {
    const answer = "## Next steps\n- Grease the shackles\n- Paint the buoy\n- Call the harbour\n";
    writeFileSync(path.join(home.folder, "answer.md"), answer);

    const shown = await onTerminal(`harvest ${packetName} < answer.md`, "e\nGrease both\n\ns\na\n");

    assert.match(shown, /1\/3: a accept, e edit, s skip, A accept all, q stop here\?/);
    assert.match(shown, /Accepted 2 candidates/);
    const titles = (await list("task")).map(({ title }) => title);
    assert.ok(titles.includes("Grease both") && titles.includes("Call the harbour"));
    assert.ok(!titles.includes("Paint the buoy") && !titles.includes("Grease the shackles"));
  });

  test("on a terminal an answer is pasted, however long its lines are, and then reviewed", {
    skip:
      process.platform === "linux" && existsSync("/usr/bin/script")
        ? false
        : "needs /usr/bin/script for a real terminal",
  }, async () => {
    const long = "of the inner harbour ".repeat(400).trim();
    const answer = `## Insights\r- Silt: ${long}, to its very end\r\r## Next steps\r- Dredge berth 4\r`;
    const { packetId: other } = await data<{ packetId: string }>(
      "packet",
      "compile",
      "project",
      "Mooring",
      "--intent",
      "summarize_state_propose_path",
    );

    const shown = await onTerminal(`harvest ${other}`, `${answer}\u0004a\na\n`, "Paste the answer");

    assert.match(shown, /Paste the answer, then press Ctrl\+D:/);
    assert.match(shown, /Accepted 2 candidates/);
    const [silt] = (await list("highlight")).filter(({ label }) => label === "Silt");
    assert.ok(silt?.content?.endsWith("to its very end"), silt?.content);
  });

  test("nothing is forgotten for good without being asked about", async () => {
    const purge = ["redact", "--project", "Mooring", "--purge"];

    const refused = await home.run(purge);
    const meant = await home.run([...purge, "--yes"]);

    assert.match(refused.stderr, /`redact --purge` cannot be undone.*confirmation_required/);
    assert.deepEqual([refused.code, meant.code], [2, 0]);
  });

  /** Everything the project thinks, as far as it says so itself. */
  async function state(): Promise<string> {
    const all = await Promise.all(["task", "decision", "highlight"].map(list));
    return JSON.stringify(all);
  }

  /** Types at once, or as soon as the program has said something. */
  function onTerminal(line: string, typed: string, after?: string): Promise<string> {
    const main = path.join(import.meta.dirname, "../../src/main.ts");
    return new Promise((resolve, reject) => {
      const child = execFile(
        "/usr/bin/script",
        ["-qec", `'${process.execPath}' '${main}' ${line}`, "/dev/null"],
        { cwd: home.folder, env: { ...process.env, NO_COLOR: "1" }, timeout: 60_000 },
        (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
      );
      if (after === undefined) child.stdin?.write(typed);
      let said = "";
      child.stdout?.on("data", (text: string) => {
        const wasSaid = after === undefined || said.includes(after);
        said += text;
        if (!wasSaid && said.includes(after)) child.stdin?.write(typed);
      });
    });
  }
});

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(100);
  }
  throw new Error("It did not come about.");
}
