import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { openPages } from "./page-files.ts";

test("pages answer to their file's name, to that without its ending, and to their folder's; nothing else is there", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-pages-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, "docs"));
  for (const file of [
    "index.html",
    "docs/index.html",
    "docs/session.html",
    "docs/docs.css",
    "key.pem",
  ])
    writeFileSync(path.join(folder, file), file);
  const pages = openPages(folder);
  const textAt = (address: string) => {
    const found = pages.find(address);
    return found === undefined ? undefined : Buffer.from(found.body).toString();
  };

  for (const address of ["/", "/index.html"]) assert.equal(textAt(address), "index.html");
  for (const address of ["/docs", "/docs/", "/docs/index.html"])
    assert.equal(textAt(address), "docs/index.html");
  for (const address of ["/docs/session", "/docs/session.html"])
    assert.equal(textAt(address), "docs/session.html");
  for (const address of [
    "/docs/docs",
    "/docs/session/",
    "/key.pem",
    "/docs/../key.pem",
    "/session",
  ])
    assert.equal(textAt(address), undefined, address);
});
