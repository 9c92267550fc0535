/**
 * A way in for programs that hold neither a token nor a login: what they send is signed, and the door alone decides
 * whether to believe it. A surface carries, bounds and counts; it knows neither what is signed nor what that starts.
 */

import { ProductError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";

export interface SignedDoor {
  /** What stands in the address before the part that is the sender's: `/hooks/`. */
  readonly prefix: string;
  readonly maxBytes: number;
  /** Gives what is done for whoever is believed; everybody else gets `notBelieved`, whatever the reason. */
  believe(knock: Knock): Promise<() => Promise<Json>>;
}

export interface Knock {
  /** What stands in the address after the prefix. */
  readonly id: string;
  /** By its name in small letters. */
  readonly header: (name: string) => string | undefined;
  /** As it was sent, byte for byte. */
  readonly body: Uint8Array;
}

export function notBelieved(): ProductError {
  return new ProductError("signature_refused", "Nothing here takes what was sent.", {
    kind: "unauthenticated",
    hint: "Check the address, the secret, the signature and the clock.",
  });
}
