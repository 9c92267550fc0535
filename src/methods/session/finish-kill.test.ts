/**
 * kill -9 at the steps of `finish`, then a clean rerun. `SESSION_KILLS=all` takes every step, once before it and once
 * while it is under way; by default some of them, spread over the whole way. Figures: docs/session.md.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { missingProgram } from "../../../tests/scratch/scratch-repository.ts";
import type { VcsKind } from "../../kernel/vcs/vcs.ts";
import { sessionWorld } from "./session-world.suite.ts";

const WORKER = path.join(import.meta.dirname, "../../../tests/scratch/session-worker.ts");
const HOWS = ["before", "during"] as const;
const FEW = 4;

interface Lived {
  readonly steps: number;
  readonly finished: { readonly session: { readonly state: string; readonly push: string } };
  readonly checked: { readonly breaches: number };
}

/** Undefined when it was killed. */
function work(args: readonly string[]): Promise<Lived | undefined> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [WORKER, ...args], (error, stdout, stderr) => {
      if (error?.signal === "SIGKILL") resolve(undefined);
      else if (error) reject(new Error(stderr));
      else resolve(JSON.parse(stdout) as Lived);
    });
  });
}

function describeKills(kind: VcsKind): void {
  const skip = missingProgram(kind) ?? false;
  void test(`${kind}: whoever finishes again after a kill finds everything whole and pushed once`, {
    skip,
  }, async (t) => {
    const world = await sessionWorld(kind, { hasRemote: true });
    const { repository, kernel } = world;
    const { session } = await world.start();
    await world.intent("One", "one");
    await world.intent("Two", "two");
    const database = kernel.store.location;
    await kernel.store.close();
    const template = `${repository.folder}-template`;
    cpSync(repository.folder, template, { recursive: true });
    cpSync(database, path.join(template, "workspace.db"));
    const begin = () => {
      rmSync(repository.folder, { recursive: true });
      cpSync(template, repository.folder, { recursive: true });
      return [
        path.join(repository.folder, "workspace.db"),
        path.join(repository.folder, "home"),
        session.id,
      ];
    };
    t.after(() => {
      rmSync(template, { recursive: true });
      repository.remove();
      rmSync(path.dirname(database), { recursive: true, force: true });
    });

    const { steps = 0 } = (await work([...begin(), "0"])) ?? {};
    let deaths = 0;
    for (const [step, how] of chosen(steps)) {
      const args = begin();
      assert.equal(await work([...args, String(step), how]), undefined, `step ${step}`);
      deaths += 1;
      const again = await work([...args, "0"]);
      const told = `killed ${how} step ${step} of ${steps}: ${JSON.stringify(again?.checked)}`;
      assert.deepEqual(
        [again?.finished.session.state, again?.finished.session.push, again?.checked.breaches],
        ["finished", "pushed", 0],
        told,
      );
      const commits = await world.vcs.history.list({ title: "session: Through every death" });
      assert.equal(commits.length, 1, told);
    }
    t.diagnostic(`${deaths} deaths in ${steps} steps`);
  });
}

function chosen(steps: number): readonly (readonly [number, string])[] {
  const every = Array.from({ length: steps }, (_, i) => i + 1);
  if (process.env["SESSION_KILLS"] === "all")
    return every.flatMap((step) => HOWS.map((how) => [step, how] as const));
  return Array.from({ length: FEW }, (_, i) => {
    const step = Math.ceil(((i + 1) * steps) / FEW) - (i % 2);
    return [step, HOWS[i % HOWS.length] ?? "before"] as const;
  });
}

describe("a finish that is killed", () => {
  describeKills("git");
  describeKills("jj");
});
