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

const TALK = [
  "The archive has to move before May. Who signs for it?",
  "Decision: the board signs. Task: ask them before Friday. Worth keeping: the lease ends in June.",
  "And the old shelves?",
  "They stay. We decided that in March; the carrier only takes boxes.",
] as const;

/** A conversation distilled, a packet carried to a model, a digest of what changed: three runs of one project. */
const continuity: Work = {
  name: "continuity",
  start: async (ask, dice) => {
    const name = `Archive ${dice.below(1_000_000)}`;
    const project = (await ask("project.add", { name })) as Made | undefined;
    const messages = TALK.map((content, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content,
    }));
    const talk = (await ask("conversation.add", { title: "Moving", messages, project: name })) as
      | Made
      | undefined;
    await ask("task.add", { title: "Ask the board", project: name });
    if (talk?.id === undefined || project?.id === undefined) return undefined;
    const distilled = (await ask("distill.start", { conversationId: talk.id, wait: false })) as
      | Made
      | undefined;
    const packet = (await ask("packet.compile", {
      originType: "project",
      originId: project.id,
      intent: "generate_next_actions",
    })) as Made | undefined;
    if (packet?.packetId !== undefined)
      await ask("packet.send", { packetId: packet.packetId, wait: false });
    await ask("digest.make", { project: name, since: "2025-12-01", wait: false });
    return distilled?.runId;
  },
};

interface Made {
  readonly id?: string;
  readonly runId?: string;
  readonly packetId?: string;
}

const dialectic = operation("a dialectic", "dialectic.start", (dice) => ({
  request: dice.pick(QUESTIONS),
  model: ["rehearsal/rehearsal"],
  auto: true,
}));

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
  dialectic,
  continuity,
];

/** A flow of each method, small enough to be gone through statement by statement. */
export const REFERENCE: readonly Work[] = [
  operation("ask", "ask.start", () => ({ request: QUESTIONS[0] })),
  everything,
  continuity,
  dialectic,
  operation("a team", "team.start", () => ({
    team: "lab",
    prompt: "Find out whether the archive can move in May, and say what it takes.",
    rounds: 1,
  })),
];
