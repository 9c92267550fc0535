/** The documentation as a site: every link leads somewhere, and the site is made of the pages. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { listNouns } from "../../src/app/methods.ts";
import { loadOperations } from "../../src/kernel/operation/noun-index.ts";
import { buildDocs } from "../../web/build-docs.ts";

const folder = path.join(import.meta.dirname, "..", "..", "docs");
const pages = readdirSync(folder).filter((file) => file.endsWith(".md"));

describe("the documentation", () => {
  test("every link from page to page leads somewhere", () => {
    const broken = pages.flatMap((page) =>
      [...readFileSync(path.join(folder, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !["cli.md", "api.md"].includes(target))
        .filter((target) => !existsSync(path.resolve(folder, target)))
        .map((target) => `${page} → ${target}`),
    );
    assert.deepEqual(broken, []);
  });
});

describe("the documentation as a site", () => {
  test("has every page, the references made from operations, and working links between them", async (t) => {
    const site = mkdtempSync(path.join(tmpdir(), "throughline-site-"));
    t.after(() => rmSync(site, { recursive: true, force: true }));
    await buildDocs(site);
    const files = readdirSync(site);
    for (const page of pages) assert.ok(files.includes(page.replace(".md", ".html")), page);
    for (const file of ["index.html", "cli.html", "api.html", "docs.css"])
      assert.ok(files.includes(file), file);
    const operations = await loadOperations(listNouns(() => ""));
    const api = readFileSync(path.join(site, "api.html"), "utf8");
    for (const { name } of operations) assert.ok(api.includes(`id="${name}"`), name);
    const broken = files
      .filter((file) => file.endsWith(".html"))
      .flatMap((file) =>
        [...readFileSync(path.join(site, file), "utf8").matchAll(/(?:href|src)="\/docs\/([^"#]*)/g)]
          .map(([, target = ""]) => (target === "" ? "index.html" : target))
          .filter((target) => !files.includes(target))
          .map((target) => `${file} → ${target}`),
      );
    assert.deepEqual(broken, []);
    for (const file of files.filter((name) => name.endsWith(".html")))
      assert.doesNotMatch(
        readFileSync(path.join(site, file), "utf8"),
        /<script|style="|javascript:/i,
        file,
      );
  });
});
