import assert from "node:assert/strict";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { ModelError } from "../../kernel/model/model-error.ts";
import { modelProviderSuite, suiteRequest } from "../../kernel/model/model-provider.suite.ts";
import type { ModelDelta, ModelMessage } from "../../kernel/model/model-provider.ts";
import type { CommandConfig } from "./command-config.ts";
import { createCommandProvider, promptText } from "./command-provider.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-command-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let scripts = 0;

/** A real program: Node running this code. */
function program(
  code: string,
  change: Partial<CommandConfig> = {},
): CommandConfig & { pidFile: string } {
  scripts += 1;
  const file = path.join(folder, `program-${scripts}.mjs`);
  const pidFile = path.join(folder, `pid-${scripts}`);
  const notePid = `import { writeFileSync as note } from "node:fs"; note(${JSON.stringify(pidFile)}, String(process.pid));`;
  writeFileSync(file, `${notePid}\n${code}`);
  return {
    name: "program",
    command: process.execPath,
    args: [file],
    cwd: folder,
    pidFile,
    ...change,
  };
}

const FOR_EVER = "setInterval(() => {}, 1000);";
const write = (pieces: readonly string[]) =>
  pieces.map((piece) => `process.stdout.write(${JSON.stringify(piece)});`).join("\n");

modelProviderSuite({
  name: "command",
  cannot: ["length", "usage", "no_finish", "rate_limited"],
  async open(scenario, { idleMs, maxOutputChars }) {
    const limits = { idleMs, maxOutputChars };
    const codes = {
      reply: () => write("pieces" in scenario ? scenario.pieces : []),
      cut: () =>
        `${write("pieces" in scenario ? scenario.pieces : [])} setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);`,
      stall: () => `${write("pieces" in scenario ? scenario.pieces : [])} ${FOR_EVER}`,
      broken: () => 'console.error("no credit"); process.exit(3);',
      endless: () =>
        'const again = () => process.stdout.write("and again ".repeat(500), again); again();',
      no_finish: () => "",
      rate_limited: () => "",
    };
    // Starting a process alone may take longer than the suite's idle limit on a busy machine.
    const config = program(codes[scenario.kind](), {
      limits: { ...limits, idleMs: Math.max(idleMs, 1_000), graceMs: 200 },
    });
    return {
      provider: createCommandProvider(config, process.env),
      model: "any",
      openCalls: () => (isAlive(config.pidFile) ? 1 : 0),
      close: async () => {},
    };
  },
});

describe("what the command is given", () => {
  test("the prompt comes on standard input, byte for byte", async () => {
    const prompt = `Grüße 五 🧪 "quoted" $HOME \`ls\` ${"long ".repeat(50_000)}end`;

    const heard = await hear(program("process.stdin.pipe(process.stdout);"), [
      { role: "user", text: prompt },
    ]);

    assert.equal(heard.text, prompt);
  });

  test("of our environment it sees only what is allowed", async () => {
    const config = program("console.log(JSON.stringify(process.env));", {
      passVariables: ["ALLOWED"],
    });
    const environment = {
      PATH: "/bin",
      HOME: "/nowhere",
      LANG: "C",
      TZ: "UTC",
      ALLOWED: "yes",
      SECRET: "no",
    };

    const heard = await hear(config, undefined, environment);

    // Node adds it to every child while coverage is counted.
    const { NODE_V8_COVERAGE: _counted, ...seen } = JSON.parse(heard.text);
    assert.deepEqual(seen, {
      PATH: "/bin",
      HOME: "/nowhere",
      LANG: "C",
      TZ: "UTC",
      ALLOWED: "yes",
    });
  });

  test("arguments and folder are as configured, and no shell reads them", async () => {
    const config = program("console.log(JSON.stringify([process.argv.slice(2), process.cwd()]));");
    const args = [...(config.args ?? []), "$(touch injected)", "; ls", "--flag", "a b"];

    const heard = await hear({ ...config, args });

    assert.deepEqual(JSON.parse(heard.text), [args.slice(1), folder]);
    assert.equal(existsSync(path.join(folder, "injected")), false);
  });

  test("works where a call says, wherever else it would", async () => {
    const elsewhere = realpathSync(mkdtempSync(path.join(tmpdir(), "throughline-elsewhere-")));
    const provider = createCommandProvider(program("console.log(process.cwd());"), process.env);
    let said = "";

    const request = suiteRequest("program");
    const { signal } = new AbortController();
    for await (const delta of provider.call(request, { signal, folder: elsewhere })) {
      if (delta.type === "text") said += delta.text;
    }

    assert.equal(said.trim(), elsewhere);
    rmSync(elsewhere, { recursive: true });
  });

  test("a NUL is refused, in the prompt, in an argument and in a variable", async () => {
    const config = program("");

    const heard = await hear(config, [{ role: "user", text: "a\0b" }]);

    assert.equal(heard.error?.failure, "invalid_request");
    assert.throws(() => createCommandProvider({ ...config, args: ["a\0b"] }, {}), {
      code: "command_holds_nul",
    });
    assert.throws(() => createCommandProvider(config, { PATH: "a\0b" }), {
      code: "command_holds_nul",
    });
  });

  test("system text stands first; several speakers are named", () => {
    const system: ModelMessage = { role: "system", text: "Be brief." };

    assert.equal(promptText([system, { role: "user", text: "Hi" }]), "Be brief.\n\nHi");
    assert.equal(
      promptText([
        system,
        { role: "user", text: "Hi" },
        { role: "assistant", text: "Yes?" },
        { role: "user", text: "Go on" },
      ]),
      "Be brief.\n\n[user]\nHi\n\n[assistant]\nYes?\n\n[user]\nGo on",
    );
  });
});

describe("how the command may end", () => {
  test("a bad exit code is an error with the end of its standard error, cleaned", async () => {
    const config = program(
      'process.stdout.write("half an answer"); console.error("\\u001b[31mCredit\\u001b[0m too low for key " + process.env.MY_KEY); process.exitCode = 3;',
      { passVariables: ["MY_KEY"] },
    );

    const heard = await hear(config, undefined, { ...process.env, MY_KEY: "very-secret-value" });

    assert.equal(heard.text, "half an answer");
    assert.equal(
      heard.error?.message,
      "program ended with exit code 3 and said: Credit too low for key [secret]",
    );
    assert.deepEqual(heard.error?.details["exitCode"], 3);
  });

  test("success without reading the prompt is success", async () => {
    const config = program('process.stdin.destroy(); console.log("fine");');

    const heard = await hear(config, [{ role: "user", text: "x".repeat(2_000_000) }]);

    assert.deepEqual([heard.text, heard.finish], ["fine\n", "stop"]);
  });

  test("a program that is not there, or a folder that is not, is named and not tried again", async () => {
    const program1 = await hear({ name: "ghost", command: "/no/such/program", cwd: folder });
    const folder1 = await hear({ name: "lost", command: process.execPath, cwd: "/no/such/folder" });

    assert.deepEqual([program1.error?.failure, program1.error?.retryable], ["unavailable", false]);
    assert.match(program1.error?.hint ?? "", /no\/such\/program/);
    assert.match(folder1.error?.hint ?? "", /no\/such\/folder/);
  });

  test("the wall limit ends even a command that keeps talking", async () => {
    const config = program('setInterval(() => process.stdout.write("."), 10);', {
      limits: { totalMs: 400, graceMs: 100 },
    });

    const heard = await hear(config);

    assert.equal(heard.error?.failure, "timeout");
    assert.equal(isAlive(config.pidFile), false);
  });

  test("letters split over writes arrive whole, and bytes that are no letters are marked", async () => {
    const config = program(`
      const bytes = Buffer.from("ü五🧪");
      for (const byte of bytes) { process.stdout.write(Buffer.from([byte])); await new Promise((r) => setTimeout(r, 2)); }
      process.stdout.write(Buffer.from([0xff]));
    `);

    assert.equal((await hear(config)).text, "ü五🧪\ufffd");
  });
});

describe("processes", () => {
  const family = (rest: string) => `
    import { spawn } from "node:child_process";
    const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: ["ignore", "inherit", "inherit"] });
    process.stdout.write(String(child.pid));
    ${rest}
  `;

  test("an abort ends a stubborn command and its children", async () => {
    const config = program(family(`process.on("SIGTERM", () => {}); ${FOR_EVER}`), {
      limits: { graceMs: 200 },
    });
    const controller = new AbortController();
    let grandchild = 0;
    const started = performance.now();
    let abortedAt = started;

    await assert.rejects(
      async () => {
        for await (const delta of createCommandProvider(config, process.env).call(
          suiteRequest("any"),
          controller,
        )) {
          if (delta.type === "text") grandchild = Number(delta.text);
          abortedAt = performance.now();
          controller.abort();
        }
      },
      { failure: "aborted" },
    );

    assert.ok(performance.now() - abortedAt < 2_000);
    assert.equal(isAlive(config.pidFile), false);
    assert.ok(grandchild > 0);
    await gone(grandchild);
  });

  test("a command that is done does not wait for children it left behind, and they are ended", async () => {
    const config = program(family("child.unref(); setTimeout(() => process.exit(0), 50);"));
    const started = performance.now();

    const heard = await hear(config);

    assert.equal(heard.finish, "stop");
    assert.ok(performance.now() - started < 3_000);
    await gone(Number(heard.text));
  });

  test("a slow reader holds the command back instead of filling memory", async () => {
    const config = program(
      'const again = () => process.stdout.write("x".repeat(65536), again); again();',
      {
        limits: { maxOutputChars: 1_000_000_000 },
      },
    );
    const before = process.memoryUsage().rss;
    let chars = 0;

    for await (const delta of createCommandProvider(config, process.env).call(
      suiteRequest("any"),
      new AbortController(),
    )) {
      if (delta.type === "text") chars += delta.text.length;
      await new Promise((resolve) => setTimeout(resolve, 30));
      if (chars > 600_000) break;
    }

    assert.ok(process.memoryUsage().rss - before < 80_000_000);
    assert.equal(isAlive(config.pidFile), false);
  });
});

async function hear(
  config: CommandConfig,
  messages?: readonly ModelMessage[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<{ text: string; finish: string | undefined; error: ModelError | undefined }> {
  const deltas: ModelDelta[] = [];
  let error: ModelError | undefined;
  const request = { ...suiteRequest("any"), ...(messages ? { messages } : {}) };
  try {
    const { signal } = new AbortController();
    for await (const delta of createCommandProvider(config, environment).call(request, { signal }))
      deltas.push(delta);
  } catch (thrown) {
    assert.ok(thrown instanceof ModelError, String(thrown));
    error = thrown;
  }
  return {
    text: deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join(""),
    finish: deltas.find((delta) => delta.type === "finish")?.reason,
    error,
  };
}

function isAlive(pidFile: string): boolean {
  return existsSync(pidFile) && isRunning(Number(readFileSync(pidFile, "utf8")));
}

/** A zombie waits only for a parent that reads its ending; it runs no more. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<void> {
  const deadline = performance.now() + 2_000;
  while (isRunning(pid) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(isRunning(pid), false);
}
