/** What a project knows as one prompt to carry elsewhere, and what comes back from there. */

import "./packets.css";
import type { PageProps } from "../page.ts";
import { NewPacket } from "./new-packet.tsx";
import { PacketDiff } from "./packet-diff.tsx";
import { PacketList } from "./packet-list.tsx";
import { PacketView } from "./packet-view.tsx";

export default function PacketsPage({ rest: [first, before, after] }: PageProps) {
  if (first === undefined) return <PacketList />;
  if (first === "new") return <NewPacket />;
  if (first === "compare" && before !== undefined && after !== undefined)
    return <PacketDiff key={before + after} before={before} after={after} />;
  return <PacketView key={first} id={first} />;
}
