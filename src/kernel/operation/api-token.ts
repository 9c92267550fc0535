/**
 * API tokens: `tl_`, 32 random bytes and a check sum, all in letters and digits, so that secret scanners
 * recognise them and a mistyped one is told from a revoked one without asking the database.
 */

import { crc32 } from "node:zlib";

const PREFIX = "tl_";
const SECRET_LETTERS = 43;
const CHECK_LETTERS = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export function mintApiToken(random: (count: number) => Uint8Array): string {
  const body = PREFIX + toBase62(bytesToNumber(random(32)), SECRET_LETTERS);
  return body + checkOf(body);
}

export function isApiToken(text: string): boolean {
  if (!/^tl_[0-9A-Za-z]{49}$/.test(text)) return false;
  return checkOf(text.slice(0, -CHECK_LETTERS)) === text.slice(-CHECK_LETTERS);
}

/** What lists show of a token, enough to tell which one it is. */
export function apiTokenPrefix(token: string): string {
  return token.slice(0, PREFIX.length + 6);
}

function checkOf(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECK_LETTERS);
}

function bytesToNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

function toBase62(number: bigint, letters: number): string {
  let text = "";
  for (let rest = number; text.length < letters; rest /= 62n) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
