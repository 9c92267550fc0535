/**
 * Files on their way in, written to disk as they come and resumable after any break: what is on disk counts.
 * Operations are given the upload's id and find the file here; only who began it may touch it.
 */

import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { notFound, ProductError } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { Caller } from "./caller.ts";
import type { Kernel } from "./kernel.ts";

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly received: number;
  readonly isComplete: boolean;
  readonly createdAt: number;
}

const MAX_UPLOAD_BYTES = 8 * 1024 ** 3;
const MAX_CHUNK_BYTES = 64 * 1024 ** 2;
const MAX_OPEN_UPLOADS = 20;
/** Unused uploads are removed after this time. */
const UPLOAD_MS = 24 * 60 * 60_000;

export async function beginUpload(
  kernel: Kernel,
  caller: Caller,
  { name, bytes }: { readonly name: string; readonly bytes: number },
): Promise<Upload> {
  if (bytes > MAX_UPLOAD_BYTES) throw tooLarge(bytes);
  await removeStaleUploads(kernel);
  const mine = (await listRecords(kernel)).filter(({ userId }) => userId === caller.userId);
  if (mine.length >= MAX_OPEN_UPLOADS) throw tooManyOpen();
  const id = kernel.ids.next();
  const record = { id, userId: caller.userId, name, bytes, createdAt: kernel.clock.now() };
  await (await open(dataFile(kernel, id), "wx", 0o600)).close();
  // The record comes last and in one step: an upload without one does not exist.
  const temporary = `${recordFile(kernel, id)}.new`;
  await writeFile(temporary, JSON.stringify(record), { mode: 0o600, flag: "wx" });
  await rename(temporary, recordFile(kernel, id));
  return toUpload(record, 0);
}

export async function getUpload(kernel: Kernel, caller: Caller, id: string): Promise<Upload> {
  const record = await readRecord(kernel, id);
  // Somebody else's is as good as none.
  if (record === undefined || record.userId !== caller.userId) throw notFound("upload", id);
  return toUpload(record, (await stat(dataFile(kernel, id))).size);
}

/** A chunk must begin where the file ends. What arrived before a break stays. */
export async function appendUpload(
  kernel: Kernel,
  caller: Caller,
  {
    id,
    offset,
    chunk,
  }: { readonly id: string; readonly offset: number; readonly chunk: AsyncIterable<Uint8Array> },
): Promise<Upload> {
  const upload = await getUpload(kernel, caller, id);
  const isBusy = writing.has(id);
  if (isBusy || offset !== upload.received) throw wrongOffset(upload, offset, isBusy);
  writing.add(id);
  try {
    await writeChunk(dataFile(kernel, id), upload, chunk);
  } finally {
    writing.delete(id);
  }
  return getUpload(kernel, caller, id);
}

/** The whole file for an operation to read; refused while parts are missing. */
export async function openUpload(
  kernel: Kernel,
  caller: Caller,
  id: string,
): Promise<{ readonly upload: Upload; readonly path: string; readonly stream: () => Readable }> {
  const upload = await getUpload(kernel, caller, id);
  if (!upload.isComplete) {
    throw new ProductError(
      "upload_incomplete",
      `Only ${upload.received} of ${upload.bytes} bytes have arrived.`,
      { kind: "conflict", hint: "Send the rest first.", details: { received: upload.received } },
    );
  }
  const file = dataFile(kernel, id);
  return { upload, path: file, stream: () => createReadStream(file) };
}

export async function removeUpload(kernel: Kernel, caller: Caller, id: string): Promise<void> {
  await getUpload(kernel, caller, id);
  if (writing.has(id))
    throw new ProductError("upload_busy", "It is being written right now.", { kind: "conflict" });
  await removeFiles(kernel, id);
}

export async function removeStaleUploads(kernel: Kernel): Promise<void> {
  const before = kernel.clock.now() - UPLOAD_MS;
  for (const { id, createdAt } of await listRecords(kernel)) {
    if (createdAt < before && !writing.has(id)) await removeFiles(kernel, id);
  }
}

interface UploadRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly bytes: number;
  readonly createdAt: number;
}

/** One writer per file; a workspace folder belongs to one process. */
const writing = new Set<string>();

async function writeChunk(
  file: string,
  upload: Upload,
  chunk: AsyncIterable<Uint8Array>,
): Promise<void> {
  const handle = await open(file, "r+");
  let position = upload.received;
  try {
    const end = Math.min(upload.bytes, upload.received + MAX_CHUNK_BYTES);
    for await (const piece of chunk) {
      if (position + piece.length > end) throw tooLarge(position + piece.length);
      await handle.write(piece, 0, piece.length, position);
      position += piece.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function listRecords(kernel: Kernel): Promise<readonly UploadRecord[]> {
  await mkdir(folderOf(kernel), { recursive: true, mode: 0o700 });
  const names = await readdir(folderOf(kernel));
  const records = await Promise.all(
    names
      .filter((name) => name.endsWith(".json"))
      .map((name) => readRecord(kernel, name.slice(0, -".json".length))),
  );
  return records.filter((record) => record !== undefined);
}

async function readRecord(kernel: Kernel, id: string): Promise<UploadRecord | undefined> {
  if (!isId(id)) return undefined;
  try {
    return JSON.parse(await readFile(recordFile(kernel, id), "utf8")) as UploadRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function removeFiles(kernel: Kernel, id: string): Promise<void> {
  await rm(recordFile(kernel, id), { force: true });
  await rm(dataFile(kernel, id), { force: true });
}

function folderOf({ folder }: Kernel): string {
  return path.join(folder, "uploads");
}

function dataFile(kernel: Kernel, id: string): string {
  return path.join(folderOf(kernel), `${id}.data`);
}

function recordFile(kernel: Kernel, id: string): string {
  return path.join(folderOf(kernel), `${id}.json`);
}

function toUpload({ id, name, bytes, createdAt }: UploadRecord, received: number): Upload {
  return { id, name, bytes, received, isComplete: received === bytes, createdAt };
}

function wrongOffset(upload: Upload, offset: number, isBusy: boolean): ProductError {
  return new ProductError(
    isBusy ? "upload_busy" : "upload_offset_wrong",
    isBusy
      ? "Another part of this file is being written right now."
      : `The next byte is number ${upload.received}, not ${offset}.`,
    {
      kind: "conflict",
      hint: "Ask for the upload's state and go on where it ends.",
      details: { received: upload.received },
    },
  );
}

function tooLarge(bytes: number): ProductError {
  return new ProductError(
    "upload_too_large",
    `${bytes} bytes are more than was announced or allowed.`,
    {
      kind: "limit",
      hint: `A file has at most ${MAX_UPLOAD_BYTES} bytes, one part at most ${MAX_CHUNK_BYTES}.`,
    },
  );
}

function tooManyOpen(): ProductError {
  return new ProductError("uploads_too_many", `You have ${MAX_OPEN_UPLOADS} uploads open.`, {
    kind: "limit",
    hint: "Use or remove some; they also go by themselves after a day.",
  });
}
