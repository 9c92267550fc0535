/** A JSON body, bounded while it comes in: nobody fills the memory by announcing little and sending much. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import { parseJson } from "../../kernel/base/safe-json.ts";
import { MAX_JSON_BYTES } from "./request-guard.ts";

export async function readJsonBody(request: Request): Promise<Json> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_JSON_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return parseJson(decode(Buffer.concat(chunks)), { maxBytes: MAX_JSON_BYTES });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ProductError("json_invalid", "The body is not UTF-8.", { cause });
  }
}

function tooLarge(): ProductError {
  return new ProductError("body_too_large", `A JSON body has at most ${MAX_JSON_BYTES} bytes.`, {
    kind: "limit",
    hint: "Send large content as an upload.",
  });
}
