/**
 * Parts in, prompt out: fitted to its budget, traced to its sources, hashed. No clock, no store, no
 * chance: the same parts give the same bytes in whatever order they are handed over.
 */

import { ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import type { CacheReport, CompiledPrompt, LayerSize, PromptMessage } from "./compiled-prompt.ts";
import { type Fit, fitParts } from "./fit-parts.ts";
import { createFrame, type Frame } from "./frame.ts";
import { type LaidOutMessages, layOutMessages } from "./lay-out-messages.ts";
import type { Layout, Part } from "./part.ts";
import type { PreparedPart } from "./prepare-part.ts";
import { counterMissing, layerUnknown } from "./prompt-refusals.ts";
import { redactLeaks } from "./redact-leaks.ts";
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
export interface Marker {
  /** `[Prompt truncated to budget]` unless given; nothing is said when empty. */
  readonly text?: string;
  /** The layer it follows; the last one that lost something unless given. */
  readonly after?: string;
}

/** Throws `prompt_over_budget` or `prompt_context_missing` rather than make a prompt that lacks what it needs. */
export function compilePrompt(
  layout: Layout,
  parts: readonly Part[],
  options: CompileOptions = {},
): CompiledPrompt {
  const redactor = options.redactor ?? secretsOnly;
  if (!redactor.huntsTexts) return compile(layout, parts, options, redactor);
  try {
    const { text, hash, messages, ...rest } = compile(layout, parts, options, redactor);
    return { text, hash, messages, ...redactData(redactor, rest) };
  } catch (error) {
    throw error instanceof ProductError ? redactError(redactor, error) : error;
  }
}

function compile(
  layout: Layout,
  parts: readonly Part[],
  options: CompileOptions,
  redactor: Redactor,
): CompiledPrompt {
  const frame = createFrame(layout, redactor);
  const meter = createMeter(budgetCounter(options));
  const choice = options.choice ?? {};
  const { selection, fit, rendered, laidOut } = settle(
    selectCandidates(frame, parts, choice, redactor),
    { frame, meter, options, redactor },
  );
  const countsTokens = options.budget?.tokens !== undefined;
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
    ...writeLedger(
      selection,
      fit,
      choice.leftOut ?? [],
      redactor,
      countsTokens ? meter : undefined,
    ),
    marker: fit.marker,
    packing: fit.packing,
  };
}

interface Setting {
  readonly frame: Frame;
  readonly meter: Meter;
  readonly options: CompileOptions;
  readonly redactor: Redactor;
}

interface Settled {
  readonly selection: Selection;
  readonly fit: Fit;
  readonly rendered: RenderedPrompt;
  readonly laidOut: LaidOutMessages;
}

/** Fits and writes; again with more redacted where the whole says what no part says alone. */
function settle(start: Selection, { frame, meter, options, redactor }: Setting): Settled {
  const { characters = Infinity, tokens = Infinity } = options.budget ?? {};
  const marker = redactText(redactor, options.marker?.text ?? "[Prompt truncated to budget]");
  const rules = { budget: { characters, tokens }, floors: options.choice?.floors ?? {}, marker };
  for (let selection = start; ; ) {
    const fit = fitParts(selection.candidates, frame, meter, rules);
    const entries = entriesOf(selection, fit);
    const after = markerLayer(frame, selection, fit, options.marker?.after);
    const rendered = renderPrompt(
      frame,
      entries,
      fit.marker === "shown" ? { text: marker, after } : undefined,
    );
    const laidOut = layOutMessages(rendered, frame.separator, prefixCounter(frame, fit, options));
    const changed = redactLeaks(redactor, entries, rendered, laidOut, frame.separator);
    if (changed.size === 0) return { selection, fit, rendered, laidOut };
    selection = withChanged(selection, changed);
  }
}

function withChanged(
  selection: Selection,
  changed: ReadonlyMap<PreparedPart, PreparedPart>,
): Selection {
  const candidates = selection.candidates.map((candidate) => {
    const prepared = changed.get(candidate.prepared);
    return prepared === undefined ? candidate : { ...candidate, prepared };
  });
  return { ...selection, candidates };
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
