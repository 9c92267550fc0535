/**
 * Sends a file in parts. What has arrived stays: after a break, also of the page, it goes on where the server says
 * that the file ends. Which upload a file belongs to is remembered in the browser until it is used.
 */

import { request, requestJson } from "./call.ts";
import { CallProblem, toProblem } from "./call-problem.ts";

interface Upload {
  readonly id: string;
  readonly name: string;
  readonly received: number;
}

export interface Sending {
  readonly signal: AbortSignal;
  readonly onProgress: (received: number) => void;
}

const PART_BYTES = 4 * 1024 ** 2;
const TRIES = 6;
const PAUSE_MS = 500;

export async function sendFile(file: File, { signal, onProgress }: Sending): Promise<string> {
  const begun = await findOrBegin(file, signal);
  let { received } = begun;
  const address = `/api/v1/uploads/${begun.id}`;
  onProgress(received);
  for (let tried = 1; received < file.size; ) {
    try {
      received = await sendPart(address, file, received, signal);
      tried = 1;
      onProgress(received);
    } catch (error) {
      if (signal.aborted || tried >= TRIES || !mayTryAgain(error)) throw error;
      await pause(PAUSE_MS * tried, signal);
      tried += 1;
      received = await askReceived(address, signal).catch(() => received);
    }
  }
  return begun.id;
}

/** It was used, or is not wanted any more. */
export function forgetUpload(file: File): void {
  localStorage.removeItem(placeOf(file));
}

async function findOrBegin(file: File, signal: AbortSignal): Promise<Upload> {
  const known = localStorage.getItem(placeOf(file));
  if (known !== null) {
    try {
      const upload = (await requestJson(`/api/v1/uploads/${known}`, undefined, {
        signal,
      })) as Upload;
      if (upload.name === file.name) return upload;
    } catch (error) {
      // Uploads that nobody used are removed after a day.
      if (toProblem(error).status !== 404) throw error;
    }
  }
  const body = { name: file.name, bytes: file.size };
  const begun = (await requestJson("/api/v1/uploads", body, { signal })) as Upload;
  localStorage.setItem(placeOf(file), begun.id);
  return begun;
}

async function sendPart(
  address: string,
  file: File,
  offset: number,
  signal: AbortSignal,
): Promise<number> {
  const part = file.slice(offset, offset + PART_BYTES);
  const response = await request(address, {
    method: "PUT",
    headers: {
      "content-type": "application/octet-stream",
      "content-range": `bytes ${offset}-${offset + part.size - 1}/${file.size}`,
    },
    body: part,
    signal,
  });
  return ((await response.json()) as Upload).received;
}

async function askReceived(address: string, signal: AbortSignal): Promise<number> {
  return ((await requestJson(address, undefined, { signal })) as Upload).received;
}

/** The line broke, or the server is at another place of the file than we thought. */
function mayTryAgain(error: unknown): boolean {
  return error instanceof CallProblem && (error.isUnreachable || error.status === 409);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The same file again is known by its size and when it was last changed; its name, which may tell something, by the server. */
function placeOf({ size, lastModified }: File): string {
  return `upload ${size} ${lastModified}`;
}
