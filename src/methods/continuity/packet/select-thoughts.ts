/**
 * Which of a project's thoughts a packet is about. Given every eligible thought, or only the newest
 * `NEWEST_OF_CLASS` of each class, the answer is the same: a class keeps its own order in every rule here.
 */

import type { Score } from "../../../kernel/prompt/part.ts";
import {
  type ScoredTask,
  scoreDecision,
  scoreHighlight,
  scoreTask,
  standingOf,
  taskValue,
} from "./importance.ts";

export interface Candidate {
  readonly id: string;
  readonly createdAt: number;
}

export interface TaskCandidate extends Candidate, ScoredTask {
  readonly hasOpenLoop: boolean;
}

export interface HighlightCandidate extends Candidate {
  readonly isLabelled: boolean;
}

export type Ranked<Thought extends Candidate> = Thought & { readonly score: Score };

/** A few of one kind, the best first; `next` would be in if there were more places. */
export interface Selection<Thought extends Candidate> {
  readonly top: readonly Ranked<Thought>[];
  readonly next: readonly Ranked<Thought>[];
}

export interface TaskSelection extends Selection<TaskCandidate> {
  readonly tensions: readonly Ranked<TaskCandidate>[];
  readonly underWay: readonly Ranked<TaskCandidate>[];
}

export const TOP = 5;
export const NEXT = 3;
const MOST_MARKED = 5;
const MOST_OPEN = 3;
const MOST_TENSIONS = 7;
const MOST_UNDER_WAY = 5;

/** No rule takes more than this many of one class: five marked and three open tensions, or the top with what is next. */
export const NEWEST_OF_CLASS = Math.max(MOST_MARKED + MOST_OPEN, TOP + NEXT);

export function selectTasks(
  tasks: readonly TaskCandidate[],
  now: number,
  pins: ReadonlySet<string> = NONE,
): TaskSelection {
  const eligible = tasks.filter((task) => standingOf(task) !== undefined);
  const ranked = rank(eligible, (task) => taskValue(task, now));
  const scored = (chosen: readonly TaskCandidate[]) =>
    chosen.map((task) => ({ ...task, score: scoreTask(task, now) }));
  const { top, next } = takeTop(ranked, TOP, pins);
  const underWay = ranked.filter(({ status }) => status === "in_progress");
  return {
    top: scored(top),
    next: scored(next),
    tensions: scored(selectTensions(ranked)),
    underWay: scored(underWay.slice(0, MOST_UNDER_WAY)),
  };
}

export function selectDecisions(
  decisions: readonly Candidate[],
  now: number,
  pins: ReadonlySet<string> = NONE,
): Selection<Candidate> {
  const ranked = rank(decisions, (decision) => scoreDecision(decision, now).value);
  const { top, next } = takeTop(ranked, TOP, pins);
  const scored = (chosen: readonly Candidate[]) =>
    chosen.map((decision) => ({ ...decision, score: scoreDecision(decision, now) }));
  return { top: scored(top), next: scored(next) };
}

export function selectHighlights(
  highlights: readonly HighlightCandidate[],
  now: number,
  { most = TOP, pins = NONE }: { readonly most?: number; readonly pins?: ReadonlySet<string> } = {},
): Selection<HighlightCandidate> {
  const ranked = rank(highlights, (highlight) => scoreHighlight(highlight, now).value);
  const { top, next } = takeTop(ranked, most, pins);
  const scored = (chosen: readonly HighlightCandidate[]) =>
    chosen.map((highlight) => ({ ...highlight, score: scoreHighlight(highlight, now) }));
  return { top: scored(top), next: scored(next) };
}

const NONE: ReadonlySet<string> = new Set();

/** What blocks or is left open first, then other open work; what is on hold leads either group. */
function selectTensions(ranked: readonly TaskCandidate[]): readonly TaskCandidate[] {
  const marked = heldFirst(ranked.filter((task) => task.hasBlocker || task.hasOpenLoop));
  const first = marked.slice(0, MOST_MARKED);
  const listed = new Set(first.map(({ id }) => id));
  const open = heldFirst(
    ranked.filter((task) => standingOf(task) === "open" && !listed.has(task.id)),
  );
  return [...first, ...open.slice(0, MOST_OPEN)].slice(0, MOST_TENSIONS);
}

function heldFirst(ranked: readonly TaskCandidate[]): readonly TaskCandidate[] {
  const isHeld = ({ status }: TaskCandidate): boolean => status === "on_hold";
  return [...ranked.filter(isHeld), ...ranked.filter((task) => !isHeld(task))];
}

/** Pinned ones take places first, and get more places where those do not do. */
function takeTop<Thought extends Candidate>(
  ranked: readonly Thought[],
  most: number,
  pins: ReadonlySet<string>,
): { readonly top: readonly Thought[]; readonly next: readonly Thought[] } {
  const pinned = ranked.filter(({ id }) => pins.has(id));
  const others = ranked.filter(({ id }) => !pins.has(id));
  const places = Math.max(0, most - pinned.length);
  return {
    top: [...pinned, ...others.slice(0, places)],
    next: others.slice(places, places + NEXT),
  };
}

/** The best first. Ties: the newer first, then the later id. */
function rank<Thought extends Candidate>(
  thoughts: readonly Thought[],
  valueOf: (thought: Thought) => number,
): readonly Thought[] {
  return thoughts
    .map((thought) => ({ thought, value: valueOf(thought) }))
    .toSorted(
      (a, b) =>
        b.value - a.value ||
        b.thought.createdAt - a.thought.createdAt ||
        (a.thought.id < b.thought.id ? 1 : -1),
    )
    .map(({ thought }) => thought);
}
