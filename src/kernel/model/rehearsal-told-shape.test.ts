import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import * as z from "zod";
import { systemClock } from "../base/clock.ts";
import { defineContract } from "../contract/contract.ts";
import { readReply } from "../contract/read-reply.ts";
import { jsonSchemaOf } from "../contract/shape.ts";
import type { ModelRequest } from "./model-provider.ts";
import { createRehearsalModel } from "./rehearsal-model.ts";
import { toldShape } from "./rehearsal-told-shape.ts";

const told = (text: string, name = "output") =>
  toldShape(
    [
      { role: "system", text: "Output: {never: string}" },
      { role: "user", text },
    ],
    name,
  );
const fieldsOf = (text: string) => told(text)?.["properties"];

describe("a shape that a prompt writes out", () => {
  test("has its ranges, lists and objects, and of bare names what they suggest", () => {
    assert.deepEqual(
      told("Review it.\n\nOutput: {score: 0-100, issues: [{severity, line, message}]}"),
      {
        type: "object",
        properties: {
          score: { type: "integer", minimum: 0, maximum: 100 },
          issues: {
            type: "array",
            items: {
              type: "object",
              properties: {
                severity: { type: "string" },
                line: { type: "integer", minimum: 1 },
                message: { type: "string" },
              },
              required: ["severity", "line", "message"],
            },
          },
        },
        required: ["score", "issues"],
      },
    );
  });

  const text = { type: "string" };
  const cases: readonly [written: string, properties: unknown][] = [
    ["Output: {title, author}", { title: text, author: text }],
    [
      "Return JSON: {summary: string, warnings: []}",
      { summary: text, warnings: { type: "array", items: text } },
    ],
    [
      'Respond with `{"level": "low" | "high", "done": true|false}`.',
      { level: { enum: ["low", "high"] }, done: { type: "boolean" } },
    ],
    [
      "Output {shouldRetry, confidence: 0.0-1.0, note?: string|null}",
      {
        shouldRetry: { type: "boolean" },
        confidence: { type: "number", minimum: 0, maximum: 1 },
        note: { anyOf: [text, { type: "null" }] },
      },
    ],
    [
      "output: { names: string[], when: date }",
      { names: { type: "array", items: text }, when: { type: "string", format: "date" } },
    ],
    [
      "Output: {score: number, why: one sentence}",
      { score: { type: "number", minimum: 0, maximum: 100 }, why: text },
    ],
    [
      'Output:\n{\n  "files": [{"path": "..."}, ...],\n  "total": 3\n}',
      {
        files: {
          type: "array",
          items: { type: "object", properties: { path: text }, required: ["path"] },
        },
        total: { type: "integer", minimum: 1 },
      },
    ],
  ];
  for (const [written, properties] of cases) {
    test(written.replaceAll("\n", " "), () => assert.deepEqual(fieldsOf(written), properties));
  }

  test("under the object's own name comes first", () => {
    const prompt = "The format of files is {a, b}. Then Output: {c}";

    assert.deepEqual(told(prompt, "output")?.["required"], ["c"]);
    assert.deepEqual(told(prompt, "other")?.["required"], ["a", "b"]);
  });

  test("is not found in code, in prose, or in what stands between tags", () => {
    for (const prompt of [
      "Return the value; if (a) { return b() }",
      "The output goes here.",
      "Output: {}",
      "Format {{x}} braces",
      '<data from="x">\nOutput: {a, b}\n</data>',
    ]) {
      assert.equal(told(prompt), undefined, prompt);
    }
  });

  test("never makes reading fail, however it is written", () => {
    const pieces = [
      "Output: {",
      "{",
      "}",
      "[",
      "]",
      "a",
      ":",
      ",",
      "0-9",
      "|",
      '"',
      "?",
      "...",
      "\n",
      "<a>",
      "</a>",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (written) => {
        told(`Output: ${written.join("")}`);
      }),
    );
    const started = performance.now();
    told("Output: {a: [".repeat(20_000) + "<b>".repeat(20_000));
    assert.ok(performance.now() - started < 1_000);
  });
});

describe("an open object of a contract", () => {
  const contract = defineContract({
    name: "reply",
    schema: z.object({
      status: z.enum(["DONE", "FAILED"]),
      output: z.record(z.string(), z.unknown()),
    }),
    sections: [
      { heading: "Status", field: "status", read: "word" },
      { heading: "Output", field: "output", read: "json", textAs: "text" },
    ],
  });
  const answer = async (text: string) => {
    const request: ModelRequest = {
      model: "rehearsal",
      messages: [{ role: "user", text }],
      outputSchema: jsonSchemaOf(contract),
      syntax: { kind: "sections", sections: contract.sections },
      labels: { step: "review", attempt: 1, continuation: 0 },
    };
    let reply = "";
    const signal = new AbortController().signal;
    for await (const delta of createRehearsalModel(systemClock).call(request, { signal })) {
      if (delta.type === "text") reply += delta.text;
    }
    const reading = readReply(contract, reply, { finish: "stop" });
    assert.ok(reading.ok, reply);
    return { reply, output: reading.value.output };
  };

  test("is filled with what the prompt asks for, plausibly", async () => {
    const { output } = await answer(
      "Get the changed files. Output: {files: [{path, additions, status}], score: 0-100}",
    );

    const { files, score } = z
      .strictObject({
        files: z.array(
          z.strictObject({
            path: z.string().regex(/^[\w/.]+$/),
            additions: z.int().positive(),
            status: z.string().regex(/^\w+$/),
          }),
        ),
        score: z.int().min(60).max(100),
      })
      .parse(output);
    assert.ok(files.length >= 2 && score > 0);
    assert.equal(new Set(files.map(({ path }) => path)).size, files.length);
  });

  test("becomes plain text where nothing is asked for and the section takes text", async () => {
    const { reply, output } = await answer("Write a friendly comment on the login page.");

    assert.deepEqual(Object.keys(output), ["text"]);
    assert.match(reply, /^## Status\nDONE\n\n## Output\n\p{L}/u);
  });
});
