/** Workflows for tests, grown from blocks, so that what should happen in them is known without routing them. */

import fc from "fast-check";
import { parseCondition } from "../../../kernel/base/condition-parse.ts";
import { parsePath } from "../../../kernel/base/json-path.ts";
import type {
  ForeachStep,
  JoinPolicy,
  JoinStep,
  WorkflowDefinition,
  WorkflowEdge,
  WorkflowStep,
} from "../workflow/workflow-definition.ts";
import { buildGraph, type Graph, type Region } from "./graph.ts";

export type Block =
  | { readonly kind: "task" }
  | { readonly kind: "subflow" }
  | { readonly kind: "sequence"; readonly blocks: readonly Block[] }
  | { readonly kind: "parallel"; readonly branches: readonly Block[]; readonly policy: JoinPolicy }
  | { readonly kind: "choice"; readonly branches: readonly Block[] }
  | { readonly kind: "loop"; readonly body: Block }
  | {
      readonly kind: "foreach";
      readonly body: Block | undefined;
      readonly policy: JoinPolicy;
      readonly concurrency: number | undefined;
      readonly hasJoinPrompt: boolean;
    };

const ALL: JoinPolicy = { need: { kind: "all" }, deadlineMs: undefined, onDeadline: "fail" };

export const anyPolicy: fc.Arbitrary<JoinPolicy> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(ALL) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 100 })
      .map((percent) => ({ ...ALL, need: { kind: "percent" as const, percent } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 2 })
      .map((count) => ({ ...ALL, need: { kind: "count" as const, count } })),
  },
);

export const anyBlock: fc.Arbitrary<Block> = fc.letrec<{ block: Block }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 4, depthSize: "large", withCrossShrink: true },
    fc.constant<Block>({ kind: "task" }),
    fc.constant<Block>({ kind: "subflow" }),
    fc
      .array(tie("block"), { minLength: 1, maxLength: 3 })
      .map((blocks): Block => ({ kind: "sequence", blocks })),
    fc
      .tuple(fc.array(tie("block"), { minLength: 2, maxLength: 3 }), anyPolicy)
      .map(([branches, policy]): Block => ({ kind: "parallel", branches, policy })),
    fc
      .array(tie("block"), { minLength: 2, maxLength: 3 })
      .map((branches): Block => ({ kind: "choice", branches })),
    tie("block").map((body): Block => ({ kind: "loop", body })),
    fc
      .record({
        body: fc.option(tie("block"), { nil: undefined }),
        policy: anyPolicy,
        concurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
        hasJoinPrompt: fc.boolean(),
      })
      .map((foreach): Block => ({ kind: "foreach", ...foreach })),
  ),
})).block;

/** The same workflow with joins that go on only when everything has arrived. */
export function needingAll(block: Block): Block {
  switch (block.kind) {
    case "task":
    case "subflow":
      return block;
    case "sequence":
      return { ...block, blocks: block.blocks.map(needingAll) };
    case "choice":
      return { ...block, branches: block.branches.map(needingAll) };
    case "parallel":
      return { ...block, branches: block.branches.map(needingAll), policy: ALL };
    case "loop":
      return { ...block, body: needingAll(block.body) };
    case "foreach":
      return { ...block, body: block.body && needingAll(block.body), policy: ALL };
  }
}

export interface Grown {
  readonly graph: Graph;
  /** Forks of parallel edges with the join that collects them. */
  readonly forks: ReadonlyMap<string, string>;
}

/** A first task, the block, a last task. */
export function grow(block: Block): Grown {
  const steps: WorkflowStep[] = [];
  const edges: WorkflowEdge[] = [];
  const regions = new Map<string, Region>();
  const forks = new Map<string, string>();
  const position = { offset: 0, line: 1, column: 1 };
  const id = (letter: string) => `${letter}${steps.length}`;
  const base = (stepId: string) => ({
    id: stepId,
    name: stepId,
    description: undefined,
    hitlPhase: undefined,
    config: {},
    maxIterations: 25,
    position,
  });
  const work = {
    execution: "automated" as const,
    prompt: "Do it.",
    defaultAssigneeId: undefined,
    outputSchema: undefined,
    minConfidence: undefined,
    retries: undefined,
    timeoutMs: undefined,
  };
  const link = (
    sources: readonly string[],
    target: string,
    when: WorkflowEdge["when"] = "always",
  ) => {
    for (const source of sources) edges.push({ source, target, when, position });
  };
  const addTask = (sources: readonly string[]): readonly string[] => {
    const stepId = id("t");
    steps.push({ ...base(stepId), ...work, stepType: "task" });
    link(sources, stepId);
    return [stepId];
  };
  const addJoin = (policy: JoinPolicy, prompt: string | undefined): JoinStep => {
    const join: JoinStep = {
      ...base(id("j")),
      ...work,
      stepType: "join",
      prompt,
      awaitTag: undefined,
      policy,
    };
    steps.push(join);
    return join;
  };
  /** Gives the steps that lead on. `sources` are linked to whatever comes first. */
  const add = (current: Block, sources: readonly string[]): readonly string[] => {
    switch (current.kind) {
      case "task":
        return addTask(sources);
      case "subflow": {
        const stepId = id("s");
        steps.push({
          ...base(stepId),
          stepType: "subflow",
          subflowId: "other",
          inputMapping: [],
          timeoutMs: undefined,
        });
        link(sources, stepId);
        return [stepId];
      }
      case "sequence":
        return current.blocks.reduce((ends, next) => add(next, ends), sources);
      case "parallel": {
        const [fork = ""] = addTask(sources);
        const ends = current.branches.flatMap((branch) => add(branch, addTask([fork])));
        const join = addJoin(current.policy, "Bring together.");
        forks.set(fork, join.id);
        link(ends, join.id);
        return [join.id];
      }
      case "choice":
        return choose(current.branches, sources);
      case "loop": {
        const [first = ""] = addTask(sources);
        const ends = add(current.body, [first]);
        const [last = ""] = addTask(ends);
        const [after = ""] = decide([last], (again) => again(first));
        return [after];
      }
      case "foreach": {
        const [before = ""] = addTask(sources);
        const stepId = id("f");
        const foreach: ForeachStep = {
          ...base(stepId),
          ...work,
          stepType: "foreach",
          prompt: current.body === undefined ? "Do each." : undefined,
          itemsPath: "output.list",
          items: parsePath("output.list"),
          itemVariable: "item",
          maxItems: 100,
          concurrency: current.concurrency,
        };
        steps.push(foreach);
        link([before], stepId);
        const bodyFrom = steps.length;
        const ends = current.body === undefined ? [stepId] : add(current.body, addTask([stepId]));
        const body = new Set([stepId, ...steps.slice(bodyFrom).map((step) => step.id)]);
        const join = addJoin(current.policy, current.hasJoinPrompt ? "Sum up." : undefined);
        regions.set(stepId, { body, joinId: join.id });
        link(ends, join.id);
        return [join.id];
      }
    }
  };
  /** The nth branch is taken when `output.choice` is n; the last is the default. */
  const choose = (branches: readonly Block[], sources: readonly string[]): readonly string[] => {
    const place = steps.length;
    const stepId = id("d");
    steps.push({
      ...base(stepId),
      stepType: "decision",
      branches: [],
      defaultBranch: undefined,
    });
    link(sources, stepId);
    const targets: string[] = [];
    const ends: string[] = [];
    for (const [index, branch] of branches.entries()) {
      const text = `output.choice === ${index}`;
      const isLast = index === branches.length - 1;
      const [first = ""] = addTask([]);
      link([stepId], first, isLast ? "default" : { text, condition: parseCondition(text) });
      targets.push(first);
      ends.push(...add(branch, [first]));
    }
    steps[place] = {
      ...base(stepId),
      stepType: "decision",
      branches: targets.slice(0, -1).map((targetStepId, index) => ({
        text: `output.choice === ${index}`,
        condition: parseCondition(`output.choice === ${index}`),
        targetStepId,
        position,
      })),
      defaultBranch: targets.at(-1),
    };
    return ends;
  };
  const decide = (
    sources: readonly string[],
    again: (back: (target: string) => void) => void,
  ): readonly string[] => {
    const place = steps.length;
    const stepId = id("d");
    const condition = parseCondition("output.again");
    steps.push({ ...base(stepId), stepType: "decision", branches: [], defaultBranch: undefined });
    link(sources, stepId);
    const [after = ""] = addTask([]);
    again((target) => {
      link([stepId], target, { text: "output.again", condition });
      link([stepId], after, "default");
      steps[place] = {
        ...base(stepId),
        stepType: "decision",
        branches: [{ text: "output.again", condition, targetStepId: target, position }],
        defaultBranch: after,
      };
    });
    return [after];
  };

  const first = addTask([]);
  addTask(add(block, first));
  const definition: WorkflowDefinition = {
    name: "Grown",
    description: undefined,
    direction: "TD",
    maxTasks: 10_000,
    steps,
    edges,
  };
  return { graph: buildGraph(definition, first, regions), forks };
}
