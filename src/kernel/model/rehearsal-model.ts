/**
 * The rehearsal model: offline, free, and the same every time. It answers any contract with valid,
 * readable content about the prompt, and misbehaves only as asked, by rate or by script.
 *
 * A reply is a function of seed, model, labels and prompt. A call with `continuationOf` and
 * `labels.continuation` above 0 makes the first call's reply again and goes on where the text ends;
 * for that its messages must begin with those of the first call.
 */

import type { Clock } from "../base/clock.ts";
import { ModelError } from "./model-error.ts";
import type { ModelDelta, ModelProvider, ModelRequest } from "./model-provider.ts";
import { type Casting, prepareAct } from "./rehearsal-act.ts";
import { refusedCall } from "./rehearsal-misbehaviour.ts";

export interface RehearsalOptions extends Casting {
  /** From the call to its end, spread over the pieces; a script may say otherwise. */
  readonly latencyMs?: number;
  /** How long a stall lasts before it is given up. */
  readonly idleMs?: number;
}

const IDLE_MS = 60_000;
const PIECE_CHARS = 4_096;
/** With latency a reply comes in more pieces, so that live views have something to show. */
const PIECES_WITH_LATENCY = 12;

export function createRehearsalModel(clock: Clock, options: RehearsalOptions = {}): ModelProvider {
  return { call: (request, { signal }) => perform(clock, options, request, signal) };
}

async function* perform(
  clock: Clock,
  options: RehearsalOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta> {
  if (signal.aborted) throw aborted();
  const act = prepareAct(options, request);
  const { text, misbehaviour } = act;
  const latencyMs = act.scripted?.latencyMs ?? options.latencyMs ?? 0;
  const size =
    latencyMs === 0 ? PIECE_CHARS : Math.max(1, Math.ceil(text.length / PIECES_WITH_LATENCY));
  const pauseMs = latencyMs / (Math.ceil(text.length / size) + 1);

  if (pauseMs > 0) await pause(clock, pauseMs, signal);
  const refusal = misbehaviour && refusedCall(misbehaviour, act.dice);
  if (refusal) throw refusal;
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start, size);
    yield { type: "text", text: text.slice(start, end) };
    if (pauseMs > 0) await pause(clock, pauseMs, signal);
    else if (signal.aborted) throw aborted();
    start = end;
  }
  if (misbehaviour?.kind === "stall") {
    const idleMs = options.idleMs ?? IDLE_MS;
    await pause(clock, idleMs, signal);
    throw new ModelError("stalled", `The rehearsal model sent nothing for ${idleMs / 1000} s.`);
  }
  if (misbehaviour?.kind === "cut") {
    throw new ModelError("cut", "The rehearsal model broke off in the middle of its reply.");
  }
  yield act.finish;
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal);
  if (signal.aborted) throw aborted();
}

function pieceEnd(text: string, start: number, size: number): number {
  const end = Math.min(start + size, text.length);
  const code = text.charCodeAt(end - 1);
  return end < text.length && code >= 0xd800 && code < 0xdc00 ? end + 1 : end;
}

function aborted(): ModelError {
  return new ModelError("aborted", "The call to the rehearsal model was cancelled.");
}
