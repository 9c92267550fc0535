/**
 * The key that the secrets of webhooks are made with: `THROUGHLINE_WEBHOOK_KEY` in the environment or in secrets.json,
 * else `webhook.key` beside the store, made when it is first needed. Machines that share a database share the key.
 */

import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../kernel/base/errors.ts";
import { readConfig } from "./config.ts";

const VARIABLE = "THROUGHLINE_WEBHOOK_KEY";
const FILE = "webhook.key";
const BYTES = 32;

export function webhookKey(folder: string): Uint8Array {
  const given = readConfig(folder, process.env).secrets[VARIABLE];
  return given === undefined || given === "" ? keptKey(folder) : parseKey(given, VARIABLE);
}

function keptKey(folder: string): Uint8Array {
  const file = path.join(folder, FILE);
  const known = readKey(file);
  if (known !== undefined) return known;
  // Whole or not at all, and the first one counts: two processes may be here at once.
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(BYTES).toString("hex")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return parseKey(readFileSync(file, "utf8"), file);
}

function readKey(file: string): Uint8Array | undefined {
  try {
    return parseKey(readFileSync(file, "utf8"), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parseKey(text: string, where: string): Uint8Array {
  const hex = text.trim();
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, "hex");
  throw new ProductError("webhook_key_invalid", `What stands in ${where} is not a key.`, {
    hint: `It is ${BYTES * 2} letters and digits: openssl rand -hex ${BYTES}`,
  });
}
