/** Decides what the rehearsal model will say in one call, how that ends and what goes wrong with it. */

import { hashText } from "../base/hash.ts";
import { continuationPoint } from "../contract/continuation-point.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { ModelFinish, ModelLabels, ModelMessage, ModelRequest } from "./model-provider.ts";
import { createDice, type Dice, fractionOf } from "./rehearsal-dice.ts";
import {
  breakingPoint,
  chooseMisbehaviour,
  type Misbehaviour,
  type MisbehaviourRates,
  spoil,
} from "./rehearsal-misbehaviour.ts";
import { rehearsedReply, writeReply } from "./rehearsal-reply.ts";
import {
  type RehearsalScript,
  type ScriptedBehaviour,
  scriptedBehaviour,
} from "./rehearsal-script.ts";

export interface Casting {
  readonly seed?: string;
  readonly script?: RehearsalScript;
  /** Shares of calls that go wrong; those of the script come first. */
  readonly rates?: MisbehaviourRates;
}

export interface Act {
  readonly text: string;
  readonly finish: ModelFinish;
  readonly misbehaviour: Misbehaviour | undefined;
  readonly scripted: ScriptedBehaviour | undefined;
  readonly dice: Dice;
}

export function prepareAct(casting: Casting, request: ModelRequest): Act {
  const cue = cueFor(casting, request);
  const whole = request.labels.continuation > 0 ? goOn(casting, cue, request) : say(cue, request);
  const end = endOf(whole, cue, request.maxOutputTokens);
  const text = end.at === whole.length ? whole : whole.slice(0, end.at);
  const { misbehaviour, scripted, dice } = cue;
  return { text, finish: finishOf(text, end, request), misbehaviour, scripted, dice };
}

/** Everything that was decided before a word is said. */
interface Cue {
  readonly scripted: ScriptedBehaviour | undefined;
  readonly misbehaviour: Misbehaviour | undefined;
  readonly dice: Dice;
}

function cueFor(casting: Casting, { model, labels, messages }: ModelRequest): Cue {
  const { script } = casting;
  const scripted = script && scriptedBehaviour(script, labels);
  const hash = hashOf(casting, model, labels, messages);
  const rates = script?.default?.rates ?? casting.rates;
  const misbehaviour =
    scripted?.misbehave ?? (rates && chooseMisbehaviour(rates, fractionOf(hash)));
  return { scripted, misbehaviour, dice: createDice(hash) };
}

/** The run is left out: its id is random, and a rehearsal is the same in every run. */
function hashOf(
  { seed = "" }: Casting,
  model: string,
  { seed: own = "", step, item = "", attempt, continuation }: ModelLabels,
  messages: readonly ModelMessage[],
): string {
  let key = `${seed}\0${model}\0${own}\0${step}\0${item}\0${attempt}\0${continuation}`;
  for (const { role, text } of messages) key += `\0${role}\0${text}`;
  return hashText(key);
}

/** The whole reply, misbehaviour included, as if nothing made it end early. */
function say({ scripted, misbehaviour, dice }: Cue, request: ModelRequest): string {
  const text =
    pinnedReply(scripted, request) ??
    rehearsedReply(request, dice, {
      inventIds: misbehaviour?.kind === "invent_ids",
      set: scripted?.set,
    });
  return misbehaviour ? spoil(text, misbehaviour, request, dice) : text;
}

function pinnedReply(
  scripted: ScriptedBehaviour | undefined,
  request: ModelRequest,
): string | undefined {
  const reply = scripted?.reply;
  if (reply === undefined || typeof reply === "string") return reply;
  return writeReply(reply, request);
}

const OVERLAP = 80;

function goOn(casting: Casting, cue: Cue, request: ModelRequest): string {
  const soFar = request.continuationOf?.text ?? "";
  const text =
    pinnedReply(cue.scripted, request) ??
    restOfReply(casting, request) ??
    say({ ...cue, misbehaviour: undefined }, request);
  if (!cue.misbehaviour) return text;
  if (cue.misbehaviour.kind === "repeat") return soFar.slice(-OVERLAP) + text;
  return spoil(text, cue.misbehaviour, request, cue.dice);
}

/** Begins with mark and anchor where the continuation prompt asks for them, as an attentive model does. */
function restOfReply(casting: Casting, request: ModelRequest): string | undefined {
  if (!request.continuationOf) return undefined;
  const { text, mark, anchor } = continuationPoint(request.continuationOf.text);
  const rest = restOfFirst(casting, request, text);
  const asked = request.messages.at(-1)?.text.includes(mark) ?? false;
  if (rest === undefined || (rest === "" && !asked)) return undefined;
  return asked ? `${mark}\n${anchor}${rest}` : rest;
}

/**
 * The first call's messages are a beginning of this one's, most likely all but the last; each is
 * tried until one makes a reply that begins with the text so far. Text that is nobody's reply, such
 * as a broken one being corrected, has no rest.
 */
function restOfFirst(casting: Casting, request: ModelRequest, soFar: string): string | undefined {
  const labels = { ...request.labels, continuation: 0 };
  for (let count = request.messages.length - 1; count >= 1; count -= 1) {
    const first = { ...request, labels, messages: request.messages.slice(0, count) };
    const cue = cueFor(casting, first);
    // A spoiled reply may have been repaired since, down to what it would have been.
    const rest =
      after(say(cue, first), soFar) ??
      (cue.misbehaviour &&
        after(say({ ...cueFor(casting, first), misbehaviour: undefined }, first), soFar));
    // All of a spoiled reply has no rest: what is wrong with it must be said anew.
    const isOver = rest === "" && endsEarly(cue.misbehaviour);
    if (rest !== undefined && (rest !== "" || isOver)) return rest;
  }
  return undefined;
}

function endsEarly(misbehaviour: Misbehaviour | undefined): boolean {
  return (
    misbehaviour === undefined ||
    ["truncate", "cut", "stall", "fall_silent"].includes(misbehaviour.kind)
  );
}

function after(whole: string, soFar: string): string | undefined {
  if (soFar.length > whole.length) return undefined;
  if (whole.startsWith(soFar)) return whole.slice(soFar.length);
  const trimmed = soFar.trimEnd();
  return whole.startsWith(trimmed) ? whole.slice(trimmed.length) : undefined;
}

interface End {
  readonly at: number;
  readonly reason: ModelFinish["reason"];
  readonly raw: string | undefined;
}

function endOf(
  text: string,
  { misbehaviour, dice }: Cue,
  maxOutputTokens: number | undefined,
): End {
  switch (misbehaviour?.kind) {
    case "truncate":
      return { at: breakingPoint(text, misbehaviour, dice), reason: "length", raw: "max_tokens" };
    case "cut":
    case "stall":
    case "fall_silent":
      return { at: breakingPoint(text, misbehaviour, dice), reason: "cut", raw: undefined };
    case "empty":
      return { at: 0, reason: "length", raw: "max_tokens" };
    case "refuse":
      return { at: text.length, reason: "content_filter", raw: "refusal" };
    default:
      return limited(text, maxOutputTokens, dice);
  }
}

/** Like any model, it stops at the output limit it was given. */
function limited(text: string, maxOutputTokens: number | undefined, dice: Dice): End {
  const whole: End = { at: text.length, reason: "stop", raw: "stop" };
  // A token is rarely less than one character, so most replies need no estimate.
  if (maxOutputTokens === undefined || text.length <= maxOutputTokens) return whole;
  const tokens = estimateTokens(text);
  if (tokens <= maxOutputTokens) return whole;
  const at = Math.max(1, Math.floor((text.length * maxOutputTokens) / tokens));
  return { at: breakingPoint(text, { at }, dice), reason: "length", raw: "max_tokens" };
}

function finishOf(text: string, { reason, raw }: End, { messages }: ModelRequest): ModelFinish {
  let inputTokens = 0;
  for (const message of messages) inputTokens += estimateTokens(message.text);
  const usage = { inputTokens, outputTokens: estimateTokens(text) };
  return { type: "finish", reason, rawReason: raw, usage };
}
