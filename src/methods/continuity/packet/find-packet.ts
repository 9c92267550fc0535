/** Packets as callers name them: by a unique beginning of the id, among those they see. */

import type { Caller } from "../../../kernel/operation/caller.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import type { Place } from "../../../kernel/store/find-place.ts";
import { resolveIdAmong } from "../../../kernel/store/resolve-id.ts";
import { findPacketByName, getPacket, type Packet, seesPacket } from "./packets.ts";

/** By its id, or by the name it gives itself. */
export function* getVisible(given: string, caller: Caller): DatabaseWork<Packet> {
  if (/^[0-9a-f]{12}$/.test(given)) {
    const named = yield* findPacketByName(given, caller);
    if (named !== undefined) return named;
  }
  const id = yield* resolveIdAmong("packet", given, seesPacket(caller));
  return yield* getPacket(id, caller);
}

/** The right to deal with a packet is that of its project. */
export function* placeOf(given: string, caller: Caller): DatabaseWork<Place> {
  const { projectId, createdBy } = yield* getVisible(given, caller);
  return { projectId, createdBy };
}
