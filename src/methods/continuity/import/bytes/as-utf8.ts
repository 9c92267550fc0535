/** Files from Windows tools come as UTF-16, told by their first two bytes; everything after this reads UTF-8. */

import { TextDecoder } from "node:util";

export async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let head: Uint8Array = new Uint8Array();
  let decoder: TextDecoder | undefined;
  let isDecided = false;
  for await (const chunk of chunks) {
    if (isDecided) {
      yield decoder === undefined ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }));
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < 2) continue;
    isDecided = true;
    const encoding = encodingOf(head);
    decoder = encoding === undefined ? undefined : new TextDecoder(encoding);
    yield decoder === undefined ? head : Buffer.from(decoder.decode(head, { stream: true }));
  }
  if (!isDecided && head.length > 0) yield head;
  if (decoder !== undefined) yield Buffer.from(decoder.decode());
}

function encodingOf([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
