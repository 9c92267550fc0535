/** The address of a database beyond this machine asks for TLS with a checked certificate, unless it says that it does not. */

import { ProductError } from "../kernel/base/errors.ts";
import { isLoopback } from "../surfaces/http/bind-address.ts";

export function encryptedAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const host = url.searchParams.get("host") ?? url.hostname.replaceAll(/[[\]]/g, "");
  const isHere = host === "" || host.startsWith("/") || isLoopback(host);
  const mode = url.searchParams.get("sslmode");
  if (isHere || mode === "disable") return address;
  if (mode === "no-verify" || url.searchParams.get("ssl") === "no-verify") throw unverified(host);
  // What is less than this has other meanings in other programs; nothing less is meant by any of them here.
  url.searchParams.set("sslmode", "verify-full");
  return url.href;
}

function unverified(host: string): ProductError {
  return new ProductError(
    "database_unverified",
    `Anybody between here and ${host} could pose as the database.`,
    {
      hint: "Leave sslmode out and give the certificate of your authority as sslrootcert=FILE; sslmode=disable if the way there is protected otherwise.",
    },
  );
}
