/**
 * Why a prompt says what it says, as it is kept with the prompt. Written out, a trace is twice as long as the prompt
 * itself and says the same few names again and again; so it is kept packed, names and sources by number and fields by
 * place, and unpacked for whoever reads it.
 */

import type { Json } from "../base/json.ts";
import type {
  CacheBreakpoint,
  CompiledPrompt,
  LayerSize,
  MessageBlock,
  PackingCertificate,
  RangeKind,
  ShownRef,
  SourceRange,
} from "./compiled-prompt.ts";
import type { LedgerRow } from "./ledger.ts";
import type { SourceRef } from "./part.ts";

/** The prompt without its text, and where each message's layers stand in it. */
export interface PromptTrace extends Omit<CompiledPrompt, "text" | "messages"> {
  readonly blocks: readonly (readonly MessageBlock[])[];
}

/** Letters and the order of fields are part of the format: a change needs a new `packed`. */
const PACKED = 1;
const LETTERS: Readonly<Record<RangeKind, string>> = {
  text: "t",
  heading: "h",
  fence: "f",
  marker: "m",
  separator: "s",
};
/** A marker that belongs to no part. */
const NOTE = "n";
const KIND_OF_LETTER = new Map<string, RangeKind>([
  ["t", "text"],
  ["h", "heading"],
  ["f", "fence"],
  ["m", "marker"],
  ["s", "separator"],
  [NOTE, "marker"],
]);
const OF_PARTS = "tfm";
const NO_REF = -1;

interface PackedTrace {
  readonly packed: typeof PACKED;
  readonly hash: string;
  readonly tokens?: number;
  readonly marker: CompiledPrompt["marker"];
  readonly cuts?: CompiledPrompt["cuts"];
  readonly minimumTokens?: number;
  /** Layers, parts and reasons. */
  readonly names: readonly string[];
  readonly refs: readonly SourceRef[];
  /** [achieved, upperBound] */
  readonly packing: readonly [number, number];
  /** [message, stability, characters, prefixHash, tokens?] */
  readonly breakpoints: readonly (readonly (number | string)[])[];
  /** [layer, role, stability, parts, characters, tokens?] */
  readonly layers: readonly (readonly (number | string)[])[];
  /** For each range its length, its kind, the name of its part, or else of its layer, and its source: `248t7@2`. */
  readonly ranges: string;
  /** [part, layer, reason, ref, importance, the rest?]; null stands for `required`. */
  readonly ledger: readonly (readonly Json[])[];
  /** For each message [layer, start, end, textStart] for each block, one after the other. */
  readonly blocks: readonly (readonly number[])[];
}

export function packTrace(prompt: CompiledPrompt): Json {
  const names = createNumbering<string>();
  const refs = createRefNumbering();
  let ranges = "";
  for (const { start, end, kind, layer, part, ref } of prompt.sourceMap) {
    const letter = kind === "marker" && part === undefined ? NOTE : LETTERS[kind];
    ranges += `${end - start}${letter}${names.numberOf(part ?? layer)}`;
    ranges += ref === undefined ? " " : `@${refs.numberOf(ref)} `;
  }
  const { cache, packing } = prompt;
  const packed: PackedTrace = {
    packed: PACKED,
    hash: prompt.hash,
    ...(prompt.tokens === undefined ? {} : { tokens: prompt.tokens }),
    marker: prompt.marker,
    ...(prompt.cuts.length === 0 ? {} : { cuts: prompt.cuts }),
    ...(cache.minimumTokens === undefined ? {} : { minimumTokens: cache.minimumTokens }),
    packing: [packing.achieved, packing.upperBound],
    breakpoints: cache.breakpoints.map(packBreakpoint),
    layers: prompt.layers.map((layer) => packLayer(layer, names)),
    ranges,
    ledger: prompt.ledger.map((row) => packRow(row, names, refs)),
    blocks: prompt.messages.map(({ blocks }) => packBlocks(blocks, names)),
    names: names.all,
    refs: refs.all,
  };
  return packed as unknown as Json;
}

/** A trace that was not packed, such as a method's own, is given as it is. */
export function unpackTrace(kept: Json): Json {
  return isPacked(kept) ? (unpack(kept) as unknown as Json) : kept;
}

/** What a kept trace names as its sources, what was left out included, for that is named by its title. */
export function sourcesInTrace(kept: string): readonly SourceRef[] {
  const { refs = [], ledger = [] } = unpackTrace(
    JSON.parse(kept) as Json,
  ) as unknown as Partial<PromptTrace>;
  return [...refs, ...ledger].flatMap(({ ref }) => ref ?? []);
}

function isPacked(kept: unknown): kept is PackedTrace {
  return typeof kept === "object" && kept !== null && (kept as { packed?: Json }).packed === PACKED;
}

function unpack(kept: PackedTrace): PromptTrace {
  const nameAt = (index: Json | undefined): string => kept.names[Number(index)] ?? "";
  const layers = new Map(kept.ledger.map(([part, layer]) => [nameAt(part), nameAt(layer)]));
  const sourceMap = unpackRanges(kept, nameAt, layers);
  const characters = sourceMap.at(-1)?.end ?? 0;
  const lengths = lengthsByPart(sourceMap);
  const ledger = kept.ledger.map((row) => unpackRow(row, kept, nameAt, lengths));
  const { hash, tokens, marker, minimumTokens } = kept;
  return {
    hash,
    characters,
    ...(tokens === undefined ? {} : { tokens }),
    cache: {
      breakpoints: kept.breakpoints.map(unpackBreakpoint),
      ...(minimumTokens === undefined ? {} : { minimumTokens }),
    },
    layers: kept.layers.map((layer) => unpackLayer(layer, nameAt)),
    sourceMap,
    refs: unpackShown(sourceMap, ledger),
    ledger,
    cuts: kept.cuts ?? [],
    marker,
    packing: unpackPacking(kept.packing),
    blocks: kept.blocks.map((blocks) =>
      inGroups(blocks, 4).map(([layer, start = 0, end = 0, textStart = 0]) => ({
        layer: nameAt(layer),
        start,
        end,
        textStart,
      })),
    ),
  };
}

function packBreakpoint(point: CacheBreakpoint): readonly (number | string)[] {
  const { message, stability, characters, prefixHash, tokens } = point;
  const packed = [message, stability, characters, prefixHash];
  return tokens === undefined ? packed : [...packed, tokens];
}

function unpackBreakpoint(packed: readonly (number | string)[]): CacheBreakpoint {
  const [message, stability, characters, prefixHash, tokens] = packed;
  const point = { message, stability, characters, prefixHash };
  return (tokens === undefined ? point : { ...point, tokens }) as CacheBreakpoint;
}

function packLayer(size: LayerSize, names: Numbering<string>): readonly (number | string)[] {
  const { layer, role, stability, parts, characters, tokens } = size;
  const packed = [names.numberOf(layer), role, stability, parts, characters];
  return tokens === undefined ? packed : [...packed, tokens];
}

function unpackLayer(
  packed: readonly (number | string)[],
  nameAt: (index: Json | undefined) => string,
): LayerSize {
  const [layer, role, stability, parts, characters, tokens] = packed;
  const size = { layer: nameAt(layer), role, stability, parts, characters };
  return (tokens === undefined ? size : { ...size, tokens }) as LayerSize;
}

/** How long a part is that is in follows from the ranges. */
function packRow(row: LedgerRow, names: Numbering<string>, refs: RefNumbering): readonly Json[] {
  const { part, layer, outcome, reason, ref, importance, characters, ...rest } = row;
  const packed = [
    names.numberOf(part),
    names.numberOf(layer),
    names.numberOf(reason),
    refs.numberOf(ref),
    importance === undefined || importance === "required" ? null : importance,
  ];
  const isUsual = outcome === "in" && importance !== undefined;
  if (isUsual && !hasMembers(rest)) return packed;
  const more = {
    ...rest,
    ...(importance === undefined ? { hasNoImportance: true } : {}),
    ...(outcome === "out" ? { outcome } : {}),
    ...(outcome === "out" && characters !== undefined ? { characters } : {}),
  };
  return [...packed, more as unknown as Json];
}

function hasMembers(rest: object): boolean {
  for (const _ in rest) return true;
  return false;
}

function unpackRow(
  packed: readonly Json[],
  { refs }: PackedTrace,
  nameAt: (index: Json | undefined) => string,
  lengths: ReadonlyMap<string, number>,
): LedgerRow {
  const [part, layer, reason, ref, importance, more = {}] = packed;
  const { hasNoImportance, ...rest } = more as Partial<LedgerRow> & { hasNoImportance?: boolean };
  const source = refs[Number(ref)];
  const isIn = rest.outcome === undefined;
  return {
    part: nameAt(part),
    layer: nameAt(layer),
    outcome: "in",
    reason: nameAt(reason),
    ...(hasNoImportance ? {} : { importance: (importance ?? "required") as number | "required" }),
    ...(source === undefined ? {} : { ref: source }),
    ...(isIn ? { characters: lengths.get(nameAt(part)) ?? 0 } : {}),
    ...rest,
  };
}

function packBlocks(blocks: readonly MessageBlock[], names: Numbering<string>): readonly number[] {
  return blocks.flatMap(({ layer, start, end, textStart }) => [
    names.numberOf(layer),
    start,
    end,
    textStart,
  ]);
}

const RANGE = /(\d+)([a-z])(\d+)(?:@(\d+))? /g;

function unpackRanges(
  { ranges, refs }: PackedTrace,
  nameAt: (index: Json | undefined) => string,
  layers: ReadonlyMap<string, string>,
): readonly SourceRange[] {
  let end = 0;
  return Array.from(ranges.matchAll(RANGE), ([, length, letter = "", name = "", ref]) => {
    const start = end;
    end += Number(length);
    const range = { start, end, kind: KIND_OF_LETTER.get(letter) ?? "text" };
    const owner = nameAt(Number(name));
    if (!OF_PARTS.includes(letter)) return { ...range, layer: owner };
    const source = ref === undefined ? undefined : refs[Number(ref)];
    const ofPart = { ...range, layer: layers.get(owner) ?? "", part: owner };
    return source === undefined ? ofPart : { ...ofPart, ref: source };
  });
}

/** As `renderPrompt` gathers them: neighbours of one part from one source are one. */
function unpackShown(
  sourceMap: readonly SourceRange[],
  ledger: readonly LedgerRow[],
): readonly ShownRef[] {
  const scores = new Map(ledger.map(({ part, score }) => [part, score?.value]));
  const shown: ShownRef[] = [];
  for (const { start, end, kind, part, ref } of sourceMap) {
    if (ref === undefined || part === undefined || kind === "fence") continue;
    const last = shown.at(-1);
    if (last?.ref === ref && last.part === part && last.end === start) {
      shown[shown.length - 1] = { ...last, end };
      continue;
    }
    const score = scores.get(part);
    shown.push({ ref, part, ...(score === undefined ? {} : { score }), start, end });
  }
  return shown;
}

function unpackPacking([achieved, upperBound]: readonly [number, number]): PackingCertificate {
  return { achieved, upperBound, gap: upperBound === 0 ? 0 : 1 - achieved / upperBound };
}

function lengthsByPart(sourceMap: readonly SourceRange[]): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  for (const { part, start, end } of sourceMap) {
    if (part !== undefined) lengths.set(part, (lengths.get(part) ?? 0) + end - start);
  }
  return lengths;
}

function inGroups(list: readonly number[], size: number): readonly (readonly number[])[] {
  return Array.from({ length: list.length / size }, (_, group) =>
    list.slice(group * size, (group + 1) * size),
  );
}

/** Gives each thing the number of its first mention. */
interface Numbering<Thing> {
  readonly all: readonly Thing[];
  numberOf(thing: Thing): number;
}

function createNumbering<Thing>(): Numbering<Thing> {
  const all: Thing[] = [];
  const numbers = new Map<Thing, number>();
  return {
    all,
    numberOf(thing) {
      const known = numbers.get(thing);
      if (known !== undefined) return known;
      numbers.set(thing, all.length);
      return all.push(thing) - 1;
    },
  };
}

interface RefNumbering {
  readonly all: readonly SourceRef[];
  numberOf(ref: SourceRef | undefined): number;
}

/** Sources are mostly the same object each time, but redacting makes copies of them. */
function createRefNumbering(): RefNumbering {
  const all: SourceRef[] = [];
  const keys = createNumbering<string>();
  const numbers = new Map<SourceRef, number>();
  return {
    all,
    numberOf(ref) {
      if (ref === undefined) return NO_REF;
      const known = numbers.get(ref);
      if (known !== undefined) return known;
      const number = keys.numberOf(JSON.stringify([ref.type, ref.id, ref.field, ref.version]));
      if (number === all.length) all.push(ref);
      numbers.set(ref, number);
      return number;
    },
  };
}
