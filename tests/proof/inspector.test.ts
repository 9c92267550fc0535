/**
 * The MCP Inspector goes through the whole loop: a client that is not ours and not the one we develop with. It is
 * fetched from the registry, so it runs in `npm run prove` only.
 */

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { type Agent, goThroughTheLoop, leaveTrail, makeRepository } from "../scratch/mcp-loop.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");
const VERSION = process.env["INSPECTOR"];

describe("the MCP Inspector", { skip: VERSION === undefined && "set INSPECTOR=2.12.0" }, () => {
  let inspector: string;
  let home: ScratchFolder;
  let server: Server;
  before(async () => {
    inspector = mkdtempSync(path.join(tmpdir(), "throughline-inspector-"));
    writeFileSync(path.join(inspector, "package.json"), '{ "private": true }\n');
    const wanted = `@modelcontextprotocol/inspector@${VERSION}`;
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--silent", wanted], {
      cwd: inspector,
    });
    home = scratchFolder();
    await home.run(["init", "--sample"]);
    makeRepository(home.folder);
    server = await home.serve(["serve"]);
  });
  after(async () => {
    await home.remove();
    rmSync(inspector, { recursive: true, force: true });
  });

  for (const era of ["legacy", "modern"])
    for (const way of ["stdio", "http"])
      test(`goes through the loop over ${way} in the ${era} era`, async (t) => {
        const began = performance.now();
        const target =
          way === "stdio"
            ? [process.execPath, MAIN, "-C", home.folder, "mcp"]
            : [`${server.url}/mcp`, "--header", `Authorization: Bearer ${server.token}`];
        const { agent, calls } = inspectorOn([...target, "--protocol-era", era]);
        await goThroughTheLoop(agent);
        await leaveTrail(agent, home.folder, `${way}-${era}.md`);
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        t.diagnostic(`Inspector ${VERSION}, ${way}, ${era}: ${calls()} calls in ${seconds} s`);
      });

  test("finds no fault in the tools' schemas", async () => {
    for (const profile of ["core", "full"]) {
      const { inspect } = inspectorOn([`${server.url}/mcp?profile=${profile}`, ...bearer()]);
      // Ends with 6 where a schema would not be understood by some client.
      const { tools } = (await inspect("tools/list", "--strict")) as { tools: unknown[] };
      assert.ok(tools.length > 8);
    }
  });

  const bearer = () => ["--header", `Authorization: Bearer ${server.token}`];

  function inspectorOn(target: readonly string[]) {
    let calls = 0;
    const inspect = (method: string, ...rest: readonly string[]): Promise<unknown> => {
      calls += 1;
      const bin = path.join(inspector, "node_modules", ".bin", "mcp-inspector");
      const args = ["--cli", ...target, "--method", method, ...rest, "--format", "json", "--quiet"];
      return new Promise((resolve, reject) => {
        execFile(
          process.execPath,
          [bin, ...args],
          { env: environment() },
          (error, stdout, stderr) => {
            // It ends with 5 where the tool calls its own answer an error, which the answer says, too.
            const isTrouble = error !== null && error.code !== 5;
            if (stdout === "" || isTrouble) return reject(new Error(`${method}: ${stderr}`));
            resolve((JSON.parse(stdout) as { readonly result: unknown }).result);
          },
        ).stdin?.end();
      });
    };
    return { agent: agentOf(inspect), inspect, calls: () => calls };
  }

  function environment(): NodeJS.ProcessEnv {
    return { ...process.env, HOME: inspector, THROUGHLINE_PORT: "0" };
  }
});

interface Answer {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
}

function agentOf(inspect: (method: string, ...rest: readonly string[]) => Promise<unknown>): Agent {
  const call: Agent["call"] = async (name, input = {}) => {
    const given = ["--tool-name", name, "--tool-args-json", JSON.stringify(input)];
    const { content, isError } = (await inspect("tools/call", ...given)) as Answer;
    const text = content.map((part) => part.text ?? "").join("");
    if (isError === true) throw new Error(text);
    return text;
  };
  return {
    call,
    ask: async <Output>(name: string, input?: Readonly<Record<string, unknown>>) =>
      JSON.parse(await call(name, input)) as Output,
    resources: async () => {
      const { resources } = (await inspect("resources/list")) as { resources: { uri: string }[] };
      return resources.map(({ uri }) => uri);
    },
    read: async (uri) => {
      const { contents } = (await inspect("resources/read", "--uri", uri)) as {
        contents: { text?: string }[];
      };
      return contents[0]?.text ?? "";
    },
    prompt: async (name, input) => {
      const pairs = Object.entries(input).map(([key, value]) => `${key}=${value}`);
      const { messages } = (await inspect(
        "prompts/get",
        "--prompt-name",
        name,
        "--prompt-args",
        ...pairs,
      )) as { messages: { content: { text?: string } }[] };
      return messages[0]?.content.text ?? "";
    },
  };
}
