import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Bindings, bound, differenceOf } from "./same-shape.ts";

const A = "01a1eefc-b975-7000";
const B = "01a1ffff-0000-7001";

function compare(shown: string, printed: string, bindings: Bindings = new Map()) {
  return differenceOf(shown.split("\n"), printed.split("\n"), bindings);
}

describe("what is printed has the shape that is shown", () => {
  test("with other numbers, times, hashes, widths and ids", () => {
    assert.equal(
      compare(
        `${A}  done   3.2 s  just now\nhash 4f0a12bc99`,
        `${B} done 140 ms  4 minutes ago\n\nhash 99aabbcc01`,
      ),
      undefined,
    );
  });

  test("not with other words, more lines, or fewer", () => {
    assert.notEqual(compare("2 tasks done", "2 tasks failed"), undefined);
    assert.notEqual(compare("one\ntwo", "one"), undefined);
    assert.notEqual(compare("one", "one\ntwo"), undefined);
  });

  test("where lines or the end of one are left out, and only there", () => {
    assert.equal(compare("first\n…\nlast", "first\na\nb\nlast"), undefined);
    assert.equal(compare("The prompt says …", "The prompt says a great deal"), undefined);
    assert.notEqual(compare("first\n…\nlast", "first\na\nb"), undefined);
    assert.notEqual(compare("The prompt asks …", "The prompt says a great deal"), undefined);
  });

  test("and an id stands for one thing: further down it is that, also shortened", () => {
    const bindings: Bindings = new Map();

    assert.equal(compare(`made ${A}`, `made ${B}`, bindings), undefined);
    assert.equal(bound(`task show ${A.slice(0, 13)}`, bindings), `task show ${B.slice(0, 13)}`);
    assert.notEqual(compare(`made ${A}`, `made ${B.replace("7001", "7002")}`, bindings), undefined);
  });
});
