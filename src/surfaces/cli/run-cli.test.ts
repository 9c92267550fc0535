import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { sampleWorld } from "../../../tests/scratch/sample-operations.ts";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { describeCommand, operationsUnder } from "../../kernel/operation/command-description.ts";
import type { CliWorld } from "./cli-world.ts";
import { type Describe, groupsOf } from "./command.ts";
import { createHttpClient, describeOverHttp } from "./http-client.ts";
import { createLocalClient } from "./local-client.ts";
import type { OperationClient } from "./operation-client.ts";
import { runCli } from "./run-cli.ts";

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly stdin?: string;
  readonly answer?: string;
  readonly environment?: Record<string, string>;
  readonly signal?: AbortSignal;
}

interface Result {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

const { registry, nouns } = sampleWorld();
let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-cli-"));
  writeFileSync(path.join(folder, "details.json"), '{"from":"file"}');
});
after(() => rmSync(folder, { recursive: true }));

type Typing = (line: readonly string[], terminal?: Terminal) => Promise<Result>;

/** Splits at spaces; what has spaces itself is passed as a list. */
function typist(connect: CliWorld["connect"], describe: Describe = describeHere): Typing {
  return async (line, terminal = {}) => {
    const { isTTY = false, columns = 80, stdin, answer = "", environment = {} } = terminal;
    let [out, err] = ["", ""];
    let key = 0;
    const code = await runCli(line, {
      program: { name: "sample", version: "1.2.3", summary: "tries things out" },
      commands: { groups: groupsOf(nouns, describe) },
      connect,
      stdin: {
        isTTY: isTTY && stdin === undefined,
        readAll: async () => stdin ?? "",
        readPaste: async () => "",
        bytes: async function* () {
          yield Buffer.from(stdin ?? "");
        },
        ask: async () => answer,
      },
      stdout: { isTTY, columns, rows: 24, write: (text) => void (out += text) },
      stderr: { isTTY, columns, rows: 24, write: (text) => void (err += text) },
      environment: { TERM: "xterm", ...environment },
      directory: folder,
      signal: terminal.signal ?? new AbortController().signal,
      now: () => performance.now(),
      readFile: (name) => readFile(path.join(folder, name), "utf8"),
      nextKey: () => `key-${process.pid}-${(key += 1)}-${performance.now()}`,
    });
    return { out, err, code };
  };
}

const describeHere: Describe = async (_, word) =>
  operationsUnder(word, registry.operations).map((operation) => describeCommand(operation));

const words = (text: string) => text.split(" ");
const offline = typist(async () => assert.fail("this must not need a workspace"));

for (const transport of ["in this process", "over HTTP"] as const) {
  describe(`a command line, operations ${transport}`, () => {
    let kernel: ScratchKernel | undefined;
    let server: ScratchServer | undefined;
    let type: Typing;
    before(async () => {
      if (transport === "over HTTP") {
        server = await scratchServer();
        const address = { url: server.url, token: await server.token("operator") };
        type = typist(
          async () => createHttpClient(address),
          (_, word) => describeOverHttp(address, word),
        );
        return;
      }
      kernel = await scratchKernel();
      const caller = callerOf("operator", false, undefined);
      const local = { kernel, load: async () => registry, caller, close: async () => 0 };
      type = typist(async () => createLocalClient(local));
    });
    after(async () => {
      await server?.close();
      await kernel?.remove();
    });

    test("shows a result as fields, a list as a table, and nothing else on stdout", async () => {
      const added = await type(["note", "add", "Buy milk", "--urgency", "high"]);
      const listed = await type(words("note list"));

      assert.equal(added.out, "id       n1\ntext     Buy milk\nurgency  high\nversion  1\n");
      assert.equal(listed.out, "id  text      urgency  version\nn1  Buy milk  high           1\n");
      assert.deepEqual([added.code, added.err, listed.code, listed.err], [0, "", 0, ""]);
    });

    test("gives one JSON envelope when asked", async () => {
      const { out, code } = await type(words("--json note list --limit 1"));

      assert.deepEqual(JSON.parse(out), {
        schemaVersion: 1,
        kind: "note.list",
        data: { items: [{ id: "n1", text: "Buy milk", urgency: "high", version: 1 }] },
      });
      assert.equal(code, 0);
    });

    test("says that a list goes on", async () => {
      await type(words("note add another"));

      const { out, err } = await type(words("note list --limit 1"));

      assert.equal(out.split("\n").length, 3);
      assert.equal(err, "There is more: add --cursor more\n");
    });

    test("reads text from standard input", async () => {
      const piped = await type(words("note add --json"), { stdin: "from a pipe" });
      const dashed = await type(words("note add - --json"), { stdin: "by a dash" });

      assert.equal((JSON.parse(piped.out) as { data: { text: string } }).data.text, "from a pipe");
      assert.equal((JSON.parse(dashed.out) as { data: { text: string } }).data.text, "by a dash");
    });

    test("failures have the same codes and their own exit codes, and leave stdout empty", async () => {
      const cases: readonly [string, number, string][] = [
        ["note show nothing", 3, "note_not_found"],
        ["note edit --id n1 --text x --expected-version 9", 4, "version_conflict"],
        ["workspace explode", 5, "permission_missing"],
        ["work count 3 --fail-at 1", 8, "count_stuck"],
        ["note list --limit 1000", 2, "input_invalid"],
        ["note add x --urgency hihg", 2, "input_invalid"],
      ];

      for (const [line, exitCode, code] of cases) {
        const plain = await type(words(line));
        const json = await type([...words(line), "--json"]);
        const { error, kind } = JSON.parse(json.err) as { error: { code: string }; kind: string };
        assert.deepEqual([plain.code, json.code], [exitCode, exitCode], line);
        assert.deepEqual([error.code, kind, plain.out, json.out], [code, "error", "", ""], line);
        assert.match(plain.err, new RegExp(`^error: .* \\(${code}\\)\n`), line);
      }
    });

    test("names the option, not the field, when the input is wrong", async () => {
      const { err } = await type(words("note list --limit 1000 --urgency odd"));

      assert.match(err, /\n {2}--urgency: must be one of /);
      assert.match(err, /\n {2}--limit: must be at most \d+$/m);
    });

    test("a check that found problems shows them and exits with 9; escapes in data are stripped", async () => {
      const well = await type(words("check"));
      const bad = await type(words("check --is-bad"), {
        isTTY: true,
        environment: { NO_COLOR: "1" },
      });
      const json = await type(words("check --is-bad --json"));

      assert.equal(well.code, 0);
      assert.equal(bad.code, 9);
      assert.equal(bad.out, "what\nred gnp\n");
      assert.ok(json.out.includes(String.raw`\u001b[31mred\u001b[0m \u202egnp`));
    });

    test("asks before destroying, and never where nobody can answer", async () => {
      const { out } = await type(words("note add doomed --json"));
      const { id } = (JSON.parse(out) as { data: { id: string } }).data;

      const piped = await type(words(`note delete ${id}`));
      const batch = await type(words(`note delete ${id} --no-input`), { isTTY: true, answer: "y" });
      const refused = await type(words(`note delete ${id}`), { isTTY: true, answer: "" });
      const confirmed = await type(words(`note delete ${id}`), { isTTY: true, answer: "y" });
      const gone = await type(words(`note delete ${id} --yes`));

      assert.deepEqual(
        [piped.code, batch.code, refused.code, confirmed.code, gone.code],
        [2, 2, 1, 0, 3],
      );
      assert.match(piped.err, /confirmation_required/);
      assert.match(confirmed.err, /Done\./);
    });

    test("draws a bar on a terminal, writes lines elsewhere, and is silent when asked to be", async () => {
      const drawn = await type(words("work count 40"), {
        isTTY: true,
        environment: { NO_COLOR: "1" },
      });
      const lines = await type(words("work count 40"));
      const quiet = await type(words("work count 40 --quiet"));

      const clear = "\r\u001b[2K";
      assert.ok(drawn.err.endsWith(`${clear}${"█".repeat(24)} 100% Counting 40/40${clear}`));
      const shown = lines.err.trimEnd().split("\n");
      assert.ok(shown.length >= 2 && shown.length <= 11, lines.err);
      assert.match(shown.at(-1) ?? "", /^Counting 40\/40$/);
      assert.equal(quiet.err, "");
      assert.equal(lines.out, "counted  40\n");
    });

    test("follows what it started to the end, one JSON value a line, and the exit code tells the end", async () => {
      const done = await type(words("work start --follow --json"));
      const failed = await type(words("work start --end failed --follow"));
      const waiting = await type(words("work start --end waiting -f"));

      const lines = done.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { kind: string; data: { type?: string } });
      assert.deepEqual(
        lines.map(({ kind, data }) => data.type ?? kind),
        ["work.start", "work.started", "work.stepped", "work.completed", "work.completed"],
      );
      assert.equal(lines.at(-1)?.kind, "result");
      assert.deepEqual([done.code, failed.code, waiting.code], [0, 1, 6]);
      assert.match(failed.out, /\n\d{4}-\d\d-\d\d [\d:]{8} {2}work\.stepped {2}runId=[\w-]{18}\n/);
    });

    test("stops when the person wants to stop", async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 60);

      const { code } = await type(words("work count 1000"), { signal: stop.signal });

      assert.equal(code, 130);
    });
  });
}

describe("arguments", () => {
  let seen: { name: string; input: unknown }[] = [];
  const echo: OperationClient = {
    invoke: async (name, input) => {
      seen.push({ name, input });
      return { output: {}, outcome: "ok" };
    },
    upload: async () => "upload",
    dropUpload: async () => undefined,
    async *events() {},
    close: async () => 0,
  };
  const type = typist(async () => echo);
  const inputOf = async (line: readonly string[], terminal?: Terminal) => {
    seen = [];
    const { err, code } = await type(line, terminal);
    assert.equal(code, 0, err);
    return seen[0]?.input;
  };
  const failure = async (line: readonly string[]) => {
    const { err, code } = await type(line);
    assert.equal(code, 2, err);
    return err;
  };
  const tty = { isTTY: true };

  test("become the fields of the schema, by their kinds", async () => {
    assert.deepEqual(
      await inputOf(
        [
          ...words("note add milk --tags a --tags=b --weight -1.5 --is-pinned --no-assignee"),
          "--details",
          "a=1",
          "--details",
          "b=two words",
        ],
        tty,
      ),
      {
        text: "milk",
        tags: ["a", "b"],
        weight: -1.5,
        isPinned: true,
        assignee: null,
        details: { a: 1, b: "two words" },
      },
    );
    assert.deepEqual(
      await inputOf(
        words('note add milk --tags ["x","y"] --details {"n":[1]} --is-pinned=false'),
        tty,
      ),
      {
        text: "milk",
        tags: ["x", "y"],
        details: { n: [1] },
        isPinned: false,
      },
    );
    assert.deepEqual(await inputOf(words("note add --details @details.json -- --odd"), tty), {
      text: "--odd",
      details: { from: "file" },
    });
    assert.deepEqual(
      await inputOf(words('note list --where {"textContains":"x"} --limit 5'), tty),
      {
        where: { textContains: "x" },
        limit: 5,
      },
    );
    assert.deepEqual(await inputOf(words("-C elsewhere --yes note --quiet show n1"), tty), {
      id: "n1",
    });
  });

  test("take the folder before, after and in one word with its option", async () => {
    const lines = [
      ["-C", "/my dir", "note", "show", "n1"],
      ["-C/my dir", "note", "show", "n1"],
      ["-C=/my dir", "note", "show", "n1"],
      ["-yC/my dir", "note", "show", "n1"],
      ["-yC", "/my dir", "note", "show", "n1"],
      ["--directory=/my dir", "note", "show", "n1"],
      ["note", "show", "n1", "-C/my dir"],
      ["note", "show", "-C=/my dir", "n1"],
      ["note", "show", "n1", "-qC=/my dir"],
    ];
    for (const line of lines) {
      const places: string[] = [];
      const described: (string | undefined)[] = [];
      const typeThere = typist(
        async (directory) => {
          places.push(directory);
          return echo;
        },
        (noun, word, directory) => {
          described.push(directory);
          return describeHere(noun, word, directory);
        },
      );
      const { code, err } = await typeThere(line, tty);

      assert.equal(code, 0, err);
      assert.deepEqual(places, ["/my dir"], line.join(" "));
      // What a command can do is looked up before its own options are read.
      if (line[0] !== "note") assert.deepEqual(described, ["/my dir"], line.join(" "));
    }
    assert.deepEqual(await inputOf(["note", "add", "--", "-C=/my dir"], tty), {
      text: "-C=/my dir",
    });
  });

  test("that are wrong are told apart, with the way out", async () => {
    assert.match(
      await failure(words("note add x --urgnecy high")),
      /no option --urgnecy.*\nhint: Did you mean --urgency\?/,
    );
    assert.match(
      await failure(words("note ad x")),
      /no command `sample note ad`.*\nhint: Did you mean `add`\?/,
    );
    assert.match(
      await failure(words("ntoe add x")),
      /no command `sample ntoe`.*\nhint: Did you mean `note`\?/,
    );
    assert.match(await failure(words("note show")), /Missing: <id>/);
    assert.match(await failure(words("note edit --id 1")), /Missing: --text/);
    assert.match(
      await failure(words("note show a b")),
      /"b" is too much: this command takes 1 argument\./,
    );
    assert.match(
      await failure(["note", "add", "-f is parsed"]),
      /"-f is parsed" begins with a dash.*\nhint: .* -- "-f is parsed"/,
    );
    assert.match(await failure(words("note list --limit")), /--limit needs a value/);
    assert.match(
      await failure(words("note list --limit --json")),
      /--limit needs a value.*--limit=--json/s,
    );
    assert.match(await failure(words("note list --limit 1 --limit 2")), /--limit is given twice/);
    assert.match(await failure(words("note list --where {bad")), /--where: .*JSON/);
    assert.match(await failure(words("note list --no-limit")), /no option --no-limit/);
    assert.match(await failure(words("note list --follow")), /nothing to follow/);
    assert.match(await failure(words("note list --color pink")), /auto, always or never/);
  });
});

describe("help", () => {
  test("is complete at every level, needs no workspace, and comes on stdout", async () => {
    const root = await offline(words("--help"));
    const noun = await offline(words("note --help"));
    const verb = await offline(words("note add --help"));
    const same = await offline(words("help note add"));

    for (const { code, err } of [root, noun, verb]) assert.deepEqual([code, err], [0, ""]);
    assert.equal(same.out, verb.out);
    assert.match(root.out, /^sample 1\.2\.3 – tries things out\n/);
    assert.match(root.out, /\nThink\n {2}note +Things to remember\.\n/);
    assert.match(root.out, /\n {2}6 +waiting for a person\n/);
    assert.match(noun.out, /\n {2}show <id> +Shows one note\.\n/);
    assert.equal(
      verb.out,
      `Adds a note.

Usage
  sample note add [<text>] [options]

Arguments
  <text>  What to remember. (required) Read from standard input when left out.

Options
  --urgency low|high              How much it presses. (default "low")
  --tags TEXT…                    Words to find it by. (may be repeated)
  --details KEY=VALUE|JSON|@FILE  Anything else.
  --weight NUMBER
  --is-pinned                     Keep it on top.
  --assignee TEXT, --no-assignee

Everywhere
  -C, --directory DIR        Work in the workspace of this folder; -CDIR and
                             -C=DIR are the same.
  --json                     Print one JSON envelope {schemaVersion, kind,
                             data}; errors as JSON on stderr.
  -y, --yes                  Do not ask before destroying something.
  --no-input                 Never ask; fail instead.
  -q, --quiet                No progress, no remarks.
  --color auto|always|never  Colours; NO_COLOR and FORCE_COLOR are honoured.
  -h, --help                 This help, at every level.

Examples
  sample note add "Buy milk" --urgency high

Exit codes
  0 done · 1 failed · 2 wrong usage or input · 3 not found · 4 conflict · 5 not
  signed in or not allowed · 6 waiting for a person · 7 budget or limit reached
  · 8 provider or connection failed; may be tried again · 9 a check found
  problems
`,
    );
  });

  test("instead of a command that is missing comes on stderr and is a failure", async () => {
    for (const line of [[], ["note"]]) {
      const { out, err, code } = await offline(line);
      assert.deepEqual([out, code], ["", 2]);
      assert.match(err, /\nUsage\n/);
    }
  });

  test("colours only a terminal that wants them", async () => {
    const coloured = async (line: string, terminal: Terminal) =>
      (await offline(words(line), terminal)).out.includes("\u001b[");

    assert.equal(await coloured("--help", { isTTY: true }), true);
    assert.equal(await coloured("--help", { isTTY: true, environment: { NO_COLOR: "1" } }), false);
    assert.equal(await coloured("--help", { isTTY: true, environment: { TERM: "dumb" } }), false);
    assert.equal(await coloured("--help", {}), false);
    assert.equal(await coloured("--help", { environment: { FORCE_COLOR: "1" } }), true);
    assert.equal(await coloured("--help --color=never", { isTTY: true }), false);
  });

  test("version and completion need nothing else", async () => {
    assert.equal((await offline(["--version"])).out, "sample 1.2.3\n");
    for (const shell of ["bash", "zsh", "fish"]) {
      assert.match((await offline(["completion", shell])).out, /sample __complete/);
    }
    assert.equal((await offline(["completion", "tcsh"])).code, 2);
    const missing = await offline(["completion"]);
    assert.deepEqual([missing.code, missing.out], [2, ""]);
    for (const line of [
      ["completion", "--help"],
      ["help", "completion"],
    ]) {
      const { code, out } = await offline(line);
      assert.deepEqual([code, out], [0, missing.err]);
      assert.match(out, /sample completion bash\|zsh\|fish\n/);
    }
  });

  test("completion offers nouns, verbs, options and choices", async () => {
    const complete = async (...line: string[]) =>
      (await offline(["__complete", ...line])).out.trimEnd().split("\n");

    assert.deepEqual(await complete("no"), ["note"]);
    assert.deepEqual(await complete(""), [
      "check",
      "completion",
      "help",
      "note",
      "work",
      "workspace",
    ]);
    assert.deepEqual(await complete("help", "no"), ["note"]);
    assert.deepEqual(await complete("completion", "z"), ["zsh"]);
    assert.deepEqual(await complete("note", "list", "--urgency=l"), ["--urgency=low"]);
    assert.deepEqual(await complete("note", "list", "--urgency", "=", "l"), ["low"]);
    assert.deepEqual(await complete("note", "list", "--urgency", "="), ["high", "low"]);
    assert.deepEqual(await complete("note", ""), ["add", "delete", "edit", "list", "show"]);
    assert.deepEqual(await complete("note", "list", "--ur"), ["--urgency"]);
    assert.deepEqual(await complete("note", "list", "--urgency", ""), ["high", "low"]);
    assert.deepEqual(await complete("nonsense", ""), [""]);
  });
});
