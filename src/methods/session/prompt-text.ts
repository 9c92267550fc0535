/** The prompt as text, byte for byte or not at all. */

import { ProductError } from "../../kernel/base/errors.ts";

/** Throws `prompt_not_text` with the place of the first byte that no text has. */
export function promptText(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const again = Buffer.from(text);
  const length = Math.max(bytes.length, again.length);
  const wrong = Buffer.compare(again, bytes) === 0 ? -1 : firstDifference(again, bytes, length);
  const nul = bytes.indexOf(0);
  if (wrong === -1 && nul === -1) return text;
  const place = nul !== -1 && (wrong === -1 || nul < wrong) ? nul : wrong;
  throw new ProductError(
    "prompt_not_text",
    `The prompt is not text: byte ${place + 1} is ${place === nul ? "NUL" : "no UTF-8"}.`,
    {
      hint: "Give it as UTF-8; a commit can hold nothing else, and it is kept as it is or not at all.",
    },
  );
}

function firstDifference(one: Uint8Array, other: Uint8Array, length: number): number {
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return i;
  return -1;
}
