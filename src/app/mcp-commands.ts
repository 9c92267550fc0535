/** How agents' ways in are typed: `mcp` serves one over standard input and output, `mcp install` tells a client of it. */

import * as z from "zod";
import { inputFields } from "../kernel/operation/input-fields.ts";
import type { CliWorld } from "../surfaces/cli/cli-world.ts";
import type { Command } from "../surfaces/cli/command.ts";
import { confirm } from "../surfaces/cli/confirm.ts";
import type { GlobalOptions } from "../surfaces/cli/global-options.ts";
import { SCHEMA_VERSION } from "../surfaces/cli/render-error.ts";
import { CLIENT_NAMES, type ClientName } from "./mcp-clients.ts";
import { type ClientChange, planInstall, planUninstall } from "./mcp-install.ts";
import { findWorkspace } from "./workspace-folder.ts";

const serving = z.strictObject({
  profile: z
    .enum(["core", "full"])
    .default("core")
    .describe("Which tools: the few of a day's work, or all."),
  readOnly: z.boolean().default(false).describe("Only tools that change nothing."),
});

const serveAgent: Command = {
  words: ["mcp"],
  summary:
    "Speak MCP over standard input and output; clients start this themselves. The running server speaks it at /mcp.",
  fields: inputFields(serving),
  hints: { examples: ["mcp", "mcp --profile full", "mcp --read-only"] },
  action: {
    kind: "own",
    run: async (world, options, given) => {
      const { isHardened, startAgain } = await import("./hardened.ts");
      if (!isHardened()) return startAgain(process.argv.slice(2));
      const { hostMcp } = await import("./mcp-host.ts");
      const folder = findWorkspace(options.directory ?? world.directory);
      await hostMcp(folder, serving.parse(given), world.signal);
      return 0;
    },
  },
};

const which = {
  client: z
    .enum(CLIENT_NAMES as [ClientName, ...ClientName[]])
    .describe("The client whose settings are changed."),
  dryRun: z.boolean().default(false).describe("Only show the change."),
};

const installing = z.strictObject({ ...which, ...serving.shape });

const install: Command = {
  words: ["mcp", "install"],
  summary:
    "Tell a client of this workspace: shows the change, keeps the file as it was, then writes.",
  fields: inputFields(installing),
  hints: {
    positionals: ["client"],
    examples: ["mcp install claude-code", "mcp install cursor --profile full --dry-run"],
  },
  action: {
    kind: "own",
    run: async (world, options, given) => {
      const { client, dryRun, ...choice } = installing.parse(given);
      const folder = findWorkspace(options.directory ?? world.directory);
      const change = planInstall(client, { folder, ...choice });
      return carryOut(world, options, change, dryRun);
    },
  },
};

const uninstalling = z.strictObject(which);

const uninstall: Command = {
  words: ["mcp", "uninstall"],
  summary: "Take the workspace out of a client's settings again; the file is as it was before.",
  fields: inputFields(uninstalling),
  hints: { positionals: ["client"], examples: ["mcp uninstall claude-code"] },
  action: {
    kind: "own",
    run: async (world, options, given) => {
      const { client, dryRun } = uninstalling.parse(given);
      const folder = findWorkspace(options.directory ?? world.directory);
      return carryOut(world, options, planUninstall(client, { folder }), dryRun);
    },
  },
};

export const mcpCommands: readonly Command[] = [serveAgent, install, uninstall];

async function carryOut(
  world: CliWorld,
  options: GlobalOptions,
  change: ClientChange,
  isDry: boolean,
): Promise<number> {
  const { stdout, stderr } = world;
  const { file, diff, isNeeded } = change;
  const say = (state: string, text: string) =>
    stdout.write(
      options.isJson
        ? `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, kind: "mcp", data: { state, file, diff } })}\n`
        : `${text}\n`,
    );
  if (!isNeeded) {
    say("unchanged", `Nothing to do: ${file} says so already.`);
    return 0;
  }
  if (!options.isJson) stderr.write(`${file}\n${diff}\n`);
  if (isDry) {
    say("planned", "Nothing was written.");
    return 0;
  }
  const isSure = await confirm(world, options, {
    question: `${file} is changed as shown.`,
    refusal: `This changes ${file}.`,
  });
  if (!isSure) return 1;
  say("written", change.carryOut());
  return 0;
}
