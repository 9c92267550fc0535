/** Looking at sessions: one, all, the trail in the history, and whether everything that must hold does. */

import { z } from "zod";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { orderField, pageFields, projectField } from "../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../kernel/operation/redacted-view.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { cannotLook, checkAll, checkSession } from "./check/check-sessions.ts";
import { renderChecked } from "./check/check-view.ts";
import { readReportText } from "./read-report.ts";
import { getNamed, openDeskAgain, type SessionPorts } from "./session-desk.ts";
import { readLog } from "./session-log.ts";
import { sessionField } from "./session-operations.ts";
import { toDetail, toHeads } from "./session-output.ts";
import { checkedSessions, sessionDetail, sessionList, sessionLog } from "./session-shape.ts";
import { SESSION_STATES } from "./session-tables.ts";
import { renderLog, renderSession, renderSessionList } from "./session-view.ts";
import { findNewest, listSessions } from "./sessions.ts";

const project = projectField
  .optional()
  .describe("The project whose repository is meant; the workspace's own unless given.");

export function sessionReadOperations(ports: SessionPorts): readonly Operation[] {
  const list = defineOperation({
    name: "session.list",
    summary: "Lists sessions: what was asked, how far each got, what came of it.",
    effect: "reads",
    permission: "read",
    input: z.object({
      project: projectField.optional().describe("Only of this project."),
      state: z.array(z.enum(SESSION_STATES)).optional().describe("Only in these states."),
      order: orderField,
      ...pageFields,
    }),
    output: sessionList,
    surfaces: {
      cli: {
        examples: ["session list --state open"],
        render: rendering(sessionList, renderSessionList),
      },
      mcp: "full",
    },
    run: ({ kernel, caller }, { project: given, state, ...page }) =>
      kernel.store.read(function* () {
        const { items, nextCursor } = yield* listSessions({
          ...page,
          viewer: caller,
          projectId: yield* resolveOptional(given, (text) => resolveProject(text, caller)),
          states: state,
        });
        const heads = yield* withoutRedactedPassages(yield* toHeads(items), undefined);
        return { items: [...heads], nextCursor, asOf: kernel.clock.now() };
      }),
  });

  const show = defineOperation({
    name: "session.show",
    summary:
      "Shows a session: prompt, context, intents with their changes, and all that happened to it.",
    effect: "reads",
    permission: "read",
    input: z.object({
      session: sessionField.describe(
        "The session's id, or a unique beginning of it; the newest unless given.",
      ),
      report: z
        .boolean()
        .default(false)
        .describe("With the text of its report, from the repository."),
    }),
    output: sessionDetail,
    surfaces: {
      cli: {
        positionals: ["session"],
        examples: ["session show", "session show 0199a1b2-c3d4 --report"],
        render: rendering(sessionDetail, renderSession),
      },
      mcp: "full",
    },
    run: async ({ kernel, caller }, { session: given, report }) => {
      const session = await kernel.store.read(() =>
        given === undefined ? findNewest(caller) : getNamed(given, caller),
      );
      const detail = await kernel.store.read(() => toDetail(session));
      const text = report ? await readReportText(ports, session) : undefined;
      const shown = await kernel.store.read(() =>
        withoutRedactedPassages({ ...detail, report: text }, session.projectId ?? undefined),
      );
      return { ...shown, asOf: kernel.clock.now() };
    },
  });

  const log = defineOperation({
    name: "session.log",
    summary:
      "Shows the trail in the history itself: `session:` and `intent:` commits, newest first.",
    effect: "reads",
    permission: "read",
    input: z.object({
      project,
      limit: z.int().min(1).max(1000).default(50).describe("How many at most."),
    }),
    output: sessionLog,
    surfaces: {
      cli: { examples: ["session log --limit 10"], render: rendering(sessionLog, renderLog) },
      mcp: "full",
    },
    run: async (context, { project: given, limit }) => {
      const desk = await openDeskAgain(ports, context, given);
      const entries = await readLog(desk, limit);
      return context.kernel.store.read(() => withoutRedactedPassages(entries, undefined));
    },
  });

  const check = defineOperation({
    name: "session.check",
    summary:
      "Checks every completion invariant of a session, one code each; exit 9 on a breach, 1 when it cannot look.",
    effect: "reads",
    permission: "read",
    input: z.object({
      session: sessionField.describe(
        "The session's id; the newest of the repository unless given.",
      ),
      project,
      all: z
        .boolean()
        .default(false)
        .describe("All sessions of the repository, and those that only the history knows."),
    }),
    output: checkedSessions,
    surfaces: {
      cli: {
        positionals: ["session"],
        examples: ["session check", "session check --all --json"],
        render: rendering(checkedSessions, renderChecked),
        outcome: (output) => (checkedSessions.parse(output).breaches > 0 ? "check_failed" : "ok"),
      },
      mcp: "full",
    },
    run: async (context, { session: given, project: about, all }) => {
      const { kernel, caller } = context;
      try {
        const named =
          given === undefined ? undefined : await kernel.store.read(() => getNamed(given, caller));
        const desk =
          named === undefined
            ? await openDeskAgain(ports, context, about)
            : {
                kernel,
                caller,
                vcs: await ports.openVcs(named.repository),
                projectId: named.projectId,
              };
        const sessions = all
          ? await checkAll(desk, desk.projectId)
          : await checkSession(desk, named, desk.projectId);
        const breaches = sessions
          .flatMap(({ invariants }) => invariants)
          .filter(({ verdict }) => verdict === "breach").length;
        return {
          repository: desk.vcs.root,
          sessions: sessions.map((each) => ({ ...each, invariants: [...each.invariants] })),
          breaches,
        };
      } catch (error) {
        throw cannotLook(error);
      }
    },
  });

  return [list, show, log, check];
}
