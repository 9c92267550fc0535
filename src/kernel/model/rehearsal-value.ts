/** Makes a valid value for a plan, out of dice and what the prompt named. */

import { ModelError } from "./model-error.ts";
import type { Dice } from "./rehearsal-dice.ts";
import { formattedText } from "./rehearsal-format.ts";
import { isTrouble, kindWays, mayPointNowhere } from "./rehearsal-manners.ts";
import { textForPattern } from "./rehearsal-pattern.ts";
import type {
  ChoicePlan,
  ListPlan,
  NumberPlan,
  ObjectPlan,
  Plan,
  TextPlan,
} from "./rehearsal-plan.ts";
import { fitLength, proseFor, wordsOf } from "./rehearsal-prose.ts";
import type { Subject } from "./rehearsal-subject.ts";

export interface Making {
  readonly dice: Dice;
  readonly subject: Subject;
  /** True for a model that makes ids up. */
  readonly inventIds: boolean;
  /** What goes into an object that the schema leaves open, where the prompt says it. */
  readonly told?: (name: string) => Plan | undefined;
}

/** Beyond this depth only what must be there is made, so schemas that contain themselves end. */
const DEEP = 4;
const MOST_DEPTH = 40;
const TURNS = 1_000;

interface Place {
  readonly name: string;
  readonly depth: number;
  /** In the nearest list. */
  readonly index: number;
  /** Which wording comes next; counts up along a list, so that neighbours differ. */
  readonly turn: number;
}

export function makeValue(plan: Plan, making: Making): unknown {
  return make(plan, making, { name: "answer", depth: 0, index: 0, turn: making.dice.below(TURNS) });
}

function make(plan: Plan, making: Making, place: Place): unknown {
  if (place.depth > MOST_DEPTH) throw cannot(`"${place.name}" contains itself without end`);
  switch (plan.kind) {
    case "constant":
      return plan.value;
    case "choice":
      return makeChoice(plan, making, place);
    case "text":
      return makeText(plan, making, place);
    case "number":
      return makeNumber(plan, making.dice);
    case "boolean":
      return plan.lean ?? making.dice.below(2) === 0;
    case "list":
      return makeList(plan, making, place);
    case "object": {
      const told = plan.isOpen && place.depth < 2 ? making.told?.(place.name) : undefined;
      return told ? make(told, making, place) : makeObject(plan, making, place);
    }
    case "union":
      return make(chooseOption(plan.options, place), making, place);
    case "again":
      return make(plan.target(), making, { ...place, depth: place.depth + 1 });
    default:
      throw cannot(`"${place.name}" allows no value at all`);
  }
}

function makeChoice({ values, ids }: ChoicePlan, making: Making, { turn }: Place): unknown {
  if (ids && making.inventIds) return inventedId(values, making.dice);
  return values[turn % values.length];
}

function makeText(plan: TextPlan, making: Making, place: Place): string {
  const { dice, subject } = making;
  const fits = (text: string) =>
    text.length >= plan.min &&
    text.length <= plan.max &&
    plan.patterns.every((each) => each.test(text));
  const example = dice.pick(plan.examples);
  if (example !== undefined && fits(example)) return example;
  if (plan.format !== undefined) {
    const formatted = formattedText(plan.format, dice);
    if (formatted !== undefined && fits(formatted)) return formatted;
  }
  if (wordsOf(place.name) === "quote") {
    const quotes = subject.quotes();
    const quote = quotes[place.turn % Math.max(1, quotes.length)];
    if (quote !== undefined && fits(quote)) return quote;
  }
  if (plan.series !== undefined) {
    const next = `${plan.series}${place.index + 1}`;
    if (fits(next)) return next;
  }
  if (plan.isId) {
    const id = making.inventIds ? inventedId(subject.ids(), dice) : knownId(subject, place);
    if (fits(id)) return id;
  }
  if (plan.format === undefined || plan.patterns.length === 0) {
    const text = proseWithin(plan, subject, place.turn);
    if (fits(text)) return text;
  }
  for (const pattern of plan.patterns) {
    const text = textForPattern(pattern, dice, plan);
    if (text !== undefined && fits(text)) return text;
  }
  throw cannot(`no text was found that fits "${place.name}"`);
}

/** Another wording that fits as it is beats one that has to be cut. */
function proseWithin(plan: TextPlan, subject: Subject, turn: number): string {
  const said = proseFor(plan.prose, subject, turn);
  if (said.length > plan.max && plan.max >= 24) {
    for (let other = 1; other < 8; other += 1) {
      const shorter = proseFor(plan.prose, subject, turn + other * 13);
      if (shorter.length <= plan.max && shorter.length >= plan.min) return shorter;
    }
  }
  return fitLength(said, plan, (round) => proseFor("sentence", subject, turn + round));
}

function knownId(subject: Subject, { turn, index }: Place): string {
  const ids = subject.ids();
  return ids[turn % Math.max(1, ids.length)] ?? `item-${index + 1}`;
}

/** Looks like the ids there are and is none of them. */
function inventedId(known: readonly unknown[], dice: Dice): string {
  const picked = dice.pick(known);
  const model = typeof picked === "string" ? picked : "item-1";
  const stem = model.replace(/\d+$/, "");
  for (;;) {
    const id = `${stem}${stem === model ? "-" : ""}${900 + dice.below(100)}`;
    if (!known.includes(id)) return id;
  }
}

function makeNumber(plan: NumberPlan, dice: Dice): number {
  const [low, high] = likelyRange(plan);
  const { step, whole } = plan;
  if (step !== undefined) {
    const first = Math.ceil(low / step);
    const last = Math.floor(high / step);
    const value = (first + dice.below(Math.max(1, last - first + 1))) * step;
    return Number(value.toPrecision(12));
  }
  if (whole) return low + dice.below(high - low + 1);
  const value = low + ((high - low) * dice.below(101)) / 100;
  const rounded = Math.round(value * 100) / 100;
  return rounded >= plan.low && rounded <= plan.high ? rounded : value;
}

/** Confident but not certain, good but not perfect, and small where nothing says how large. */
function likelyRange({ words, low, high, whole, step }: NumberPlan): readonly [number, number] {
  const floor = low > -1e9 ? low : Math.min(whole ? 1 : 0, high);
  const span = high < 1e9 ? high - floor : undefined;
  const within = (from: number, to: number): readonly [number, number] => {
    if (span === undefined) return [floor, floor + (step ?? 1) * 9];
    const start = floor + span * from;
    const end = floor + span * to;
    return whole ? [Math.round(start), Math.max(Math.round(start), Math.round(end))] : [start, end];
  };
  if (
    /\b(?:confidence|probability|likelihood|certainty|score|percent|quality|rating|satisfaction)\b/.test(
      words,
    )
  ) {
    return within(0.72, 0.94);
  }
  if (/\b(?:severity|risk|urgency)\b/.test(words)) return within(0.1, 0.35);
  if (/\b(?:importance|priority|relevance|weight)\b/.test(words)) return within(0.4, 0.7);
  return span !== undefined && span <= 100
    ? [floor, high]
    : within(0, Math.min(1, 12 / (span ?? 12)));
}

function makeList(plan: ListPlan, making: Making, place: Place): unknown[] {
  const depth = place.depth + 1;
  const start = making.dice.below(TURNS);
  const at = (index: number): Place => ({ name: place.name, depth, index, turn: start + index });
  const values = plan.first.map((item, index) => make(item, making, at(index)));
  const { item } = plan;
  if (!item) return values;
  const usual = depth > DEEP ? 0 : isDeepList(item) ? 2 : 2 + making.dice.below(2);
  const limit = item.kind === "choice" ? item.values.length : Infinity;
  const wanted = Math.min(plan.max, Math.max(plan.min, Math.min(usual, limit)));
  // Neighbours differ where they can; a list that must be distinct is worth more tries.
  const tries = wanted + (plan.distinct ? 200 : 12);
  const seen = new Set(values.map(keyOf));
  for (let index = values.length; values.length < wanted && index < tries; index += 1) {
    const value = make(item, making, at(index));
    if (plan.distinct || item.kind !== "object") {
      const key = keyOf(value);
      if (seen.has(key) && (plan.distinct || index < tries - wanted)) continue;
      seen.add(key);
    }
    values.push(value);
  }
  if (values.length < plan.min)
    throw cannot(`"${place.name}" asks for more distinct values than there are`);
  return values;
}

function keyOf(value: unknown): unknown {
  return typeof value === "object" ? JSON.stringify(value) : value;
}

function isDeepList(item: Plan): boolean {
  return item.kind === "object" && item.fields.length > 4;
}

function makeObject(plan: ObjectPlan, making: Making, place: Place): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const depth = place.depth + 1;
  for (const field of plan.fields) {
    if (!field.required && leaveOut(field.plan, field.key, depth)) continue;
    const { index, turn } = place;
    const made = make(field.plan, making, { name: field.key, depth, index, turn });
    // A key named __proto__ would set the prototype instead of a member.
    Object.defineProperty(value, field.key, {
      value: made,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  for (let index = 0; plan.further && index < plan.further.count; index += 1) {
    const at = { name: "key", depth, index, turn: place.turn + index };
    const key = String(make(plan.further.key, making, at));
    const free = Object.hasOwn(value, key) ? `${key}-${index + 1}` : key;
    value[free] = make(plan.further.value, making, { ...at, name: place.name });
  }
  return value;
}

function leaveOut(plan: Plan, key: string, depth: number): boolean {
  if (plan.kind === "never" || isTrouble(wordsOf(key))) return true;
  return depth > DEEP && heightOf(plan) > 0;
}

function chooseOption(options: readonly Plan[], place: Place): Plan {
  const words = wordsOf(place.name);
  const nothing = options.find((option) => option.kind === "constant" && option.value === null);
  if (nothing && (isTrouble(words) || mayPointNowhere(words))) return nothing;
  const somethings = options.filter((option) => option !== nothing);
  const choices = kindWays(somethings.length > 0 ? somethings : options, constantsOf);
  if (place.depth <= DEEP) return choices[place.turn % choices.length] ?? NULL;
  return options.toSorted((a, b) => heightOf(a) - heightOf(b))[0] ?? NULL;
}

/** What tells this way from the others: the words it must say. */
function constantsOf(plan: Plan): readonly string[] {
  if (plan.kind !== "object") return [];
  return plan.fields.flatMap(({ plan: { kind, ...rest } }) =>
    kind === "constant" && "value" in rest && typeof rest.value === "string" ? [rest.value] : [],
  );
}

const NULL: Plan = { kind: "constant", value: null };

/** How many levels a value must have at least; endless when it cannot end. */
function heightOf(plan: Plan, above: ReadonlySet<Plan> = new Set()): number {
  if (above.has(plan)) return Infinity;
  const below = new Set(above).add(plan);
  switch (plan.kind) {
    case "again":
      return heightOf(plan.target(), below);
    case "union":
      return Math.min(...plan.options.map((option) => heightOf(option, below)));
    case "list": {
      const items = plan.min > plan.first.length && plan.item ? [plan.item] : [];
      return 1 + Math.max(0, ...[...plan.first, ...items].map((item) => heightOf(item, below)));
    }
    case "object": {
      const needed = plan.fields.filter(({ required }) => required);
      return 1 + Math.max(0, ...needed.map((field) => heightOf(field.plan, below)));
    }
    case "never":
      return Infinity;
    default:
      return 0;
  }
}

function cannot(why: string): ModelError {
  return new ModelError(
    "invalid_request",
    `The rehearsal model cannot answer this contract: ${why}.`,
    {
      hint: "Pin a reply for this step in the rehearsal script.",
    },
  );
}
