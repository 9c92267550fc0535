/** Where a packet stands follows from its harvests: what was accepted of its answers, and what is still to be reviewed. */

import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import type { PacketStatus } from "../packet/packet-tables.ts";
import { getPacket, movePacket, type PacketHead } from "../packet/packets.ts";
import { type HarvestCounts, listHarvestsOfPacket } from "./harvests.ts";

export function* movePacketAlong(
  packetId: string,
  act: Act,
  { isUndo }: { readonly isUndo: boolean },
): DatabaseWork<PacketStatus> {
  const packet = yield* getPacket(packetId, "everything");
  if (packet.status === "abandoned") return packet.status;
  const counts = (yield* listHarvestsOfPacket(packetId)).map((harvest) => harvest.counts);
  const status = standingOf(packet, counts);
  const isBack = RANK[status] < RANK[packet.status];
  // A second answer that is not reviewed to its end takes nothing back of the first.
  if (status === packet.status || (isBack && !isUndo)) return packet.status;
  return (yield* movePacket(packetId, status, act, { isUndo: isBack })).status;
}

export function standingOf(
  { copiedAt }: Pick<PacketHead, "copiedAt">,
  harvests: readonly HarvestCounts[],
): PacketStatus {
  const harvested = harvests.filter(({ accepted }) => accepted > 0);
  if (harvested.length === 0) return copiedAt === undefined ? "drafted" : "copied";
  return harvested.some(({ proposed }) => proposed > 0) ? "partially_harvested" : "harvested";
}

const RANK: Readonly<Record<PacketStatus, number>> = {
  drafted: 0,
  copied: 1,
  partially_harvested: 2,
  harvested: 3,
  abandoned: 4,
};
