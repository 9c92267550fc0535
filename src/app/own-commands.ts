/** Commands that are the program's own: they make, run or reach a workspace, so no operation could be it. */

import * as z from "zod";
import type { CommandGroup } from "../surfaces/cli/command.ts";

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
        input: z.strictObject({
          sample: z.boolean().default(false).describe("Add a small sample project to look at."),
        }),
        hints: { examples: ["init", "init --sample"] },
        action: {
          kind: "own",
          run: async (world, options, input) => {
            const { initWorkspace } = await import("./first-minute.ts");
            const { sample } = input as { sample: boolean };
            const made = await initWorkspace(options.directory ?? world.directory, {
              hasSample: sample,
            });
            world.stdout.write(
              options.isJson
                ? `${JSON.stringify({ schemaVersion: 1, kind: "workspace", data: made })}\n`
                : `${made.isNew ? "Made" : "Found"} the workspace in ${made.folder}.\nAsk something: throughline ask "…"   Look around: throughline serve\n`,
            );
            return 0;
          },
        },
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
    word: "open",
    summary: "Print a fresh address that lets you into the running server.",
    heading: HEADING,
    load: async () => [
      {
        words: ["open"],
        summary:
          "Print a fresh address that lets you into the running server, once, within ten minutes.",
        input: z.strictObject({}),
        hints: {},
        action: {
          kind: "own",
          run: async (world, options) => {
            const { freshAddress } = await import("./fresh-address.ts");
            const url = await freshAddress(options.directory ?? world.directory);
            world.stdout.write(
              options.isJson
                ? `${JSON.stringify({ schemaVersion: 1, kind: "address", data: { url } })}\n`
                : `${url}\n`,
            );
            return 0;
          },
        },
      },
    ],
  },
];

/** Started before the command line is even loaded; here only to be found and described. */
function longCommand(word: string, summary: string) {
  return {
    words: [word],
    summary,
    input: z.strictObject({
      host: z.string().optional().describe("Address to listen on."),
      port: z.int().optional().describe("Port to listen on; the next free one if it is taken."),
    }),
    hints: {},
    action: { kind: "own" as const, run: async () => 2 },
  };
}
