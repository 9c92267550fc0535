import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { readFieldText } from "./input-field.ts";
import { inputFields } from "./input-fields.ts";

const schema = z.object({
  text: z.string().describe("Words."),
  count: z.number().int().default(5),
  isOn: z.boolean().optional(),
  size: z.enum(["s", "l"]).optional(),
  mode: z.union([z.literal("a"), z.literal("b")]).optional(),
  tags: z.array(z.string()).optional(),
  points: z.array(z.object({ x: z.number() })).optional(),
  owner: z.string().nullable().optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  place: z.object({ x: z.number() }).optional(),
  either: z.union([z.string(), z.number()]).optional(),
});

describe("input fields", () => {
  const fields = new Map(inputFields(schema).map((field) => [field.name, field]));
  const facts = (name: string) => {
    const { kind, isList, isRecord, isNullable, isRequired } = fields.get(name)!;
    return [
      kind,
      ...Object.entries({ isList, isRecord, isNullable, isRequired }).flatMap(([fact, isTrue]) =>
        isTrue ? [fact] : [],
      ),
    ];
  };

  test("tell kinds, lists, records, choices, defaults and what is needed", () => {
    assert.deepEqual(facts("text"), ["string", "isRequired"]);
    assert.deepEqual(facts("count"), ["number"]);
    assert.deepEqual(facts("isOn"), ["boolean"]);
    assert.deepEqual(facts("tags"), ["string", "isList"]);
    assert.deepEqual(facts("points"), ["json", "isList"]);
    assert.deepEqual(facts("owner"), ["string", "isNullable"]);
    assert.deepEqual(facts("settings"), ["json", "isRecord"]);
    assert.deepEqual(facts("place"), ["json"]);
    assert.deepEqual(facts("either"), ["json"]);
    assert.deepEqual(fields.get("size")?.choices, ["s", "l"]);
    assert.deepEqual(fields.get("mode")?.choices, ["a", "b"]);
    assert.equal(fields.get("count")?.default, 5);
    assert.equal(fields.get("text")?.description, "Words.");
  });

  test("read what people write, and leave the complaint about nonsense to the schema", () => {
    const read = (name: string, text: string) => readFieldText(fields.get(name)!, text);

    assert.equal(read("text", "5"), "5");
    assert.deepEqual(
      ["5", "-1.5", "1e3", "five", ""].map((text) => read("count", text)),
      [5, -1.5, 1000, "five", ""],
    );
    assert.deepEqual(
      ["true", "false", "yes"].map((text) => read("isOn", text)),
      [true, false, "yes"],
    );
    assert.deepEqual(read("place", '{"x":1}'), { x: 1 });
    assert.throws(() => read("place", '{"x":1,"x":2}'), { code: "input_invalid" });
  });
});
