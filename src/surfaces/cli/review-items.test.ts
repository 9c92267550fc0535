import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { z } from "zod";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { describeCommand, operationsUnder } from "../../kernel/operation/command-description.ts";
import { defineOperation, type ReviewHint } from "../../kernel/operation/operation.ts";
import { createOperationRegistry } from "../../kernel/operation/operation-registry.ts";
import type { CliWorld } from "./cli-world.ts";
import { groupsOf } from "./command.ts";
import { createLocalClient } from "./local-client.ts";
import { runCli } from "./run-cli.ts";

const hint: ReviewHint = {
  items: "books",
  key: "number",
  choices: "choices",
  open: { field: "state", is: "new" },
  subject: ["shelfId"],
  view: "shelf.show",
  apply: "shelf.sort",
  unless: "keepAll",
  answers: {
    keep: { letter: "k", says: "keep" },
    rename: { letter: "r", says: "rename", fields: ["title"] },
    sell: { letter: "s", says: "sell" },
  },
  all: "keep",
};

const books = [
  { number: 1, title: "Tides", state: "new", choices: ["keep", "rename", "sell"] },
  { number: 2, title: "Gulls", state: "sold", choices: ["keep"] },
  { number: 3, title: "Crabs", state: "new", choices: ["sell"] },
  { number: 4, title: "Kelp", state: "new", choices: ["keep", "rename", "sell"] },
];

const shelf = z.object({ shelfId: z.string(), books: z.array(z.record(z.string(), z.json())) });
const numbers = z.array(z.number()).default([]);
const sorted = z.object({ what: z.string() });

function operationsInto(calls: object[]) {
  return [
    defineOperation({
      name: "shelf.read",
      summary: "Reads a shelf.",
      effect: "reads",
      permission: "read",
      input: z.object({ keepAll: z.boolean().default(false) }),
      output: shelf,
      surfaces: { cli: { words: ["shelf"], render: () => "four books", review: hint } },
      run: async () => ({ shelfId: "s1", books }),
    }),
    defineOperation({
      name: "shelf.show",
      summary: "Shows a book.",
      effect: "reads",
      permission: "read",
      input: z.object({ shelfId: z.string(), number: z.number() }),
      output: z.object({ number: z.number() }),
      surfaces: { cli: { render: (output) => `book ${JSON.stringify(output)}` } },
      run: async (_, { number }) => ({ number }),
    }),
    defineOperation({
      name: "shelf.sort",
      summary: "Sorts books.",
      effect: "writes",
      permission: "edit",
      input: z.object({
        shelfId: z.string(),
        keep: numbers,
        rename: z.array(z.object({ number: z.number(), title: z.string().optional() })).default([]),
        sell: numbers,
      }),
      output: sorted,
      surfaces: { cli: { render: (output) => `sorted: ${sorted.parse(output).what}` } },
      run: async (_, input) => {
        calls.push(input);
        return { what: "yes" };
      },
    }),
  ];
}

describe("going through the items of a result", () => {
  let kernel: ScratchKernel;
  let calls: object[];
  beforeEach(async () => {
    kernel = await scratchKernel();
    calls = [];
  });
  afterEach(() => kernel.remove());

  interface Typed {
    readonly line?: readonly string[];
    readonly answers?: readonly string[];
    readonly isTTY?: boolean;
    readonly hasTerminal?: boolean;
    readonly interruptAt?: number;
  }

  async function type({
    line = ["shelf"],
    answers = [],
    isTTY = true,
    hasTerminal = true,
    interruptAt,
  }: Typed) {
    const registry = createOperationRegistry(operationsInto(calls));
    const stopping = new AbortController();
    const asked: string[] = [];
    let out = "";
    let err = "";
    let isClosed = false;
    const local = {
      kernel,
      load: async () => registry,
      caller: callerOf("operator", false, undefined),
      close: async () => 0,
    };
    const world: CliWorld = {
      program: { name: "sample", version: "1", summary: "" },
      commands: {
        groups: groupsOf(
          [{ name: "shelf", summary: "", group: "", load: async () => registry.operations }],
          async (_, word) => operationsUnder(word, registry.operations).map(describeCommand),
        ),
      },
      connect: async () => createLocalClient(local),
      // Redirected, as in `shelf < books.txt`: the questions go to the terminal all the same.
      stdin: {
        isTTY: false,
        readAll: async () => "",
        readPaste: async () => "",
        bytes: async function* () {},
        ask: async () => "",
      },
      stdout: { isTTY, columns: 80, rows: 24, write: (text) => void (out += text) },
      stderr: { isTTY, columns: 80, rows: 24, write: (text) => void (err += text) },
      environment: {},
      directory: ".",
      signal: stopping.signal,
      now: () => 0,
      readFile: async () => "",
      nextKey: () => "key",
      openTerminal: async () =>
        hasTerminal
          ? {
              ask: async (question) => {
                asked.push(question);
                if (asked.length === interruptAt) stopping.abort();
                return answers[asked.length - 1];
              },
              close: () => {
                isClosed = true;
              },
            }
          : undefined,
    };
    const code = await runCli(line, world);
    return { code, out, err, asked, isClosed };
  }

  test("asks about each that is open, with what it leaves, and carries all answers out at once", async () => {
    const { code, out, asked, isClosed } = await type({
      answers: ["x", "k", "s", "r", "Kelp and wrack"],
    });

    assert.equal(code, 0);
    assert.deepEqual(asked, [
      "1/3: k keep, r rename, s sell, A keep all, q stop here? ",
      "1/3: k keep, r rename, s sell, A keep all, q stop here? ",
      "2/3: s sell, q stop here? ",
      "3/3: k keep, r rename, s sell, A keep all, q stop here? ",
      "  title [Kelp]: ",
    ]);
    assert.deepEqual(calls, [
      { shelfId: "s1", keep: [1], sell: [3], rename: [{ number: 4, title: "Kelp and wrack" }] },
    ]);
    assert.match(out, /four books\n\nbook \{"number":1\}[^]*sorted: yes\n$/);
    assert.equal(isClosed, true);
  });

  test("an answer to all is given to those that leave it; the others are still asked about", async () => {
    const { asked } = await type({ answers: ["A", "s"] });

    assert.equal(asked.length, 2);
    assert.deepEqual(calls, [{ shelfId: "s1", keep: [1, 4], sell: [3], rename: [] }]);
  });

  test("whoever stops has decided about what came before, and whoever decides nothing changes nothing", async () => {
    await type({ answers: ["k", "q"] });
    const none = await type({ answers: ["q"] });
    await type({ answers: [] });

    assert.deepEqual(calls, [{ shelfId: "s1", keep: [1], sell: [], rename: [] }]);
    assert.match(none.err, /Nothing was decided/);
  });

  test("an interruption decides about nothing", async () => {
    const { code, isClosed } = await type({ answers: ["k", "s"], interruptAt: 2 });

    assert.equal(code, 130);
    assert.deepEqual(calls, []);
    assert.equal(isClosed, true);
  });

  test("asks nobody where nobody sits, where a script reads, or where it was said beforehand", async () => {
    for (const typed of [
      { isTTY: false },
      { hasTerminal: false },
      { line: ["shelf", "--json"] },
      { line: ["shelf", "--no-input"] },
      { line: ["shelf", "--keep-all"] },
    ]) {
      const { code, asked } = await type(typed);
      assert.equal(code, 0);
      assert.deepEqual(asked, []);
    }
    assert.deepEqual(calls, []);
  });
});
