import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scratchStore } from "../../../tests/scratch/scratch-store.ts";
import { linkConversation } from "./conversation-links.ts";
import { findConversation, insertConversation, listConversations } from "./conversations.ts";
import type { DatabaseWork } from "./database-work.ts";
import { findDecision, insertDecision, listDecisions } from "./decisions.ts";
import { engineTables } from "./engine-migration.ts";
import { findHighlight, insertHighlight, listHighlights } from "./highlights.ts";
import { appendMessages, findMessage, listMessages } from "./messages.ts";
import { nounTables } from "./noun-migration.ts";
import { USER_ROLES } from "./noun-tables.ts";
import type { Page } from "./page.ts";
import { putProjectMember } from "./project-members.ts";
import { findProject, insertProject, listProjects } from "./projects.ts";
import { insertRedaction, listRedactions } from "./redactions.ts";
import { resolveId } from "./resolve-id.ts";
import { findTask, listTasks } from "./task-lists.ts";
import { insertTask } from "./tasks.ts";
import { findTeam, insertTeam, listTeams } from "./teams.ts";
import { insertUser } from "./users.ts";
import type { Viewer } from "./visibility.ts";

const PLACES = ["open", "owned", "joined", "foreign"] as const;
type Place = (typeof PLACES)[number];

/** Everything there is, made by somebody else, in projects the viewer stands in different relations to. */
function* furnish(): DatabaseWork<void> {
  const host = { actor: "host", now: 1 };
  yield* insertUser({ id: "host", displayName: "host", role: "admin" }, host);
  for (const role of USER_ROLES) {
    yield* insertUser({ id: role, displayName: role, role }, host);
  }
  for (const role of USER_ROLES) {
    for (const place of PLACES) {
      const projectId = `${role}-${place}`;
      const ownerId = place === "owned" ? role : "host";
      const visibility = place === "open" ? "workspace" : "private";
      yield* insertProject({ id: projectId, name: "p", ownerId, visibility }, host);
      if (place === "joined")
        yield* putProjectMember({ projectId, userId: role, role: "viewer" }, host);
      yield* insertTask({ id: `task-${projectId}`, title: "t", projectId }, host);
      yield* insertTeam({ id: `team-${projectId}`, name: "t", projectId }, host);
      const conversationId = `conversation-${projectId}`;
      yield* insertConversation(
        { id: conversationId, title: "c", source: "test", projectIds: [projectId] },
        host,
      );
      const messageId = `message-${projectId}`;
      yield* appendMessages(
        conversationId,
        [{ id: messageId, role: "user", position: 1, content: "hello" }],
        host,
      );
      yield* insertHighlight({ id: `highlight-${projectId}`, content: "h", messageId }, host);
      yield* insertHighlight(
        { id: `direct-highlight-${projectId}`, content: "h", projectId },
        host,
      );
      yield* insertDecision({ id: `decision-${projectId}`, title: "d", conversationId }, host);
      yield* insertDecision({ id: `direct-decision-${projectId}`, title: "d", projectId }, host);
      yield* insertRedaction(
        { id: `redaction-${projectId}`, projectId, messageId, reason: "r" },
        host,
      );
    }
    const own = { actor: role, now: 2 };
    yield* insertTask({ id: `task-of-${role}`, title: "mine" }, own);
    yield* insertTask({ id: `task-for-${role}`, title: "for me", assigneeId: role }, host);
    yield* insertConversation(
      { id: `conversation-of-${role}`, title: "mine", source: "test" },
      own,
    );
    yield* insertDecision({ id: `decision-of-${role}`, title: "mine" }, own);
    yield* insertHighlight({ id: `highlight-of-${role}`, content: "mine" }, own);
  }
}

function isSeen(place: Place, ofRole: string, viewer: Exclude<Viewer, "everything">): boolean {
  if (viewer.role === "admin" || place === "open") return true;
  return ofRole === viewer.userId && place !== "foreign";
}

function* idsOf(
  list: (cursor: string | undefined) => DatabaseWork<Page<{ readonly id: string }>>,
): DatabaseWork<Set<string>> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const page: Page<{ readonly id: string }> = yield* list(cursor);
    for (const { id } of page.items) ids.add(id);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return ids;
}

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`visibility on ${dialect}`, async () => {
    const { store, remove } = await scratchStore(dialect, [engineTables, nounTables]);
    await store.write(furnish);

    for (const role of USER_ROLES) {
      const viewer = { userId: role, role };
      test(`${role}: lists, single reads and shortened ids agree on what is seen`, async () => {
        const seen = await store.read(function* () {
          return {
            project: yield* idsOf((cursor) => listProjects({ viewer, cursor, limit: 3 })),
            task: yield* idsOf((cursor) => listTasks({ viewer, cursor })),
            team: yield* idsOf((cursor) => listTeams({ viewer, cursor })),
            conversation: yield* idsOf((cursor) => listConversations({ viewer, cursor })),
            highlight: yield* idsOf((cursor) => listHighlights({ viewer, cursor })),
            decision: yield* idsOf((cursor) => listDecisions({ viewer, cursor })),
            redaction: yield* idsOf((cursor) => listRedactions({ viewer, cursor })),
          };
        });

        for (const of of USER_ROLES) {
          for (const place of PLACES) {
            const projectId = `${of}-${place}`;
            const expected = isSeen(place, of, viewer);
            const says = `${role} and ${projectId}`;
            assert.equal(seen.project.has(projectId), expected, says);
            for (const noun of [
              "task",
              "team",
              "conversation",
              "highlight",
              "decision",
              "redaction",
            ] as const) {
              assert.equal(seen[noun].has(`${noun}-${projectId}`), expected, `${noun}: ${says}`);
            }
            assert.equal(seen.highlight.has(`direct-highlight-${projectId}`), expected, says);
            assert.equal(seen.decision.has(`direct-decision-${projectId}`), expected, says);
            const found = await store.read(function* () {
              return [
                yield* findProject(projectId, viewer),
                yield* findTask(`task-${projectId}`, viewer),
                yield* findTeam(`team-${projectId}`, viewer),
                yield* findConversation(`conversation-${projectId}`, viewer),
                yield* findMessage(`message-${projectId}`, viewer),
                yield* findHighlight(`highlight-${projectId}`, viewer),
                yield* findDecision(`decision-${projectId}`, viewer),
                (yield* listMessages({ viewer, conversationId: `conversation-${projectId}` }))[0],
              ];
            });
            assert.deepEqual(
              found.map((thing) => thing !== undefined),
              found.map(() => expected),
              says,
            );
            const resolving = store.read(() => resolveId("task", `task-${projectId}`, viewer));
            if (expected) assert.equal(await resolving, `task-${projectId}`);
            else await assert.rejects(resolving, { code: "task_not_found" });
          }
          const isOwn = role === "admin" || of === role;
          for (const noun of ["task", "conversation", "highlight", "decision"] as const) {
            assert.equal(seen[noun].has(`${noun}-of-${of}`), isOwn, `${role}: ${noun} of ${of}`);
          }
          assert.equal(seen.task.has(`task-for-${of}`), isOwn);
        }
      });
    }

    test("a conversation linked to a second, visible project is seen through it", async () => {
      const viewer = { userId: "viewer", role: "viewer" } as const;
      const id = "conversation-admin-foreign";
      assert.equal(await store.read(() => findConversation(id, viewer)), undefined);

      await store.write(() => linkConversation(id, "viewer-open", { actor: "host", now: 3 }));

      assert.equal((await store.read(() => findConversation(id, viewer)))?.id, id);
      assert.ok(await store.read(() => findDecision("decision-admin-foreign", viewer)));
      assert.equal(
        await store.read(() => findDecision("direct-decision-admin-foreign", viewer)),
        undefined,
      );
    });

    test("closing", remove);
  });
}
