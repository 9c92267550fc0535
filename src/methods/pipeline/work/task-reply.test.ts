import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { readReply } from "../../../kernel/contract/read-reply.ts";
import { remedyFor } from "../../../kernel/contract/remedy.ts";
import { replyAdapter } from "./adapt-reply.ts";
import { type TaskReply, taskReplyContract } from "./task-reply.ts";

const plain = taskReplyContract({ outputSchema: undefined });
const scored = taskReplyContract({
  outputSchema: {
    type: "object",
    properties: {
      score: { type: "number", minimum: 0, maximum: 100 },
      issues: { type: "array", items: { type: "object", required: ["message"] } },
    },
    required: ["score", "issues"],
  },
});

const ended = { finish: "stop" };

function read(text: string, contract = plain): TaskReply {
  const reading = readReply(contract, text, ended);
  assert.ok(reading.ok, JSON.stringify(reading, null, 2));
  return reading.value;
}

function problems(text: string, contract = plain): string[] {
  const reading = readReply(contract, text, ended);
  assert.ok(!reading.ok, JSON.stringify(reading));
  return reading.problems.map(({ message }) => message);
}

const sections = (change: Partial<Record<string, string>> = {}) =>
  Object.entries({
    Status: "SUCCESS",
    Summary: "Reviewed the file.",
    Output: '```json\n{"score": 87, "issues": []}\n```',
    "Next Action": "COMPLETE",
    Metadata:
      '```json\n{"confidence": 0.9, "suggested_tags": ["style"], "suggested_next_stage": null}\n```',
    ...change,
  })
    .filter(([, text]) => text !== undefined)
    .map(([heading, text]) => `## ${heading}\n${text}`)
    .join("\n\n");

const asJson = (change: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({
    status: "SUCCESS",
    summary: "Reviewed the file.",
    output: { score: 87, issues: [] },
    nextAction: "COMPLETE",
    metadata: { confidence: 0.9 },
    ...change,
  });

describe("a reply in the prompt's sections", () => {
  test("is read as it stands", () => {
    const reading = readReply(scored, sections(), ended);

    assert.ok(reading.ok && reading.loss === "none", JSON.stringify(reading));
    assert.deepEqual(reading.value, {
      status: "SUCCESS",
      summary: "Reviewed the file.",
      output: { score: 87, issues: [] },
      nextAction: "COMPLETE",
      metadata: { confidence: 0.9, suggested_tags: ["style"], suggested_next_stage: null },
    });
  });

  test("has its output bare, fenced or as any other text", () => {
    const output = (text: string) => read(sections({ Output: text })).output;

    assert.deepEqual(output('{"score": 87}'), { score: 87 });
    assert.deepEqual(output('Here it is:\n```json\n{"score": 87,}\n```'), { score: 87 });
    assert.deepEqual(output("All good.\n\n### Details\n- fine"), {
      text: "All good.\n\n### Details\n- fine",
    });
    assert.deepEqual(output("[1, 2]"), { text: "[\n  1,\n  2\n]" });
  });

  test("may quote fences, headings and JSON inside its texts", () => {
    const code = 'Use:\n```ts\nconst a = "## Status";\n```\nthen ## Next Action';
    const output = JSON.stringify({ comment: code, score: 1 }, null, 2);

    assert.equal(read(sections({ Output: output })).output?.["comment"], code);
    assert.equal(
      read(sections({ Output: `\`\`\`json\n${output}\n\`\`\`` })).output?.["comment"],
      code,
    );
    assert.equal(read(asJson({ output: { comment: code } })).output?.["comment"], code);
    assert.equal(
      read(`Sure.\n\`\`\`json\n${asJson({ output: { comment: code } })}\n\`\`\``).output?.[
        "comment"
      ],
      code,
    );
  });

  const described: readonly [string, string, string | undefined][] = [
    ["CONTINUE - write the tests", "CONTINUE", "write the tests"],
    ["CONTINUE\nWrite the tests.\nThen run them.", "CONTINUE", "Write the tests.\nThen run them."],
    ["**CONTINUE**: write the tests", "CONTINUE", "write the tests"],
    ["CONTINUE\n- If CONTINUE: Write the tests", "CONTINUE", "Write the tests"],
    ["CONTINUE (write the tests)", "CONTINUE", "write the tests"],
    ["CONTINUE\n- Write the tests\n- Run them", "CONTINUE", "- Write the tests\n- Run them"],
    ["[COMPLETE]", "COMPLETE", undefined],
    ["Complete.", "COMPLETE", undefined],
    ["HOLD until QA is COMPLETE", "HOLD", "until QA is COMPLETE"],
    ["ESCALATE – needs admin rights", "ESCALATE", "needs admin rights"],
    ["ASK", "HOLD", undefined],
  ];
  for (const [written, word, reason] of described) {
    test(`says what comes next: ${JSON.stringify(written)}`, () => {
      for (const reply of [
        read(sections({ "Next Action": written })),
        read(asJson({ nextAction: written })),
      ]) {
        assert.deepEqual([reply.nextAction, reply.nextActionReason], [word, reason]);
      }
    });
  }

  test("never has its next action guessed from a sentence", () => {
    for (const written of [
      "Complete the remaining tests",
      "We should not continue",
      "[COMPLETE | CONTINUE | ESCALATE | HOLD]",
      "COMPLETE or CONTINUE",
      "Deploy",
    ]) {
      const [first] = problems(sections({ "Next Action": written }));

      assert.match(
        first ?? "",
        /^`nextAction` names the next action .* allowed are COMPLETE, CONTINUE, ESCALATE, HOLD\./,
      );
    }
  });

  test("may give its metadata as lines, as shares of a hundred, or not at all", () => {
    const lines = read(
      sections({
        Metadata: "- confidence: 85%\n- suggested_tags: a, b\n- suggested_next_stage: none",
      }),
    );

    assert.deepEqual(lines.metadata, {
      confidence: 0.85,
      suggested_tags: ["a", "b"],
      suggested_next_stage: null,
    });
    assert.equal(read(sections({ Metadata: undefined })).metadata, undefined);
    assert.equal(read(sections({ Metadata: '{"confidence": 0}' })).metadata?.confidence, 0);
  });
});

describe("the same as JSON", () => {
  test("is read under the names that models use", () => {
    const reply = read(
      JSON.stringify({
        response: {
          Status: "success",
          Summary: "Done.",
          result: '{"score": 3}',
          next_action: { action: "CONTINUE", description: "Write the tests" },
          confidence: 0.4,
          suggestedTags: "a, b",
          metadata: { suggestedNextStage: "review" },
        },
      }),
    );

    assert.deepEqual(reply, {
      status: "SUCCESS",
      summary: "Done.",
      output: { score: 3 },
      nextAction: "CONTINUE",
      nextActionReason: "Write the tests",
      metadata: { confidence: 0.4, suggested_tags: ["a", "b"], suggested_next_stage: "review" },
    });
  });

  test("keeps a description that stands under another name, also where all else is as it should be", () => {
    for (const key of ["next_action_reason", "nextActionDescription", "reason", "follow_up"]) {
      const reply = read(asJson({ nextAction: "CONTINUE", [key]: "Write the tests" }));

      assert.equal(reply.nextActionReason, "Write the tests", key);
    }
  });

  test("tells of every change in the ledger", () => {
    const reading = readReply(plain, asJson({ nextAction: "CONTINUE - write tests" }), ended);

    assert.ok(reading.ok);
    assert.deepEqual(
      reading.repairs.map(({ path, sentence }) => [path, sentence]),
      [["nextAction", "CONTINUE is what the text says."]],
    );
  });
});

describe("the step's schema", () => {
  test("is held against the output, with what is beyond doubt put right", () => {
    const reply = read(sections({ Output: '{"score": "87", "issues": {"message": "x"}}' }), scored);

    assert.deepEqual(reply.output, { score: 87, issues: [{ message: "x" }] });
  });

  test("names each field that fails it", () => {
    assert.deepEqual(problems(sections({ Output: '{"score": 870, "issues": [{}]}' }), scored), [
      "`output.score` must be at most 100, but is the number 870.",
      "`output.issues[0].message` is missing; it must be given.",
    ]);
    assert.deepEqual(problems(sections({ Output: "It looks fine." }), scored), [
      "`output.score` is missing; it must be a number.",
      "`output.issues` is missing; it must be a list.",
    ]);
  });

  test("is not asked of work that was not done", () => {
    for (const status of ["BLOCKED", "FAILED"]) {
      const reply = read(
        sections({ Status: `${status} - no access`, Output: '{"seen": 1}', "Next Action": "HOLD" }),
        scored,
      );
      const nothing = read(sections({ Status: status, Output: undefined }), scored);

      assert.deepEqual([reply.output, reply.outputSoFar], [undefined, { seen: 1 }]);
      assert.equal(reply.statusReason, "no access");
      assert.deepEqual([nothing.output, nothing.outputSoFar], [undefined, undefined]);
    }
  });
});

describe("what a reply lacks is said so that the model can put it right", () => {
  const cases: readonly [string, string, string[]][] = [
    [
      "an output, when the work is done",
      sections({ Output: undefined }),
      ["`output` is missing; it must be an object."],
    ],
    ["a section", sections({ Summary: undefined }), ['Section "Summary" is missing.']],
    [
      "work to go on with",
      sections({ "Next Action": "CONTINUE" }),
      [
        'The reply breaks a rule: "CONTINUE" under Next Action must be followed by a description of the task that should come next.',
      ],
    ],
    [
      "a status of the four",
      sections({ Status: "DONE" }),
      ['`status` must be one of SUCCESS, PARTIAL, BLOCKED, FAILED, but is the text "DONE".'],
    ],
    [
      "a confidence from 0 to 1",
      sections({ Metadata: '{"confidence": 85}' }),
      ["`metadata.confidence` must be at most 1, but is the number 85."],
    ],
  ];
  for (const [name, text, messages] of cases) {
    test(name, () => assert.deepEqual(problems(text), messages));
  }

  test("in one corrective turn, and prose alone is answered with the whole form", () => {
    const remedy = (text: string) => {
      const reading = readReply(scored, text, ended);
      assert.ok(!reading.ok);
      return remedyFor(scored, reading, text).prompt;
    };

    assert.equal(
      remedy(sections({ Output: '{"score": 870, "issues": []}' })),
      [
        'Your reply for "pipeline.task" was nearly right. Correct only this:',
        "- `output.score` must be at most 100, but is the number 870.",
        "Leave everything else as it was, and send the whole reply again in the same form, without comment.",
      ].join("\n\n"),
    );
    const whole = remedy("I reviewed the file and it looks fine.");
    assert.deepEqual(
      [...whole.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading),
      ["Status", "Summary", "Output", "Next Action", "Metadata", "Questions"],
    );
    assert.match(whole, /"score": 50/);
    assert.doesNotMatch(whole, /may be left out\)/);
  });
});

describe("questions", () => {
  const questions = [
    {
      id: "branch",
      question: "Which branch?",
      type: "choice",
      options: [{ value: "main", label: "Main" }],
    },
  ];
  const places: readonly [string, string][] = [
    [
      "in the metadata",
      sections({ Metadata: JSON.stringify({ confidence: 0.2, questions }), "Next Action": "HOLD" }),
    ],
    ["as a key", asJson({ questions, nextAction: "HOLD" })],
    [
      "in a section",
      `${sections({ "Next Action": "ASK" })}\n\n## Questions\n\`\`\`json\n${JSON.stringify(questions)}\n\`\`\``,
    ],
  ];
  for (const [name, text] of places) {
    test(`are found ${name}`, () => {
      assert.deepEqual(read(text, scored).questions, questions);
    });
  }

  test("are none where the section says so", () => {
    assert.deepEqual(read(`${sections()}\n\n## Questions\nNone.`).questions, []);
    assert.deepEqual(read(`${sections()}\n\n## Questions\n[]`).questions, []);
  });

  test("as plain lines become texts to fill in", () => {
    const reply = read(`${sections()}\n\n## Questions\n1. Which branch?\n2. Until when?`);

    assert.deepEqual(reply.questions, [
      { id: "q1", question: "Which branch?", type: "text" },
      { id: "q2", question: "Until when?", type: "text" },
    ]);
  });

  test("that cannot be asked are refused by name", () => {
    assert.deepEqual(
      problems(asJson({ questions: [{ question: "", type: "number", min: 3, max: 1 }] })),
      [
        '`questions[0].question` must have at least 1 characters, but is the text "".',
        "`questions[0]` breaks a rule: its validation allows no answer.",
      ],
    );
  });
});

test("a reply in the contract's own form is left as it is, whatever it says", () => {
  const adapt = replyAdapter({ hasOutputSchema: false });
  const text = fc.string({ minLength: 1 });
  const replies = fc.record(
    {
      status: fc.constantFrom("SUCCESS", "PARTIAL"),
      summary: text,
      output: fc.dictionary(text, fc.jsonValue()),
      nextAction: fc.constantFrom("COMPLETE", "CONTINUE", "ESCALATE", "HOLD"),
      nextActionReason: fc.constantFrom("Write the tests.", "- one\n- two"),
      metadata: fc.record(
        { confidence: fc.double({ min: 0, max: 1 }), suggested_tags: fc.array(text) },
        { requiredKeys: ["confidence"], noNullPrototype: true },
      ),
    },
    { requiredKeys: ["status", "summary", "output", "nextAction"], noNullPrototype: true },
  );
  fc.assert(
    fc.property(replies, (reply) => {
      const adapted = adapt(reply, (path) => assert.fail(`changed ${path.join(".")}`));

      assert.deepEqual(adapted, reply);
    }),
  );
});

const LEAVES: readonly unknown[] = [
  null,
  1,
  "HOLD - x",
  "ASK",
  "a, b",
  "85%",
  "- a\n- b",
  '{"a": 1}',
];
const KEYS =
  "status next_action nextAction reason output result metadata suggestedTags questions text question options type validation".split(
    " ",
  );

test("no value at all makes adapting fail", () => {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(...LEAVES),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.boolean(), (written, hasOutputSchema) => {
      replyAdapter({ hasOutputSchema })(written, () => {});
    }),
    { numRuns: 2_000 },
  );
});
