/**
 * Where a thing came from, step by step back to the person's own words. Every record names what it rests on, and what
 * it rests on was there before it, so the way always ends.
 */

import { nameOf } from "../rules/deltas.ts";
import type { Draft } from "../rules/draft.ts";

export interface ChainLink {
  readonly id: string;
  readonly kind:
    | "version"
    | "directive"
    | "reflection"
    | "collab"
    | "inspection"
    | "action"
    | "mission"
    | "round"
    | "user_message";
  readonly round: number;
  readonly by: string;
  readonly text: string;
  /** What it rests on. */
  readonly from: readonly string[];
  /** Steps from where the chain begins. */
  readonly depth: number;
}

/** Nearest first; each once. */
export function chainFrom(draft: Draft, startId: string): readonly ChainLink[] {
  const links: ChainLink[] = [];
  const seen = new Set<string>([startId]);
  let ring: readonly string[] = [startId];
  for (let depth = 0; ring.length > 0; depth += 1) {
    const next: string[] = [];
    for (const id of ring) {
      const link = linkOf(draft, id);
      if (link === undefined) continue;
      links.push({ ...link, depth });
      for (const from of link.from) {
        if (seen.has(from)) continue;
        seen.add(from);
        next.push(from);
      }
    }
    ring = next;
  }
  return links;
}

type Link = Omit<ChainLink, "depth">;

function linkOf(draft: Draft, id: string): Link | undefined {
  const name = (memberId: string) => nameOf(draft, memberId);
  const first = draft.list("userMessages")[0]?.id;
  const beginning = first === undefined ? [] : [first];
  const version = draft.find("versions", id);
  if (version !== undefined) {
    const { authorId, round, number, changeSummary, lastDirectiveId, addressed, trace, productId } =
      version;
    const own = [
      ...(lastDirectiveId === null ? [] : [lastDirectiveId]),
      ...addressed.map(({ collabId }) => collabId),
    ];
    const reflection = draft
      .list("reflections")
      .findLast((each) => each.productId === productId && each.round <= round);
    const from = [...own, ...(reflection === undefined ? [] : [reflection.id]), ...trace];
    return {
      id,
      kind: "version",
      round,
      by: name(authorId),
      text: `Version ${number} of ${productId}: ${changeSummary}`,
      from: from.length === 0 ? beginning : [...new Set(from)],
    };
  }
  const directive = draft.find("directives", id);
  if (directive !== undefined) {
    const { round, objective, trace } = directive;
    const chair = draft.membersOf("chair")[0]?.name ?? "The chair";
    return { id, kind: "directive", round, by: chair, text: objective, from: trace };
  }
  const reflection = draft.find("reflections", id);
  if (reflection !== undefined) {
    const { round, authorId, note, trace } = reflection;
    return { id, kind: "reflection", round, by: name(authorId), text: note, from: trace };
  }
  const collab = draft.find("collabs", id);
  if (collab !== undefined) {
    const { round, authorId, content, trace, respondsTo } = collab;
    const from = [...trace, ...respondsTo];
    return {
      id,
      kind: "collab",
      round,
      by: name(authorId),
      text: content,
      from: from.length === 0 ? beginning : from,
    };
  }
  const inspection = draft.find("inspections", id);
  if (inspection !== undefined) {
    const { round, byId, summary, trace } = inspection;
    return { id, kind: "inspection", round, by: name(byId), text: summary, from: trace };
  }
  const action = draft.find("actions", id);
  if (action !== undefined) {
    const { round, byId, reason, trace } = action;
    return {
      id,
      kind: "action",
      round,
      by: name(byId),
      text: `${action.action} ${action.productId}: ${reason}`,
      from: trace,
    };
  }
  const mission = draft.find("missions", id);
  if (mission !== undefined) {
    const { round, setBy, statement } = mission;
    return { id, kind: "mission", round, by: name(setBy), text: statement, from: beginning };
  }
  const message = draft.find("userMessages", id);
  if (message !== undefined) {
    const { round, content } = message;
    return {
      id,
      kind: "user_message",
      round,
      by: "The person",
      text: content,
      from: id === first ? [] : beginning,
    };
  }
  const [, number] = /^round(\d+)$/.exec(id) ?? [];
  if (number === undefined) return undefined;
  const missionId = draft.mission()?.id;
  return {
    id,
    kind: "round",
    round: Number(number),
    by: "The team",
    text: `Round ${number} as a whole`,
    from: missionId === undefined ? beginning : [missionId],
  };
}
