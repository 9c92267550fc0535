/** The line that runs through the work, out of the event log: asked, answered, decided, run, proven. */

import type { Item } from "../../api/operation.ts";
import { plural } from "../../parts/format.ts";
import type { ReferenceNoun } from "../../parts/reference.tsx";

type Event = Pick<Item<"event.list">, "cursor" | "type" | "stream" | "actor" | "data" | "at">;

export interface Knot {
  readonly key: string;
  readonly what: string;
  readonly name: string | undefined;
  readonly noun: ReferenceNoun;
  readonly id: string;
  readonly at: number;
}

const MOST = 5;

const TOLD: Readonly<Record<string, { readonly what: string; readonly noun: ReferenceNoun }>> = {
  "decision.created": { what: "Decided:", noun: "decision" },
  "highlight.created": { what: "Kept a highlight:", noun: "highlight" },
  "task.created": { what: "Opened:", noun: "task" },
  "conversation.created": { what: "Brought in:", noun: "conversation" },
  "packet.compiled": { what: "Compiled:", noun: "packet" },
  "run.completed": { what: "Finished:", noun: "run" },
  "run.failed": { what: "Failed:", noun: "run" },
  "wait.opened": { what: "Asked you:", noun: "run" },
};

export const TOLD_TYPES: readonly string[] = [...Object.keys(TOLD), "task.completed"];

/** Steps of a run come and go by the engine's hand; its runs are told instead. */
function isTold({ type, actor }: Event): boolean {
  return !(type.startsWith("task.") && actor === "engine");
}

/** The newest that are worth telling, oldest first; what happened many times in a row is told once. */
export function threadOf(events: readonly Event[]): readonly Knot[] {
  const knots: Knot[] = [];
  for (const event of events.filter(isTold)) {
    const knot = knotOf(event);
    const last = knots.at(-1);
    if (
      knot === undefined ||
      (last !== undefined && last.what === knot.what && last.id === knot.id)
    )
      continue;
    knots.push(knot);
    if (knots.length === MOST) break;
  }
  return knots.toReversed();
}

function knotOf({ cursor, type, stream, data, at }: Event): Knot | undefined {
  const told = TOLD[type];
  if (told === undefined) return undefined;
  const { what, noun } = told;
  const id = noun === "run" ? stream : textIn(data, "id");
  if (id === undefined) return undefined;
  const name =
    textIn(data, "title") ??
    textIn(partOf(data, "set"), "title") ??
    textIn(partOf(data, "set"), "label");
  return { key: cursor, what, name, noun, id, at };
}

/** What happened since the last visit, in one line. */
export function newsWords(events: readonly Event[], since: number | undefined): string {
  const fresh = events.filter((event) => isTold(event) && event.at > (since ?? 0));
  const of = (...types: readonly string[]) =>
    fresh.filter(({ type }) => types.includes(type)).length;
  const parts = [
    [of("decision.created"), "decided"],
    [of("task.created"), "opened"],
    [of("task.completed"), "closed"],
    [of("run.completed"), "run finished"],
    [of("run.failed"), "failed"],
    [of("wait.opened"), "asked of you"],
  ] as const;
  const told = parts
    .filter(([n]) => n > 0)
    .map(([n, word]) =>
      word === "run finished" ? `${plural(n, "run")} finished` : `${n} ${word}`,
    );
  const when = since === undefined ? "So far" : "Since you were here";
  return told.length === 0 ? `${when}: nothing new.` : `${when}: ${told.join(", ")}.`;
}

function partOf(data: unknown, name: string): unknown {
  return typeof data === "object" && data !== null
    ? (data as Record<string, unknown>)[name]
    : undefined;
}

function textIn(data: unknown, name: string): string | undefined {
  const value = partOf(data, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}
