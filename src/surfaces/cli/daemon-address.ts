/** The file by which a command line finds the running server: address and token, readable by its owner only. */

import { chmod, open, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../kernel/base/errors.ts";

export interface DaemonAddress {
  readonly url: string;
  readonly token: string;
  readonly processId: number;
}

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
  const address = readAddress(text);
  return address !== undefined && isAlive(address.processId) ? address : undefined;
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

/** By hand: this stands in the way of every command, and loading a schema takes longer than the command. */
function readAddress(text: string): DaemonAddress | undefined {
  let written: Partial<Record<keyof DaemonAddress, unknown>> | null;
  try {
    written = JSON.parse(text) as typeof written;
  } catch {
    return undefined;
  }
  const { url, token, processId } = written ?? {};
  if (typeof url !== "string" || !/^https?:\/\/[^\s/]+$/.test(url)) return undefined;
  if (typeof token !== "string" || token === "") return undefined;
  if (typeof processId !== "number" || !Number.isInteger(processId) || processId <= 0)
    return undefined;
  return { url, token, processId };
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
