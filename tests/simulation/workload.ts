/** What people of a simulated world start: something of every method. */

import type { Dice } from "../../src/kernel/model/rehearsal-dice.ts";
import type { Ask } from "./people.ts";

export interface Work {
  readonly name: string;
  /** Gives the run that was accepted, if the answer came back. */
  start(ask: Ask, dice: Dice): Promise<string | undefined>;
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
];
