import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeLabel, encodeLabel } from "./label-text.ts";

test("entities stand for characters, in mermaid's way and in HTML's", () => {
  assert.equal(decodeLabel("#quot;a#quot; #35; #9829; &lt;&gt; &amp;&amp;"), '"a" # ♥ <> &&');
});

test("what is no known entity stays as it is written", () => {
  assert.equal(
    decodeLabel("#fff; a && b; #unknown; &bogus; #; #99999999;"),
    "#fff; a && b; #unknown; &bogus; #; #99999999;",
  );
});

test("line breaks are written as tags and read as line breaks", () => {
  assert.equal(decodeLabel("a<br>b<BR/>c<br />d"), "a\nb\nc\nd");
  assert.equal(encodeLabel("a\nb"), "a<br/>b");
});

test("a label that is written reads the same, whatever it holds", () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'#&;<>"`/br35quotamplt \n'.split("")),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
  });

  fc.assert(
    fc.property(text, (label) => {
      const normal = label.replaceAll(/\r\n?/g, "\n");
      const written = encodeLabel(label);

      assert.equal(decodeLabel(written), normal);
      assert.ok(!written.includes('"') && !written.startsWith("`"));
    }),
    { numRuns: 2_000 },
  );
});
