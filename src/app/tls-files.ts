/** The server's certificate and its key; a key that others on this machine can read is none. */

import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../kernel/base/errors.ts";

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export function readCertificate(folder: string, files: TlsFiles): TlsFiles {
  const key = path.resolve(folder, files.key);
  const cert = path.resolve(folder, files.cert);
  try {
    if (process.platform !== "win32" && (statSync(key).mode & 0o077) !== 0) throw exposed(key);
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } catch (error) {
    if (error instanceof ProductError) throw error;
    throw new ProductError("tls_unreadable", `The certificate ${cert} or ${key} cannot be read.`, {
      hint: "Check `tls` in config.json; both are PEM files, named from the folder it lies in.",
      cause: error,
    });
  }
}

function exposed(key: string): ProductError {
  return new ProductError("tls_key_exposed", `Others on this machine can read ${key}.`, {
    kind: "not_allowed",
    hint: `Close it first: chmod 600 ${key}`,
  });
}
