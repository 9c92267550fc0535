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
    assert.equal(requireRepositoryPath("././a//"), "a");
    for (const inside of ["a/.git", ".github/x", ".gitignore", ".jjx"])
      assert.equal(requireRepositoryPath(inside), inside);
    assert.throws(() => requireRepositoryPath(".git"), { code: "path_outside" });
    assert.throws(() => requireRepositoryPath(".Throughline/x"), {
      message: '".Throughline/x" is no path of the repository.',
      hint: "Give it relative to the repository's root, without `..`.",
    });
  });

  test("of subjects are safe names in every script, and never leave their folder", () => {
    assert.equal(subjectFolder("Engine"), "Engine");
    assert.equal(subjectFolder('-x "y"\n/z'), "-x y z");
    assert.equal(subjectFolder("Проект 🧵"), "Проект 🧵");
    assert.equal(subjectFolder("CON"), "Subject CON");
    assert.equal(subjectFolder("../.."), "Subject");
    assert.equal(subjectFolder("Cafe\u0301"), "Caf\u00e9");
    assert.equal(subjectFolder("a \t\u200b\ud800  b. ."), "a b");
    assert.equal(subjectFolder("x".repeat(79) + "🧵🧵"), "x".repeat(79) + "🧵");
    assert.equal(subjectFolder("x".repeat(80)), "x".repeat(80));
    assert.equal(subjectFolder("x".repeat(79) + " yz"), "x".repeat(79));
  });

  test("of subjects are none that Windows keeps for devices, with or without an ending", () => {
    for (const device of ["con", "PRN", "aux", "NUL", "com1", "LPT9", "con.tar.gz", "nul.txt"]) {
      assert.equal(subjectFolder(device), `Subject ${device}`);
    }
    for (const name of ["console", "icon", "com", "com10", "lpt1x", "null"]) {
      assert.equal(subjectFolder(name), name);
    }
  });

  test("of titles are their letters and digits in every script, no longer than sixty", () => {
    assert.equal(slugOf("  Überblick: Teil 2 – Ende!"), "überblick-teil-2-ende");
    assert.equal(slugOf("Cafe\u0301"), "caf\u00e9");
    assert.equal(slugOf("?!"), "untitled");
    assert.equal(slugOf("𝐱".repeat(61)), "𝐱".repeat(60));
    assert.equal(slugOf(`${"x".repeat(59)} yes`), "x".repeat(59));
  });

  test("of any subject and title are paths of the repository", () => {
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
    assert.equal(
      reportPath(name, (path) => !path.endsWith("_2.md")),
      first.replace(".md", "_2.md"),
    );
    assert.ok(isTold(first) && isTold("Strategies/x/y") && !isTold("Reports") && !isTold("src/a"));
  });

  test("know one subject by many spellings", () => {
    assert.equal(subjectKey("Speech-to-Text"), "speechtotext");
    assert.equal(subjectKey(" speech to  text!"), "speechtotext");
    assert.equal(subjectKey("ＳＰＥＥＣＨ 2"), "speech2");
    assert.notEqual(subjectKey("Speech"), subjectKey("Speeches"));
  });
});
