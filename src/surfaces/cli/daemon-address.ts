/** The file by which a command line finds the running server: address and token, readable by its owner only. */

import { chmod, open, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { parseJson } from "../../kernel/base/safe-json.ts";

const addressSchema = z.object({
  url: z.string().regex(/^https?:\/\/[^\s/]+$/),
  token: z.string().min(1),
  processId: z.int().positive(),
});
export type DaemonAddress = z.output<typeof addressSchema>;

export async function writeDaemonAddress(folder: string, address: DaemonAddress): Promise<void> {
  const file = fileIn(folder);
  const temporary = `${file}.${address.processId}`;
  const handle = await open(temporary, "w", 0o600);
  try {
    // An existing file keeps its mode when opened, so say it again.
    await chmod(temporary, 0o600);
    await handle.writeFile(JSON.stringify(address));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}

/** Undefined when no server runs that we know of. */
export async function findDaemonAddress(folder: string): Promise<DaemonAddress | undefined> {
  const file = fileIn(folder);
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  const { mode } = await stat(file);
  if ((mode & 0o077) !== 0 && process.platform !== "win32") throw tooOpen(file);
  const parsed = addressSchema.safeParse(parseJson(text));
  if (!parsed.success || !isAlive(parsed.data.processId)) return undefined;
  return parsed.data;
}

export async function removeDaemonAddress(folder: string): Promise<void> {
  await rm(fileIn(folder), { force: true });
}

function fileIn(folder: string): string {
  return path.join(folder, "server.json");
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Another user's process is alive, too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function tooOpen(file: string): ProductError {
  return new ProductError(
    "address_file_open",
    `Others on this machine can read ${file}, and so its token.`,
    {
      kind: "not_allowed",
      hint: `Run \`chmod 600 ${file}\`, and restart the server to get a fresh token.`,
    },
  );
}
