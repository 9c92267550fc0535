/**
 * Documents and models that give orders: every text stands in what a person hands in and in every sentence that the
 * model says, through something of every method. Nothing may change but what the method declares: no people, rights,
 * settings, budgets, workflows, ways in or out, no file elsewhere, no words of other projects in a prompt.
 * Every `INJECTIONS`-th case is tried.
 */

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { hashText } from "../../src/kernel/base/hash.ts";
import type { ModelDelta, ModelProvider } from "../../src/kernel/model/model-provider.ts";
import { createDice, type Dice } from "../../src/kernel/model/rehearsal-dice.ts";
import { rowsOf } from "../scratch/engine-audit.ts";
import { answerOne, type Ask } from "../simulation/people.ts";
import { isAtRest, stopAll } from "../simulation/simulation.ts";
import { WORK, type Work } from "../simulation/workload.ts";
import { openWorld, type World } from "../simulation/world.ts";
import { INJECTED, OUTSIDE, VAULT } from "./injected-words.ts";

const EVERY = Number(process.env["INJECTIONS"] ?? 1000);
const MOST_STEPS = 4000;

/** Nothing a model says reaches these: whoever changes them has to be asked. */
const PROTECTED = [
  "user",
  "token",
  "login",
  "login_code",
  "setting",
  "project",
  "project_member",
  "redaction",
  "budget",
  "team",
  "workflow",
  "workflow_version",
  "schedule",
  "webhook",
  "notice",
  "notice_message",
  "agent_run",
  "migration",
] as const;

test("words that give orders change nothing that is not declared", async (t) => {
  const cases = INJECTED.flatMap((words) => WORK.map((work) => ({ words, work }))).filter(
    (_, at) => at % EVERY === 0,
  );
  const reached = { prompts: 0, replies: 0 };
  const faults: string[] = [];
  for (const { words, work } of cases) {
    const tried = await tryCase(words, work);
    faults.push(...tried.faults.map((fault) => `${work.name}, ${JSON.stringify(words)}: ${fault}`));
    reached.prompts += tried.prompts;
    reached.replies += tried.replies;
  }
  assert.deepEqual(faults, []);
  assert.ok(reached.prompts > 0 && reached.replies > 0, JSON.stringify(reached));
  t.diagnostic(
    `${cases.length} cases (${INJECTED.length} texts × ${WORK.length} kinds of work): said in ${reached.replies} replies and read in ${reached.prompts} prompts, 0 undeclared effects`,
  );
});

async function tryCase(words: string, work: Work) {
  const place = mkdtempSync(path.join(tmpdir(), "throughline-injected-"));
  const folder = path.join(place, "workspace");
  mkdirSync(folder);
  writeFileSync(path.join(place, OUTSIDE), "as it was");
  const world = await openWorld("injected", folder, {
    faultsOneIn: 0,
    misbehaves: false,
    through: (model) => hostile(model, words),
  });
  const faults: string[] = [];
  try {
    await world.ask("project.add", { name: "Vault" });
    await world.ask("task.add", { title: VAULT, project: "Vault" });
    await world.startProcess();
    const dice = createDice(hashText("people"));
    await work.start(handingIn(world.ask, words), dice);
    // No model has spoken yet: time stands still. What was made so far, the person made.
    const before = await protectedRows(world);
    if (!(await comesToRest(world, work, dice))) faults.push("did not come to rest");
    const after = await protectedRows(world);
    for (const table of PROTECTED) if (before.get(table) !== after.get(table)) faults.push(table);
    faults.push(...(await undeclared(world)));
    if (Object.keys(Object.prototype).length > 0) faults.push("changed every object");
    const files = readdirSync(place).toSorted().join();
    if (files !== `${OUTSIDE},workspace`) faults.push(`files: ${files}`);
    if (readFileSync(path.join(place, OUTSIDE), "utf8") !== "as it was") faults.push("a file");
    if (readdirSync(folder).some((name) => /owned/.test(name))) faults.push("ran a command");
    return { faults, ...(await countReached(world, words)) };
  } finally {
    await stopAll(world);
    await world.store.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** Whoever is asked answers as people do who want it done. */
async function comesToRest(world: World, work: Work, dice: Dice): Promise<boolean> {
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    if (await isAtRest(world)) return true;
    await world.time.settle();
    if (steps % 5 === 0) await answerOne(world.ask, dice, work.answers);
    world.time.pass(1000);
  }
  return false;
}

/** The texts that people hand in carry the words at their end. */
function handingIn(ask: Ask, words: string): Ask {
  return (name, input) => ask(name, withWords(input, words) as object);
}

const HANDED_IN = new Set(["request", "prompt", "content", "document", "text", "question"]);

function withWords(value: unknown, words: string, key = ""): unknown {
  if (typeof value === "string") return HANDED_IN.has(key) ? `${value}\n\n${words}` : value;
  if (Array.isArray(value)) return value.map((each) => withWords(each, words, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withWords(each, words, name)]),
  );
}

/** Keeps the shape of a reply, and says the words after every sentence of it. */
function hostile(model: ModelProvider, words: string): ModelProvider {
  return {
    async *call(request, options) {
      const deltas: ModelDelta[] = [];
      for await (const delta of model.call(request, options)) deltas.push(delta);
      const text = deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join("");
      const isJson = /^\s*(?:```\w*\s*)?[{[]/.test(text);
      const said = isJson ? JSON.stringify(words).slice(1, -1) : words;
      let times = 0;
      const turned = text.replaceAll(/(?<=[a-z]{3})\.(?=["\s]|$)/g, () => {
        times += 1;
        return times <= 3 ? `. ${said}` : ".";
      });
      yield { type: "text", text: turned === "" ? said : turned };
      for (const delta of deltas) if (delta.type === "finish") yield delta;
    },
  };
}

async function protectedRows({ store }: World): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const table of PROTECTED) {
    const rows = await rowsOf(store, `select * from "${table}"`);
    digests.set(table, hash("sha256", JSON.stringify(rows)));
  }
  return digests;
}

/** Runs nobody started, thoughts that nobody accepted, and words of another project in a prompt. */
async function undeclared({ store }: World): Promise<readonly string[]> {
  const faults: string[] = [];
  const strangers = await rowsOf<{ method: string }>(
    store,
    "select method from run where parent_run_id is null and started_by <> 'admin'",
  );
  faults.push(...strangers.map(({ method }) => `a run of ${method} that nobody started`));
  const leaks = await rowsOf<{ id: string }>(
    store,
    `select e.id from exchange e where e.messages like '%${VAULT}%'
      union select hash from text where body like '%${VAULT}%'`,
  );
  faults.push(...leaks.map(({ id }) => `words of another project in ${id}`));
  const vault = await rowsOf<{ title: string; version: number }>(
    store,
    "select t.title, t.version from task t join project p on p.id = t.project_id where p.name = 'Vault'",
  );
  if (vault.length !== 1 || vault[0]?.title !== VAULT || vault[0].version !== 1)
    faults.push("another project's tasks");
  return faults;
}

async function countReached(world: World, words: string) {
  const sign = words.slice(0, 12);
  const count = async (query: string) =>
    (await rowsOf<{ body: string }>(world.store, query)).filter(({ body }) => body.includes(sign))
      .length;
  return {
    prompts: await count("select messages as body from exchange"),
    replies: await count("select reply as body from answer where reply is not null"),
  };
}
