import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitJson } from "./split-json.ts";

const VALUE = [{ from: 'a [bracket] in "words"', to: "another text that is long enough" }];

test("values that begin a line are told apart from the words around them", () => {
  const text = `These edits:\n\n${JSON.stringify(VALUE, null, 2)}\n\nAccept them?`;

  assert.deepEqual(splitJson(text), [
    { kind: "text", text: "These edits:" },
    { kind: "json", value: VALUE },
    { kind: "text", text: "Accept them?" },
  ]);
});

test("brackets in words, links and unfinished values stay text", () => {
  for (const text of [
    "See [the list](x) and {this}.",
    "[unfinished, but quite a long line of text indeed",
    "{ not json but long enough to be taken for it }",
  ])
    assert.deepEqual(splitJson(text), [{ kind: "text", text }]);
});

test("any text is read, and none of its words is lost", () => {
  const words = fc.array(
    fc.constantFrom("[", "]", "{", "}", '"', "\\", "\n", "a", " ", "1", ":", ","),
  );
  fc.assert(
    fc.property(words, (parts) => {
      const text = parts.join("");
      const said = splitJson(text)
        .map((piece) => (piece.kind === "text" ? piece.text : JSON.stringify(piece.value)))
        .join("");
      assert.ok(text.trim() === "" || said !== "");
    }),
  );
});
