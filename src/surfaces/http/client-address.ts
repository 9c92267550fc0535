/**
 * Where a request comes from. A proxy says so in `X-Forwarded-For`, and so may anybody: what it says counts only as far
 * as proxies that an admin has named handed it on, read from our end.
 */

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The addresses of proxies whose word counts. */
export type Proxies = ReadonlySet<string>;

export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  proxies: Proxies,
): string {
  const handedOn = (forwardedFor ?? "").split(",").map((address) => plainAddress(address.trim()));
  let address = plainAddress(peer ?? "unknown");
  while (proxies.has(address)) {
    const before = handedOn.pop();
    if (before === undefined || isIP(before) === 0) break;
    address = before;
  }
  return address;
}

export function addressOf({ socket, headers }: IncomingMessage, proxies: Proxies): string {
  const lines = headers["x-forwarded-for"];
  const line = Array.isArray(lines) ? lines.join(",") : lines;
  return clientAddress(socket.remoteAddress, line, proxies);
}

/** A socket for both families tells an address of the old one inside one of the new. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}
