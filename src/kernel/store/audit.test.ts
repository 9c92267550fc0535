import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { systemClock } from "../base/clock.ts";
import { ProductError } from "../base/errors.ts";
import { type Act, touchRow } from "./audited-rows.ts";
import { linkConversation, unlinkConversation } from "./conversation-links.ts";
import {
  archiveConversation,
  deleteConversation,
  insertConversation,
  updateConversation,
} from "./conversations.ts";
import type { DatabaseWork } from "./database-work.ts";
import {
  archiveDecision,
  deleteDecision,
  insertDecision,
  restoreDecision,
  updateDecision,
} from "./decisions.ts";
import { examineStore } from "./doctor-store.ts";
import type { Finding } from "./finding.ts";
import { ALL_TABLES, listAllEvents } from "./furnished-store.suite.ts";
import {
  archiveHighlight,
  deleteHighlight,
  insertHighlight,
  updateHighlight,
} from "./highlights.ts";
import { appendMessages } from "./messages.ts";
import { TASK_STATUSES } from "./noun-tables.ts";
import { deleteProjectMember, putProjectMember } from "./project-members.ts";
import { archiveProject, deleteProject, insertProject, updateProject } from "./projects.ts";
import { deleteRedaction, insertRedaction } from "./redactions.ts";
import { refreshSearch } from "./search-index.ts";
import { deleteSetting, putSetting } from "./settings.ts";
import { deleteTask, insertTask, updateTask } from "./tasks.ts";
import { insertToken, revokeToken, TOKENS } from "./tokens.ts";
import { deleteUser, insertUser, updateUser } from "./users.ts";

interface Step {
  readonly what: number;
  readonly a: number;
  readonly b: number;
}

type Doing = (a: string, b: string, act: Act, n: number) => DatabaseWork<unknown>;

/** All that can be done to people and thinking, on a handful of names so that things meet. */
const DOINGS: readonly Doing[] = [
  (a, _b, act) => insertUser({ id: `u${a}`, displayName: a, role: "operator" }, act),
  (a, b, act) => updateUser(`u${a}`, { displayName: b, isActive: b !== "0" }, act),
  (a, _b, act) => deleteUser(`u${a}`, act),
  (a, b, act) =>
    insertToken({ id: `k${a}`, userId: `u${b}`, name: a, tokenHash: a, prefix: a }, act),
  (a, _b, act) => revokeToken(`k${a}`, act),
  (a, _b, act) => touchRow(TOKENS, `k${a}`, { last_used_at: act.now }),
  (a, b, act) => insertProject({ id: `p${a}`, name: a, ownerId: `u${b}` }, act),
  (a, b, act) => updateProject(`p${a}`, { description: b, visibility: "workspace" }, act),
  (a, _b, act) => archiveProject(`p${a}`, act),
  (a, _b, act) => deleteProject(`p${a}`, act),
  (a, b, act) => putProjectMember({ projectId: `p${a}`, userId: `u${b}`, role: "viewer" }, act),
  (a, b, act) => deleteProjectMember(`p${a}`, `u${b}`, act),
  (a, b, act) => putSetting({ scope: "project", projectId: `p${a}` }, { key: b, value: b }, act),
  (a, b, act) => deleteSetting({ scope: "project", projectId: `p${a}` }, b, act),
  (a, b, act) =>
    insertConversation(
      { id: `c${a}`, title: a, source: "s", sourceId: a, projectIds: [`p${b}`] },
      act,
    ),
  (a, b, act, n) =>
    appendMessages(
      `c${a}`,
      [{ id: `m${a}-${n}`, role: "user", position: n, content: "some words", sourceId: b }],
      act,
    ),
  (a, b, act) => updateConversation(`c${a}`, { title: b }, act),
  (a, _b, act) => archiveConversation(`c${a}`, act),
  (a, _b, act) => deleteConversation(`c${a}`, act),
  (a, b, act) => linkConversation(`c${a}`, `p${b}`, act),
  (a, b, act) => unlinkConversation(`c${a}`, `p${b}`, act),
  (a, b, act) => insertHighlight({ id: `h${a}`, content: a, conversationId: `c${b}` }, act),
  (a, b, act) => updateHighlight(`h${a}`, { label: b === "0" ? null : b }, act),
  (a, _b, act) => archiveHighlight(`h${a}`, act),
  (a, _b, act) => deleteHighlight(`h${a}`, act),
  (a, b, act) =>
    insertTask(
      { id: `t${a}`, title: a, projectId: `p${b}`, source: { type: "highlight", id: `h${b}` } },
      act,
    ),
  (a, b, act) =>
    updateTask(`t${a}`, { status: TASK_STATUSES[Number(b)], holdReason: "r" }, act, {
      rerun: true,
    }),
  (a, b, act) => updateTask(`t${a}`, { parentId: `t${b}`, projectId: null }, act),
  (a, _b, act) => deleteTask(`t${a}`, act),
  (a, b, act) => insertDecision({ id: `d${a}`, title: a, conversationId: `c${b}` }, act),
  (a, b, act) =>
    insertDecision({ id: `d${a}s`, title: a, projectId: `p${b}`, supersedesId: `d${b}` }, act),
  (a, b, act) => updateDecision(`d${a}`, { projectId: b === "0" ? null : `p${b}` }, act),
  (a, _b, act) => archiveDecision(`d${a}`, act),
  (a, _b, act) => restoreDecision(`d${a}`, act),
  (a, _b, act) => deleteDecision(`d${a}`, act),
  (a, b, act) =>
    insertRedaction({ id: `r${a}`, projectId: `p${b}`, conversationId: `c${a}`, reason: "r" }, act),
  (a, _b, act) => deleteRedaction(`r${a}`, act),
];

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.nat(DOINGS.length - 1),
  a: fc.nat(4),
  b: fc.nat(4),
});

/** The most useful things first, so that later steps have something to work on. */
const GROUND: readonly Step[] = [0, 6, 14, 15, 21, 25, 29].flatMap((what) =>
  [0, 1, 2].map((a) => ({ what, a, b: a })),
);

for (const { dialect, numRuns } of [
  { dialect: "sqlite", numRuns: 25 },
  { dialect: "postgres", numRuns: 2 },
] as const) {
  test(`on ${dialect}, for anything that is done, the log tells of every change and of nothing else`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const { store, remove } = await scratchStore(dialect, ALL_TABLES);
        let refused = 0;
        for (const [n, { what, a, b }] of [...GROUND, ...steps].entries()) {
          const act = { actor: "test", now: n };
          try {
            await store.write(() => DOINGS[what]!(String(a), String(b), act, n));
          } catch (error) {
            if (!isForeseen(error)) throw error;
            refused += 1;
          }
        }
        await refreshSearch(store, { clock: systemClock, budgetMs: 10_000 });

        const findings: Finding[] = [];
        await examineStore(store, { report: (finding) => findings.push(finding) });
        const events = await listAllEvents(store);

        assert.deepEqual(findings, []);
        assert.ok(events.length > 0 && refused < GROUND.length + steps.length);
        await remove();
      }),
      { numRuns, endOnFailure: true },
    );
  });
}

/** Inserting the same name twice is this test's own doing; all other refusals must be ours. */
function isForeseen(error: unknown): boolean {
  if (error instanceof ProductError) return true;
  const { code, errcode } = error as { code?: string; errcode?: number };
  return code === "23505" || errcode === 1555 || errcode === 2067;
}
