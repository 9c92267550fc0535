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
  /** What is worth knowing beside the title. */
  readonly detail: string;
  readonly at: number;
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
    const detail = detailOf(item, thought, {
      later: item.by === undefined ? undefined : shown.get(item.by)?.title,
      holdReason: reasons.get(id) ?? "",
    });
    return [{ section, mark, type, id, title, detail, at }];
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

function detailOf({ section, how }: OutlineItem, thought: Existing, beside: Beside): string {
  switch (section) {
    case "decided":
      return thought.text;
    case "contradicted":
      if (how === "disputed") return "an answer that waits for review contradicts it";
      return beside.later === undefined ? "superseded" : `superseded by “${beside.later}”`;
    case "closed":
      return how ?? "closed";
    case "opened":
      return how === "reopened"
        ? `reopened, ${statusOf(thought, beside)}`
        : statusOf(thought, beside);
    case "blocking":
      return statusOf(thought, beside);
  }
}

function statusOf({ status = "" }: Existing, { holdReason }: Beside): string {
  const words = status.replaceAll("_", " ");
  return status === "on_hold" && holdReason !== "" ? `${words}: ${holdReason}` : words;
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
