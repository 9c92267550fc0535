/**
 * A method of one's own: a contract for the reply, a handler that makes the prompt and says what follows, and an
 * operation that starts it. Two drafts are asked for at once; when both are there, the run ends with them. Kill it at
 * any moment and run it again: what was finished stays finished.
 *
 *     node examples/own-method.ts [folder]
 */

import {
  compilePrompt,
  defineContract,
  defineOperation,
  type MoveHandler,
  openWorkspace,
  startRun,
  type TurnHandler,
  turnPromptOf,
} from "throughline";
import { z } from "zod";

const headline = z.object({
  headline: z.string().min(1).describe("One line, no full stop."),
  why: z.string().min(1).describe("Why people would read on."),
});

const contract = defineContract({ name: "headlines.draft", schema: headline });

const draftInput = z.object({ text: z.string(), tone: z.string(), model: z.string() });

const draft: TurnHandler = {
  kind: "turn",
  name: "headlines.draft",
  lane: (input) => `model:${draftInput.parse(input).model}`,
  *compile({ input }) {
    const { text, tone, model } = draftInput.parse(input);
    const layout = {
      layers: [
        { id: "task", role: "system", stability: "fixed" },
        { id: "text", role: "user", stability: "turn", heading: "# The text" },
      ],
    } as const;
    const parts = [
      {
        id: "task",
        layer: "task",
        order: 0,
        importance: "required",
        text: `Write a ${tone} headline for the text. Reply as JSON with "headline" and "why".`,
      },
      {
        id: "text",
        layer: "text",
        order: 0,
        importance: "required",
        text: [{ text, untrusted: "the text" }],
      },
    ] as const;
    const prompt = compilePrompt(layout, parts, { budget: { characters: 20_000 } });
    return { model, prompt: turnPromptOf(prompt), contract };
  },
  *accept({ item }, { value }) {
    const data = { tone: item ?? "", ...headline.parse(value) };
    return { events: [{ type: "headline.drafted", data }] };
  },
};

const started = z.object({ text: z.string(), model: z.string() });

/** The first job of the run: two drafts at once, and what comes after both. */
const plan: MoveHandler = {
  kind: "move",
  name: "headlines.plan",
  *decide({ input }) {
    const { text, model } = started.parse(input);
    const jobs = ["plain", "playful"].map((tone) => ({
      key: tone,
      handler: draft.name,
      item: tone,
      input: { text, tone, model },
    }));
    const followUp = { key: "finish", handler: finish.name, input: { drafts: jobs.length } };
    return { batches: [{ key: "drafts", jobs, followUp }] };
  },
};

const finish: MoveHandler = {
  kind: "move",
  name: "headlines.finish",
  *decide({ input }) {
    return { run: { end: { state: "completed", result: input } } };
  },
};

const write = defineOperation({
  name: "headline.write",
  summary: "Drafts two headlines for a text.",
  effect: "writes",
  permission: "run",
  input: z.object({ text: z.string().min(1) }),
  output: z.object({ runId: z.string() }),
  run: async ({ kernel, caller }, { text }) => {
    const input = { text, model: await kernel.models.defaultModel() };
    const run = {
      method: "headlines",
      title: "Two headlines",
      input,
      jobs: [{ key: "plan", handler: plan.name, input }],
    };
    const owner = { projectId: null, startedBy: caller.userId };
    const runId = await kernel.store.write(() =>
      startRun(kernel.engine, run, owner, kernel.clock.now()),
    );
    kernel.wake();
    return { runId };
  },
});

const directory = process.argv[2] ?? ".";
await using workspace = await openWorkspace({
  directory,
  methods: [{ operations: [write], handlers: [plan, draft, finish] }],
});

const { runId } = await workspace.perform(write, { text: "Rain fell on the garden all night." });
const done = new AbortController();
for await (const { type, data } of workspace.events(
  { after: "0.0", streams: [runId] },
  done.signal,
)) {
  if (type === "headline.drafted") console.log(`A draft: ${JSON.stringify(data)}`);
  if (type === "run.completed") done.abort();
}
const { state, result } = await workspace.waitForRun(runId);
console.log(`The run is ${state}: ${JSON.stringify(result)}`);
