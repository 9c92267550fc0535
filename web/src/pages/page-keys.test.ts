import assert from "node:assert/strict";
import { globSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Page } from "./page.ts";

test("every page has an address and a letter that no other page has", async () => {
  const files = globSync("*/page.ts", { cwd: import.meta.dirname });
  const modules = await Promise.all(
    files.map((file) => import(path.join(import.meta.dirname, file)) as Promise<{ page: Page }>),
  );
  const pages = modules.map(({ page }) => page);

  assert.ok(pages.length >= 8);
  assert.equal(new Set(pages.map(({ key }) => key)).size, pages.length, "letters");
  assert.equal(new Set(pages.map((page) => page.path)).size, pages.length, "addresses");
});
