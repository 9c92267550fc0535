/**
 * Forgets kept words that hold what is redacted. Hashes of what is forgotten stay, so it can still be proven, not read.
 */

import { isEnded } from "../../../kernel/run/run-state.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import {
  type DatabaseWork,
  execute,
  query,
  queryFirst,
} from "../../../kernel/store/database-work.ts";
import { appendEvents } from "../../../kernel/store/events.ts";
import { pruneSharedTexts } from "../../../kernel/store/prune-shared-texts.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { loadRedactionScope, type RedactionScope } from "../../../kernel/store/redaction-scope.ts";
import type { Store } from "../../../kernel/store/store.ts";
import type { Viewer } from "../../../kernel/store/visibility.ts";
import { purgeHarvest } from "../harvest/purge-harvest.ts";
import { purgePacket } from "../packet/packets.ts";
import { createPassageHunter, walkHoldings } from "./held-words.ts";
import { purgeRun } from "./purge-run.ts";

export interface Purged {
  readonly packets: number;
  readonly harvests: number;
  readonly artifacts: number;
  readonly exchanges: number;
  readonly runs: number;
  /** Exchanges and runs still under way; purge again when they are over. */
  readonly open: number;
  /** Answers kept to be repeated for the same request. */
  readonly repeats: number;
}

export async function purgeWords(
  store: Store,
  projectId: string,
  viewer: Viewer,
  act: Act,
  onProgress: (done: number) => void,
): Promise<Purged> {
  const counts = { packets: 0, harvests: 0, artifacts: 0, exchanges: 0, runs: 0, open: 0 };
  const scope = await store.read(() => loadRedactionScope([projectId]));
  const forgetting = { scope, holdsPassage: createPassageHunter(scope) };
  const touched = new Set<string>();
  const forgotten = new Set<string>();
  for await (const { kind, id, isOpen } of walkHoldings(store, projectId, viewer)) {
    if (isOpen) {
      counts.open += 1;
      continue;
    }
    forgotten.add(id);
    if (kind === "packet") {
      await store.write(() => purgePacket(id, act, forgetting.holdsPassage));
      counts.packets += 1;
    } else if (kind === "harvest") {
      await store.write(() => purgeHarvest(id, act));
      counts.harvests += 1;
    } else if (kind === "artifact") {
      await store.write(() => purgeArtifact(id));
      counts.artifacts += 1;
    } else if (kind === "exchange") {
      touched.add(await store.write(() => purgeExchange(id)));
      counts.exchanges += 1;
    } else touched.add(id);
    onProgress(counts.packets + counts.harvests + counts.artifacts + counts.exchanges);
  }
  // What an exchange said may stand in anything its run kept.
  for (const runId of touched) {
    const isForgotten = await store.write(function* () {
      const run = yield* queryFirst(db.selectFrom("run").select("state").where("id", "=", runId));
      if (run === undefined || !isEnded(run.state)) return false;
      return yield* purgeRun(runId, forgetting);
    });
    if (isForgotten) counts.runs += 1;
  }
  const purged = { ...counts, repeats: await store.write(() => purgeRepeats(scope, forgotten)) };
  if (counts.exchanges > 0) await pruneSharedTexts(store);
  await store.write(() => tell(projectId, purged, act));
  return purged;
}

/** In the form that pruning gives them too, which `doctor` and every reader know. */
function* purgeExchange(id: string): DatabaseWork<string> {
  yield* execute(
    db.updateTable("exchange").set({ messages: "[]", trace: null }).where("id", "=", id),
  );
  yield* execute(
    db.updateTable("answer").set({ reply: null, reading: null }).where("exchange_id", "=", id),
  );
  yield* execute(db.updateTable("effect").set({ data: "null" }).where("exchange_id", "=", id));
  yield* execute(db.deleteFrom("delta").where("exchange_id", "=", id));
  const row = yield* queryFirst(db.selectFrom("exchange").select("run_id").where("id", "=", id));
  return row?.run_id ?? "";
}

/** Other artifacts may have been made from it: it stays, without its words. */
function* purgeArtifact(id: string): DatabaseWork<void> {
  yield* execute(db.updateTable("artifact").set({ body: null }).where("id", "=", id));
}

/** Answers that hold a passage, and those that tell what was forgotten. */
function* purgeRepeats(
  scope: RedactionScope,
  forgotten: ReadonlySet<string>,
): DatabaseWork<number> {
  if (scope.passages.length === 0 && forgotten.size === 0) return 0;
  const holdsPassage = createPassageHunter(scope);
  const rows = yield* query(
    db
      .selectFrom("idempotency")
      .select(["principal", "route", "key", "response"])
      .where("response", "is not", null),
  );
  const found = rows.filter(
    ({ response }) =>
      response !== null &&
      (holdsPassage(response) || [...forgotten].some((id) => response.includes(id))),
  );
  for (const { principal, route, key } of found) {
    yield* execute(
      db
        .deleteFrom("idempotency")
        .where("principal", "=", principal)
        .where("route", "=", route)
        .where("key", "=", key),
    );
  }
  return found.length;
}

function* tell(
  projectId: string,
  purged: Purged,
  { actor, now, because }: Act,
): DatabaseWork<void> {
  const data = { ...purged, ...(because === undefined ? {} : { because }) };
  const event = { stream: projectId, type: "redaction.purged", projectId, actor, data };
  yield* appendEvents([event], now);
}
