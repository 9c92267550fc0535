import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  isTold,
  reportPath,
  requireRepositoryPath,
  slugOf,
  subjectFolder,
  subjectKey,
} from "./repository-path.ts";

const at = Date.UTC(2026, 1, 22, 12);

describe("paths", () => {
  test("stay inside the repository", () => {
    assert.equal(requireRepositoryPath("./src/a/"), "src/a");
    assert.equal(requireRepositoryPath("-x"), "-x");
    for (const outside of [
      "",
      "/etc",
      "../x",
      "a/../../x",
      "a//b",
      ".git/hooks",
      ".JJ",
      "a\0b",
      ".",
    ]) {
      assert.throws(() => requireRepositoryPath(outside), { code: "path_outside" }, outside);
    }
  });

  test("of subjects are safe names in every script, and never leave their folder", () => {
    assert.equal(subjectFolder("Engine"), "Engine");
    assert.equal(subjectFolder('-x "y"\n/z'), "-x y z");
    assert.equal(subjectFolder("Проект 🧵"), "Проект 🧵");
    assert.equal(subjectFolder("CON"), "Subject CON");
    assert.equal(subjectFolder("../.."), "Subject");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (subject) => {
        const folder = subjectFolder(subject);

        assert.ok(folder.length > 0 && folder !== "." && folder !== "..");
        assert.ok(!/[/\\\p{Cc}]/u.test(folder) && folder === folder.trim());
        assert.equal(requireRepositoryPath(`Reports/${folder}/x`), `Reports/${folder}/x`);
        assert.match(slugOf(subject), /^[\p{L}\p{N}][\p{L}\p{N}-]*$/u);
      }),
    );
  });

  test("of reports begin with the date and are never taken twice", () => {
    const name = { at, subject: "Engine", kind: "answer", title: "Settings, read -- once!" };
    const first = reportPath(name, () => false);

    assert.match(first, /^Reports\/Engine\/59191204\d{4}_answer_settings-read-once\.md$/);
    assert.equal(
      reportPath(name, (path) => path === first),
      first.replace(".md", "_1.md"),
    );
    assert.ok(isTold(first) && isTold("Strategies/x/y") && !isTold("Reports") && !isTold("src/a"));
  });

  test("know one subject by many spellings", () => {
    assert.equal(subjectKey("Speech-to-Text"), subjectKey("speech to text"));
    assert.notEqual(subjectKey("Speech"), subjectKey("Speeches"));
  });
});
