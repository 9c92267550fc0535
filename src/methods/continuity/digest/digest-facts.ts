/**
 * The facts of a digest in words. What happened is in its outline; the words are read from the thoughts as they are now,
 * without anything that is redacted.
 */

import { withoutRedacted } from "../../../kernel/operation/redacted-view.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { toSource } from "../../../kernel/store/thought-source.ts";
import { readThoughts } from "../harvest/existing-thoughts.ts";
import type { Existing } from "../harvest/matching/match-candidate.ts";
import type { DigestOutline, FactSection, OutlineItem } from "./digest-outline.ts";

export interface Fact {
  readonly section: FactSection;
  readonly mark: string;
  readonly type: "task" | "decision";
  readonly id: string;
  readonly title: string;
  /** How it stands, in our words; may be empty. */
  readonly state: string;
  /** What somebody said about it: a decision's reason, why a task is on hold, what took its place; may be empty. */
  readonly said: string;
  readonly at: number;
}

/** What is worth knowing beside the title. */
export function detailOf({ state, said }: Pick<Fact, "state" | "said">): string {
  return state === "" || said === "" ? `${state}${said}` : `${state}: ${said}`;
}

export interface DigestFacts {
  readonly facts: readonly Fact[];
  readonly counts: DigestOutline["counts"];
  /** In the outline, and not to be shown: deleted or redacted since. */
  readonly withheld: number;
}

export function* readFacts(projectId: string, outline: DigestOutline): DatabaseWork<DigestFacts> {
  const { items, counts } = outline;
  const shown = yield* readThoughts(refsOf(items), projectId);
  const reasons = yield* readHoldReasons(projectId, items);
  const facts = items.flatMap((item): Fact[] => {
    const thought = shown.get(item.id);
    if (thought === undefined) return [];
    const { section, mark, type, id, at } = item;
    const title = thought.title === "" ? thought.text : thought.title;
    const beside = {
      later: item.by === undefined ? undefined : shown.get(item.by)?.title,
      holdReason: reasons.get(id) ?? "",
    };
    return [{ section, mark, type, id, title, ...standing(item, thought, beside), at }];
  });
  return { facts, counts, withheld: items.length - facts.length };
}

/** Everything whose words the facts show. */
export function refsOf(items: readonly OutlineItem[]) {
  return items.flatMap(({ type, id, by }) => [
    { type, id },
    ...(by === undefined ? [] : [{ type, id: by }]),
  ]);
}

interface Beside {
  readonly later: string | undefined;
  readonly holdReason: string;
}

type Standing = Pick<Fact, "state" | "said">;

function standing({ section, how }: OutlineItem, thought: Existing, beside: Beside): Standing {
  switch (section) {
    case "decided":
      return { state: "", said: thought.text };
    case "contradicted":
      if (how === "disputed") {
        return { state: "an answer that waits for review contradicts it", said: "" };
      }
      return beside.later === undefined
        ? { state: "superseded", said: "" }
        : { state: "superseded by", said: beside.later };
    case "closed":
      return { state: how ?? "closed", said: "" };
    case "opened": {
      const now = statusOf(thought, beside);
      return how === "reopened" ? { ...now, state: `reopened, ${now.state}` } : now;
    }
    case "blocking":
      return statusOf(thought, beside);
  }
}

function statusOf({ status = "" }: Existing, { holdReason }: Beside): Standing {
  const said = status === "on_hold" ? holdReason : "";
  return { state: status.replaceAll("_", " "), said };
}

function* readHoldReasons(
  projectId: string,
  items: readonly OutlineItem[],
): DatabaseWork<ReadonlyMap<string, string>> {
  const ids = new Set(items.flatMap(({ type, id }) => (type === "task" ? [id] : [])));
  if (ids.size === 0) return new Map();
  const rows = yield* query(
    db
      .selectFrom("task")
      .select(["id", "hold_reason", "source_type", "source_id", "quote"])
      .where("id", "in", [...ids])
      .where("hold_reason", "is not", null),
  );
  const readable = yield* withoutRedacted(
    rows.map((row) => ({
      id: row.id,
      projectId,
      source: toSource(row),
      holdReason: row.hold_reason ?? "",
    })),
    ["holdReason"],
  );
  return new Map(readable.map(({ id, holdReason }) => [id, holdReason]));
}
