import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { SecurityEntry } from "../surfaces/http/security-log.ts";
import { openSecurityLog } from "./security-log.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-security-log-"));
  file = path.join(folder, "security.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry = (path: string): SecurityEntry => ({
  level: "security",
  at: "2026-11-18T12:00:00.000Z",
  event: "request.refused",
  requestId: "1",
  address: "127.0.0.1",
  path,
});
const fails = (error: unknown) => assert.fail(String(error));
const linesOf = (name: string) =>
  readFileSync(name, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SecurityEntry);

describe("the security log", () => {
  test("is the owner's alone to read, also when others had been let in", () => {
    const log = openSecurityLog(folder, fails);
    log.append(entry("/a"));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    chmodSync(file, 0o644);
    log.append(entry("/b"));
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test("has a line for each entry, whatever stands in it, and nobody adds one of their own", () => {
    const log = openSecurityLog(folder, fails);
    const hostile = [
      '/a\n{"level":"security","event":"login.started"}',
      "/\r\n\u2028\u2029\u0000\u001b[2J",
      '/"},{',
    ];
    for (const text of hostile) log.append(entry(text));
    assert.deepEqual(
      linesOf(file).map(({ path }) => path),
      hostile,
    );
    const inLines = readFileSync(file, "utf8").replaceAll("\n", "");
    assert.ok(Array.from(inLines).every((letter) => letter >= " "));
  });

  test("grows to its size, then begins anew and keeps the one before", () => {
    const log = openSecurityLog(folder, fails, 500);
    for (let at = 0; at < 40; at += 1) log.append(entry(`/${at}`));
    const kept = [...linesOf(`${file}.1`), ...linesOf(file)].map(({ path }) => path);
    assert.ok(statSync(file).size < 1000 && statSync(`${file}.1`).size < 1000);
    assert.deepEqual(kept, Array.from({ length: 40 }, (_, at) => `/${at}`).slice(-kept.length));
  });

  test("that cannot be written is told once and stops nothing, and goes on afterwards", () => {
    mkdirSync(file);
    const told: unknown[] = [];
    const log = openSecurityLog(folder, (error) => told.push(error));
    log.append(entry("/a"));
    log.append(entry("/b"));
    assert.equal(told.length, 1);
    rmSync(file, { recursive: true });
    log.append(entry("/c"));
    assert.deepEqual(
      linesOf(file).map(({ path }) => path),
      ["/c"],
    );
  });
});
