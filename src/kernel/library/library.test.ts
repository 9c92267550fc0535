import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { hashText } from "../base/hash.ts";
import { openLibrary } from "./library.ts";
import { diskLibraryFiles, type LibraryFiles, MAX_FILE_BYTES } from "./library-files.ts";
import { kindOf, methodOf } from "./library-kind.ts";

function folderWith(context: TestContext, files: Record<string, string | Uint8Array>): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "library-"));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

function layered(context: TestContext, files: LibraryFiles = diskLibraryFiles) {
  const layers = [
    {
      name: "built-in",
      folder: folderWith(context, {
        "ask/prompts/a.md": "1",
        "ask/prompts/b.md": "1",
        "prices/p.json": "{}",
      }),
    },
    {
      name: "workspace",
      folder: folderWith(context, { "ask/prompts/a.md": "2", "team/teams/t.json": "{}" }),
    },
    { name: "project", folder: folderWith(context, { "ask/prompts/a.md": "3" }) },
    { name: "nowhere", folder: "/nowhere/at/all" },
  ];
  return { layers, library: openLibrary({ layers, files }) };
}

test("a file of a later layer hides the earlier ones, and says which", (context) => {
  const { library } = layered(context);

  assert.deepEqual(library.read("ask/prompts/a.md"), {
    path: "ask/prompts/a.md",
    layer: "project",
    overrides: ["workspace", "built-in"],
    text: "3",
    hash: hashText("3"),
  });
  assert.equal(library.read("ask/prompts/b.md").layer, "built-in");
});

test("the list merges the layers and can be narrowed by kind and folder", (context) => {
  const { library } = layered(context);

  assert.deepEqual(library.list(), [
    {
      path: "ask/prompts/a.md",
      kind: "prompts",
      layer: "project",
      overrides: ["workspace", "built-in"],
    },
    { path: "ask/prompts/b.md", kind: "prompts", layer: "built-in", overrides: [] },
    { path: "prices/p.json", kind: "prices", layer: "built-in", overrides: [] },
    { path: "team/teams/t.json", kind: "teams", layer: "workspace", overrides: [] },
  ]);
  assert.deepEqual(
    library.list({ kind: "teams" }).map((entry) => entry.path),
    ["team/teams/t.json"],
  );
  assert.deepEqual(library.list({ folder: "ask" }).length, 2);
  assert.deepEqual(library.list({ folder: "as" }), []);
});

test("files are read once and again after every change, also when an override comes or goes", (context) => {
  let reads = 0;
  const counting: LibraryFiles = {
    ...diskLibraryFiles,
    read(folder, file) {
      reads += 1;
      return diskLibraryFiles.read(folder, file);
    },
  };
  const { layers, library } = layered(context, counting);
  const override = path.join(layers[2]?.folder ?? "", "ask/prompts/a.md");

  const first = library.read("ask/prompts/a.md");
  const again = library.read("ask/prompts/a.md");
  assert.equal(again, first);
  assert.equal(reads, 1);

  writeFileSync(override, "x");
  utimesSync(override, 1, 1);
  assert.equal(library.read("ask/prompts/a.md").text, "x");
  rmSync(override);
  assert.deepEqual(
    [library.read("ask/prompts/a.md").text, library.read("ask/prompts/a.md").overrides],
    ["2", ["built-in"]],
  );
  writeFileSync(override, "back");
  assert.equal(library.read("ask/prompts/a.md").text, "back");
});

test("a missing file is named with near ones", (context) => {
  const { library } = layered(context);

  assert.throws(() => library.read("ask/prompts/aa.md"), {
    code: "library_file_not_found",
    kind: "not_found",
    hint: /Did you mean ask\/prompts\/a\.md or ask\/prompts\/b\.md\?/,
  });
  assert.throws(() => library.read("ask"), { code: "library_file_not_found" });
  assert.throws(() => library.read("ask/prompts/a.md/x"), { code: "library_file_not_found" });
});

test("no path leads out of the library", (context) => {
  const { library } = layered(context);

  for (const hostile of [
    "",
    "..",
    "../secret",
    "ask/../../secret",
    "ask/./prompts",
    "/etc/passwd",
    "ask//a.md",
    "ask\\prompts\\a.md",
    "C:/x",
    "ask/prompts/a.md\0",
    "ask/.hidden",
    "ask/prompts/%2e%2e",
    "a".repeat(201),
    "ask/prompts/a.md\n",
  ]) {
    assert.throws(() => library.read(hostile), { code: "library_path_invalid" }, hostile);
  }
});

test("links below the folder are refused, wherever they lead; the folder itself may be one", (context) => {
  const outside = folderWith(context, { "secret.md": "secret", "d/secret.md": "secret" });
  const folder = folderWith(context, { "ask/prompts/real.md": "real" });
  symlinkSync(path.join(outside, "secret.md"), path.join(folder, "ask/prompts/out.md"));
  symlinkSync(path.join(folder, "ask/prompts/real.md"), path.join(folder, "ask/prompts/in.md"));
  symlinkSync(path.join(outside, "d"), path.join(folder, "ask/linked"));
  symlinkSync(folder, `${outside}/library`);
  const library = openLibrary({ layers: [{ name: "one", folder: `${outside}/library` }] });

  for (const file of ["ask/prompts/out.md", "ask/prompts/in.md", "ask/linked/secret.md"]) {
    assert.throws(() => library.read(file), { code: "library_link_refused", kind: "not_allowed" });
  }
  assert.equal(library.read("ask/prompts/real.md").text, "real");
  assert.deepEqual(
    library.list({ kind: "prompts" }).map((entry) => entry.path),
    ["ask/prompts/in.md", "ask/prompts/out.md", "ask/prompts/real.md"],
  );
});

test("what is too large or no text is refused, and hidden files are not listed", (context) => {
  const folder = folderWith(context, {
    "ask/prompts/big.md": "x".repeat(MAX_FILE_BYTES + 1),
    "ask/prompts/binary.md": new Uint8Array([0xff, 0xfe, 0x00]),
    "ask/prompts/marked.md": "\ufeffwith a byte order mark",
    "ask/.DS_Store": "x",
    ".git/config": "x",
  });
  const library = openLibrary({ layers: [{ name: "one", folder }] });

  assert.throws(() => library.read("ask/prompts/big.md"), { code: "library_file_too_large" });
  assert.throws(() => library.read("ask/prompts/binary.md"), { code: "library_encoding_invalid" });
  assert.equal(library.read("ask/prompts/marked.md").text, "with a byte order mark");
  assert.equal(library.list().length, 3);
});

test("the place of a file tells its kind and method", () => {
  const cases: [string, string | undefined, string | undefined][] = [
    ["ask/prompts/a.md", "prompts", "ask"],
    ["dialectic/prompts/thesis/a.md", "prompts", "dialectic"],
    ["dialectic/recipes/r.json", "recipes", "dialectic"],
    ["team/teams/t.json", "teams", "team"],
    ["pipeline/workflows/w.mmd", "workflows", "pipeline"],
    ["continuity/intents/i.json", "intents", "continuity"],
    ["continuity/targets/t.json", "targets", "continuity"],
    ["prices/openai.json", "prices", undefined],
    ["schemas/recipe.json", "schemas", undefined],
    ["ask/prompts/a.txt", undefined, "ask"],
    ["ask/constructor/a.md", undefined, "ask"],
    ["ask/prompts.md", undefined, "ask"],
    ["README.md", undefined, undefined],
  ];

  for (const [file, kind, method] of cases) {
    assert.deepEqual([kindOf(file), methodOf(file)], [kind, method], file);
  }
});

test("a folder that is no library stops the listing instead of filling the memory", (context) => {
  const folder = folderWith(context, {});
  for (let index = 0; index <= 2_000; index += 1) writeFileSync(path.join(folder, `f${index}`), "");

  assert.throws(() => openLibrary({ layers: [{ name: "one", folder }] }).list(), {
    code: "library_folder_too_large",
    kind: "limit",
  });
});
