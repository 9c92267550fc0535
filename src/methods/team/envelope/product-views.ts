/** A product in three depths of detail, as the seed has them. What is derived is counted here and stored nowhere. */

import { diffLines } from "../../../kernel/prompt/diff-lines.ts";
import type { Collab, Directive, Member, Product, Version } from "../state/team-records.ts";
import { contentOf } from "../state/version-content.ts";
import { type Draft, isUnsettled, weightOf } from "../rules/draft.ts";

export interface ProductMinimal {
  readonly id: string;
  readonly name: string;
  readonly type: Product["type"];
  readonly selectedVersionId: string | null;
  readonly ownerId: string | null;
  readonly description: string;
  readonly dod: readonly string[];
  readonly summary: string;
  readonly collabCount: number;
  readonly versionIds: readonly string[];
  readonly status: Product["status"];
  readonly parentId: string | null;
  readonly depth: number;
}

export interface ProductExtra extends ProductMinimal {
  readonly currentVersion: VersionView | null;
}

export interface ProductFull extends ProductExtra {
  readonly changelog: readonly ChangelogEntry[];
  /** How many older entries there are beside those listed. */
  readonly olderEntries: number;
  readonly lastDirective: DirectiveView | null;
  readonly lastVersionDelta: string;
  readonly collabs: readonly CollabView[];
}

export interface VersionView {
  readonly id: string;
  readonly number: number;
  readonly authorId: string;
  readonly round: number;
  readonly content: string;
  readonly changeSummary: string;
  readonly reflectionNote: string;
}

export interface ChangelogEntry {
  readonly version: string;
  readonly changeSummary: string;
  readonly reflectionNote: string;
  readonly collabs: readonly string[];
}

export interface CollabView {
  readonly id: string;
  readonly authorId: string;
  readonly productId: string;
  readonly content: string;
  readonly kind: Collab["kind"];
  readonly weight: number;
  readonly state: Collab["state"];
  readonly round: number;
}

export type DirectiveView = Omit<Directive, "exchangeId" | "trace" | "evidence">;

export interface MemberView {
  readonly id: string;
  readonly name: string;
  readonly role: Member["role"];
  readonly teamRole: string;
  readonly ownedProductsCount: number;
  readonly ownedPendingProductsCount: number;
}

/** History is told newest first, and only so far back. */
const MOST_ENTRIES = 4;
const MOST_DELTA_LINES = 40;

export function minimalView(draft: Draft, product: Product): ProductMinimal {
  return {
    ...without(product, "round"),
    collabCount: draft.collabsOn(product.id).length,
    versionIds: draft.versionsOf(product.id).map(({ id }) => id),
    depth: depthOf(draft, product),
  };
}

export function extraView(draft: Draft, product: Product): ProductExtra {
  const current = draft.find("versions", product.selectedVersionId);
  return { ...minimalView(draft, product), currentVersion: current ? versionView(current) : null };
}

export function fullView(draft: Draft, product: Product): ProductFull {
  const versions = draft.versionsOf(product.id).toReversed();
  const directive = draft.directivesOf(product.id).at(-1);
  return {
    ...extraView(draft, product),
    changelog: versions.slice(0, MOST_ENTRIES).map((version) => changelogEntry(draft, version)),
    olderEntries: Math.max(0, versions.length - MOST_ENTRIES),
    lastDirective: directive === undefined ? null : directiveView(directive),
    lastVersionDelta: versionDelta(versions[0], versions[1]),
    collabs: draft.collabsOn(product.id).filter(isUnsettled).map(collabView),
  };
}

export function versionView(version: Version): VersionView {
  const { id, number, authorId, round, changeSummary, reflectionNote } = version;
  const content = contentOf(version);
  return { id, number, authorId, round, content, changeSummary, reflectionNote };
}

export function collabView(collab: Collab): CollabView {
  const { id, authorId, productId, content, kind, state, round } = collab;
  return { id, authorId, productId, content, kind, weight: weightOf(collab), state, round };
}

export function directiveView(directive: Directive): DirectiveView {
  return without(directive, "exchangeId", "trace", "evidence");
}

export function without<Of extends object, Key extends keyof Of>(
  record: Of,
  ...keys: readonly Key[]
): Omit<Of, Key> {
  const rest: Partial<Of> = { ...record };
  for (const key of keys) delete rest[key];
  return rest as Omit<Of, Key>;
}

export function memberView(draft: Draft, { id, name, role, teamRole }: Member): MemberView {
  const owned = draft.products().filter(({ ownerId }) => ownerId === id);
  return {
    id,
    name,
    role,
    teamRole,
    ownedProductsCount: owned.length,
    ownedPendingProductsCount: owned.filter(({ status }) => status !== "accepted").length,
  };
}

/** Depth first, siblings in the order they were made. */
export function treeOrder(draft: Draft): readonly Product[] {
  const root = draft.root();
  const walk = (product: Product): Product[] => [
    product,
    ...draft.childrenOf(product.id).flatMap(walk),
  ];
  return root === undefined ? [] : walk(root);
}

/** The lines that the newer version changed. */
export function versionDelta(newer: Version | undefined, older: Version | undefined): string {
  if (newer === undefined || older === undefined) return "";
  const changed = diffLines(contentOf(older), contentOf(newer)).filter(
    ({ change }) => change !== "same",
  );
  const shown = changed
    .slice(0, MOST_DELTA_LINES)
    .map(({ change, text }) => `${change === "added" ? "+" : "-"} ${text}`);
  const more = changed.length - shown.length;
  return [...shown, ...(more > 0 ? [`(${more} more changed lines)`] : [])].join("\n");
}

function changelogEntry(
  draft: Draft,
  { id, changeSummary, reflectionNote, productId }: Version,
): ChangelogEntry {
  const about = draft.collabsOn(productId).filter(({ versionId }) => versionId === id);
  return { version: id, changeSummary, reflectionNote, collabs: about.map((collab) => collab.id) };
}

function depthOf(draft: Draft, product: Product): number {
  let depth = 0;
  for (
    let above = draft.find("products", product.parentId);
    above;
    above = draft.find("products", above.parentId)
  )
    depth += 1;
  return depth;
}
