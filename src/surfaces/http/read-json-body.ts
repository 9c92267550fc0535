/** Bodies, bounded while they come in: nobody fills the memory by announcing little and sending much. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import { parseJson } from "../../kernel/base/safe-json.ts";
import { MAX_JSON_BYTES } from "./request-guard.ts";

export async function readJsonBody(request: Request): Promise<Json> {
  const bytes = await readBytes(request, MAX_JSON_BYTES);
  return parseJson(decode(bytes), { maxBytes: MAX_JSON_BYTES });
}

export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ProductError("json_invalid", "The body is not UTF-8.", { cause });
  }
}

function tooLarge(maxBytes: number): ProductError {
  const isApi = maxBytes === MAX_JSON_BYTES;
  return new ProductError("body_too_large", `A JSON body has at most ${maxBytes} bytes.`, {
    kind: "limit",
    ...(isApi ? { hint: "Send large content as an upload." } : {}),
  });
}
