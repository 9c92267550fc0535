import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

const WEB = path.join(import.meta.dirname, "..", "..", "web");
const DIST = path.join(WEB, "dist");

describe("the built pages", () => {
  before(() => {
    execFileSync(process.execPath, [path.join(WEB, "build.ts"), "--if-changed"]);
  });

  const read = (address: string) => readFileSync(path.join(DIST, address));
  const packedBytes = (address: string) => gzipSync(read(address)).length;
  const html = () => read("index.html").toString();

  test("load at most 150 kB of packed script at first, and no later piece is larger than 120", () => {
    const first = [...html().matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(
      ([, file = ""]) => file,
    );
    const size = first.reduce((sum, file) => sum + packedBytes(file), 0);

    assert.ok(first.length > 0);
    assert.ok(size <= 150_000, `${size} bytes`);
    for (const file of readdirSync(path.join(DIST, "assets")))
      assert.ok(packedBytes(`assets/${file}`) <= 120_000, file);
  });

  test("hold no inline script or style, and nothing that builds markup or code from text", () => {
    assert.doesNotMatch(html(), /<script(?![^>]*src=)|<style|\son\w+=|style=/);
    for (const file of readdirSync(path.join(DIST, "assets")).filter((name) =>
      name.endsWith(".js"),
    )) {
      const code = read(`assets/${file}`).toString();
      assert.doesNotMatch(code, /document\.write\(|new Function\(|[^.\w]eval\(/, file);
    }
  });

  test("name no address outside", () => {
    for (const file of [
      "index.html",
      ...readdirSync(path.join(DIST, "assets")).map((name) => `assets/${name}`),
    ]) {
      const foreign = [
        ...read(file)
          .toString()
          .matchAll(/https?:\/\/[\w.-]+/g),
      ]
        .map(([address]) => address)
        .filter((address) => !ALLOWED.includes(new URL(address).host));
      assert.deepEqual(foreign, [], file);
    }
  });
});

/** Names of namespaces, and where libraries want their errors reported: written, never loaded. */
const ALLOWED = ["www.w3.org", "react.dev", "github.com", "place", "place.invalid"];
