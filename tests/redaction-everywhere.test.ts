/**
 * Whatever is redacted, no operation that only reads says it, whichever way it goes round: what it stood in, what was
 * drawn from it, and everything that was made of it before, in every surface, for they all render these operations. An
 * export holds none of it either.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { createHandlers } from "../src/app/handlers.ts";
import { listNouns } from "../src/app/methods.ts";
import { MIGRATIONS } from "../src/app/migrations.ts";
import { createIdSource } from "../src/kernel/base/ids.ts";
import { createRehearsalModel } from "../src/kernel/model/rehearsal-model.ts";
import { parseRehearsalScript } from "../src/kernel/model/rehearsal-script.ts";
import type { Caller } from "../src/kernel/operation/caller.ts";
import { invoke } from "../src/kernel/operation/invoke.ts";
import { loadOperations } from "../src/kernel/operation/noun-index.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../src/kernel/operation/operation-registry.ts";
import { type Engine, startEngine } from "../src/kernel/run/engine.ts";
import { insertConversation } from "../src/kernel/store/conversations.ts";
import { insertDecision } from "../src/kernel/store/decisions.ts";
import { examineStore } from "../src/kernel/store/doctor-store.ts";
import { insertHighlight } from "../src/kernel/store/highlights.ts";
import { appendMessages } from "../src/kernel/store/messages.ts";
import { insertProject } from "../src/kernel/store/projects.ts";
import { deleteRedaction, insertRedaction } from "../src/kernel/store/redactions.ts";
import { withSnapshot } from "../src/kernel/store/snapshot.ts";
import { listTableShapes, walkTable } from "../src/kernel/store/table-shapes.ts";
import { insertTask } from "../src/kernel/store/tasks.ts";
import { insertSession } from "../src/methods/session/sessions.ts";
import { builtInLibrary, type ScratchKernel, scratchKernel } from "./scratch/scratch-kernel.ts";

const NOW = Date.UTC(2026, 10, 18, 12);
const clock = {
  now: () => NOW,
  elapsed: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};
const act = { actor: "operator", now: NOW };
const MARA: Caller = {
  userId: "operator",
  name: "operator",
  role: "operator",
  isAgent: false,
  scopes: undefined,
};

const ADMIN: Caller = { ...MARA, userId: "admin", name: "admin", role: "admin" };

const TALKS = 2;
const SAID = 3;
/** Words that occur nowhere else, so that whoever says them has them from there. */
const NAMES = ["wrack", "limpet", "urchin", "barnacle", "anemone", "periwinkle"];
const secretOf = (talk: number, said: number): string =>
  `the ${NAMES[talk * SAID + said]} under stone ${talk}${said}7 glows`;
/** Stands beside it, and is repeated by nothing but what is drawn from there. */
const buriedOf = (talk: number, said: number): string =>
  `a key lies ${talk}${said}9 steps from the ${NAMES[talk * SAID + said]}`;
const drawnOf = (what: string, talk: number, said: number): string =>
  `${what} about ${NAMES[talk * SAID + said]}-${talk}${said}-${what}`;
const talkId = (talk: number): string => `0199a000-0002-7000-8000-00000000000${talk}`;
const saidId = (talk: number, said: number): string =>
  `0199a000-0003-7000-8000-0000000000${talk}${said}`;

const everySaid = Array.from({ length: TALKS * SAID }, (_, n) => ({
  talk: Math.floor(n / SAID),
  said: n % SAID,
}));

/** What a model would say that repeats everything it was shown. */
const parrot = everySaid.map(({ talk, said }) => secretOf(talk, said));
const SCRIPT = {
  replies: [
    {
      step: "send",
      reply: `## Answer\n${parrot.join("; ")}\n\n## Next steps\n${parrot.map((text) => `- Look at ${text}`).join("\n")}\n`,
    },
    {
      step: "distill",
      reply: {
        decisions: [],
        tasks: [],
        highlights: parrot.map((quote, n) => ({ message: `m${(n % SAID) + 1}`, quote })),
      },
    },
    {
      step: "digest",
      reply: { summary: parrot.join("; "), lines: [{ sentence: parrot[0], refs: ["t1"] }] },
    },
    { step: "answer", reply: { answer: parrot.join("; ") } },
  ],
};

type Kind = "span" | "message" | "conversation";
interface Wish {
  readonly kind: Kind;
  readonly talk: number;
  readonly said: number;
}

const anyWish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom<Kind[]>("span", "message", "conversation"),
  talk: fc.nat(TALKS - 1),
  said: fc.nat(SAID - 1),
});

/**
 * A passage is hidden wherever it occurs. A message is hidden with all that was drawn from it: what somebody typed
 * elsewhere in the same words was not.
 */
function forbiddenBy({ kind, talk, said }: Wish): readonly string[] {
  if (kind === "span") return [secretOf(talk, said)];
  const all = kind === "message" ? [said] : Array.from({ length: SAID }, (_, n) => n);
  return all.flatMap((n) => [
    buriedOf(talk, n),
    drawnOf("decision", talk, n),
    drawnOf("task", talk, n),
  ]);
}

/** More by `REDACTION_RUNS=500`. */
const RUNS = Number(process.env["REDACTION_RUNS"] ?? 8);

for (const dialect of ["sqlite", "postgres"] as const)
  describe(`what is redacted, on ${dialect}`, () => {
    let kernel: ScratchKernel;
    let registry: OperationRegistry;
    let engine: Engine;
    let inputs: readonly (readonly [string, object])[];

    const call = <Output = Record<string, unknown>>(name: string, input: object = {}) =>
      invoke(
        { ...kernel, wake: () => engine.wake() },
        registry,
        name,
        MARA,
        input,
      ) as Promise<Output>;

    before(async () => {
      const ids = createIdSource(clock);
      const library = builtInLibrary();
      const handlers = createHandlers(library, () => ids.next());
      const scratch = await scratchKernel({
        dialect,
        clock,
        handlers,
        migrations: MIGRATIONS.slice(3),
      });
      const provider = createRehearsalModel(clock, {
        script: parseRehearsalScript(JSON.stringify(SCRIPT)),
      });
      const models = {
        ...scratch.models,
        find: async (name: string) => ({ name, provider, costOf: () => 0 }),
      };
      kernel = { ...scratch, models };
      registry = createOperationRegistry(await loadOperations(listNouns(() => scratch.folder)));
      await kernel.store.write(furnish);
      engine = startEngine({
        ...kernel.engine,
        store: kernel.store,
        clock,
        models,
        worker: "test",
        concurrency: 4,
        pollMs: 5,
        random: () => 0.5,
        onTrouble: (error) => {
          throw error;
        },
      });
      inputs = await makeThings();
    });
    after(async () => {
      await engine.stop();
      await kernel.remove();
    });

    test("is told by no operation that reads, nor by what is made afterwards", async () => {
      const told = { wishes: 0, calls: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(anyWish, {
            minLength: 1,
            maxLength: 3,
            selector: (w) => JSON.stringify(w),
          }),
          fc.integer({ min: 1800, max: 7000 }),
          async (wishes, budget) => {
            const forbidden = wishes.flatMap(forbiddenBy);
            const made = await redact(wishes);
            try {
              const leaks: string[] = [];
              for (const [name, input] of [...inputs, ...later(budget)]) {
                const said = await outcomeOf(name, input);
                told.calls += 1;
                const tells = forbidden.filter((words) => said.includes(words));
                if (tells.length > 0)
                  leaks.push(`${name} ${JSON.stringify(input)} tells ${tells.join(", ")}`);
              }
              for (const words of forbidden) {
                const text = words.replaceAll("-", " ");
                const found = await call<{ items: readonly object[] }>("thinking.search", { text });
                if (found.items.length > 0) leaks.push(`search finds ${words}`);
              }
              for (const [file, said] of await exported())
                for (const words of forbidden)
                  if (said.includes(words)) leaks.push(`the export tells ${words} in ${file}`);
              assert.deepEqual(leaks, []);
            } finally {
              for (const id of made) await kernel.store.write(() => deleteRedaction(id, act));
            }
            told.wishes += wishes.length;
          },
        ),
        { numRuns: dialect === "sqlite" ? RUNS : RUNS / 4 },
      );
      assert.ok(told.wishes > 0 && told.calls > told.wishes * 10, JSON.stringify(told));
    });

    test("while nothing is, the same operations do tell it", async () => {
      const said = await Promise.all(inputs.map(([name, input]) => outcomeOf(name, input)));

      const tellers = inputs.filter((_, i) => parrot.some((words) => said[i]?.includes(words)));
      const names = [...new Set(tellers.map(([name]) => name))];
      for (const name of [
        "artifact.show",
        "conversation.show",
        "digest.show",
        "exchange.show",
        "exchange.diff",
        "harvest.show",
        "highlight.list",
        "packet.show",
        "dialectic.list",
        "dialectic.status",
        "dialectic.show",
        "dialectic.remarks",
        "team.status",
        "team.report",
        "team.envelope",
        "session.list",
        "session.show",
      ]) {
        assert.ok(names.includes(name), `${name} was expected to tell it: ${names.join(", ")}`);
      }
    });

    test("once purged, a passage stands nowhere but in what people wrote down themselves", async () => {
      const secret = secretOf(0, 0);
      const before = await tablesWith(secret);
      await redact([{ kind: "span", talk: 0, said: 0 }]);

      const purged = await call<Record<string, number>>("redaction.purge", { project: "p" });

      for (const table of [
        "answer",
        "artifact",
        "dialectic_artifact",
        "dialectic_feedback",
        "dialectic_session",
        "event",
        "exchange",
        "packet",
        "run",
        "team_run",
      ]) {
        assert.ok(before.includes(table), `${table} held nothing beforehand: ${before.join(", ")}`);
      }
      // Thoughts, messages and prompts of sessions are masked when they are shown, and come back when the redaction is
      // lifted.
      const own = ["decision", "highlight", "message", "task", "search_document", "session"];
      const left = (await tablesWith(secret)).filter((table) => !own.includes(table));
      assert.deepEqual(left, [], JSON.stringify(purged));
      assert.ok((purged["runs"] ?? 0) > 0 && purged["open"] === 0, JSON.stringify(purged));
      const findings: string[] = [];
      await examineStore(kernel.store, {
        migrations: MIGRATIONS,
        report: ({ code, place }) => findings.push(`${code} ${place}`),
      });
      assert.deepEqual(findings, []);
    });

    /** Every file of an export as it is made unless more is asked for. */
    async function exported(): Promise<readonly (readonly [string, string])[]> {
      const { path: folder, isCovered } = (await invoke(
        kernel,
        registry,
        "workspace.export",
        ADMIN,
        {
          name: kernel.ids.next(),
        },
      )) as { path: string; isCovered: boolean };
      assert.ok(isCovered);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true });
      return files
        .filter((file) => file.isFile())
        .map(({ parentPath, name }) => {
          const said = readFileSync(path.join(parentPath, name), "utf8");
          return [name, said.replaceAll(/(?:\s|\\+n)+/g, " ")] as const;
        });
    }

    async function tablesWith(words: string): Promise<readonly string[]> {
      const found: string[] = [];
      await withSnapshot(kernel.store, async (snapshot) => {
        for (const shape of await listTableShapes(snapshot)) {
          for await (const row of walkTable(snapshot, shape)) {
            const text = Object.values(row)
              .join(" ")
              .replaceAll(/(?:\s|\\n)+/g, " ");
            if (text.includes(words) && !found.includes(shape.name)) found.push(shape.name);
          }
        }
      });
      return found;
    }

    async function outcomeOf(name: string, input: object): Promise<string> {
      try {
        const output = await call(name, input);
        const shown = registry.get(name).surfaces?.cli?.render?.(output) ?? "";
        return `${strings(output)} ${shown}`.replaceAll(/\s+/g, " ");
      } catch (error) {
        return error instanceof Error ? `${error.message} ${JSON.stringify(error)}` : String(error);
      }
    }

    async function redact(wishes: readonly Wish[]): Promise<readonly string[]> {
      return kernel.store.write(function* () {
        const made: string[] = [];
        for (const [n, { kind, talk, said }] of wishes.entries()) {
          const id = `redaction-${n}`;
          const secret = secretOf(talk, said);
          const start = messageOf(talk, said).indexOf(secret);
          yield* insertRedaction(
            {
              id,
              projectId: "p",
              conversationId: talkId(talk),
              reason: "private",
              ...(kind === "conversation" ? {} : { messageId: saidId(talk, said) }),
              ...(kind === "span" ? { span: { start, end: start + secret.length } } : {}),
            },
            act,
          );
          made.push(id);
        }
        return made;
      });
    }

    /** What a person would make, see and look at before they think of redacting. */
    async function makeThings(): Promise<readonly (readonly [string, object])[]> {
      const project = { originType: "project", originId: "p", intent: "generate_next_actions" };
      const packets: string[] = [];
      for (const origin of [
        project,
        { originType: "task", originId: "t-0-0" },
        { originType: "decision", originId: "d-1-1" },
      ]) {
        const input = { ...origin, targetTool: "claude" };
        packets.push((await call<{ packetId: string }>("packet.compile", input)).packetId);
      }
      const [first = "", second = "", third = ""] = packets;
      await call("packet.send", { packetId: first });
      const read = await call<{ harvestId: string }>("harvest.read", { packetId: first });
      await call("harvest.accept-all", read.harvestId === "" ? {} : { harvestId: read.harvestId });
      const distilled = await call<{ harvestId: string }>("distill.start", {
        conversationId: talkId(0),
      });
      const digest = await call<{ digestId: string }>("digest.make", { project: "p", since: "7d" });
      await call("ask.answer", { request: `Tell me of ${parrot.join(", ")}`, project: "p" });
      const dialectic = await argue();
      const team = await workTogether();
      const listOf = async (name: string, input: object = {}) =>
        (await call<{ items: readonly { id: string }[] }>(name, input)).items.map(({ id }) => id);
      const runs = await listOf("run.list");
      const exchanges = (
        await Promise.all(runs.map((runId) => listOf("exchange.list", { runId })))
      ).flatMap((ids) => ids.slice(0, 2));
      const each = (name: string, field: string, ids: readonly string[]) =>
        ids.map((id) => [name, { [field]: id }] as const);
      return [
        ...LISTS.map((name) => [name, {}] as const),
        ...LISTS_OF_PROJECTS.map((name) => [name, { project: "p" }] as const),
        ["project.show", { projectId: "p" }],
        ["packet.diff", { before: first, after: second }],
        ["packet.diff", { before: second, after: third }],
        ...each("packet.show", "packetId", packets),
        ...each("harvest.show", "harvestId", [read.harvestId, distilled.harvestId]),
        ...each("digest.show", "digestId", [digest.digestId]),
        ...each("artifact.show", "artifactId", [digest.digestId]),
        ...each("run.show", "runId", runs),
        ...each("run.events", "runId", runs),
        ...each("exchange.show", "exchangeId", exchanges),
        ...each("exchange.earlier", "exchangeId", exchanges),
        ...exchanges.map((id, n) => {
          return ["exchange.diff", { exchangeId: id, before: exchanges[n - 1] ?? id }] as const;
        }),
        ...each("conversation.show", "conversationId", [talkId(0), talkId(1)]),
        ...each("task.show", "taskId", await listOf("task.list")),
        ...each("decision.show", "decisionId", await listOf("decision.list")),
        ...each("highlight.show", "highlightId", await listOf("highlight.list")),
        ...dialectic,
        ...team,
        ["session.list", {}],
        ["session.show", { session: SESSION }],
      ];
    }

    /** A dialectic that was asked for, commented on and edited in the words of the conversations. */
    async function argue(): Promise<readonly (readonly [string, object])[]> {
      const document = "thesis/business_case/s1";
      const { runId: session } = await call<{ runId: string }>("dialectic.start", {
        request: `A guide to the shore: ${parrot.join("; ")}`,
        model: ["rehearsal/rehearsal"],
        project: "p",
      });
      await until(async () => {
        const { status, state, reason } = await call("dialectic.status", { session });
        assert.notEqual(state, "held", JSON.stringify(reason));
        return status === "thesis_completed";
      });
      const text = parrot.join("; ");
      await call("dialectic.feedback", { session, document, section: "threats", text });
      await call("dialectic.edit", { session, document, section: "executive_summary", text });
      await call("dialectic.cancel", { session });
      return [
        ["dialectic.list", {}],
        ["dialectic.list", { project: "p" }],
        ["dialectic.status", { session }],
        ["dialectic.show", { session, document, diff: true }],
        ["dialectic.show", { session, document: "thesis/feature_spec/s1" }],
        ["dialectic.remarks", { session }],
        ["dialectic.tree", { session }],
        ["dialectic.estimate", { session }],
      ];
    }

    /** A team that was given the words of the conversations, and that a person told more of them. */
    async function workTogether(): Promise<readonly (readonly [string, object])[]> {
      const { teams } = await call<{ teams: readonly { name: string }[] }>("team.list");
      const { runId } = await call<{ runId: string }>("team.start", {
        team: teams[0]?.name,
        prompt: `A guide to the shore: ${parrot.join("; ")}`,
        rounds: 1,
        model: "rehearsal/rehearsal",
        project: "p",
      });
      await until(async () => {
        const { run } = await call<{ run: { state: string } }>("run.show", { runId });
        assert.notEqual(run.state, "held");
        return run.state === "completed";
      });
      const { envelopes } = await call<{ envelopes: readonly { hash: string }[] }>(
        "team.envelope",
        { runId },
      );
      return [
        ["team.runs", {}],
        ["team.status", { runId }],
        ["team.tree", { runId }],
        ["team.report", { runId }],
        ["team.envelope", { runId, hash: envelopes[0]?.hash }],
      ];
    }

    async function until(isSo: () => Promise<boolean>): Promise<void> {
      for (let tries = 0; tries < 5_000; tries += 1) {
        if (await isSo()) return;
        await clock.sleep(20);
      }
      assert.fail("it never came to that");
    }

    /** New prompts of what is there now, and texts that leave the house. */
    function later(budget: number): readonly (readonly [string, object])[] {
      const to = { targetTool: "chatgpt", budget };
      const named = inputs.filter(([name]) => name === "packet.show");
      return [
        [
          "packet.preview",
          { originType: "project", originId: "p", intent: "custom", customIntent: "Go on.", ...to },
        ],
        ["packet.preview", { originType: "task", originId: "t-0-0", ...to }],
        ["packet.preview", { originType: "task", originId: "t-1-2", ...to }],
        ["packet.preview", { originType: "decision", originId: "d-1-1", ...to }],
        ["packet.preview", { originType: "decision", originId: "d-0-2", ...to }],
        ["digest.preview", { project: "p", since: "7d" }],
        ["redaction.held", { project: "p" }],
        ...named.map(([, input]) => ["packet.copy", input] as const),
        ...NAMES.map((text) => ["thinking.search", { text, project: "p" }] as const),
      ];
    }
  });

const SESSION = "0199a000-0004-7000-8000-000000000000";

const LISTS = [
  "run.list",
  "task.list",
  "task.next",
  "decision.list",
  "highlight.list",
  "conversation.list",
  "packet.list",
  "harvest.list",
  "digest.list",
  "artifact.list",
  "event.list",
  "redaction.list",
  "inbox.list",
  "workspace.show",
];
const LISTS_OF_PROJECTS = [
  "task.list",
  "decision.list",
  "highlight.list",
  "conversation.list",
  "packet.list",
  "harvest.list",
  "artifact.list",
  "event.list",
];

function messageOf(talk: number, said: number): string {
  return `Look here: ${secretOf(talk, said)}. And ${buriedOf(talk, said)}.`;
}

function* furnish() {
  yield* insertProject({ id: "p", name: "Shore", ownerId: "operator" }, act);
  yield* insertSession(
    {
      id: SESSION,
      projectId: "p",
      repository: "/nowhere",
      vcs: "git",
      prompt: `Write down that ${parrot.join("; ")}.`,
      interpretation: parrot.join("; "),
      strategy: "As it is.",
      constraints: [],
      author: { name: "Mara", email: "mara@example.org" },
      base: { changeId: "0", commitId: "0", operation: "0" },
      reliesOn: undefined,
      subject: undefined,
    },
    act,
  );
  for (let talk = 0; talk < TALKS; talk += 1) {
    yield* insertConversation(
      {
        id: talkId(talk),
        title: `Walk ${talk}`,
        source: "chatgpt",
        startedAt: NOW - 86_400_000,
        projectIds: ["p"],
      },
      act,
    );
    yield* appendMessages(
      talkId(talk),
      Array.from({ length: SAID }, (_, said) => ({
        id: saidId(talk, said),
        role: said % 2 === 0 ? ("user" as const) : ("assistant" as const),
        content: messageOf(talk, said),
        position: said,
      })),
      act,
    );
  }
  for (const { talk, said } of everySaid) {
    const messageId = saidId(talk, said);
    yield* insertHighlight(
      { id: `h-${talk}-${said}`, messageId, content: secretOf(talk, said) },
      act,
    );
    yield* insertDecision(
      {
        id: `d-${talk}-${said}`,
        projectId: "p",
        messageId,
        title: drawnOf("decision", talk, said),
        content: `Since ${secretOf(talk, said)} and ${buriedOf(talk, said)}.`,
      },
      act,
    );
    yield* insertTask(
      {
        id: `t-${talk}-${said}`,
        projectId: "p",
        title: drawnOf("task", talk, said),
        description: `[blocker] because\n${secretOf(talk, said)} and ${buriedOf(talk, said)}`,
        source: { type: "highlight", id: `h-${talk}-${said}`, quote: secretOf(talk, said) },
      },
      act,
    );
  }
}

/** Every text in it, however deep. */
function strings(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${strings(inner)}`)
    .join(" ");
}
