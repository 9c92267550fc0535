/** What a command has to load before it answers decides how long it takes; so that is what is held here, not time. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ScratchFolder, scratchFolder } from "../../tests/scratch/program.ts";

/** Prints the address of every module that was loaded, as the last line of stderr. */
const HOOK = `
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
process.on("exit", () => process.stderr.write("\\n" + JSON.stringify(loaded)));
`;

describe("a command loads only what it needs", () => {
  let home: ScratchFolder;
  before(async () => {
    home = scratchFolder({
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(HOOK)}`,
    });
    await home.run(["init", "--sample"]);
  });
  after(() => home.remove());

  const load = async (...line: readonly string[]) => {
    const { code, stderr } = await home.run(line);
    assert.equal(code, 0, stderr);
    const urls = JSON.parse(stderr.slice(stderr.lastIndexOf("\n"))) as readonly string[];
    const packages = urls.flatMap(
      (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
    );
    const files = urls.flatMap((url) => /\/src\/(.*)$/.exec(url)?.[1] ?? []);
    return { packages: [...new Set(packages)].toSorted(), files };
  };

  test("help of the program: the index of nouns, no method, no package", async () => {
    const { packages, files } = await load("--help");

    assert.deepEqual(packages, []);
    assert.deepEqual(
      files.filter((file) =>
        /^methods\/(?!.*-nouns\.ts$)|^kernel\/(?:store|run|model|prompt)\//.test(file),
      ),
      [],
    );
  });

  test("without a server: the modules of its noun, and nothing of what runs are made of", async () => {
    const { packages, files } = await load("project", "list");
    const isForeign = (file: string) =>
      /^adapters\/|^kernel\/prompt\/|^kernel\/run\/engine/.test(file) ||
      (/^methods\/(?!workspace\/)/.test(file) && /-(?:operations?|handlers?|view)\.ts$/.test(file));

    assert.deepEqual(packages, ["kysely", "zod"]);
    assert.deepEqual(files.filter(isForeign), []);
  });

  test("with a server: no package, no method, whatever the command is", async () => {
    await home.serve(["serve"]);

    for (const line of [["project", "list"], ["status"], ["task", "add", "Water the plants"]]) {
      const { packages, files } = await load(...line);
      assert.deepEqual(packages, [], line.join(" "));
      assert.deepEqual(
        files.filter((file) => /^methods\/(?!.*-nouns\.ts$)|^kernel\/(?:store|run)\//.test(file)),
        [],
      );
    }
  });
});
