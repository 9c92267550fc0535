/** Looking at teams and at their work. */

import { z } from "zod";
import { asOfField, pageFields } from "../../../kernel/operation/operation-fields.ts";
import {
  defineOperation,
  type FollowHint,
  type Operation,
} from "../../../kernel/operation/operation.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { query } from "../../../kernel/store/database-work.ts";
import { seesRun } from "../../../kernel/store/visibility.ts";
import {
  findTeam,
  listLibraryTeams,
  listSavedTeams,
  type ReadyTeam,
} from "../catalogue/ready-teams.ts";
import { blameOf } from "../reading/blame.ts";
import { listEnvelopes } from "../reading/read-envelopes.ts";
import { productView, treeView } from "../reading/read-product.ts";
import { reportOf } from "../reading/team-report.ts";
import { statusOf, TEAM_STATUSES, teamStatus } from "../reading/team-status.ts";
import { Draft } from "../rules/draft.ts";
import { TEAM } from "../running/begin-team.ts";
import { STEPS } from "../state/team-records.ts";
import { findTeamRun, loadTeam } from "../state/team-rows.ts";
import { teamShape } from "../state/team-shape.ts";
import { teamTables } from "../state/team-tables.ts";
import { renderProduct, renderTree } from "../views/product-view.ts";
import { renderStatus } from "../views/status-view.ts";
import { renderRuns, renderTeam, renderTeams } from "../views/team-view.ts";
import { renderChain, renderEnvelopes } from "../views/trace-view.ts";
import { readRun } from "./team-context.ts";
import {
  chainShape,
  envelopesShape,
  productField,
  productShape,
  reportShape,
  runField,
  statusShape,
  teamField,
  teamLine,
  treeShape,
} from "./team-fields.ts";

/** Until the team is done or waits for somebody; its rounds are shown live. */
export const TEAM_FOLLOWED: FollowHint = {
  stream: "runId",
  until: {
    "run.completed": "ok",
    "run.failed": "internal",
    "run.cancelled": "internal",
    "run.waiting": "waiting",
    "run.held": "waiting",
  },
  view: "team.status",
};

const teamsShape = z.object({ teams: z.array(teamLine), asOf: asOfField });

const list = defineOperation({
  name: "team.list",
  summary: "Lists the teams that are ready to work.",
  effect: "reads",
  permission: "read",
  input: z.object({}),
  output: teamsShape,
  surfaces: {
    cli: { render: rendering(teamsShape, renderTeams), examples: ["team list"] },
    mcp: "full",
  },
  run: ({ kernel, caller }) =>
    kernel.store.read(function* () {
      const teams = [...listLibraryTeams(kernel.library), ...(yield* listSavedTeams(caller))];
      return { teams: teams.map(lineOf), asOf: kernel.clock.now() };
    }),
});

function lineOf({ ref, team: { name, field, description, members, example } }: ReadyTeam) {
  return { ref, name, field, description, members: members.length, example };
}

const shownTeam = z.object({ ref: z.string(), team: teamShape });

const show = defineOperation({
  name: "team.show",
  summary: "Shows a team: its members, what it starts from, when it stops.",
  effect: "reads",
  permission: "read",
  input: z.object({ team: teamField }),
  output: shownTeam,
  surfaces: {
    cli: {
      positionals: ["team"],
      render: rendering(shownTeam, renderTeam),
      examples: ["team show lab"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { team }) =>
    kernel.store.read(() => findTeam(kernel.library, team, caller)),
});

const runsShape = z.object({
  runs: z.array(
    z.object({
      runId: z.string(),
      title: z.string(),
      status: z.enum(TEAM_STATUSES),
      runState: z.string(),
      round: z.number(),
      products: z.number(),
      accepted: z.number(),
      stop: z.string().nullable(),
      createdAt: z.number(),
    }),
  ),
  asOf: asOfField,
});

const runs = defineOperation({
  name: "team.runs",
  summary: "Lists the missions that teams work on or have worked on, newest first.",
  effect: "reads",
  permission: "read",
  input: z.object({ limit: pageFields.limit }),
  output: runsShape,
  surfaces: {
    cli: { render: rendering(runsShape, renderRuns), examples: ["team runs"] },
    mcp: "full",
  },
  run: ({ kernel, caller }, { limit }) =>
    kernel.store.read(function* () {
      const rows = yield* query(
        teamTables
          .selectFrom("run")
          .leftJoin("team_run", "team_run.run_id", "run.id")
          .select([
            "run.id",
            "run.title",
            "run.state",
            "run.created_at",
            "run.project_id",
            "team_run.round",
            "team_run.stop_message",
          ])
          .where("run.method", "=", TEAM)
          .where(seesRun(caller))
          .orderBy("run.created_at", "desc")
          .orderBy("run.id", "desc")
          .limit(limit),
      );
      const found = [];
      for (const row of rows) {
        const state = row.round === null ? undefined : yield* loadTeam(row.id);
        const products = state === undefined ? [] : new Draft(state).products();
        const shown = yield* withoutRedactedPassages(
          { title: row.title, stop: row.stop_message },
          row.project_id ?? undefined,
        );
        found.push({
          ...shown,
          runId: row.id,
          status: statusOf(row.state, state),
          runState: row.state,
          round: row.round ?? 0,
          products: products.length,
          accepted: products.filter(({ status }) => status === "accepted").length,
          createdAt: row.created_at,
        });
      }
      return { runs: found, asOf: kernel.clock.now() };
    }),
});

const status = defineOperation({
  name: "team.status",
  summary: "Shows where a team stands: rounds and steps, members, messages, what it waits for.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run" },
  input: z.object({ runId: runField }),
  output: statusShape,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(statusShape, renderStatus),
      follow: TEAM_FOLLOWED,
      examples: ["team status 0199a1b2", "team status 0199a1b2 --follow"],
    },
    mcp: "full",
  },
  run: async (context, { runId }) =>
    statusShape.parse(
      await readRun(context, runId, (id) => teamStatus(id, context.kernel.clock.now())),
    ),
});

const tree = defineOperation({
  name: "team.tree",
  summary:
    "Shows the tree of products with their versions and how much of their definition of done is met.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run" },
  input: z.object({ runId: runField }),
  output: treeShape,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(treeShape, renderTree),
      examples: ["team tree 0199a1b2"],
    },
    mcp: "full",
  },
  run: async (context, { runId }) =>
    treeShape.parse(
      await readRun(context, runId, function* (id) {
        const state = yield* loadTeam(id);
        return {
          runId: id,
          round: state.round,
          products: treeView(state),
          asOf: context.kernel.clock.now(),
        };
      }),
    ),
});

const product = defineOperation({
  name: "team.product",
  summary:
    "Shows a product in full: versions, directives, reflections, comments, inspections and what was done to it.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run" },
  input: z.object({ runId: runField, product: productField }),
  output: productShape,
  surfaces: {
    cli: {
      positionals: ["runId", "product"],
      render: rendering(productShape, renderProduct),
      examples: ["team product 0199a1b2 p3"],
    },
    mcp: "full",
  },
  run: async (context, { runId, product: productId }) =>
    productShape.parse(
      await readRun(context, runId, function* (id) {
        const state = yield* loadTeam(id);
        return { runId: id, ...productView(state, productId), asOf: context.kernel.clock.now() };
      }),
    ),
});

const envelope = defineOperation({
  name: "team.envelope",
  summary:
    "Lists the envelopes that prompts were made of; shows one in full, with what changed since the one before.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run" },
  input: z.object({
    runId: runField,
    round: z.int().min(0).optional(),
    step: z.enum(STEPS).optional(),
    member: z.string().max(20).optional().describe("Such as m2."),
    target: z
      .string()
      .max(20)
      .optional()
      .describe("The directive written for, or the version reviewed."),
    hash: z.string().min(4).max(64).optional().describe("The envelope's hash, or its beginning."),
  }),
  output: envelopesShape,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(envelopesShape, renderEnvelopes),
      examples: [
        "team envelope 0199a1b2",
        "team envelope 0199a1b2 --round 2 --step reflect --member m3",
      ],
    },
    mcp: "full",
  },
  run: async (context, { runId, ...wanted }) =>
    readRun(context, runId, function* (id) {
      return { runId: id, ...(yield* listEnvelopes(id, wanted)), asOf: context.kernel.clock.now() };
    }),
});

const blame = defineOperation({
  name: "team.blame",
  summary:
    "Says where a sentence came from: the version that brought it, its directive, and the chain back to your prompt.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run" },
  input: z.object({
    runId: runField,
    product: productField,
    sentence: z.string().min(1).max(10_000).describe("As it stands in the version."),
    version: z.string().max(20).optional().describe("The selected one unless given."),
  }),
  output: chainShape,
  surfaces: {
    cli: {
      positionals: ["runId", "product", "sentence"],
      render: rendering(chainShape, renderChain),
      examples: ['team blame 0199a1b2 p3 "Limits are stated here."'],
    },
    mcp: "full",
  },
  run: async (context, { runId, product: productId, sentence, version }) =>
    chainShape.parse(
      await readRun(context, runId, function* (id) {
        const found = blameOf(new Draft(yield* loadTeam(id)), productId, sentence, version);
        return {
          runId: id,
          productId,
          sentence,
          versionId: found.version.id,
          versionNumber: found.version.number,
          round: found.version.round,
          added: [...found.added],
          isCutOff: found.isCutOff,
          chain: [...found.chain],
        };
      }),
    ),
});

const report = defineOperation({
  name: "team.report",
  summary: "Everything the team made, as one Markdown document.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run" },
  input: z.object({ runId: runField }),
  output: reportShape,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(reportShape, ({ markdown }) => markdown),
      examples: ["team report 0199a1b2 > report.md"],
    },
    mcp: "full",
  },
  run: (context, { runId }) =>
    readRun(context, runId, function* (id) {
      const run = yield* findTeamRun(id);
      const markdown = reportOf(yield* loadTeam(id), run?.stop_message ?? null);
      return { runId: id, markdown, asOf: context.kernel.clock.now() };
    }),
});

export const teamReadOperations: readonly Operation[] = [
  list,
  show,
  runs,
  status,
  tree,
  product,
  envelope,
  blame,
  report,
];
