/**
 * Runs of other methods that are bound to a session. The engine tells of turns that worked on files, the store tells
 * which runs have ended; so no method knows of sessions, and sessions know of no method.
 */

import { describeError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import type { JobView, TurnAnswer } from "../../kernel/run/handler.ts";
import { queryFirst } from "../../kernel/store/database-work.ts";
import { getUser } from "../../kernel/store/users.ts";
import { findIntentFault, LONGEST_INTENT } from "../../kernel/vcs/intent-message.ts";
import { isTold } from "../../kernel/vcs/repository-path.ts";
import { longestBacktickRun } from "./backtick-run.ts";
import { finishLocked } from "./finish-session.ts";
import { commitIntent } from "./record-intent.ts";
import { contextText } from "./session-context.ts";
import type { Desk, SessionPorts } from "./session-desk.ts";
import {
  findSessionOfRun,
  listBoundRuns,
  listEndedBindings,
  setBindingFailure,
} from "./session-runs.ts";
import { sessionDb } from "./session-tables.ts";
import { appendEntry } from "./session-trail.ts";
import { getSession, type Session } from "./sessions.ts";

export interface Binder {
  readonly kernel: Kernel;
  readonly ports: SessionPorts;
}

/** What an accepted turn left in the session's repository becomes an intent of it. */
export async function recordTurn(
  binder: Binder,
  job: JobView,
  { value }: Pick<TurnAnswer, "value">,
): Promise<void> {
  const { kernel } = binder;
  const id = await kernel.store.read(() => findSessionOfRun(job.runId));
  if (id === undefined) return;
  try {
    const { desk, session } = await openFor(binder, id);
    const what = intentOf(session, `${labelOf(job)}${summaryOf(value)}`, `Work of ${labelOf(job)}`);
    await desk.vcs.lock(() => recordChanges(desk, id, { what, jobId: job.id }));
  } catch (error) {
    // The turn itself is as good as ever. What it changed stays in the working copy; the end tries again and tells.
    const { code, message } = describeError(error);
    const data = { code, message, job: job.id };
    await kernel.store.write(() =>
      appendEntry(
        id,
        { kind: "turn_unrecorded", data },
        { actor: job.startedBy, now: kernel.clock.now() },
      ),
    );
    kernel.changes.notify();
  }
}

/** Finishes the sessions whose runs have all ended. What fails is noted once and left to a person. */
export async function finishEndedRuns(binder: Binder): Promise<void> {
  const { kernel } = binder;
  for (const id of await kernel.store.read(listEndedBindings)) {
    const failure = await finishWithRun(binder, id).catch((error) => describeError(error).message);
    if (failure === undefined) continue;
    await kernel.store.write(() => setBindingFailure(id, failure));
    kernel.changes.notify();
  }
}

/** Gives why it is not finished, if it is not. */
async function finishWithRun(binder: Binder, id: string): Promise<string | undefined> {
  const { desk, session } = await openFor(binder, id);
  const runs = await desk.kernel.store.read(() => listBoundRuns(id));
  const [first] = runs;
  const isWhole = runs.every(({ state }) => state === "completed");
  const title = oneLine(first?.title ?? "A run", 250);
  return desk.vcs.lock(async () => {
    const what = intentOf(session, `Keep what "${title}" left`, "Keep what the run left");
    await recordChanges(desk, id, { what });
    const ended = await finishLocked(desk, id, {
      summary: session.summary ?? (isWhole ? title : `${title} (${first?.state ?? "ended"})`),
      answer: session.answer ?? (await answerOf(desk, runs)),
      kind: session.kind ?? (isWhole ? "answer" : "draft"),
    });
    return ended.state === "finished" ? undefined : (ended.pushReason ?? `It is ${ended.state}.`);
  });
}

async function recordChanges(
  desk: Desk,
  id: string,
  intent: { readonly what: string; readonly jobId?: string },
): Promise<void> {
  const session = await desk.kernel.store.read(() => getSession(id, "everything"));
  if (session.state !== "open") return;
  const { changes } = await desk.vcs.workingCopy.look();
  if (changes.every(({ path }) => isTold(path))) return;
  await commitIntent(desk, session, intent);
}

async function openFor(
  { kernel, ports }: Binder,
  id: string,
): Promise<{ readonly desk: Desk; readonly session: Session }> {
  const { session, caller } = await kernel.store.read(function* () {
    const found = yield* getSession(id, "everything");
    const user = yield* getUser(found.startedBy);
    const { id: userId, displayName: name, role, isAgent } = user;
    const who: Caller = { userId, name, role, isAgent, scopes: undefined };
    return { session: found, caller: who };
  });
  return { session, desk: { kernel, caller, vcs: await ports.openVcs(session.repository) } };
}

function labelOf({ step, item }: JobView): string {
  return item === null ? step : `${step} (${item})`;
}

/** Many replies say in a line or two what was done. */
function summaryOf(value: unknown): string {
  const { summary, title } = Object(value) as { summary?: unknown; title?: unknown };
  const said = [summary, title].find((text) => typeof text === "string" && text.trim() !== "");
  return typeof said === "string" ? `: ${said.trim().split(/[\n\r]/)[0] ?? ""}` : "";
}

/** Whatever a model says: one line that repeats neither prompt nor context. */
function intentOf(session: Session, wanted: string, plain: string): string {
  const words = { prompt: session.prompt, context: contextText(session) };
  const line = oneLine(wanted, LONGEST_INTENT);
  return findIntentFault(line, words) === undefined ? line : oneLine(plain, LONGEST_INTENT);
}

function oneLine(text: string, most: number): string {
  const plain = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
  const characters = Array.from(plain);
  return plain.length <= most ? plain : `${characters.slice(0, Math.floor(most / 2)).join("")}…`;
}

async function answerOf(
  { kernel }: Desk,
  runs: readonly { readonly runId: string; readonly title: string; readonly state: string }[],
): Promise<string> {
  const parts: string[] = [];
  for (const { runId, title, state } of runs) {
    const row = await kernel.store.read(() =>
      queryFirst(sessionDb.selectFrom("run").select("result").where("id", "=", runId)),
    );
    const result = row?.result ?? "null";
    const told = result === "null" ? "" : `\n\n${fencedJson(result)}`;
    parts.push(`The run "${oneLine(title, 300)}" (\`${runId}\`) is ${state}.${told}`);
  }
  return parts.join("\n\n");
}

function fencedJson(text: string): string {
  const fence = "`".repeat(Math.max(3, longestBacktickRun(text) + 1));
  return `${fence}json\n${JSON.stringify(JSON.parse(text), undefined, 2)}\n${fence}`;
}
