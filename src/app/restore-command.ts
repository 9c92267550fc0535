/** How `restore` is typed, asked about and reported. */

import path from "node:path";
import * as z from "zod";
import type { ProductError } from "../kernel/base/errors.ts";
import { inputFields } from "../kernel/operation/input-fields.ts";
import { count } from "../kernel/operation/terminal-text.ts";
import type { Command } from "../surfaces/cli/command.ts";
import { confirm } from "../surfaces/cli/confirm.ts";
import { SCHEMA_VERSION } from "../surfaces/cli/render-error.ts";
import { safeText } from "../surfaces/cli/safe-text.ts";
import { usageError } from "../surfaces/cli/usage-error.ts";
import { listBackups } from "../methods/workspace/backup-folder.ts";
import { type RestoredWorkspace, restoreBackup } from "./restore-backup.ts";
import { findWorkspace } from "./workspace-folder.ts";

const input = z.strictObject({
  backup: z
    .string()
    .min(1)
    .optional()
    .describe("A name from `backup list`, or the path of a backup; without it, they are listed."),
  replace: z
    .boolean()
    .default(false)
    .describe("On PostgreSQL: set aside the workspace that is there. A file always is."),
  anyway: z
    .boolean()
    .default(false)
    .describe("Restore it even if examining it finds damage; the findings are shown without it."),
});

export const restoreCommand: Command = {
  words: ["restore"],
  summary:
    "Put a backup in the workspace's place, after checking all of it. What is there now is kept aside.",
  fields: inputFields(input),
  hints: {
    positionals: ["backup"],
    examples: ["restore 2026-11-18T10-00-00.db", "restore /mnt/usb/before-upgrade.jsonl --replace"],
  },
  action: {
    kind: "own",
    run: async (world, options, given) => {
      const { backup, ...how } = input.parse(given);
      const directory = options.directory ?? world.directory;
      if (backup === undefined) throw await backupMissing(findWorkspace(directory));
      const request = { ...how, backup };
      const isSure = await confirm(world, options, {
        question: `The workspace goes back to the backup ${safeText(request.backup)}; what is there now is kept aside.`,
        refusal: "`restore` puts the whole workspace back to an earlier state.",
      });
      if (!isSure) return 1;
      const isSilent = options.isQuiet || options.isJson;
      const restored = await restoreBackup(directory, {
        ...request,
        report: (message) => {
          if (!isSilent) world.stderr.write(`${message}\n`);
        },
      });
      world.stdout.write(
        options.isJson
          ? `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, kind: "restore", data: restored })}\n`
          : describe(restored),
      );
      return 0;
    },
  },
};

/** Read from the folder: where the store is damaged, nothing else can tell which there are. */
async function backupMissing(folder: string): Promise<ProductError> {
  const names = (await listBackups({ folder })).map(({ name }) => name);
  const hint =
    names.length === 0
      ? `There is none in ${path.join(folder, "backups")}; the path of another will do, too.`
      : `There are, newest first: ${names.join(", ")}.`;
  return usageError("argument_missing", "Which backup?", hint);
}

function describe({ backup, createdAt, rows, place, keptAside }: RestoredWorkspace): string {
  const lines = [
    `Restored ${backup}, made ${new Date(createdAt).toISOString()}: ${count(rows, "row")} in ${place}.`,
    keptAside === undefined
      ? "There was no workspace before."
      : `What was there before is kept in ${keptAside}. To go back, stop the program and give it its old name; delete it when you are sure.`,
    "People, passwords, tokens and logins are those of the backup: revoke again what was revoked since.",
  ];
  return `${lines.join("\n")}\n`;
}
