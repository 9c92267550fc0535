import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { closedIds } from "./closed-ids.ts";
import { defineContract } from "./contract.ts";
import { readReply } from "./read-reply.ts";
import { jsonSchemaOf } from "./shape.ts";

function contractFor(shown: readonly string[]) {
  return defineContract({
    name: "assignments",
    schema: z.object({
      owner: closedIds("member", ["m1", "m2"]).nullable(),
      assignments: z.array(z.object({ productId: closedIds("product", shown), note: z.string() })),
    }),
  });
}

function read(shown: readonly string[], productId: unknown, owner: unknown = "m1") {
  const text = JSON.stringify({ owner, assignments: [{ productId, note: "do it" }] });
  return readReply(contractFor(shown), text, { finish: "stop" });
}

test("an id that was shown is taken", () => {
  const reading = read(["p1", "p2"], "p2");

  assert.ok(reading.ok);
  assert.equal(reading.value.assignments[0]?.productId, "p2");
});

test("an id that was not shown is refused, with the nearest ones named but never taken", () => {
  for (const wrong of ["p12", "P1", "product p1", "p-1", "p1 or p2"]) {
    const reading = read(["p1", "p2", "landing-page"], wrong);

    assert.ok(!reading.ok, wrong);
    assert.deepEqual(
      [reading.problems[0]?.code, reading.problems[0]?.path],
      ["unknown_id", "assignments[0].productId"],
    );
  }
  const near = read(["landing-page", "pricing-page"], "landing_pge");
  assert.ok(!near.ok);
  assert.deepEqual(near.problems[0]?.suggestions, ["landing-page"]);
  assert.match(
    near.problems[0]?.message ?? "",
    /names the product .* was not listed.*Did you mean landing-page\?/,
  );
});

test("only the spaces around an id are forgiven", () => {
  const reading = read(["p1"], " p1 ");

  assert.ok(reading.ok);
  assert.equal(reading.loss, "coerced");
});

test("ids behind a union are closed too", () => {
  const reading = read(["p1"], "p1", "m9");

  assert.ok(!reading.ok);
  assert.deepEqual(
    reading.problems.map(({ code, path }) => [code, path]),
    [["unknown_id", "owner"]],
  );
});

test("with nothing shown nothing can be named, and the empty list is the only answer", () => {
  const refusal = read([], "p1");
  const empty = readReply(contractFor([]), '{"owner":null,"assignments":[]}', { finish: "stop" });

  assert.ok(!refusal.ok);
  assert.equal(refusal.problems[0]?.code, "unknown_id");
  assert.ok(empty.ok);
});

test("the provider's schema lists exactly the ids shown", () => {
  const json = JSON.stringify(jsonSchemaOf(contractFor(["p1", "p2", "p1"])));

  assert.match(json, /"enum":\["p1","p2"\]/);
});
