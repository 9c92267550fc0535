/** A project's tasks, decisions and highlights as a packet takes them: the best of each kind, with their words. */

import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import {
  readLastCompleted,
  readNewestDecisions,
  readNewestHighlights,
  readNewestTasks,
  taskClassOf,
} from "./candidate-reads.ts";
import { choose } from "./choose-thoughts.ts";
import { scoreTask } from "./importance.ts";
import type { GatherContext } from "./packet-context.ts";
import type { PacketDecision, PacketHighlight, PacketTask, Withheld } from "./packet-material.ts";
import { readPinnedTasks, readPinnedThoughts } from "./pinned-thoughts.ts";
import {
  type Candidate,
  type HighlightCandidate,
  NEWEST_OF_CLASS,
  NEXT,
  selectDecisions,
  selectHighlights,
  selectTasks,
  type TaskCandidate,
  TOP,
} from "./select-thoughts.ts";
import { readDecisions, readHighlights, readTasks } from "./thought-reader.ts";

export interface Gathering<Thought> {
  readonly top: readonly Thought[];
  readonly withheld: readonly Withheld[];
}

export interface TaskGathering extends Gathering<PacketTask> {
  readonly tensions: readonly PacketTask[];
  readonly underWay: readonly PacketTask[];
}

export function* gatherTasks(
  projectId: string,
  context: GatherContext,
): DatabaseWork<TaskGathering> {
  const pinned = yield* readPinnedTasks(projectId, context);
  const { selection, found, withheld } = yield* choose<TaskCandidate, PacketTask>(context, {
    type: "task",
    need: NEWEST_OF_CLASS,
    pinned,
    classOf: taskClassOf,
    read: (limit) => readNewestTasks(projectId, limit),
    select: (tasks, pins) => {
      const { top, next, tensions, underWay } = selectTasks(tasks, context.now, pins);
      return { top, next, more: { tensions, underWay } };
    },
    words: (wanted) => readTasks(wanted, context.scope),
    titleOf: ({ title }) => title,
  });
  const taken = (tasks: readonly Candidate[]) => tasks.flatMap(({ id }) => found.get(id) ?? []);
  const { tensions = [], underWay = [] } = selection.more ?? {};
  return {
    top: taken(selection.top),
    tensions: taken(tensions),
    underWay: taken(underWay),
    withheld,
  };
}

/** The task finished last; what is done has only its age to say for itself. */
export function* gatherLastCompleted(
  projectId: string,
  context: GatherContext,
): DatabaseWork<PacketTask | undefined> {
  const { found } = yield* choose<TaskCandidate, PacketTask>(
    { ...context, pins: [] },
    {
      type: "task",
      need: 1,
      pinned: [],
      classOf: () => "",
      read: (limit) => readLastCompleted(projectId, limit),
      select: (tasks) => ({
        top: tasks.slice(0, 1).map((task) => {
          return { ...task, score: scoreTask({ ...task, hasBlocker: false }, context.now) };
        }),
        next: [],
      }),
      words: (wanted) => readTasks(wanted, context.scope),
      titleOf: ({ title }) => title,
    },
  );
  return [...found.values()][0];
}

export interface DecisionGathering extends Gathering<PacketDecision> {
  readonly newest: PacketDecision | undefined;
}

export function* gatherDecisions(
  projectId: string,
  context: GatherContext,
  /** The decision that the packet is about is no other decision. */
  except?: string,
): DatabaseWork<DecisionGathering> {
  const pinned = yield* readPinnedThoughts("decision", projectId, context);
  const { selection, found, withheld } = yield* choose<Candidate, PacketDecision>(context, {
    type: "decision",
    need: TOP + NEXT,
    pinned,
    except,
    classOf: () => "",
    read: (limit) => readNewestDecisions(projectId, limit),
    select: (decisions, pins) => selectDecisions(decisions, context.now, pins),
    words: (wanted) => readDecisions(wanted, context.scope),
    titleOf: ({ title }) => title,
  });
  const [newest] = [...selection.top, ...selection.next].toSorted(
    (a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1),
  );
  return {
    top: selection.top.flatMap(({ id }) => found.get(id) ?? []),
    newest: newest && found.get(newest.id),
    withheld,
  };
}

export function* gatherHighlights(
  projectId: string,
  context: GatherContext,
  most: number = TOP,
): DatabaseWork<Gathering<PacketHighlight>> {
  const pinned = yield* readPinnedThoughts("highlight", projectId, context);
  return yield* chooseHighlights(context, most, pinned, (limit) =>
    readNewestHighlights(projectId, limit),
  );
}

export function* chooseHighlights(
  context: GatherContext,
  most: number,
  pinned: readonly HighlightCandidate[],
  read: (limit: number) => DatabaseWork<readonly HighlightCandidate[]>,
): DatabaseWork<Gathering<PacketHighlight>> {
  const { selection, found, withheld } = yield* choose<HighlightCandidate, PacketHighlight>(
    context,
    {
      type: "highlight",
      need: most + NEXT,
      pinned,
      classOf: ({ isLabelled }) => String(isLabelled),
      read,
      select: (highlights, pins) => selectHighlights(highlights, context.now, { most, pins }),
      words: (wanted) => readHighlights(wanted, context.scope),
      titleOf: ({ content }) => content,
    },
  );
  return { top: selection.top.flatMap(({ id }) => found.get(id) ?? []), withheld };
}
