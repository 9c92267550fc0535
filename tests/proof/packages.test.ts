/**
 * What others' packages come along: a list with hashes, nothing that runs on installing, and none with a known hole that
 * is older than it may be. `ADVISORIES=1` asks the registry that npm is set to for known holes.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";

const root = path.join(import.meta.dirname, "..", "..");
const readJson = (file: string) => JSON.parse(readFileSync(path.join(root, file), "utf8"));

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
}

const { dependencies, devDependencies } = readJson("package.json") as Record<
  "dependencies" | "devDependencies",
  Record<string, string>
>;
const locked = Object.entries(
  (readJson("package-lock.json") as { packages: Record<string, Locked> }).packages,
).filter(([place]) => place.includes("node_modules/"));
const shipped = locked.filter(([, { dev, devOptional, link }]) => !(dev || devOptional || link));

/**
 * Holes that public threads about advisories told of on 2026-11-19, of what comes along and reads what others send: hono
 * and its server, the MCP and AI SDKs, kysely, pg, undici, zod, jsonrepair, eventsource-parser, cron-parser and luxon;
 * of those of them that are not below none was told. With each, the first version of a line that it names no more. A look by
 * hand, not a database: `ADVISORIES=1` asks one.
 */
const KNOWN: readonly (readonly [name: string, whole: string, advisory: string])[] = [
  ["hono", "4.13.5", "GHSA-gqvv-2mrq-wpjv"],
  ["hono", "4.13.5", "GHSA-g6gw-c38x-mqfc"],
  ["hono", "4.13.5", "GHSA-crvj-82cr-hjcx"],
  ["hono", "4.12.25", "CVE-2026-54290"],
  ["@hono/node-server", "2.0.10", "GHSA-9mqv-5hh9-4cgg"],
  ["@ai-sdk/provider-utils", "5.0.1", "GHSA-866g-f22w-33x8"],
  ["kysely", "0.29.0", "GHSA-8cpq-38p9-67gx"],
  ["zod", "3.22.3", "GHSA-m95q-7qp3-xv42"],
  ["luxon", "3.2.1", "GHSA-3xq5-wjfh-ppjc"],
  ["undici", "7.29.0", "CVE-2026-13697"],
  ["undici", "7.28.0", "GHSA-vmh5-mc38-953g"],
];

/** Whether a version is older than another, both in three numbers. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split(".").map(Number));
  const at = [0, 1, 2].find((place) => one?.[place] !== other?.[place]);
  return at !== undefined && (one?.[at] ?? 0) < (other?.[at] ?? 0);
}

/** How many days a hole may stay open once it is known, as docs/safeguards.md says. */
const DAYS: Readonly<Record<string, number>> = { critical: 7, high: 30, moderate: 90, low: 90 };

interface Hole {
  readonly package: string;
  readonly severity: string;
  readonly what: string;
}

interface Audit {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly via: readonly (string | { severity: string; title: string })[] }>
  >;
}

function holesIn({ vulnerabilities = {} }: Audit): readonly Hole[] {
  return Object.entries(vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap((each) =>
      typeof each === "string"
        ? []
        : [{ package: name, severity: each.severity, what: each.title }],
    ),
  );
}

describe("packages of others", () => {
  test("are pinned exactly, listed with a hash each, and those that are shipped run nothing on installing", (t) => {
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name);
    for (const [place, { integrity, link, resolved }] of locked) {
      if (link) continue;
      assert.match(integrity ?? "", /^sha512-/, place);
      assert.equal(
        resolved,
        undefined,
        `${place} comes from the registry that is set, not from its own place`,
      );
    }
    assert.deepEqual(
      shipped.filter(([, { hasInstallScript }]) => hasInstallScript),
      [],
    );
    assert.ok(Object.keys(dependencies).length <= 15);
    t.diagnostic(
      `${Object.keys(dependencies).length} packages named, ${shipped.length} shipped with what they bring, ${locked.length} in all`,
    );
  });

  test("are installed as they are listed", () => {
    for (const [place, { version }] of shipped) {
      const file = path.join(place, "package.json");
      if (!existsSync(path.join(root, file))) continue;
      assert.equal((readJson(file) as Locked).version, version, place);
    }
  });

  test("are none of those that had a hole when we looked", (t) => {
    for (const [name, whole, advisory] of KNOWN) {
      const versions = shipped
        .filter(([place]) => place.endsWith(`node_modules/${name}`))
        .map(([, { version = "" }]) => version);
      assert.ok(versions.length > 0, `${name} does not come along any more`);
      for (const version of versions) assert.ok(!isOlder(version, whole), `${name}: ${advisory}`);
    }
    assert.deepEqual(
      [isOlder("4.13.4", "4.13.5"), isOlder("4.9.9", "4.13.5"), isOlder("5.0.0", "4.13.5")],
      [true, true, false],
    );
    t.diagnostic(`${KNOWN.length} holes of ${new Set(KNOWN.map(([name]) => name)).size} packages`);
  });

  test("have no known hole that is open for longer than it may be", {
    skip: process.env["ADVISORIES"] === undefined ? "ADVISORIES=1 asks the registry" : false,
  }, (t) => {
    const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
      cwd: root,
      encoding: "utf8",
      timeout: 60_000,
    });
    const answer = JSON.parse(stdout || "{}") as Audit;
    if (answer.vulnerabilities === undefined) {
      t.skip("the registry does not answer");
      return;
    }
    // A hole says not since when it is known; whoever finds one closes it before the next run.
    assert.deepEqual(holesIn(answer), []);
    t.diagnostic(`${shipped.length} packages asked about, none with a known hole`);
  });

  test("every weight of a hole has its days, and a hole that is told is found", () => {
    const told: Audit = {
      vulnerabilities: {
        hollow: { via: [{ severity: "high", title: "a hole" }, "deeper"] },
        sound: { via: [] },
      },
    };
    const [hole, ...more] = holesIn(told);
    assert.deepEqual([hole?.package, hole?.what, more], ["hollow", "a hole", []]);
    const page = readFileSync(path.join(root, "docs", "safeguards.md"), "utf8");
    const days = [DAYS["critical"], DAYS["high"], DAYS["moderate"]];
    assert.ok(
      page.includes(
        `within ${days[0]} days where it is critical, ${days[1]} days where it is high, and ${days[2]} days otherwise`,
      ),
    );
  });
});
