/** What people of a simulated world start: something of every method. */

import type { Dice } from "../../src/kernel/model/rehearsal-dice.ts";
import type { Ask } from "./people.ts";

export interface Work {
  readonly name: string;
  /** Gives the run that was accepted, if the answer came back. */
  start(ask: Ask, dice: Dice): Promise<string | undefined>;
  /** How people who want it done answer what it asks, the best first. */
  readonly answers?: readonly string[];
}

const QUESTIONS = [
  "Which vendor should carry the payments after June?",
  "What keeps the night build from finishing in an hour?",
  "Who has to agree before the archive is opened?",
] as const;

function operation(name: string, operationName: string, input: (dice: Dice) => object): Work {
  return {
    name,
    start: async (ask, dice) => {
      const answer = (await ask(operationName, input(dice))) as { runId?: string } | undefined;
      return answer?.runId;
    },
  };
}

function workflow(name: string, input: (dice: Dice) => object): Work {
  return operation(`workflow ${name}`, "workflow.run", (dice) => ({
    workflow: `library:${name}`,
    input: input(dice),
  }));
}

export const WORK: readonly Work[] = [
  operation("ask", "ask.start", (dice) => ({ request: dice.pick(QUESTIONS) })),
  workflow("pr-review", (dice) => ({ prNumber: 1 + dice.below(500) })),
  workflow("research", (dice) => ({ question: dice.pick(QUESTIONS) })),
  workflow("document-review", () => ({
    document: "We move the archive in May. It costs nothing and nobody will notice.",
    audience: "The board",
  })),
  workflow("translation", () => ({ text: "The archive moves in May.", language: "German" })),
  operation("a team", "team.start", (dice) => ({
    team: dice.pick(["lab", "book"]),
    prompt: "Find out whether the archive can move in May, and say what it takes.",
    rounds: 2,
  })),
];

const BRANCHES = `graph TD
  A[Fork] --> B[Left]
  A --> C[Right]
  B --> D[Join All]
  C --> D
`;

const EVERYTHING = `graph TD
  A[Plan] --> C[[Each: Part]]
  C --> W[Write]
  W --> D[Join Parts]
  D --> S[(Run: Branches)]
  S --> N(Approve)
  N --> E[End]
%% @C: {"stepType": "foreach", "itemsPath": "run.input.parts", "concurrency": 2}
%% @S: {"stepType": "subflow", "subflowId": "Branches"}
%% @N: {"execution": "manual", "prompt": "Approve."}
`;

/** Fan-out, join, subflow and a person's step in one. */
const everything: Work = {
  name: "a workflow with everything",
  answers: ["complete"],
  start: async (ask) => {
    await ask("workflow.create", { name: "Branches", source: BRANCHES });
    await ask("workflow.create", { name: "Everything", source: EVERYTHING });
    const input = { parts: ["one", "two", "three"] };
    const answer = await ask("workflow.run", { workflow: "Everything", input });
    return (answer as { runId: string } | undefined)?.runId;
  },
};

/** A flow of each method, small enough to be gone through statement by statement. */
export const REFERENCE: readonly Work[] = [
  operation("ask", "ask.start", () => ({ request: QUESTIONS[0] })),
  everything,
];
