/**
 * LangGraph.js with its SQLite saver, as shipped: `durability: "sync"` waits for the checkpoint of a
 * step before the next one starts. better-sqlite3 opens a WAL database with synchronous=NORMAL, so a
 * checkpoint survives the process but not a power cut; the fsync column shows it.
 *
 * A line is one node with an edge to itself and a state that does not grow (its cheapest form).
 */

import path from "node:path";
import { Annotation, END, Send, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import {
  type Check,
  type EmbeddedSubject,
  type Fan,
  PAYLOAD,
  range,
  type Sequences,
  stepCount,
} from "../subject.ts";

export const subjects = [
  {
    name: "langgraph",
    storage: "sqlite",
    async run(shape, { directory, time }) {
      const saver = SqliteSaver.fromConnString(path.join(directory, "langgraph.db"));
      const prepared = shape.kind === "fan" ? prepareFan(saver, shape) : prepareLines(saver, shape);
      const timing = await time(() => prepared.work());
      const checks = await prepared.check();
      saver.db.close();
      return { ...timing, steps: stepCount(shape), checks };
    },
  },
] as const satisfies readonly EmbeddedSubject[];

interface Prepared {
  work(): Promise<void>;
  check(): Promise<Check[]>;
}

function prepareLines(saver: SqliteSaver, shape: Sequences): Prepared {
  const State = Annotation.Root({ done: Annotation<number>(), payload: Annotation<string>() });
  const graph = new StateGraph(State)
    .addNode("step", (state) => ({ done: state.done + 1, payload: PAYLOAD }))
    .addEdge(START, "step")
    .addConditionalEdges("step", (state) => (state.done < shape.stepsPerRun ? "step" : END), [
      "step",
      END,
    ])
    .compile({ checkpointer: saver });
  const config = (run: number) => ({
    configurable: { thread_id: `run-${run}` },
    recursionLimit: shape.stepsPerRun + 1,
    durability: "sync" as const,
  });

  return {
    async work() {
      await Promise.all(
        range(shape.runs).map((run) => graph.invoke({ done: 0, payload: "" }, config(run))),
      );
    },
    async check() {
      const states = await Promise.all(range(shape.runs).map((run) => graph.getState(config(run))));
      const stored: (typeof State.State)[] = states.map(({ values }) => values);
      return [
        {
          name: "steps in the last checkpoints",
          expected: stepCount(shape),
          found: stored.reduce((sum, { done }) => sum + done, 0),
        },
        {
          name: "payloads in the last checkpoints",
          expected: shape.runs,
          found: stored.filter(({ payload }) => payload === PAYLOAD).length,
        },
        // One for the input, one before the first step, one after each step.
        {
          name: "checkpoints",
          expected: shape.runs * (shape.stepsPerRun + 2),
          found: countRows(saver, "checkpoints"),
        },
      ];
    },
  };
}

function prepareFan(saver: SqliteSaver, shape: Fan): Prepared {
  const sum = Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 });
  const State = Annotation.Root({
    children: sum,
    joins: sum,
    childrenSeenByJoin: Annotation<number>(),
    payload: Annotation<string>({ reducer: (_, last) => last, default: () => "" }),
  });
  const graph = new StateGraph(State)
    .addNode("open", () => ({ payload: PAYLOAD }))
    .addNode("child", () => ({ children: 1, payload: PAYLOAD }))
    .addNode("join", (state) => ({ joins: 1, childrenSeenByJoin: state.children }))
    .addEdge(START, "open")
    .addConditionalEdges(
      "open",
      () => range(shape.children).map((index) => new Send("child", { children: index })),
      ["child"],
    )
    .addEdge("child", "join")
    .addEdge("join", END)
    .compile({ checkpointer: saver });
  const config = {
    configurable: { thread_id: "fan" },
    recursionLimit: 10,
    durability: "sync" as const,
  };

  return {
    async work() {
      await graph.invoke({ payload: "" }, config);
    },
    async check() {
      const stored: typeof State.State = (await graph.getState(config)).values;
      return [
        { name: "children", expected: shape.children, found: stored.children },
        { name: "joins", expected: 1, found: stored.joins },
        {
          name: "children seen by the join",
          expected: shape.children,
          found: stored.childrenSeenByJoin,
        },
        {
          name: "children with stored writes",
          expected: shape.children,
          found: countRows(saver, "writes where channel = 'children'"),
        },
      ];
    },
  };
}

function countRows(saver: SqliteSaver, from: string): number {
  return Number(saver.db.prepare(`select count(*) from ${from}`).pluck().get());
}
