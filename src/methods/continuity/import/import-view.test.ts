import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutView } from "../../../kernel/operation/lay-out-view.ts";
import { importProgressSchema } from "./import-progress.ts";
import type { ImportDetail, ImportResult, ShownImport } from "./import-shape.ts";
import {
  importProgressText,
  renderImport,
  renderImportList,
  renderImportResult,
} from "./import-view.ts";

const NOW = Date.UTC(2026, 10, 18);
const ID = "01990000-0000-7000-8000-000000000001";
const TOTALS = { added: 2, extended: 1, edited: 1, messagesAdded: 1234, messagesEdited: 1 };
const PROGRESS = importProgressSchema.parse({
  bytesRead: 1_500_000,
  conversations: 5,
  unchanged: 1,
  problems: 12,
  notes: { "image named, not kept": 3, "line \u001b[31m left out": 7 },
  files: [
    { name: "conversations-000.json", format: "chatgpt", conversations: 4 },
    { name: "conversations-001.json", format: "chatgpt", conversations: 1 },
  ],
  skipped: [{ name: "user\u001b[2J.json", reason: "it holds no conversations" }],
  moreSkipped: 3,
});
const PROBLEM = {
  file: "a.json",
  offset: 17,
  line: 3,
  code: "record_broken",
  message: "It is no valid\nJSON.",
};

const RESULT: ImportResult = {
  importId: ID,
  state: "completed",
  name: "export\u001b]0;evil\u0007.zip",
  bytes: 2_000_000,
  branch: "visible",
  progress: PROGRESS,
  totals: TOTALS,
  problems: Array.from({ length: 12 }, () => PROBLEM),
  tookMs: 1000,
};

test("a result tells what came in, what did not, and where; what is foreign moves no cursor", () => {
  const text = layOutView(renderImportResult(RESULT));

  assert.match(
    text,
    /^✓ Imported export.*\.zip: 5 conversations \(2\.0 MB in 1\.0 s, 2\.0 MB\/s\)\.$/m,
  );
  assert.match(
    text,
    /2 new conversations\n {2}1 conversation with new messages\n {2}1 conversation with changed words only\n {2}1 conversation as before\n {2}1,234 new messages\n {2}1 changed message/,
  );
  assert.match(text, /7 × line left out\n {2}3 × image named, not kept/);
  assert.match(
    text,
    /12 records could not be read; the rest is in\n {2}a\.json, line 3, byte 17: It is no valid JSON\./,
  );
  assert.match(text, /and 2 more$/m);
  assert.match(text, /user\.json: it holds no conversations\n {2}and 3 more files/);
  assert.ok(!text.includes("\u001b") && !text.includes("\u0007"));
});

test("where nothing could be read it is not said that the rest is in", () => {
  const nothing = { ...PROGRESS, conversations: 0, problems: 1, notes: {} };
  const text = renderImportResult({ ...RESULT, progress: nothing, problems: [PROBLEM] });

  assert.match(text, /^Nothing of export.* could be read \(2\.0 MB/);
  assert.match(text, /\n1 record could not be read\n {2}a\.json, line 3/);
  assert.doesNotMatch(text, /Came in|the rest is in|✓/);
});

test("branches that were left are told with the way to get them", () => {
  const left = { ...PROGRESS, notes: { "message on a branch that was left": 2 } };

  assert.match(renderImportResult({ ...RESULT, progress: left }), /With --branch all, branches/);
  assert.doesNotMatch(renderImportResult(RESULT), /--branch all/);
});

test("a plan says that nothing was written", () => {
  const { importId: _, ...planned } = RESULT;
  const text = layOutView(renderImportResult({ ...planned, state: "planned" }));

  assert.match(text, /Nothing was written/);
  assert.match(text, /Would come/);
  assert.match(text, /Without --dry-run it is imported\./);
});

test("an import is shown with what to do next in each of its states", () => {
  const shown: ShownImport = {
    id: ID,
    state: "interrupted",
    name: "export.zip",
    bytes: 2_000_000,
    branch: "all",
    progress: PROGRESS,
    totals: TOTALS,
    startedBy: "ann",
    startedAt: NOW - 60_000,
  };
  const detail: ImportDetail = {
    import: shown,
    problems: [PROBLEM],
    changed: [
      { conversationId: ID, title: "Tide", outcome: "edited", messagesAdded: 0, messagesEdited: 1 },
    ],
    asOf: NOW,
  };

  assert.match(
    layOutView(renderImport(detail)),
    /▮ interrupted {2}export\.zip[^]*1\.5 MB of 2\.0 MB[^]*Tide +edited[^]*import resume 01990000-0000-7000/,
  );
  assert.match(renderImport({ ...detail, import: { ...shown, state: "running" } }), /import stop/);
  assert.match(
    layOutView(renderImportList({ items: [shown], asOf: NOW })),
    /interrupted {2}export\.zip .* 3 {5}1,234 {8}12 {2}1 min ago/,
  );
  assert.match(renderImportList({ items: [], asOf: NOW }), /Nothing was imported yet/);
});

test("progress counts bytes of the file and says how fast they go by", () => {
  assert.deepEqual(
    importProgressText(PROGRESS, TOTALS, { name: "x.zip", bytes: 2_000_000, seconds: 3 }),
    {
      message: "Reading x.zip",
      done: 1_500_000,
      total: 2_000_000,
      unit: "bytes",
      detail: "5 conversations, 1,234 new messages, 500.0 kB/s",
    },
  );
});
