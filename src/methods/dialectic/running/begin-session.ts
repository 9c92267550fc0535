/** How a dialectic begins: its run, what it is about, and the recipes it goes by from then on. */

import type { NewRun } from "../../../kernel/run/decision.ts";
import type { EngineTools } from "../../../kernel/run/engine-transaction.ts";
import { type RunOwner, startRun } from "../../../kernel/run/start-run.ts";
import { type DatabaseWork, execute } from "../../../kernel/store/database-work.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import { countAllTurns } from "../planning/topology.ts";
import type { OverlayValues } from "../recipe/domain-file.ts";
import { openPinned, type PinnedFiles } from "../recipe/pinned-domain.ts";
import { dialectic } from "./dialectic-tables.ts";
import { lookJob } from "./look-handler.ts";

export const DIALECTIC = "dialectic";

export interface NewSession {
  readonly title: string;
  readonly request: string;
  readonly recipe: PinnedFiles;
  readonly slots: readonly string[];
  readonly overlays: OverlayValues;
  readonly reviewers?: number | undefined;
  readonly isAuto: boolean;
}

/** Every iteration may take as many turns as a full pass, with corrections and continuations. */
const MOST_PASSES = 40;

export function* beginSession(
  tools: EngineTools,
  session: NewSession,
  owner: RunOwner,
  now: number,
): DatabaseWork<string> {
  const { recipe, slots, reviewers } = session;
  const { domain } = openPinned(recipe);
  const turns = countAllTurns(domain, { slots: slots.length, reviewers });
  const run: NewRun = {
    method: DIALECTIC,
    title: session.title,
    input: { request: session.request, domain: domain.key, slots },
    jobs: [lookJob(0)],
    limits: {
      turns: Math.max(10_000, turns * MOST_PASSES),
      jobs: Math.max(50_000, turns * MOST_PASSES * 3),
    },
  };
  const runId = yield* startRun(tools, run, owner, now);
  yield* execute(
    dialectic
      .insertInto("dialectic_recipe")
      .values({ hash: recipe.hash, domain: recipe.domain, files: recipe.files })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const first = domain.stages[0]?.key ?? "";
  yield* execute(
    dialectic.insertInto("dialectic_session").values({
      run_id: runId,
      domain: domain.key,
      recipe_hash: recipe.hash,
      request: storableText(session.request),
      slots: JSON.stringify(slots),
      overlays: JSON.stringify(session.overlays),
      reviewers: reviewers ?? null,
      is_auto: session.isAuto ? 1 : 0,
      is_refreshing: 0,
      stage: first,
      iteration: 1,
      status: `running_${first}`,
      look: 0,
      gates: 0,
    }),
  );
  return runId;
}
