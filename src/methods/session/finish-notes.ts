/** What is written down while a session is finished, so that whoever comes next knows how far it got. */

import { describeError } from "../../kernel/base/errors.ts";
import { canonicalJson } from "../../kernel/base/json.ts";
import { parseIntent } from "../../kernel/vcs/intent-message.ts";
import type { Composition } from "./compose-session.ts";
import type { Preparation } from "./prepare-finish.ts";
import { actOf, type Desk } from "./session-desk.ts";
import type { SynthesisMode } from "./session-tables.ts";
import { appendEntry, appendIntents, setDuplicates } from "./session-trail.ts";
import { type Session, updateSession } from "./sessions.ts";

/** From here on a dead process is found by the state that is written here. */
export async function beginFinish(
  desk: Desk,
  session: Session,
  prepared: Preparation,
): Promise<void> {
  const { kernel } = desk;
  const act = actOf(desk);
  const { words, plan, found, allowed } = prepared;
  await kernel.store.write(function* () {
    for (const entry of allowed) yield* appendEntry(session.id, entry, act);
    if (found.length > 0) {
      const intents = found.map(({ changeId, message }) => ({
        changeId,
        what: parseIntent(message) ?? "",
        source: "found" as const,
      }));
      yield* appendIntents(session.id, intents, act.now);
      const data = { changes: found.map(({ changeId }) => changeId) };
      yield* appendEntry(session.id, { kind: "intent_found", data }, act);
    }
    const patch = {
      ...words,
      state: "finishing" as const,
      plan: canonicalJson(plan),
      scope: prepared.scope,
      mode: prepared.mode,
      bookmark: plan.bookmark,
    };
    yield* updateSession(session.id, patch, act, "finish_begun");
    const { operation, onto, originals } = plan;
    const data = { operation, onto, originals, mode: prepared.mode };
    yield* appendEntry(session.id, { kind: "finish_begun", data }, act);
  });
}

export async function keepComposition(
  desk: Desk,
  { id }: Session,
  { plan }: Preparation,
  { changeId, duplicates, message, reportPath }: Composition,
): Promise<void> {
  const act = actOf(desk);
  await desk.kernel.store.write(function* () {
    const known = canonicalJson({ ...plan, changeId, duplicates: [...duplicates] });
    const patch = { plan: known, change_id: changeId, message, report_path: reportPath };
    yield* updateSession(id, patch, act, "composed");
    const data = { change: changeId, report: reportPath };
    yield* appendEntry(id, { kind: "composed", data }, act);
  });
}

export async function keepSynthesised(
  desk: Desk,
  sessionId: string,
  mode: SynthesisMode,
  duplicates: readonly string[],
): Promise<Session> {
  const { kernel } = desk;
  const act = actOf(desk);
  const done = await kernel.store.write(function* () {
    const session = yield* updateSession(sessionId, { state: "synthesised" }, act, "synthesised");
    const originals = session.plan?.originals ?? [];
    const pairs = duplicates.map((duplicate, i): [string, string] => [
      originals[i] ?? "",
      duplicate,
    ]);
    yield* setDuplicates(sessionId, new Map(pairs));
    const data = { change: session.changeId ?? "", mode, duplicates: [...duplicates] };
    yield* appendEntry(sessionId, { kind: "synthesised", data }, act);
    return session;
  });
  kernel.changes.notify();
  return done;
}

/** After a failure that left everything as it was. */
export async function stayOpen(desk: Desk, sessionId: string, failure: unknown): Promise<void> {
  const act = actOf(desk);
  const { code, message } = describeError(failure);
  await desk.kernel.store.write(function* () {
    yield* updateSession(sessionId, { ...REOPENED, plan: null }, act, "finish_failed");
    yield* appendEntry(sessionId, { kind: "finish_failed", data: { code, message } }, act);
  });
}

/** After a dead process was cleaned up behind. */
export async function takeBack(desk: Desk, sessionId: string): Promise<Session> {
  const act = actOf(desk);
  return desk.kernel.store.write(function* () {
    const reopened = yield* updateSession(sessionId, REOPENED, act, "taken_back");
    yield* appendEntry(sessionId, { kind: "taken_back" }, act);
    return reopened;
  });
}

const REOPENED = { state: "open", change_id: null, message: null, report_path: null } as const;
