/**
 * Backups: making, listing and trying them out. Putting one in the workspace's place needs the workspace closed,
 * which is the program's own business; here a drill proves that it would work.
 */

import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { asOfField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { bytesText, count, table } from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import { backupStore, verifyBackup } from "../../kernel/store/backup.ts";
import { examineSqliteFile } from "../../kernel/store/doctor-store.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../kernel/store/events.ts";
import type { Finding } from "../../kernel/store/finding.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import { restoreSqlite } from "../../kernel/store/restore.ts";
import { backupFolder, findBackup, listBackups } from "./backup-folder.ts";

const backupShape = z.object({
  name: z.string(),
  form: z.enum(["sqlite", "dump"]),
  createdAt: z.number(),
  bytes: z.number(),
  sha256: z.string(),
});

const backupList = z.object({ items: z.array(backupShape), folder: z.string(), asOf: asOfField });

const nameField = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,120}$/, "must be letters, digits, dots and dashes");

const list = defineOperation({
  name: "backup.list",
  summary: "Lists the backups in the workspace's folder, newest first.",
  effect: "reads",
  permission: "administer",
  input: z.object({}),
  output: backupList,
  surfaces: { cli: { render: rendering(backupList, renderBackups) }, mcp: "none" },
  run: async ({ kernel }) => ({
    items: [...(await listBackups(kernel))],
    folder: await backupFolder(kernel),
    asOf: kernel.clock.now(),
  }),
});

const made = backupShape.extend({ path: z.string() });

const make = defineOperation({
  name: "backup.make",
  summary: "Makes a backup of the whole store while work goes on, with a manifest that proves it.",
  effect: "writes",
  permission: "administer",
  input: z.object({
    name: nameField.optional().describe("What to call the file; the moment if left out."),
    form: z
      .enum(["sqlite", "dump"])
      .optional()
      .describe("sqlite: a copy of the file; dump: a text that either database restores."),
  }),
  output: made,
  surfaces: {
    cli: {
      words: ["backup"],
      examples: ["backup", "backup --form dump --name before-upgrade.jsonl"],
      render: rendering(made, ({ name, bytes, path: file }) =>
        doneLine(`Made backup ${name} (${bytesText(bytes)}): ${file}`),
      ),
    },
    mcp: "none",
  },
  run: async (context, { name, form }) => {
    const { kernel, report } = context;
    const now = kernel.clock.now();
    const chosen = form ?? (kernel.store.dialect === "sqlite" ? "sqlite" : "dump");
    const file = name ?? `${stamp(now)}.${chosen === "sqlite" ? "db" : "jsonl"}`;
    const target = path.join(await backupFolder(kernel), file);
    const manifest = await backupStore(kernel.store, {
      path: target,
      now,
      form: chosen,
      onProgress: ({ done, total }) => report({ message: "Copying", done, total }),
    });
    const { bytes, sha256 } = manifest;
    await change(context, ({ actor }) =>
      appendEvents(
        [
          {
            stream: WORKSPACE_STREAM,
            type: "backup.made",
            projectId: null,
            actor,
            data: { name: file, form: chosen, bytes, sha256 },
          },
        ],
        now,
      ),
    );
    return { name: file, form: chosen, createdAt: now, bytes, sha256, path: target };
  },
});

const verified = z.object({
  name: z.string(),
  isDrilled: z.boolean(),
  rows: z.number(),
  tables: z.number(),
  createdAt: z.number(),
});

export function backupOperations(migrations: readonly Migration[]): readonly Operation[] {
  const verify = defineOperation({
    name: "backup.verify",
    summary:
      "Reads a whole backup and compares it with its manifest; with a drill it is restored beside and examined.",
    effect: "reads",
    permission: "administer",
    input: z.object({
      name: nameField.describe("The backup; `backup list` shows them."),
      drill: z
        .boolean()
        .default(false)
        .describe("Restore it into a temporary place and examine every row."),
    }),
    output: verified,
    surfaces: {
      cli: {
        positionals: ["name"],
        examples: ["backup verify 2026-11-18T10-00-00.db --drill"],
        render: rendering(verified, ({ name, isDrilled, rows, tables }) =>
          doneLine(
            `Backup ${name} is whole: ${count(rows, "row")} in ${count(tables, "table")}.${isDrilled ? " It was restored and examined without a finding." : ""}`,
          ),
        ),
      },
      mcp: "none",
    },
    run: async ({ kernel, report }, { name, drill }) => {
      const file = await findBackup(kernel, name);
      report({ message: "Reading the backup" });
      const { content, createdAt } = await verifyBackup(file);
      if (drill) {
        report({ message: "Restoring it beside" });
        await restoreBeside(file, migrations, kernel.clock.now());
      }
      const tables = Object.values(content.tables);
      const rows = tables.reduce((sum, each) => sum + each.rows, 0);
      return { name, isDrilled: drill, rows, tables: tables.length, createdAt };
    },
  });
  return [list, make, verify];
}

/** Leaves nothing behind, whatever comes of it. */
async function restoreBeside(
  backup: string,
  migrations: readonly Migration[],
  now: number,
): Promise<void> {
  const folder = await mkdtemp(path.join(path.dirname(backup), "drill-"));
  try {
    const target = path.join(folder, "workspace.db");
    await restoreSqlite(target, { backup, migrations, now });
    const findings: Finding[] = [];
    await examineSqliteFile(target, {
      migrations,
      report: (finding) => findings.push(finding),
    });
    const [first] = findings;
    if (first === undefined) return;
    throw new ProductError(
      "backup_drill_failed",
      `The restored backup is not in order: ${first.place}: ${first.message}`,
      {
        kind: "check_failed",
        hint: "Use another backup; `doctor` tells whether the workspace itself has the same trouble.",
        details: { findings: findings.slice(0, 20) },
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A moment as a file's name, on every file system. */
function stamp(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(":", "-");
}

function renderBackups({ items, folder, asOf }: z.output<typeof backupList>): string {
  if (items.length === 0) return `No backups in ${folder}. Make one with \`backup\`.`;
  const columns = [
    { title: "NAME", width: 60 },
    { title: "FORM" },
    { title: "SIZE", align: "right" as const },
    { title: "MADE" },
  ];
  const rows = items.map(({ name, form, bytes, createdAt }) => [
    name,
    form,
    bytesText(bytes),
    timeAgo(createdAt, asOf),
  ]);
  return `${table(columns, rows)}\n\nIn ${folder}`;
}
