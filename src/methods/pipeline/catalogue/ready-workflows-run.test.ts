/** The workflows of the library, executed by the engine with what the rehearsal model makes up. */

import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { openLibrary } from "../../../kernel/library/library.ts";
import { openRig, type Reply, type Rig, type Wait } from "../running/pipeline-rig.suite.ts";
import { listLibraryWorkflows } from "./library-workflows.ts";

const library = openLibrary({
  layers: [{ name: "built-in", folder: path.join(import.meta.dirname, "../../../../library") }],
});

const INPUTS: Readonly<Record<string, JsonObject>> = {
  "library:pr-review": { prNumber: 482 },
  "library:document-review": {
    document: "Leases run out by themselves; locks have to be given back.",
    audience: "people who run the service",
  },
  "library:research": { question: "Why do leases beat locks?" },
  "library:translation": { text: "Eine Sperre überlebt ihren Besitzer.", language: "English" },
};

const workflows = listLibraryWorkflows(library);

describe("ready workflows on the rehearsal model", () => {
  let rig: Rig;
  before(async () => {
    rig = await openRig([]);
  });
  after(() => rig.close());

  for (const { ref, name } of workflows) {
    test(`${name} runs to its end at once`, async () => {
      const { state, reason, unfilled } = await runThrough(rig, ref, inGoodWill);

      assert.deepEqual([state, reason, unfilled], ["completed", null, []]);
    });
  }
});

/** What the model says at a step, the how many-th time; what people answer; the steps that came of it. */
interface OtherWay {
  readonly title: string;
  readonly ref: string;
  readonly replies: readonly Reply[];
  readonly answers: readonly JsonObject[];
  readonly steps: string;
}

const POOR = { score: 20, summary: "Wrong.", criticalIssues: ["It loses data."], warnings: [] };
const FAIR = { score: 60, summary: "Doubtful.", criticalIssues: [], warnings: ["Slow."] };
const GOOD = { score: 95, summary: "Good.", criticalIssues: [], warnings: [] };
const SURE = { metadata: { confidence: 0.9 } };
const NOTHING = { established: [], contradictions: [], gaps: ["All of it."], coveragePercent: 10 };
const ENOUGH = { ...NOTHING, coveragePercent: 90 };
const NO_FILES = { step: "B", output: { files: [] } };
const ROUGH = { score: 40, changes: [{ from: "a", to: "b", why: "c" }], translation: "Rough." };

const OTHER_WAYS: readonly OtherWay[] = [
  {
    title: "a doubtful pull request goes to a person",
    ref: "library:pr-review",
    replies: [NO_FILES, { step: "D", output: FAIR, ...SURE }],
    answers: [{ comment: "Fine." }],
    steps: "A B C D G I",
  },
  {
    title: "a poor pull request is closed",
    ref: "library:pr-review",
    replies: [
      NO_FILES,
      { step: "D", output: POOR, ...SURE },
      { step: "H", output: { comment: "Think again.", shouldRetry: false } },
    ],
    answers: [],
    steps: "A B C D H K",
  },
  {
    title: "a poor pull request that is put right is merged in the next round",
    ref: "library:pr-review",
    replies: [
      NO_FILES,
      { step: "D", time: 1, output: POOR, ...SURE },
      { step: "D", time: 2, output: GOOD, ...SURE },
      { step: "H", output: { comment: "Put this right.", shouldRetry: true } },
    ],
    answers: [],
    steps: "A A B B C C D D F H I",
  },
  {
    title: "edits that are sent back are proposed again",
    ref: "library:document-review",
    replies: [],
    answers: [
      { decision: "revise", advice: "Shorter." },
      { decision: "accept", advice: "None." },
    ],
    steps: "argument claims edit edit findings gate gate language read report",
  },
  {
    title: "a document that is turned down gets its reasons",
    ref: "library:document-review",
    replies: [],
    answers: [{ decision: "decline", advice: "Not ours." }],
    steps: "argument claims decline edit findings gate language read",
  },
  {
    title: "a person says where to look further",
    ref: "library:research",
    replies: [
      { step: "plan", output: { sources: [{ title: "T", where: "W", settles: "S" }] } },
      { step: "more", output: { sources: [{ title: "U", where: "W", settles: "S" }] } },
      { step: "notes", time: 1, output: NOTHING },
      { step: "notes", time: 2, output: ENOUGH },
    ],
    answers: [{ searchFurther: true, advice: "Ask the operators." }],
    steps: "answer more notes notes plan read read read read steer weigh weigh",
  },
  {
    title: "a person lets what was found do",
    ref: "library:research",
    replies: [
      { step: "plan", output: { sources: [{ title: "T", where: "W", settles: "S" }] } },
      { step: "notes", output: NOTHING },
    ],
    answers: [{ searchFurther: false, advice: "None." }],
    steps: "answer notes plan read read steer weigh",
  },
  {
    title: "a rough translation is revised until it is good",
    ref: "library:translation",
    replies: [
      { step: "revise", time: 1, output: ROUGH },
      { step: "revise", time: 2, output: { ...ROUGH, score: 70 } },
      { step: "revise", time: 3, output: { ...ROUGH, score: 85 } },
    ],
    answers: [],
    steps: "draft proof revise revise revise study",
  },
];

describe("ready workflows take their other ways", () => {
  for (const { title, ref, replies, answers, steps } of OTHER_WAYS) {
    test(title, async () => {
      const rig = await openRig(replies);
      try {
        const waiting = [...answers];

        const run = await runThrough(rig, ref, ({ title: asked }) => {
          const answer = waiting.shift();
          assert(answer, `nobody expected "${asked}"`);
          return answer;
        });

        assert.deepEqual([run.state, run.reason, run.unfilled], ["completed", null, []]);
        assert.equal(run.stages.toSorted().join(" "), steps);
      } finally {
        await rig.close();
      }
    });
  }
});

async function runThrough(rig: Rig, ref: string, answerTo: (wait: Wait) => JsonObject) {
  const source = workflows.find((workflow) => workflow.ref === ref)?.file.text ?? "";
  const runId = await rig.start(source, INPUTS[ref]);
  await rig.idle();
  for (let [wait] = await rig.waits(runId); wait !== undefined; [wait] = await rig.waits(runId)) {
    assert.deepEqual(wait.answers, ["complete", "reject"], wait.reason);
    await rig.answer(wait, "complete", answerTo(wait));
    await rig.idle();
  }
  const { state, reason } = await rig.run(runId);
  const unfilled = (await rig.prompts(runId)).filter(({ text }) => text.includes("{{"));
  const stages = (await rig.tasks(runId)).map(({ stage }) => stage ?? "");
  return { state, reason, stages, unfilled: unfilled.map(({ step }) => step) };
}

/** What somebody enters who has no objections. */
function inGoodWill({ form }: Wait): JsonObject {
  return Object.fromEntries(
    form.map((field) => {
      const { name, type, options } = field as {
        name: string;
        type: string;
        options?: { value: Json }[];
      };
      return [name, options?.[0]?.value ?? (type === "confirm" ? true : "Fine as it is.")];
    }),
  );
}
