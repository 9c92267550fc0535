/** How results look on a terminal. Each expectation was read and judged as a person would. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { layOutView } from "../../kernel/operation/lay-out-view.ts";
import { loadOperations } from "../../kernel/operation/noun-index.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { workspaceNouns } from "./workspace-nouns.ts";

const nouns = workspaceNouns(async () => ({
  migrations: [],
  programs: { versionOf: async () => undefined },
}));
const registry = createOperationRegistry(await loadOperations(nouns));
const asOf = Date.UTC(2026, 10, 18, 12);
const minutes = (n: number) => asOf - n * 60_000;

const task = {
  id: "0199a1b2-c3d4-7000-8000-000000000001",
  title: "Two workers see an expired lease at once",
  status: "pending",
  urgency: "urgent",
  projectId: "p",
  projectName: "Tidepool",
  tags: ["sync"],
  hasBlocker: true,
  hasOpenLoop: false,
  isInactive: false,
  version: 1,
  createdAt: minutes(3),
  updatedAt: minutes(3),
};

const run = {
  id: "0199a1b2-0000-7000-8000-000000000001",
  title: "PR review: #482 Lease-based sync lock",
  method: "pipeline",
  state: "waiting",
  projectId: "p",
  projectName: "Tidepool",
  startedBy: "m",
  startedByName: "Mara",
  openWaits: 1,
  turns: 29,
  inputTokens: 61_104,
  outputTokens: 8_120,
  costMicroUsd: 214_000,
  hasUnknownCost: false,
  isArchived: false,
  version: 40,
  createdAt: minutes(26),
  startedAt: minutes(25.65),
};

const wait = {
  id: "0199a1b2-7777-7000-8000-000000000001",
  key: "risk-review",
  kind: "review",
  title: "Confirm risk areas",
  reason: "The agent marked three areas that need a person before the reviews are joined.",
  answers: ["complete", "reject"],
  state: "open",
  runId: run.id,
  runTitle: run.title,
  method: "pipeline",
  projectName: "Tidepool",
  assigneeName: "Mara",
  version: 2,
  createdAt: minutes(3),
};

describe("views", () => {
  test("a list of tasks is a table with states, flags and relative times", () => {
    const held = {
      ...task,
      id: "0199a1b2-c3d4-7001-8000-000000000002",
      title: "日本語 layout of the note",
      status: "on_hold",
      urgency: "normal",
      hasBlocker: false,
      assigneeName: "Mara",
      createdAt: asOf - 3 * 86_400_000,
    };

    assert.equal(
      view("task.list", { items: [task, held], nextCursor: "n", asOf }),
      `
ID                  STATUS     URGENCY  TITLE                                               PROJECT   WHO   MADE
0199a1b2-c3d4-7000  ○ pending  urgent   [blocker] Two workers see an expired lease at once  Tidepool        3 min ago
0199a1b2-c3d4-7001  ▮ on hold           日本語 layout of the note                           Tidepool  Mara  2026-11-15

There are more: --cursor n`.trimStart(),
    );
  });

  test("empty lists say what to do next", () => {
    const empty = { items: [], asOf };
    const teaching = {
      "task.list": /task add TITLE/,
      "project.list": /project add NAME/,
      "decision.list": /decision add TITLE/,
      "highlight.list": /highlight add TEXT/,
      "conversation.list": /import/,
      "run.list": /ask/,
      "artifact.list": /run list/,
      "agent.list": /agent add NAME/,
      "user.list": /user invite/,
      "token.list": /token add NAME/,
    };

    for (const [name, advice] of Object.entries(teaching)) assert.match(view(name, empty), advice);
    assert.match(view("inbox.list", { ...empty, total: 0 }), /inbox list --all/);
    assert.match(view("thinking.search", { ...empty, pending: 3 }), /fewer or shorter.*3 changes/s);
    assert.match(view("view.list", { items: [] }), /view save NAME/);
    assert.match(view("backup.list", { items: [], folder: "/w/backups", asOf }), /`backup`/);
  });

  test("a run tells its state, steps, use and what it waits for", () => {
    const detail = {
      run: {
        ...run,
        input: {},
        limits: { turns: 10_000, jobs: 50_000, costMicroUsd: 1_500_000 },
        jobs: 30,
        openJobs: 4,
        heldJobs: 1,
      },
      steps: [
        step("Fetch PR details", { total: 1, done: 1 }),
        step("Each: review file", {
          total: 12,
          done: 7,
          active: 4,
          held: 1,
          lastFailure: "The reply could not be read twice.",
        }),
      ],
      waits: [{ id: wait.id, kind: "review", title: wait.title, createdAt: minutes(3) }],
      children: [],
      childRuns: 0,
      exchanges: 29,
      artifacts: 4,
      asOf,
    };

    assert.equal(
      view("run.show", detail),
      `
◆ waiting  PR review: #482 Lease-based sync lock

id          0199a1b2-0000-7000-8000-000000000001
method      pipeline
project     Tidepool
started by  Mara, 26 min ago
took        25 min 39 s
used        29 turns, 61,104 tokens in, 8,120 out, $0.21
limits      10,000 turns, 50,000 jobs, $1.50
left        29 exchanges, 4 artifacts

Steps
     STEP               DONE  NOW                  WHY
  ✓  Fetch PR details    1/1
  ▮  Each: review file  7/12  4 under way, 1 held  The reply could not be read twice.

Waits for
  0199a1b2-7777-7000  Confirm risk areas  (\`inbox show 0199a1b2-7777-7000\`)`.trimStart(),
    );
  });

  test("an inbox entry shows why, the evidence, the form, and the commands that answer it", () => {
    const detail = {
      wait,
      runState: "waiting",
      evidence: [{ area: "Lease read outside the lock", file: "sync/session-lock.ts:112" }],
      form: [
        {
          name: "severity",
          label: "Severity",
          type: "choice",
          required: true,
          options: [
            { value: "low", label: "Low" },
            { value: "high", label: "High" },
          ],
        },
        { name: "score", type: "number", required: false, minimum: 0, maximum: 100 },
      ],
      mayAnswer: true,
      asOf,
    };

    assert.equal(
      view("inbox.show", detail),
      `
◆ Confirm risk areas

The agent marked three areas that need a person before the reviews are joined.

id       0199a1b2-7777-7000-8000-000000000001
key      risk-review
kind     review
run      0199a1b2-0000-7000 pipeline: PR review: #482 Lease-based sync lock (waiting)
project  Tidepool
for      Mara
asked    3 min ago, version 2

Evidence
  area  Lease read outside the lock
  file  sync/session-lock.ts:112

Fill in
  severity  (low | high, needed)
    Severity
  score  (number 0–100)

Answer it with:
  inbox answer 0199a1b2-7777-7000 complete --fields severity=…
  inbox answer 0199a1b2-7777-7000 reject`.trimStart(),
    );
  });

  test("an exchange shows prompt, reply, and every repair of reading it", () => {
    const shown = view("exchange.show", {
      exchange: {
        id: "0199a1b2-9999-7000-8000-000000000001",
        runId: run.id,
        step: "review",
        item: "src/sync/session-lock.ts",
        attempt: 1,
        continuation: 0,
        model: "anthropic/claude",
        contract: "pipeline.reply",
        outcome: "answered",
        loss: "syntactic",
        inputTokens: 6104,
        cachedTokens: 4100,
        outputTokens: 812,
        costMicroUsd: 18_200,
        isCostEstimated: true,
        createdAt: minutes(2),
        finishedAt: minutes(2) + 14_200,
      },
      messages: [{ role: "user", text: "Review\nthis." }],
      promptHash: "abc",
      trace: { ledger: [1, 2], hash: "x" },
      reply: '{"score": 58,}',
      replyHash: "def",
      finish: "stop",
      reading: {
        loss: "syntactic",
        repairs: [
          {
            step: "jsonc",
            path: "",
            before: ",}",
            after: "}",
            sentence: "A trailing comma was dropped.",
            loss: "syntactic",
          },
        ],
      },
      isPruned: false,
      isMasked: false,
      asOf,
    });

    assert.equal(
      shown,
      `
✓ answered  review (src/sync/session-lock.ts)

id           0199a1b2-9999-7000-8000-000000000001
run          0199a1b2-0000-7000-8000-000000000001
model        anthropic/claude
contract     pipeline.reply
try          1, continuation 0
sent         2 min ago, took 14.2 s
tokens       6,104 (4,100 cached) → 812
cost         ≈ $0.02
stopped      stop
prompt hash  abc
trace        all of it with --json

── user, 12 characters
Review
this.

── reply, 14 characters
{"score": 58,}

── reading
Accepted after 1 repair, of its syntax only.
1. A trailing comma was dropped.
   ,}  →  }`.trimStart(),
    );
  });

  test("an unknown cost is called unknown, never nothing", () => {
    const priced = view("run.list", {
      items: [{ ...run, costMicroUsd: 0, hasUnknownCost: true }],
      asOf,
    });
    const partly = view("run.list", { items: [{ ...run, hasUnknownCost: true }], asOf });

    assert.match(priced, /29 +unknown +26 min ago/);
    assert.match(partly, /\$0\.21 \+ unknown/);
  });

  test("doctor groups what it saw and says what to do where something is wrong", () => {
    const report = {
      checks: [
        {
          group: "Store",
          name: "row_hash",
          state: "bad",
          message: "task x: The row was changed.",
          hint: "Restore.",
        },
        {
          group: "Models",
          name: "usable",
          state: "warn",
          message: "Only the rehearsal model.",
          hint: "Add one.",
        },
        {
          group: "Models",
          name: "default",
          state: "ok",
          message: "rehearsal",
          hint: "never shown",
        },
      ],
      bad: 1,
      warnings: 1,
      asOf,
    };

    assert.equal(
      view("workspace.doctor", report),
      `
Store
  ✗ row_hash: task x: The row was changed.
      → Restore.

Models
  ! usable: Only the rehearsal model.
      → Add one.
  ✓ default: rehearsal

1 thing wrong, 1 thing to look at.`.trimStart(),
    );
  });

  test("hostile words cannot break out of a table or move the cursor", () => {
    const evil = "\u001b[2J\u001b]0;owned\u0007line one\nline two\u202ereversed";
    const lines = view("task.list", { items: [{ ...task, title: evil }], asOf }).split("\n");

    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? "", /\[blocker\] line one line tworeversed/);
    for (const sign of ["\u001b", "\u0007", "\u202e"]) assert.ok(!lines.join("").includes(sign));
  });

  test("an event reads as what changed, without hashes", () => {
    const event = {
      cursor: "0.1",
      stream: "p",
      seq: 7,
      type: "task.held",
      projectId: "p",
      actor: "m",
      actorName: "Mara",
      data: {
        id: task.id,
        hash: "f".repeat(64),
        set: {
          status: "on_hold",
          holdReason: { hash: "e".repeat(64), characters: 20 },
          version: 3,
        },
        was: { status: "pending", version: 2 },
        because: "waits for the design",
      },
      at: minutes(1),
      hash: "a".repeat(64),
    };

    const [, line] = view("event.list", { items: [event], asOf }).split("\n");

    assert.equal(
      line,
      "1 min ago  7  task.held  Mara  0199a1b2-c3d4-7000, status on_hold (was pending), holdReason of 20 characters, because waits for the design",
    );
  });

  test("every operation has a view of its own", () => {
    const plain = registry.operations
      .filter(({ surfaces }) => surfaces?.cli?.render === undefined)
      .map(({ name }) => name);

    assert.deepEqual(plain, []);
  });
});

function view(name: string, output: unknown): string {
  const render = registry.get(name).surfaces?.cli?.render;
  assert.ok(render, `${name} has a view`);
  return layOutView(render(output));
}

function step(name: string, counts: object) {
  return { step: name, total: 0, done: 0, active: 0, held: 0, failed: 0, cancelled: 0, ...counts };
}
