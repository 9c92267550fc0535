/**
 * Parts in, prompt out: fitted to its budget, traced to its sources, hashed. No clock, no store, no
 * chance: the same parts give the same bytes in whatever order they are handed over.
 */

import { ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import type { CacheReport, CompiledPrompt, LayerSize, PromptMessage } from "./compiled-prompt.ts";
import { type Fit, type FitRules, fitParts, fitWhole } from "./fit-parts.ts";
import { createFrame, type Frame } from "./frame.ts";
import { type LaidOutMessages, layOutMessages } from "./lay-out-messages.ts";
import type { Cost } from "./pack-problem.ts";
import type { Layout, Part } from "./part.ts";
import { counterMissing, layerUnknown } from "./prompt-refusals.ts";
import { findLeaks, redactLeaks } from "./redact-leaks.ts";
import { type Redactor, redactData, redactText, secretsOnly } from "./redactor.ts";
import { type Entry, type RenderedPrompt, renderPrompt } from "./render-prompt.ts";
import { type Choice, type Selection, selectCandidates } from "./select-candidates.ts";
import { createMeter, type Meter, type Sheet } from "./sheet.ts";
import { writeLedger } from "./write-ledger.ts";

export interface CompileOptions {
  readonly budget?: Budget;
  /** Asked only where there is a budget or a cache minimum in tokens. */
  readonly countTokens?: (text: string) => number;
  readonly choice?: Choice;
  /** What must not be seen. Credentials by their shape unless given. */
  readonly redactor?: Redactor;
  readonly marker?: Marker;
  /** Tokens below which the provider does not cache. */
  readonly cacheMinimumTokens?: number;
}

/** Headings, separators, fences and markers count too. */
export interface Budget {
  readonly characters?: number;
  readonly tokens?: number;
}

/** What the text says when something was cut to fit it. */
interface Marker {
  /** `[Prompt truncated to budget]` unless given; nothing is said when empty. */
  readonly text?: string;
  /** The layer it follows; the last one that lost something unless given. */
  readonly after?: string;
  /** Without room for it the prompt is refused, instead of being cut without a word. */
  readonly isRequired?: boolean;
}

/** Throws `prompt_over_budget` or `prompt_context_missing` rather than make a prompt that lacks what it needs. */
export function compilePrompt(
  layout: Layout,
  parts: readonly Part[],
  options: CompileOptions = {},
): CompiledPrompt {
  const redactor = options.redactor ?? secretsOnly;
  const setting = createSetting(layout, options, redactor);
  if (!redactor.huntsTexts) return compileWhole(parts, setting) ?? compile(parts, setting);
  try {
    const { text, hash, messages, ...rest } = compile(parts, setting);
    return { text, hash, messages, ...redactData(redactor, rest) };
  } catch (error) {
    throw error instanceof ProductError ? redactError(redactor, error) : error;
  }
}

/**
 * The usual case, where everything fits and nothing is redacted: one look at the finished text
 * instead of one at every piece. Undefined as soon as the case is not the usual one.
 */
function compileWhole(parts: readonly Part[], setting: Setting): CompiledPrompt | undefined {
  const { frame, meter, rules, options, redactor } = setting;
  if (isSurelyTooLong(parts, rules.budget)) return undefined;
  const trusting = { ...redactor, find: () => [] };
  const selection = selectCandidates(frame, parts, options.choice ?? {}, trusting);
  const fit = fitWhole(selection.candidates, frame, meter, rules);
  if (fit === undefined) return undefined;
  const draft = write(selection, fit, setting);
  const isHeldBack = draft.entries.some(({ prepared, rendered }) => rendered.own < prepared.before);
  if (isHeldBack || findLeaks(redactor, draft).length > 0) return undefined;
  return assemble(draft, setting);
}

/** A guess that saves trying; nothing depends on it. */
function isSurelyTooLong(parts: readonly Part[], budget: Cost): boolean {
  const most = Math.min(budget.characters, budget.tokens * 8);
  if (most === Infinity) return false;
  let length = 0;
  for (const { text } of parts) {
    if (typeof text === "string") length += text.length;
    else for (const piece of text) length += Math.min(piece.text.length, piece.maximum ?? Infinity);
  }
  return length > most;
}

function compile(parts: readonly Part[], setting: Setting): CompiledPrompt {
  const { frame, meter, rules, options, redactor } = setting;
  let selection = selectCandidates(frame, parts, options.choice ?? {}, redactor);
  for (;;) {
    const { candidates } = selection;
    const fit =
      fitWhole(candidates, frame, meter, rules) ?? fitParts(candidates, frame, meter, rules);
    const draft = write(selection, fit, setting);
    // The whole may say what no part says alone: then more is redacted, and all is fitted again.
    const leaks = findLeaks(redactor, draft);
    if (leaks.length === 0) return assemble(draft, setting);
    selection = redactLeaks(selection, leaks, draft);
  }
}

interface Setting {
  readonly frame: Frame;
  readonly meter: Meter;
  readonly rules: FitRules;
  readonly options: CompileOptions;
  readonly redactor: Redactor;
}

function createSetting(layout: Layout, options: CompileOptions, redactor: Redactor): Setting {
  const { characters = Infinity, tokens = Infinity } = options.budget ?? {};
  const marker = redactText(redactor, options.marker?.text ?? "[Prompt truncated to budget]");
  return {
    frame: createFrame(layout, redactor),
    meter: createMeter(budgetCounter(options)),
    rules: {
      budget: { characters, tokens },
      floors: options.choice?.floors ?? {},
      fill: options.choice?.fill ?? "best",
      marker,
      isMarkerRequired: options.marker?.isRequired ?? false,
    },
    options,
    redactor,
  };
}

/** The prompt written down, not yet known to be free of what must not be seen. */
interface Draft {
  readonly selection: Selection;
  readonly fit: Fit;
  readonly entries: readonly Entry[];
  readonly rendered: RenderedPrompt;
  readonly laidOut: LaidOutMessages;
  readonly separator: string;
}

function write(selection: Selection, fit: Fit, { frame, rules, options }: Setting): Draft {
  const entries = entriesOf(selection, fit);
  const note =
    fit.marker === "shown"
      ? { text: rules.marker, after: markerLayer(frame, selection, fit, options.marker?.after) }
      : undefined;
  const rendered = renderPrompt(frame, entries, note);
  const { separator } = frame;
  const laidOut = layOutMessages(rendered, separator, prefixCounter(frame, fit, options));
  return { selection, fit, entries, rendered, laidOut, separator };
}

function assemble(
  { selection, fit, rendered, laidOut }: Draft,
  { frame, meter, options, redactor }: Setting,
): CompiledPrompt {
  const countsTokens = options.budget?.tokens !== undefined;
  const leftOut = options.choice?.leftOut ?? [];
  return {
    text: rendered.text,
    hash: hashText(rendered.text),
    characters: rendered.text.length,
    ...(countsTokens ? { tokens: Math.max(0, fit.sheet.spent().tokens) } : {}),
    messages: laidOut.messages,
    cache: cacheReport(laidOut, options),
    layers: layerSizes(frame, rendered, countsTokens ? fit.sheet : undefined),
    sourceMap: rendered.sourceMap,
    refs: rendered.refs,
    ...writeLedger(selection, fit, leftOut, redactor, countsTokens ? meter : undefined),
    marker: fit.marker,
    packing: fit.packing,
  };
}

function entriesOf({ candidates }: Selection, { places }: Fit): Entry[] {
  return candidates.flatMap(({ layer, prepared }, index) => {
    const place = places[index];
    return place !== undefined && "rendered" in place
      ? [{ layer, prepared, rendered: place.rendered }]
      : [];
  });
}

function markerLayer(
  frame: Frame,
  { candidates }: Selection,
  { places }: Fit,
  wished: string | undefined,
): number {
  if (wished !== undefined) {
    const index = frame.indexes.get(wished);
    if (index === undefined) throw layerUnknown(wished);
    return index;
  }
  const lost = candidates.findLast((_, index) => {
    const place = places[index];
    return place !== undefined && (!("rendered" in place) || place.rendered.isCut);
  });
  return lost?.layer ?? 0;
}

function budgetCounter({ budget, countTokens }: CompileOptions) {
  if (budget?.tokens === undefined) return undefined;
  if (countTokens === undefined) throw counterMissing();
  return countTokens;
}

/** How many tokens a message has: as counted while fitting, or counted now for the cache's sake. */
function prefixCounter(
  frame: Frame,
  { sheet }: Fit,
  { budget, countTokens, cacheMinimumTokens }: CompileOptions,
): ((message: PromptMessage) => number) | undefined {
  if (budget?.tokens !== undefined) {
    return ({ blocks }) =>
      blocks.reduce((total, { layer }) => {
        return total + sheet.spentIn(frame.indexes.get(layer) ?? -1).tokens;
      }, 0);
  }
  if (cacheMinimumTokens === undefined || countTokens === undefined) return undefined;
  return ({ text }) => countTokens(text);
}

function cacheReport(
  { breakpoints }: LaidOutMessages,
  { cacheMinimumTokens }: CompileOptions,
): CacheReport {
  if (cacheMinimumTokens === undefined) return { breakpoints };
  return { breakpoints, minimumTokens: cacheMinimumTokens };
}

function layerSizes(
  { indexes }: Frame,
  { blocks }: RenderedPrompt,
  sheet: Sheet | undefined,
): LayerSize[] {
  return blocks
    .filter(({ parts }) => parts > 0)
    .map(({ layer, parts, start, end }) => {
      const { id, role, stability } = layer;
      const size = { layer: id, role, stability, parts, characters: end - start };
      if (sheet === undefined) return size;
      return { ...size, tokens: sheet.spentIn(indexes.get(id) ?? -1).tokens };
    });
}

function redactError(redactor: Redactor, error: ProductError): ProductError {
  return new ProductError(error.code, redactText(redactor, error.message), {
    kind: error.kind,
    details: redactData(redactor, error.details),
    ...(error.hint === undefined ? {} : { hint: redactText(redactor, error.hint) }),
  });
}
