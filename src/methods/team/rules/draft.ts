/**
 * A working copy of a team's state. Rules look things up in it and put records into it; what was put is what follows
 * from a reply. The state it began from is not touched.
 */

import type {
  Collab,
  Directive,
  Inspection,
  Member,
  Mission,
  Noun,
  Product,
  TeamRecords,
  Version,
} from "../state/team-records.ts";
import { nextNumber, PREFIXES, type Put, type TeamState } from "../state/team-state.ts";

type Lists = { [Name in Noun]: Map<string, TeamRecords[Name]> };

export class Draft {
  readonly brief: TeamState["brief"];
  readonly round: number;
  readonly #lists: Lists;
  readonly #puts = new Map<string, Put>();
  readonly #next = new Map<Noun, number>();

  constructor(state: TeamState) {
    this.brief = state.brief;
    this.round = state.round;
    const lists: Partial<Record<Noun, Map<string, unknown>>> = {};
    for (const noun of Object.keys(PREFIXES) as Noun[]) {
      lists[noun] = new Map(state[noun].map((record) => [record.id, record]));
    }
    this.#lists = lists as Lists;
  }

  list<Name extends Noun>(noun: Name): readonly TeamRecords[Name][] {
    return [...this.#lists[noun].values()];
  }

  find<Name extends Noun>(
    noun: Name,
    id: string | null | undefined,
  ): TeamRecords[Name] | undefined {
    return id === null || id === undefined ? undefined : this.#lists[noun].get(id);
  }

  put<Name extends Noun>(noun: Name, record: TeamRecords[Name]): void {
    this.#lists[noun].set(record.id, record);
    this.#puts.set(record.id, { noun, record } as Put);
  }

  /** Puts a new record under the next id of its noun. */
  add<Name extends Noun>(noun: Name, record: Omit<TeamRecords[Name], "id">): TeamRecords[Name] {
    const number = this.#next.get(noun) ?? nextNumber(this.list(noun));
    this.#next.set(noun, number + 1);
    const made = { ...record, id: `${PREFIXES[noun]}${number}` } as TeamRecords[Name];
    this.put(noun, made);
    return made;
  }

  puts(): readonly Put[] {
    return [...this.#puts.values()];
  }

  mission(): Mission | undefined {
    return this.list("missions").at(-1);
  }

  /** Without those that were removed. */
  products(): readonly Product[] {
    return this.list("products").filter(({ status }) => status !== "removed");
  }

  root(): Product | undefined {
    return this.products().find(({ parentId }) => parentId === null);
  }

  childrenOf(productId: string): readonly Product[] {
    return this.products().filter(({ parentId }) => parentId === productId);
  }

  versionsOf(productId: string): readonly Version[] {
    return this.list("versions").filter((version) => version.productId === productId);
  }

  lastVersionOf(productId: string): Version | undefined {
    return this.versionsOf(productId).at(-1);
  }

  collabsOn(productId: string): readonly Collab[] {
    return this.list("collabs").filter((collab) => collab.productId === productId);
  }

  directivesOf(productId: string): readonly Directive[] {
    return this.list("directives").filter((directive) => directive.productId === productId);
  }

  inspectionOf(versionId: string): Inspection | undefined {
    return this.list("inspections").findLast((inspection) => inspection.versionId === versionId);
  }

  membersOf(role: Member["role"]): readonly Member[] {
    return this.list("members").filter((member) => member.role === role);
  }
}

/** Not settled yet: somebody still owes it an answer or a change. */
export function isUnsettled({ kind, state }: Pick<Collab, "kind" | "state">): boolean {
  return kind !== "agreement" && (state === "open" || state === "accepted" || state === "deferred");
}

/** What it weighs now: unanswered comments grow heavier round by round. */
export function weightOf({ importance, age }: Pick<Collab, "importance" | "age">): number {
  return Math.min(10, importance + age);
}
