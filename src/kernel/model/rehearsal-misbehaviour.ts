/** The ways in which real models go wrong, on request and repeatable. */

import { z } from "zod";
import { ModelError } from "./model-error.ts";
import type { ModelRequest } from "./model-provider.ts";
import type { Dice } from "./rehearsal-dice.ts";

const place = {
  /** Where it happens; by the dice unless given. */
  at: z.int().nonnegative().optional(),
  unit: z.enum(["char", "byte"]).optional(),
};

export const misbehaviourSchema = z.discriminatedUnion("kind", [
  /** Ends early and says so: finish `length`. */
  z.strictObject({ kind: z.literal("truncate"), ...place }),
  /** The connection breaks: an error after part of the text. */
  z.strictObject({ kind: z.literal("cut"), ...place }),
  /** Ends early and says nothing: finish `cut`. */
  z.strictObject({ kind: z.literal("fall_silent"), ...place }),
  z.strictObject({ kind: z.literal("fence") }),
  z.strictObject({ kind: z.literal("prose") }),
  z.strictObject({
    kind: z.literal("break"),
    how: z.enum(["trailing_comma", "single_quotes", "unescaped_quote"]).optional(),
  }),
  /** Answers something else. */
  z.strictObject({ kind: z.literal("wander"), as: z.enum(["prose", "json"]).optional() }),
  /** Says the same again: the whole reply twice, or, going on, the end of what it had said. */
  z.strictObject({ kind: z.literal("repeat") }),
  z.strictObject({ kind: z.literal("invent_ids") }),
  /** Spends its whole output on thinking. */
  z.strictObject({ kind: z.literal("empty") }),
  z.strictObject({ kind: z.literal("stall"), ...place }),
  z.strictObject({
    kind: z.literal("rate_limit"),
    retryAfterMs: z.int().nonnegative().optional(),
  }),
  z.strictObject({
    kind: z.literal("server_error"),
    status: z.int().min(500).max(599).optional(),
  }),
  z.strictObject({ kind: z.literal("refuse") }),
]);

export type Misbehaviour = Readonly<z.infer<typeof misbehaviourSchema>>;
export type MisbehaviourKind = Misbehaviour["kind"];

export const MISBEHAVIOUR_KINDS: readonly MisbehaviourKind[] = misbehaviourSchema.options.map(
  ({ shape }) => shape.kind.value,
);

/** Shares of all calls, each from 0 to 1, together at most 1. */
export const ratesSchema = z
  .partialRecord(
    z.enum(MISBEHAVIOUR_KINDS as [MisbehaviourKind, ...MisbehaviourKind[]]),
    z.number().min(0).max(1),
  )
  .refine((rates) => Object.values(rates).reduce((sum, rate) => sum + rate, 0) <= 1 + 1e-9, {
    message: "The rates together exceed 1",
  });

export type MisbehaviourRates = Readonly<z.infer<typeof ratesSchema>>;

/** `fraction` is the call's own throw, from 0 to 1. */
export function chooseMisbehaviour(
  rates: MisbehaviourRates,
  fraction: number,
): Misbehaviour | undefined {
  let passed = 0;
  for (const kind of MISBEHAVIOUR_KINDS) {
    passed += rates[kind] ?? 0;
    if (fraction < passed) return { kind };
  }
  return undefined;
}

/** Calls that fail before a word is said. */
export function refusedCall(misbehaviour: Misbehaviour, dice: Dice): ModelError | undefined {
  if (misbehaviour.kind === "rate_limit") {
    const retryAfterMs = misbehaviour.retryAfterMs ?? 1_000 * (1 + dice.below(5));
    return new ModelError("rate_limited", "The rehearsal model asks to be called less often.", {
      retryAfterMs,
    });
  }
  if (misbehaviour.kind === "server_error") {
    const status = misbehaviour.status ?? dice.pick([500, 502, 503, 529] as const);
    const failure = status === 503 || status === 529 ? "overloaded" : "unavailable";
    const message = `The rehearsal model answered ${status}.`;
    return new ModelError(failure, message, { details: { status } });
  }
  return undefined;
}

/** What misbehaviour does to the text itself; where it ends is another matter. */
export function spoil(
  text: string,
  misbehaviour: Misbehaviour,
  request: ModelRequest,
  dice: Dice,
): string {
  switch (misbehaviour.kind) {
    case "fence":
      return `\`\`\`${request.syntax?.kind === "sections" ? "markdown" : "json"}\n${text}\n\`\`\``;
    case "prose":
      return `Here is what you asked for, with the points in order.\n\n${text}\n\nLet me know if you would like me to change anything.`;
    case "break":
      return broken(
        text,
        misbehaviour.how ??
          dice.pick(["trailing_comma", "single_quotes", "unescaped_quote"] as const),
      );
    case "wander":
      return wandering(misbehaviour.as ?? dice.pick(["prose", "json"] as const));
    case "repeat":
      return `${text}\n\n${text}`;
    case "empty":
      return "";
    case "refuse":
      return "I am sorry, but I cannot help with that.";
    default:
      return text;
  }
}

function broken(text: string, how: "trailing_comma" | "single_quotes" | "unescaped_quote"): string {
  switch (how) {
    case "trailing_comma":
      return text.replace(/(["\d\w\]}])(\s*)([}\]])(?=[^}\]]*$)/, "$1,$2$3");
    case "single_quotes":
      return text.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => {
        return `'${inner.replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
      });
    default: {
      const value = /(:\s*")([^"\\]{4,})(")/.exec(text);
      if (!value) return text;
      const [, before = "", inner = "", after = ""] = value;
      const [first, ...rest] = inner.split(" ");
      const quoted = `${before}the "${first}" ${rest.join(" ")}${after}`;
      return text.slice(0, value.index) + quoted + text.slice(value.index + value[0].length);
    }
  }
}

function wandering(as: "prose" | "json"): string {
  if (as === "json") {
    const other = {
      topic: "gardening",
      season: "spring",
      advice: ["Water in the evening.", "Mulch early."],
    };
    return JSON.stringify(other, null, 2);
  }
  return "Before I answer, a word about gardening: most plants prefer to be watered in the evening, and mulch laid early keeps the soil moist. Tell me more about your garden.";
}

/** Where a text breaks off: as told, or anywhere in it; never inside a character. */
export function breakingPoint(
  text: string,
  { at, unit }: { readonly at?: number | undefined; readonly unit?: "char" | "byte" | undefined },
  dice: Dice,
): number {
  const wanted = at ?? dice.below(text.length);
  const end = unit === "byte" ? charactersWithin(text, wanted) : Math.min(wanted, text.length);
  const code = text.charCodeAt(end - 1);
  return end < text.length && code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}

function charactersWithin(text: string, bytes: number): number {
  const buffer = Buffer.from(text, "utf8");
  let end = Math.min(bytes, buffer.length);
  while (end > 0 && end < buffer.length && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return buffer.toString("utf8", 0, end).length;
}
