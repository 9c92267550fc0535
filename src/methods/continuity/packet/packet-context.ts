/** Under what circumstances a packet is gathered. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { RedactionScope } from "../../../kernel/store/redaction-scope.ts";
import type { Viewer } from "../../../kernel/store/visibility.ts";
import type { ThoughtType } from "../../../kernel/store/withheld-sources.ts";

export interface Wish {
  readonly type: ThoughtType;
  readonly id: string;
}

export interface PacketWishes {
  /** Must be in. */
  readonly pins: readonly Wish[];
  /** Must be out. */
  readonly bans: readonly Wish[];
}

export interface GatherContext extends PacketWishes {
  readonly viewer: Viewer;
  readonly now: number;
  readonly scope: RedactionScope;
}

export function idsOf(wishes: readonly Wish[], type: ThoughtType): ReadonlySet<string> {
  return new Set(wishes.filter((wish) => wish.type === type).map(({ id }) => id));
}

export function pinRefused({ type, id }: Wish, why: string): ProductError {
  return new ProductError("packet_pin_refused", `The ${type} "${id}" cannot be pinned: ${why}.`, {
    hint: "Take the pin off.",
    details: { type, id },
  });
}

export function banRefused({ type, id }: Wish): ProductError {
  return new ProductError(
    "packet_ban_refused",
    `The ${type} "${id}" is what the packet is about and cannot be left out.`,
    { hint: "Take the ban off, or start from something else.", details: { type, id } },
  );
}
