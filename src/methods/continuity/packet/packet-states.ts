/** How a packet's status may change. What is over stays over, unless its harvest is taken back. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { PacketStatus } from "./packet-tables.ts";

export const PACKET_TRANSITIONS: Readonly<Record<PacketStatus, readonly PacketStatus[]>> = {
  // Text can also be copied by hand, so an answer may come back to what was never said to be copied.
  drafted: ["copied", "harvested", "partially_harvested", "abandoned"],
  copied: ["harvested", "partially_harvested", "abandoned"],
  partially_harvested: ["harvested", "abandoned"],
  harvested: [],
  abandoned: [],
};

/** Allowed only where a harvest is undone. */
const UNDO_TRANSITIONS: Readonly<Partial<Record<PacketStatus, readonly PacketStatus[]>>> = {
  harvested: ["drafted", "copied", "partially_harvested"],
  partially_harvested: ["drafted", "copied"],
};

export interface TransitionOptions {
  readonly isUndo?: boolean | undefined;
}

/** Throws when a packet may not go from one status to the other. */
export function checkTransition(
  from: PacketStatus,
  to: PacketStatus,
  { isUndo = false }: TransitionOptions = {},
): void {
  const allowed = isUndo ? (UNDO_TRANSITIONS[from] ?? []) : PACKET_TRANSITIONS[from];
  if (allowed.includes(to)) return;
  throw new ProductError("packet_transition", reasonAgainst(from, to, allowed), {
    kind: "conflict",
    hint: "Compile a new packet to go on from here.",
    details: { from, to, allowed },
  });
}

function reasonAgainst(
  from: PacketStatus,
  to: PacketStatus,
  allowed: readonly PacketStatus[],
): string {
  const [now, then] = [words(from), words(to)];
  if (from === to) return `The packet is ${now} already.`;
  if (allowed.length === 0) return `The packet is ${now}, so it cannot become ${then}.`;
  return `A ${now} packet cannot become ${then}; it may become ${allowed.map(words).join(", ")}.`;
}

function words(status: PacketStatus): string {
  return status.replace("_", " ");
}
