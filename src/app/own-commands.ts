/** Commands that are the program's own: they make, run or reach a workspace, so no operation could be it. */

import type { InputField } from "../kernel/operation/input-field.ts";
import type { CliWorld } from "../surfaces/cli/cli-world.ts";
import type { Command, CommandGroup } from "../surfaces/cli/command.ts";
import type { GlobalOptions } from "../surfaces/cli/global-options.ts";
import type { LongCommand } from "./long-commands.ts";

const HEADING = "Workspace";

export const ownGroups: readonly CommandGroup[] = [
  {
    word: "start",
    summary: "Make a workspace here if there is none, and run it.",
    heading: HEADING,
    load: async () => [longCommand("start", "Make a workspace here if there is none, and run it.")],
  },
  {
    word: "init",
    summary: "Make a workspace in this folder.",
    heading: HEADING,
    load: async () => [
      {
        words: ["init"],
        summary: "Make a workspace in this folder. Does no harm where there is one.",
        fields: [
          field("sample", "boolean", "Add a small sample project to look at."),
          field("from", "string", "Make it of an export: a folder that `export` wrote."),
        ],
        hints: { examples: ["init", "init --sample", "init --from /mnt/usb/moving-house"] },
        action: { kind: "own", run: init },
      },
    ],
  },
  {
    word: "serve",
    summary: "Run the workspace of this folder.",
    heading: HEADING,
    load: async () => [
      longCommand("serve", "Run the workspace of this folder: server, engine, pages."),
    ],
  },
  {
    word: "work",
    summary: "Run one more worker on a PostgreSQL workspace.",
    heading: HEADING,
    load: async () => [longCommand("work", "Run one more worker on a PostgreSQL workspace.")],
  },
  {
    word: "mcp",
    summary: "Let agents in: Claude Code, Cursor, VS Code, Codex and others.",
    heading: HEADING,
    load: async () => (await import("./mcp-commands.ts")).mcpCommands,
  },
  {
    word: "open",
    summary: "Print a fresh address that lets you into the running server.",
    heading: HEADING,
    load: async () => [
      {
        words: ["open"],
        summary:
          "Print a fresh address that lets you into the running server, once, within ten minutes.",
        fields: [],
        hints: {},
        action: { kind: "own", run: open },
      },
    ],
  },
  {
    word: "restore",
    summary: "Put a backup in the workspace's place.",
    heading: HEADING,
    load: async () => [(await import("./restore-command.ts")).restoreCommand],
  },
];

async function init(world: CliWorld, options: GlobalOptions, input: unknown): Promise<number> {
  const { sample = false, from } = input as { sample?: boolean; from?: string };
  if (from !== undefined) return initFrom(world, options, from);
  const { initWorkspace } = await import("./first-minute.ts");
  const made = await initWorkspace(options.directory ?? world.directory, { hasSample: sample });
  world.stdout.write(
    options.isJson
      ? `${JSON.stringify({ schemaVersion: 1, kind: "workspace", data: made })}\n`
      : `${made.isNew ? "Made" : "Found"} the workspace in ${made.folder}.\nAsk something: throughline ask "…"   Look around: throughline serve\n`,
  );
  return 0;
}

async function initFrom(world: CliWorld, options: GlobalOptions, from: string): Promise<number> {
  const { initFromExport } = await import("./init-from-export.ts");
  const made = await initFromExport(options.directory ?? world.directory, from);
  world.stdout.write(
    options.isJson
      ? `${JSON.stringify({ schemaVersion: 1, kind: "workspace", data: made })}\n`
      : `Made the workspace in ${made.folder} with ${made.rows} rows.\nDigest ${made.digest}\nPeople, passwords and tokens are those of the export.\n`,
  );
  return 0;
}

async function open(world: CliWorld, options: GlobalOptions): Promise<number> {
  const { freshAddress } = await import("./fresh-address.ts");
  const url = await freshAddress(options.directory ?? world.directory);
  world.stdout.write(
    options.isJson
      ? `${JSON.stringify({ schemaVersion: 1, kind: "address", data: { url } })}\n`
      : `${url}\n`,
  );
  return 0;
}

/** Started before the command line is even loaded; here only to be found and described. */
function longCommand(word: LongCommand, summary: string): Command {
  return {
    words: [word],
    summary,
    fields:
      word === "work"
        ? [
            field("concurrency", "number", "Turns under way at once."),
            field("view", "string", "Take up only tasks of this saved view, in its order."),
          ]
        : [
            field("host", "string", "Address to listen on."),
            field("port", "number", "Port to listen on; the next free one if it is taken."),
            field("allowRemote", "boolean", "Let other machines in; needs users with passwords."),
            field("noAgents", "boolean", "Leave tasks that agents have to workers."),
          ],
    hints: {},
    action: { kind: "own", run: async () => 2 },
  };
}

/** An option that may be left out. */
function field(name: string, kind: InputField["kind"], description: string): InputField {
  return {
    name,
    kind,
    isList: false,
    isRecord: false,
    isNullable: false,
    isRequired: false,
    choices: undefined,
    description,
    default: undefined,
  };
}
