/**
 * What is to be done next in a stage: `(recipe, artifacts, slots) → jobs`. Pure, so planning twice gives
 * the same jobs under the same keys; all or nothing, so no step is ever done for fewer than it should be.
 * Every job names exactly the artifacts that it will read.
 */

import { hashJson } from "../../../kernel/base/hash.ts";
import type { CompiledInput, CompiledStage, CompiledStep } from "../recipe/compiled-domain.ts";
import { type Identity, identityKey, lineageOf } from "./identity.ts";
import { identitiesOf, spreadOf, type Topology } from "./topology.ts";

export type ArtifactState = "complete" | "partial" | "stale" | "superseded";

/** An artifact as planning sees it: everything but its content. */
export interface ArtifactFact extends Identity {
  readonly id: string;
  readonly documentKey: string;
  readonly iteration: number;
  readonly hash: string;
  readonly state: ArtifactState;
  readonly inputs: readonly InputRef[];
}

/** One thing a job reads, frozen when it was planned. */
export interface InputRef {
  readonly type: CompiledInput["type"];
  readonly stage: string;
  readonly documentKey: string;
  readonly id: string;
  readonly hash: string;
}

/** Feedback that is not settled, and what it is about. */
export interface FeedbackFact extends Identity {
  readonly id: string;
  readonly documentKey: string;
  readonly hash: string;
}

export interface SeedFact {
  readonly id: string;
  readonly hash: string;
}

export interface StageFacts {
  readonly topology: Topology;
  readonly iteration: number;
  /** Not superseded ones; of each identity the newest counts. */
  readonly artifacts: readonly ArtifactFact[];
  readonly feedback: readonly FeedbackFact[];
  /** The stage's seed prompt of this iteration. */
  readonly seed: SeedFact;
  /** What the person asked for, as a thing to read. */
  readonly request: SeedFact;
  /** Whether stale artifacts are made again. */
  readonly refreshes: boolean;
}

export interface PlannedJob {
  readonly key: string;
  readonly identity: Identity;
  readonly inputs: readonly InputRef[];
  readonly because: "new" | "stale" | "changed";
}

export interface StagePlan {
  readonly jobs: readonly PlannedJob[];
  /** Identities whose artifact stands. */
  readonly done: readonly Identity[];
  /** Identities that wait for others of this stage. */
  readonly waiting: readonly Identity[];
  /** Without any nothing of it may be started. */
  readonly problems: readonly PlanningProblem[];
}

export interface PlanningProblem {
  readonly identity: Identity;
  readonly input: CompiledInput;
  readonly found: number;
  readonly message: string;
}

export function planStage(stage: CompiledStage, facts: StageFacts): StagePlan {
  const jobs: PlannedJob[] = [];
  const done: Identity[] = [];
  const waiting: Identity[] = [];
  const problems: PlanningProblem[] = [];
  const index = indexOf(facts);
  /** Keys of identities of this stage that are not there, or are about to be made anew. */
  const coming = new Set<string>();
  for (const step of stage.steps) {
    for (const identity of identitiesOf(step, facts.topology)) {
      const resolved = resolveInputs(step, identity, facts, index, coming);
      problems.push(...resolved.problems);
      const key = identityKey(identity);
      const because = reasonToMake(index.current.get(key), resolved.refs, facts);
      if (because === undefined && !resolved.isWaiting) {
        done.push(identity);
        continue;
      }
      // What waits for something that is being made anew is itself made anew, unless it is kept stale.
      if (because === undefined && isKept(index.current.get(key), facts)) {
        done.push(identity);
        continue;
      }
      coming.add(key);
      if (resolved.isWaiting || because === undefined) waiting.push(identity);
      else
        jobs.push({
          key: jobKey(identity, facts.iteration, resolved.refs),
          identity,
          inputs: resolved.refs,
          because,
        });
    }
  }
  return problems.length > 0
    ? { jobs: [], done, waiting, problems }
    : { jobs, done, waiting, problems };
}

export function jobKey(identity: Identity, iteration: number, inputs: readonly InputRef[]): string {
  const read = hashJson(inputs.map(({ id, hash }) => [id, hash])).slice(0, 16);
  return `${identityKey(identity)}/i${iteration}/${read}`;
}

/** Undefined when what there is may stay. */
function reasonToMake(
  present: ArtifactFact | undefined,
  refs: readonly InputRef[],
  { iteration, refreshes }: StageFacts,
): PlannedJob["because"] | undefined {
  if (present === undefined) return "new";
  if (present.state === "stale") return refreshes ? "stale" : undefined;
  if (present.iteration === iteration) return undefined;
  return sameContent(present.inputs, refs) ? undefined : "changed";
}

/** Made in this iteration: it is finished, whatever else changes; only staleness asks for it again. */
function isKept(present: ArtifactFact | undefined, { iteration, refreshes }: StageFacts): boolean {
  if (present === undefined) return false;
  if (present.state === "stale") return !refreshes;
  return present.iteration === iteration;
}

function sameContent(before: readonly InputRef[], now: readonly InputRef[]): boolean {
  const words = (refs: readonly InputRef[]) =>
    refs
      .map(({ type, stage, documentKey, hash }) => `${type}:${stage}/${documentKey}#${hash}`)
      .toSorted()
      .join("\n");
  return words(before) === words(now);
}

interface ArtifactIndex {
  /** By identity. */
  readonly current: ReadonlyMap<string, ArtifactFact>;
  /** By stage and document key, of this iteration's view. */
  readonly byDocument: ReadonlyMap<string, readonly ArtifactFact[]>;
  /** The same as the iteration before left it. */
  readonly previous: ReadonlyMap<string, readonly ArtifactFact[]>;
}

function indexOf({ artifacts, iteration }: StageFacts): ArtifactIndex {
  const current = newestOf(artifacts.filter((each) => each.iteration <= iteration));
  const previous = newestOf(artifacts.filter((each) => each.iteration < iteration));
  return { current, byDocument: groupedOf(current), previous: groupedOf(previous) };
}

function newestOf(artifacts: readonly ArtifactFact[]): ReadonlyMap<string, ArtifactFact> {
  const newest = new Map<string, ArtifactFact>();
  for (const artifact of artifacts) {
    const key = identityKey(artifact);
    const before = newest.get(key);
    if (before === undefined || before.iteration <= artifact.iteration) newest.set(key, artifact);
  }
  return newest;
}

function groupedOf(
  current: ReadonlyMap<string, ArtifactFact>,
): ReadonlyMap<string, readonly ArtifactFact[]> {
  const grouped = Map.groupBy(current.values(), (each) => `${each.stage}/${each.documentKey}`);
  for (const list of grouped.values()) list.sort(byPlace);
  return grouped;
}

export function byPlace(a: Identity, b: Identity): number {
  return a.slot - b.slot || (a.lineage ?? 0) - (b.lineage ?? 0) || (a.match ?? 0) - (b.match ?? 0);
}

interface ResolvedInputs {
  readonly refs: readonly InputRef[];
  readonly isWaiting: boolean;
  readonly problems: readonly PlanningProblem[];
}

function resolveInputs(
  step: CompiledStep,
  identity: Identity,
  facts: StageFacts,
  index: ArtifactIndex,
  coming: ReadonlySet<string>,
): ResolvedInputs {
  const refs: InputRef[] = [];
  const problems: PlanningProblem[] = [];
  let isWaiting = false;
  for (const input of step.inputs) {
    const { type, stage, documentKey } = input;
    const refOf = ({ id, hash }: SeedFact): InputRef => ({ type, stage, documentKey, id, hash });
    if (type === "seed_prompt") refs.push(refOf(facts.seed));
    else if (type === "project_resource") refs.push(refOf(facts.request));
    else if (type === "feedback") {
      const about = facts.feedback.filter(
        (each) =>
          each.stage === stage &&
          each.documentKey === documentKey &&
          (input.multiple ? isOfGroup(step, identity, each) : matches(input, identity, each)),
      );
      refs.push(...about.map(refOf));
    } else {
      const source = input.from === "previous" ? index.previous : index.byDocument;
      const all = source.get(`${stage}/${documentKey}`) ?? [];
      const found = all.filter((each) =>
        input.multiple ? isOfGroup(step, identity, each) : matches(input, identity, each),
      );
      const isOwnStage = stage === step.stage && input.from === "current";
      if (isOwnStage && isComing(step, identity, input, facts, coming, found)) {
        isWaiting = true;
        continue;
      }
      const isWrong = input.multiple
        ? input.required && found.length === 0
        : found.length > 1 || (input.required && found.length === 0);
      if (isWrong) problems.push(problemOf(identity, input, found.length));
      else refs.push(...found.map(refOf));
    }
  }
  return { refs, isWaiting, problems };
}

/** Whether something that this input takes is still to be made in this stage. */
function isComing(
  step: CompiledStep,
  identity: Identity,
  input: CompiledInput,
  { topology }: StageFacts,
  coming: ReadonlySet<string>,
  found: readonly ArtifactFact[],
): boolean {
  const { producer } = input;
  if (producer === undefined) return false;
  const expected = spreadOf(producer.stage, producer.step, producer.partition, topology).filter(
    (each) => (input.multiple ? isOfGroup(step, identity, each) : matches(input, identity, each)),
  );
  const there = new Set(found.map(identityKey));
  return expected.some((each) => coming.has(identityKey(each)) || !there.has(identityKey(each)));
}

/** `multiple` takes all there are; a step for each group only those of its group. */
function isOfGroup(step: CompiledStep, identity: Identity, candidate: Identity): boolean {
  return step.granularity !== "per_source_group" || lineageOf(candidate) === lineageOf(identity);
}

/** Whether a candidate is the one that an input without `multiple` means for this job. */
export function matches(
  { type, producer }: Pick<CompiledInput, "type" | "producer">,
  { slot, lineage, match }: Identity,
  candidate: Identity,
): boolean {
  const partition = producer?.partition ?? "slot";
  if (type === "header_context") {
    const isOwn = candidate.slot === slot;
    return isOwn && (partition === "slot" || candidate.lineage === lineage);
  }
  if (lineage === null) return candidate.slot === slot;
  switch (partition) {
    case "slot":
    case "group":
      return candidate.slot === lineage;
    case "lineage":
      return candidate.lineage === lineage && candidate.slot === (match ?? slot);
    case "pair":
      return candidate.lineage === lineage && candidate.match === match && candidate.slot === slot;
  }
}

function problemOf(identity: Identity, input: CompiledInput, found: number): PlanningProblem {
  const { type, stage, documentKey, multiple } = input;
  const wanted = multiple ? "at least one" : "exactly one";
  const message = `${identityKey(identity)} needs ${wanted} ${type} ${stage}/${documentKey}; there are ${found}.`;
  return { identity, input, found, message };
}
