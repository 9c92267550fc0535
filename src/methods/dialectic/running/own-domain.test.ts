/** A domain that a workspace wrote itself, in other words and with fewer stages: nothing but its files is needed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInFiles, fixtureLibrary } from "../dialectic-fixture.suite.ts";
import { openDialecticRig } from "../dialectic-rig.suite.ts";

const prompt = (name: string, text: string) =>
  `---\nname: ${name}\ndescription: For a letter.\nrole: user\n---\n\n${text}\n`;
const line = (key: string) => ({ key, title: key, kind: "line", guidance: `The ${key}.` });

const LETTERS = {
  "domains/letters.json": {
    key: "letters",
    title: "Letters",
    description: "A letter that nobody regrets.",
    stages: ["draft", "answer"],
  },
  "recipes/letters/draft.json": {
    name: "letters_draft",
    stage: "draft",
    title: "Drafts",
    description: "Each writes a letter.",
    seedTemplate: "draft_seed",
    steps: [
      {
        key: "write_letter",
        name: "write-letter",
        objective: "Write it.",
        promptType: "Turn",
        promptTemplate: "letter",
        inputsRequired: [
          { type: "project_resource", stage: "project", documentKey: "initial_user_prompt" },
        ],
        inputsRelevance: [{ documentKey: "initial_user_prompt", relevance: 1 }],
        outputType: "RenderedDocument",
        outputDescription: "A letter.",
        documentKey: "letter",
        granularity: "per_model",
      },
    ],
  },
  "recipes/letters/answer.json": {
    name: "letters_answer",
    stage: "answer",
    title: "Answers",
    description: "Each reads all letters as the one who gets them.",
    seedTemplate: "answer_seed",
    steps: [
      {
        key: "answer_letters",
        name: "answer-letters",
        objective: "Answer them.",
        promptType: "Turn",
        promptTemplate: "reply",
        inputsRequired: [
          { type: "document", stage: "draft", documentKey: "letter", multiple: true },
        ],
        inputsRelevance: [{ documentKey: "letter", relevance: 1 }],
        outputType: "RenderedDocument",
        outputDescription: "An answer.",
        documentKey: "reply",
        granularity: "all_to_one",
      },
    ],
  },
  "documents/letters/letter.json": {
    key: "letter",
    title: "Letter",
    description: "Would you send it?",
    guidance: "Short and kind.",
    fields: [line("salutation"), line("message")],
  },
  "documents/letters/reply.json": {
    key: "reply",
    title: "Reply",
    description: "What one would write back.",
    guidance: "As whoever gets the letters.",
    fields: [line("verdict")],
  },
  "prompts/letters/draft_seed.md": prompt("draft_seed", "Everybody drafts a letter."),
  "prompts/letters/answer_seed.md": prompt("answer_seed", "Everybody answers all letters."),
  "prompts/letters/letter.md": prompt("letter", "Write the letter."),
  "prompts/letters/reply.md": prompt("reply", "Answer the letters."),
};

test("two stages of letters run like any other, with barriers, files and a check", async (t) => {
  const library = fixtureLibrary({ ...builtInFiles(), ...LETTERS });
  const rig = await openDialecticRig({ library });
  t.after(() => rig.close());
  const models = ["rehearsal/rehearsal", "rehearsal/anna", "rehearsal/ben"];
  const { runId, calls } = await rig.invoke("dialectic.start", {
    request: "Tell my neighbour that his cello is beautiful, and loud at night.",
    domain: "letters",
    model: models,
    auto: true,
  });
  await rig.idle();

  const { state, reason } = await rig.invoke("dialectic.status", { session: runId });
  assert.deepEqual([state, calls, rig.asked.length], ["completed", 6, 6], reason);
  const replies = (await rig.artifacts(runId)).filter(
    ({ document_key }) => document_key === "reply",
  );
  assert.deepEqual(
    replies.map(({ inputs }) => (JSON.parse(inputs) as readonly object[]).length),
    [3, 3, 3],
  );
  const sent =
    rig.asked
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join("\n") ?? "";
  assert.match(sent, /## Letter, Proposal A/);
  const { files } = await rig.invoke("dialectic.tree", { session: runId });
  const paths: readonly string[] = files.map(({ path }: { path: string }) => path);
  assert.ok(paths.some((path) => path.endsWith("answer/documents/anna_2_answer_reply.md")));
  assert.match(await rig.show("dialectic.check", { domain: "letters" }), /2 stages, 2 steps/);
});
