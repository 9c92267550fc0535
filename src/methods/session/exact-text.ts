/** Long texts as they are given, byte for byte or not at all: inline, or as a file that was sent before. */

import { readFile } from "node:fs/promises";
import { ProductError } from "../../kernel/base/errors.ts";
import type { OperationContext } from "../../kernel/operation/operation.ts";
import { openUpload } from "../../kernel/operation/uploads.ts";

const MOST_BYTES = 16 * 1024 * 1024;

/** Undefined where neither was given. */
export async function givenText(
  { kernel, caller }: Pick<OperationContext, "kernel" | "caller">,
  what: string,
  { text, file }: { readonly text: string | undefined; readonly file: string | undefined },
): Promise<string | undefined> {
  if (text !== undefined && file !== undefined) {
    throw new ProductError("text_twice", `The ${what} is given twice, as text and as a file.`, {
      hint: "Give one of them.",
    });
  }
  if (text !== undefined) return exactText(Buffer.from(refuseHalves(text, what)), what);
  if (file === undefined) return undefined;
  const { upload, path } = await openUpload(kernel, caller, file);
  if (upload.bytes > MOST_BYTES) throw tooLong(what, upload.bytes);
  return exactText(await readFile(path), what);
}

function tooLong(what: string, bytes: number): ProductError {
  return new ProductError("text_too_long", `The ${what} has ${bytes} bytes.`, {
    kind: "limit",
    hint: `At most ${MOST_BYTES} fit into a commit's message and a report.`,
  });
}

/** Half a character would silently become another one. */
function refuseHalves(text: string, what: string): string {
  if (text.isWellFormed()) return text;
  throw new ProductError("text_not_exact", `The ${what} holds half a character.`, {
    hint: "Give it as UTF-8.",
  });
}

/** Throws `text_not_exact` with the place of the first byte that no text has. */
export function exactText(bytes: Uint8Array, what: string): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const again = Buffer.from(text);
  const length = Math.max(bytes.length, again.length);
  const wrong = Buffer.compare(again, bytes) === 0 ? -1 : firstDifference(again, bytes, length);
  const nul = bytes.indexOf(0);
  if (wrong === -1 && nul === -1) return text;
  const place = nul !== -1 && (wrong === -1 || nul < wrong) ? nul : wrong;
  throw new ProductError(
    "text_not_exact",
    `The ${what} is not text: byte ${place + 1} is ${place === nul ? "NUL" : "no UTF-8"}.`,
    {
      hint: "Give it as UTF-8; a commit can hold nothing else, and it is kept as it is or not at all.",
    },
  );
}

function firstDifference(one: Uint8Array, other: Uint8Array, length: number): number {
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return i;
  return -1;
}
