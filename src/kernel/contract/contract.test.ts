import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as z from "zod";
import { ProductError } from "../base/errors.ts";
import { type ContractDefinition, defineContract } from "./contract.ts";
import { isPlainObject } from "./path.ts";
import { readReply } from "./read-reply.ts";
import { jsonSchemaOf, shapeOf } from "./shape.ts";

const schema = z.object({
  status: z.enum(["OK", "BAD"]),
  text: z.string(),
  more: z.string().optional(),
});
const sections = [
  { heading: "Status", field: "status", read: "word" },
  { heading: "Text", field: "text", read: "text" },
] as const;

describe("a contract that could never be met is refused where it is made", () => {
  const faulty: Record<string, [ContractDefinition<z.ZodType>, RegExp]> = {
    "a section for a field that is not there": [
      { name: "x", schema, sections: [...sections, { heading: "Y", field: "y", read: "text" }] },
      /"y", which the schema does not have/,
    ],
    "a required field without a section": [
      { name: "x", schema, sections: sections.slice(0, 1) },
      /No section fills the required field "text"/,
    ],
    "a heading used twice": [
      {
        name: "x",
        schema,
        sections: [...sections, { heading: "status", field: "more", read: "text" }],
      },
      /share a heading/,
    ],
    "sections accepted but none listed": [
      { name: "x", schema, syntaxes: ["sections"] },
      /lists none/,
    ],
    "a bare text for a field that is not there": [
      { name: "x", schema, sections, textAs: "y" },
      /becomes "y", which the schema does not have/,
    ],
    "a bare text that leaves a required field empty": [
      { name: "x", schema, sections, textAs: "text" },
      /cannot fill the required field "status"/,
    ],
    "no syntax": [{ name: "x", schema, syntaxes: [] }, /no syntax/],
    "a field with a reserved name": [
      { name: "x", schema: z.object({ a: z.array(z.object({ prototype: z.string() })) }) },
      /may not be called "prototype"/,
    ],
  };
  for (const [name, [definition, message]] of Object.entries(faulty)) {
    test(name, () => {
      assert.throws(
        () => defineContract(definition),
        (error) => {
          assert.ok(error instanceof ProductError);
          assert.equal(error.code, "contract_faulty");
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }
});

test("what is derived from a contract is derived once", () => {
  const contract = defineContract({ name: "x", schema });

  assert.equal(shapeOf(contract), shapeOf(contract));
  assert.equal(jsonSchemaOf(contract), jsonSchemaOf(contract));
});

test("providers get plain JSON Schema of what is to be written, without our own keywords", () => {
  const contract = defineContract({
    name: "x",
    schema: z.object({
      note: z.string().meta({ longtext: true, description: "Why" }),
      idsOf: z.string(),
      count: z.number().int().min(0).max(9).default(1),
      length: z.string().transform((text) => text.length),
    }),
  });

  const json = jsonSchemaOf(contract) as { properties: Record<string, object>; required: string[] };

  assert.deepEqual(json.properties["note"], { type: "string", description: "Why" });
  assert.deepEqual(json.properties["length"], { type: "string" });
  assert.deepEqual(json.required, ["note", "idsOf", "length"]);
  assert.deepEqual(JSON.parse(JSON.stringify(json)), json);
});

test("another form of the same answer is brought into the contract's own, and the ledger tells of it", () => {
  const scored = defineContract({
    name: "scored",
    schema: z.object({ score: z.number() }),
    adapt: (written, note) => {
      if (!isPlainObject(written) || !("points" in written)) return written;
      note(["score"], written["points"], written["points"], '"points" was read as "score".');
      return { score: written["points"] };
    },
  });

  const reading = readReply(scored, '{"points": "7"}', { finish: "stop" });

  assert.ok(reading.ok, JSON.stringify(reading));
  assert.deepEqual(reading.value, { score: 7 });
  assert.deepEqual(
    reading.repairs.map(({ path, sentence }) => [path, sentence]),
    [
      ["score", '"points" was read as "score".'],
      ["score", "A text was read as the number it spells."],
    ],
  );
});
