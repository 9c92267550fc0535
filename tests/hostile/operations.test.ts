/**
 * Every operation with hostile texts and values in every field, through the one path that all doors share. Each is done
 * or refused by name; no failure is unforeseen, nothing is carried out, no object is poisoned.
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { createHandlers } from "../../src/app/handlers.ts";
import { listNouns } from "../../src/app/methods.ts";
import { MIGRATIONS } from "../../src/app/migrations.ts";
import { ProductError } from "../../src/kernel/base/errors.ts";
import type { Caller } from "../../src/kernel/operation/caller.ts";
import { inputFields } from "../../src/kernel/operation/input-fields.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import { loadOperations } from "../../src/kernel/operation/noun-index.ts";
import type { Operation } from "../../src/kernel/operation/operation.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../../src/kernel/operation/operation-registry.ts";
import { type Engine, startEngine } from "../../src/kernel/run/engine.ts";
import { builtInLibrary, type ScratchKernel, scratchKernel } from "../scratch/scratch-kernel.ts";
import { HOSTILE_VALUES, hostileTexts } from "./corpus.ts";

const ADMIN: Caller = {
  userId: "admin",
  name: "admin",
  role: "admin",
  isAgent: false,
  scopes: undefined,
};
/** `EVERY=1` puts every text into every field. */
const EVERY = Number(process.env["EVERY"] ?? 11);
const SLOWEST_MS = 10_000;

describe("hostile input", () => {
  let kernel: ScratchKernel;
  let engine: Engine;
  const troubles: string[] = [];
  let registry: OperationRegistry;
  let known: Readonly<Record<string, string>>;

  before(async () => {
    let nextId = () => "";
    const handlers = createHandlers(builtInLibrary(), () => nextId());
    const shared = 3;
    kernel = await scratchKernel({ handlers, migrations: MIGRATIONS.slice(shared) });
    nextId = () => kernel.ids.next();
    // Some operations wait for the run that they start.
    engine = startEngine({
      ...kernel.engine,
      store: kernel.store,
      clock: kernel.clock,
      models: kernel.models,
      worker: "hostile",
      concurrency: 4,
      pollMs: 100,
      random: Math.random,
      onTrouble: (error) => troubles.push(String(error)),
    });
    const nouns = listNouns(() => kernel.folder);
    registry = createOperationRegistry(await loadOperations(nouns), nouns);
    known = await furnish((name, input) => invoke(kernel, registry, name, ADMIN, input));
  });
  after(async () => {
    await engine.stop();
    await kernel.remove();
  });

  test("in every field of every operation is done or refused by name", async (t) => {
    const outcomes = new Map<string, number>();
    const unforeseen: string[] = [];
    let tried = 0;
    let turn = 0;
    const attempt = async (
      operation: Operation,
      category: string,
      field: string,
      value: unknown,
    ) => {
      const input = { ...usual(operation, known), [field]: value };
      const begun = performance.now();
      const stop = AbortSignal.timeout(SLOWEST_MS);
      const outcome = await invoke(kernel, registry, operation.name, ADMIN, input, {
        signal: stop,
      }).then(
        () => "done",
        (error: unknown) => {
          if (error instanceof ProductError && isForeseen(error)) return "refused";
          unforeseen.push(
            `${operation.name} ${field} ${JSON.stringify(value).slice(0, 80)}: ${String(error).slice(0, 200)}`,
          );
          return "unforeseen";
        },
      );
      const took = performance.now() - begun;
      if (took > SLOWEST_MS)
        unforeseen.push(`${operation.name} ${field} took ${Math.round(took)} ms`);
      tried += 1;
      const key = `${category}: ${outcome}`;
      outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
    };
    const texts = hostileTexts();
    for (const operation of registry.operations.filter(({ name }) => !LEFT_OUT.has(name))) {
      for (const { name } of inputFields(operation.input)) {
        for (const { category, text } of texts) {
          if (turn++ % EVERY === 0) await attempt(operation, category, name, text);
        }
        for (const value of HOSTILE_VALUES) {
          if (turn++ % EVERY === 0) await attempt(operation, "values", name, value);
        }
      }
    }
    for (const what of [...outcomes.keys()].toSorted())
      t.diagnostic(`${outcomes.get(what)} × ${what}`);
    t.diagnostic(`${tried} inputs to ${registry.operations.length} operations`);
    assert.deepEqual(unforeseen.slice(0, 20), []);
    assert.deepEqual(troubles, []);
    assert.equal(({} as { owned?: unknown }).owned, undefined, "no object is poisoned");
    assert.ok(!existsSync("/tmp/owned"), "nothing was carried out");
  });

  test("that can be text is kept to the last character where people write", async () => {
    const call = (name: string, input: object) => invoke(kernel, registry, name, ADMIN, input);
    let kept = 0;
    for (const { text } of hostileTexts()) {
      if (!isKeptExactly(text)) continue;
      const added = (await call("task.add", { title: "Hostile", description: text })) as Task;
      const { task } = (await call("task.show", { taskId: added.id })) as { task: Task };
      assert.equal(task.description, text);
      kept += 1;
    }
    assert.ok(kept > 80, `${kept} were kept`);
  });
});

interface Task {
  readonly id: string;
  readonly description: string;
}

/** What both databases can hold, with nothing at its ends that is trimmed. */
function isKeptExactly(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000") && text.trim() === text && text !== "";
}

/** A check that cannot look fails closed: that is its foreseen answer, whatever was the matter. */
function isForeseen({ kind, code }: ProductError): boolean {
  return kind !== "internal" || code === "session_check_impossible";
}

/** What would end the trial itself, or wait for an answer that nobody gives here. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "user.archive",
  "user.delete",
  "ask.answer",
  "workspace.clear-sample",
]);

type Call = (name: string, input: object) => Promise<unknown>;

/** One of each noun, so that fields which name something find it. */
async function furnish(call: Call): Promise<Readonly<Record<string, string>>> {
  const idOf = (given: unknown, noun: string) => {
    const row = (given as Record<string, { id?: string } | undefined>)[noun];
    return row?.id ?? (given as { id?: string }).id ?? "";
  };
  const projectId = idOf(await call("project.add", { name: "Tidepool" }), "project");
  const taskId = idOf(await call("task.add", { title: "Open", project: projectId }), "task");
  const decisionId = idOf(
    await call("decision.add", { title: "Stay", content: "We stay.", project: projectId }),
    "decision",
  );
  const highlightId = idOf(
    await call("highlight.add", { content: "It holds.", project: projectId }),
    "highlight",
  );
  const { runId } = (await call("ask.start", { request: "Why?" })) as { runId: string };
  return {
    project: projectId,
    projectId,
    taskId,
    decisionId,
    highlightId,
    runId,
    workflow: "library:research",
    name: "A name",
    title: "A title",
    content: "Some words.",
    request: "Why?",
    text: "Some words.",
    originType: "project",
    originId: projectId,
    intent: "generate_next_actions",
    targetTool: "other",
  };
}

/** What a caller would say who means well: required fields as far as they are known. */
function usual(operation: Operation, known: Readonly<Record<string, string>>): object {
  const fields = inputFields(operation.input).filter(({ isRequired }) => isRequired);
  return Object.fromEntries(
    fields.map(({ name, kind, choices, isList }) => {
      const value =
        known[name] ??
        choices?.[0] ??
        (kind === "number" ? 1 : kind === "boolean" ? true : "some text");
      return [name, isList ? [value] : value];
    }),
  );
}
