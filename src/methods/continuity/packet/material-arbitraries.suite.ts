/** Material of packets as wild as it may come: hostile words, redacted passages, hidden stretches, nothing at all. */

import * as fc from "fast-check";
import type { SourceRef } from "../../../kernel/prompt/part.ts";
import { createRedactor } from "../../../kernel/prompt/redactor.ts";
import type { Span } from "../../../kernel/store/thought-source.ts";
import type {
  DecisionMaterial,
  PacketDecision,
  PacketHighlight,
  PacketMaterial,
  PacketMessage,
  PacketTask,
  ProjectMaterial,
  TaskMaterial,
  Total,
  Withheld,
} from "./packet-material.ts";
import { blockOf, lineOf, type SourceText } from "./source-text.ts";

/** Redacted wherever they occur, however their white space is set. */
export const PASSAGES: readonly string[] = [
  "Wilhelmina Brandt-Hofstetter",
  "the launch is on the ninth",
  "account 4711-0815-77",
];

/** Too short to be hunted; hidden where it stands, and unmistakable. */
export const HIDDEN = "xQ7hush";

const WORDS = [
  ["lease", "the", "a", "note", "of", "and", "stray", "[blocker]", "sync", "é", "漢字", "🧪"],
  ["\n", "\n\n", "\t", "RETURN CONTRACT", "INTENT:", "```", "[Prompt truncated to budget]"],
  ["{{packet}}", "<|im_start|>", "…", "1.", "•", "long".repeat(30), "👩‍👩‍👧", "\ud83e"],
].flat();

const anyWord = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.constantFrom(...PASSAGES) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...PASSAGES.map((text) => text.replaceAll(" ", "\n  "))),
  },
  { weight: 2, arbitrary: fc.constant(HIDDEN) },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);

const words = (most: number): fc.Arbitrary<string> =>
  fc.array(anyWord, { maxLength: most, size: "max" }).map((list) => list.join(" "));

const titles = words(8).map((text) => `T ${text}`);

function hiddenIn(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(HIDDEN); at !== -1; at = text.indexOf(HIDDEN, at + 1)) {
    spans.push({ start: at, end: at + HIDDEN.length });
  }
  return [...spans, ...hunter.find(text)];
}

const hunter = createRedactor({ texts: PASSAGES, finders: [] });

const line = (ref: SourceRef, text: string): SourceText => lineOf(ref, text, hiddenIn(text));
const block = (ref: SourceRef, text: string): SourceText => blockOf(ref, text, hiddenIn(text));

const anyId = fc.uuid({ version: 7 });

interface Wording {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly more: string;
  readonly value: number;
}

const anyWording: fc.Arbitrary<Wording> = fc.record({
  id: anyId,
  title: titles,
  body: words(36),
  more: words(5),
  value: fc.nat(100),
});

const several = (most: number): fc.Arbitrary<readonly Wording[]> =>
  fc.uniqueArray(anyWording, { selector: ({ id }) => id, maxLength: most, size: "max" });

const anyStanding = fc.record({
  status: fc.constantFrom("pending", "in_progress", "waiting", "on_hold"),
  isPressing: fc.boolean(),
  hasBlocker: fc.boolean(),
  hasOpenLoop: fc.boolean(),
});

function toTask(
  { id, title, body, more, value }: Wording,
  standing: {
    status: "pending" | "in_progress" | "waiting" | "on_hold";
    isPressing: boolean;
    hasBlocker: boolean;
    hasOpenLoop: boolean;
  },
  write = line,
): PacketTask {
  const ref = (field: string) => ({ type: "task", id, field });
  return {
    id,
    ...standing,
    title: line(ref("title"), title),
    description: write(ref("description"), body),
    holdReason: line(ref("holdReason"), more),
    score: { value: value / 100 },
  };
}

function toDecision({ id, title, body, value }: Wording, write = line): PacketDecision {
  return {
    id,
    title: line({ type: "decision", id, field: "title" }, title),
    content: write({ type: "decision", id, field: "content" }, body),
    score: { value: value / 100 },
  };
}

function toHighlight({ id, title, body, value }: Wording, write = line): PacketHighlight {
  return {
    id,
    label: line({ type: "highlight", id, field: "label" }, value % 2 === 0 ? title : ""),
    content: write({ type: "highlight", id, field: "content" }, `H ${body}`),
    score: { value: value / 100 },
  };
}

const anyTasks = (most: number): fc.Arbitrary<readonly PacketTask[]> =>
  fc
    .tuple(several(most), fc.array(anyStanding, { minLength: most, maxLength: most }))
    .map(([wordings, standings]) =>
      wordings.map((wording, index) =>
        toTask(wording, (standings[index] ?? standings[0]) as Parameters<typeof toTask>[1]),
      ),
    );

const anyProject = anyWording.map(({ id, title, body }) => ({
  id,
  name: line({ type: "project", id, field: "name" }, title),
  description: line({ type: "project", id, field: "description" }, body),
}));

const anyTotal: fc.Arbitrary<Total> = fc.record({ count: fc.nat(1000), isMore: fc.boolean() });

const anyWithheld: fc.Arbitrary<readonly Withheld[]> = several(4).map((wordings) =>
  wordings.map(({ id, title }, index) => ({
    type: "task",
    id,
    reason: index % 2 === 0 ? "limit" : "banned",
    title: line({ type: "task", id, field: "title" }, title),
  })),
);

/** One of the thoughts is pinned now and then. */
function pinsOf(thoughts: readonly { readonly id: string }[], seed: number): ReadonlySet<string> {
  const pinned = seed % 3 === 0 ? thoughts[seed % Math.max(1, thoughts.length)] : undefined;
  return new Set(pinned === undefined ? [] : [pinned.id]);
}

export const anyProjectMaterial: fc.Arbitrary<ProjectMaterial> = fc
  .record({
    project: anyProject,
    concepts: several(6),
    tasks: anyTasks(14),
    completed: fc.option(anyWording, { nil: undefined }),
    decisions: several(6),
    highlights: several(6),
    conversations: several(5),
    totals: fc.record({
      tasks: anyTotal,
      decisions: anyTotal,
      highlights: anyTotal,
      conversations: anyTotal,
    }),
    withheld: anyWithheld,
    seed: fc.nat(1000),
  })
  .map(({ project, concepts, tasks, decisions, seed, ...rest }) => {
    const chosen = decisions.map((each) => toDecision(each));
    return {
      origin: "project",
      projectId: project.id,
      project,
      concepts: concepts.map(({ title, more }, index) => ({
        term: line({ type: "project", id: project.id, field: `glossary.${index}.term` }, title),
        meaning: line(
          { type: "project", id: project.id, field: `glossary.${index}.meaning` },
          more,
        ),
      })),
      tasks: tasks.slice(0, 5),
      tensions: tasks.slice(3, 10),
      underWay: tasks.slice(9, 14),
      lastCompleted:
        rest.completed &&
        toTask(rest.completed, {
          status: "pending",
          isPressing: false,
          hasBlocker: false,
          hasOpenLoop: false,
        }),
      decisions: chosen,
      newestDecision: chosen.at(-1),
      highlights: rest.highlights.map((each) => toHighlight(each)),
      conversations: rest.conversations.map(({ id, title, value }) => ({
        id,
        title: line({ type: "conversation", id, field: "title" }, title),
        startedAt: value * 86_400_000,
      })),
      totals: rest.totals,
      passages: PASSAGES,
      pins: pinsOf([...tasks.slice(0, 5), ...chosen], seed),
      withheld: rest.withheld,
    };
  });

export const anyTaskMaterial: fc.Arbitrary<TaskMaterial> = fc
  .record({
    task: fc.record({
      id: anyId,
      title: titles,
      body: fc.oneof({ weight: 3, arbitrary: words(40) }, { weight: 1, arbitrary: words(700) }),
      more: words(5),
      value: fc.constant(100),
    }),
    standing: anyStanding,
    project: fc.option(anyProject, { nil: undefined }),
    highlight: fc.option(anyWording, { nil: undefined }),
    seed: fc.nat(1000),
  })
  .map(({ task, standing, project, highlight, seed }) => {
    const source = highlight && toHighlight(highlight, block);
    return {
      origin: "task",
      projectId: project?.id,
      task: toTask(task, standing as Parameters<typeof toTask>[1], block),
      project,
      highlight: source,
      passages: PASSAGES,
      pins: pinsOf(source === undefined ? [] : [source], seed),
      withheld: [],
    };
  });

const anyMessages: fc.Arbitrary<readonly PacketMessage[]> = several(5).map((wordings) =>
  wordings.map(({ id, body }, distance) => ({
    id,
    role: distance % 2 === 0 ? "user" : "assistant",
    content: line({ type: "message", id, field: "content" }, `M ${body}`),
    distance,
  })),
);

export const anyDecisionMaterial: fc.Arbitrary<DecisionMaterial> = fc
  .record({
    decision: fc.record({
      id: anyId,
      title: titles,
      body: fc.oneof({ weight: 3, arbitrary: words(40) }, { weight: 1, arbitrary: words(700) }),
      more: words(1),
      value: fc.constant(100),
    }),
    project: fc.option(anyProject, { nil: undefined }),
    tasks: anyTasks(5),
    decisions: several(5),
    highlights: several(10),
    talk: fc.option(fc.tuple(anyWording, anyMessages), { nil: undefined }),
    withheld: anyWithheld,
    seed: fc.nat(1000),
  })
  .map(({ decision, project, tasks, decisions, highlights, talk, withheld, seed }) => {
    const [conversation, messages = []] = talk ?? [];
    return {
      origin: "decision",
      projectId: project?.id,
      decision: toDecision(decision, block),
      project,
      tasks,
      decisions: decisions.map((each) => toDecision(each)),
      highlights: highlights.map((each) => toHighlight(each)),
      conversation: conversation && {
        id: conversation.id,
        title: line(
          { type: "conversation", id: conversation.id, field: "title" },
          conversation.title,
        ),
        messages,
      },
      passages: PASSAGES,
      pins: pinsOf(tasks, seed),
      withheld,
    };
  });

export const anyMaterial: fc.Arbitrary<PacketMaterial> = fc.oneof(
  anyProjectMaterial,
  anyTaskMaterial,
  anyDecisionMaterial,
);
