/** Passwords as argon2id hashes in the usual text form. At most two are computed at a time: each takes 46 MB. */

import { argon2, timingSafeEqual } from "node:crypto";
import { ProductError } from "../base/errors.ts";

const MEMORY_KIB = 47_104;
const PASSES = 1;
const LANES = 1;
const TAG_BYTES = 32;
const MAX_HASHING = 2;
/** Waiting hashes beyond this are refused, so that a flood of logins cannot pile up. */
const MAX_WAITING = 50;

const PASSWORD_CHARACTERS = { min: 8, max: 128 } as const;

export async function hashPassword(
  password: string,
  random: (count: number) => Uint8Array,
): Promise<string> {
  const salt = Buffer.from(random(16));
  const tag = await derive(password, salt, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(tag)}`;
}

/** Takes as long without a stored hash as with one, so that time does not tell who exists. */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
): Promise<boolean> {
  const hash = parseHash(stored ?? NOBODY);
  if (hash === undefined) return false;
  const tag = await derive(password, hash.salt, hash);
  return timingSafeEqual(tag, hash.tag) && stored !== undefined;
}

/** Long enough, and none of those that were stolen elsewhere or that everybody tries first; nothing else is demanded. */
export async function checkNewPassword(password: string): Promise<void> {
  const { min, max } = PASSWORD_CHARACTERS;
  const characters = Array.from(password).length;
  if (characters < min || characters > max)
    throw refuse("password_length", `A password has ${min} to ${max} characters.`);
  const { isCommonPassword } = await import("./common-passwords.ts");
  if (isPattern(password) || isCommonPassword(password))
    throw refuse("password_common", "This password is among the first that are tried.");
}

/** What is known of its owner and of this program does not count towards its length. */
export function checkPasswordOwner(password: string, owner: PasswordOwner): void {
  const { min } = PASSWORD_CHARACTERS;
  const known = [...PROGRAM_WORDS, ...wordsOf(owner.displayName), ...wordsOf(owner.email ?? "")];
  const rest = known.reduce((text, word) => text.replaceAll(word, ""), password.toLowerCase());
  if (rest === password.toLowerCase() || Array.from(rest).length >= min) return;
  throw refuse(
    "password_personal",
    `Without your name, your address and the program's name fewer than ${min} characters are left.`,
  );
}

export interface PasswordOwner {
  readonly displayName: string;
  readonly email: string | undefined;
}

const PROGRAM_WORDS = ["throughline", "workspace"];
const SHORTEST_WORD = 3;

/** The longest first, so that a name is taken whole before a part of it is. */
function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST_WORD)
    .toSorted((one, other) => other.length - one.length);
}

function refuse(code: string, message: string): ProductError {
  return new ProductError(code, message, {
    hint: "A few unrelated words are easy to keep and hard to guess.",
  });
}

interface ParsedHash {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const NOBODY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(TAG_BYTES))}`;

function parseHash(text: string): ParsedHash | undefined {
  const match =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([\w+/]{11,86})\$([\w+/]{43})$/.exec(text);
  if (!match) return undefined;
  const [, memory, passes, lanes, salt = "", tag = ""] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

async function derive(
  password: string,
  nonce: Buffer,
  cost: { readonly memory: number; readonly passes: number; readonly lanes: number },
): Promise<Buffer> {
  await enter();
  try {
    return await new Promise((resolve, reject) => {
      argon2(
        "argon2id",
        {
          message: password,
          nonce,
          memory: cost.memory,
          passes: cost.passes,
          parallelism: cost.lanes,
          tagLength: TAG_BYTES,
        },
        (error, tag) => (error ? reject(error) : resolve(tag)),
      );
    });
  } finally {
    leave();
  }
}

// Memory is the process's, so the limit is too.
let hashing = 0;
const waiting: (() => void)[] = [];

async function enter(): Promise<void> {
  if (hashing < MAX_HASHING) {
    hashing += 1;
    return;
  }
  if (waiting.length >= MAX_WAITING) {
    throw new ProductError("logins_too_many", "Too many people are signing in at once.", {
      kind: "limit",
      hint: "Try again in a few seconds.",
    });
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Hands its place on, so that nobody overtakes. */
function leave(): void {
  const next = waiting.shift();
  if (next === undefined) hashing -= 1;
  else next();
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

/** Catches the patterns that make up the lists of stolen passwords, whatever case and digits decorate them. */
function isPattern(password: string): boolean {
  const plain = password.toLowerCase();
  if (new Set(plain).size <= 2) return true;
  const core = plain
    .replaceAll(/^[\d\W_]+|[\d\W_]+$/g, "")
    .replaceAll(/[0@]/g, (c) => (c === "0" ? "o" : "a"));
  return COMMON_CORES.has(core) || isRow(plain);
}

function isRow(plain: string): boolean {
  const rows = ["01234567890123456789", "qwertyuiopasdfghjklzxcvbnm", "abcdefghijklmnopqrstuvwxyz"];
  return rows.some(
    (row) => row.includes(plain) || row.includes(plain.split("").toReversed().join("")),
  );
}

const COMMON_CORES: ReadonlySet<string> = new Set(
  "password passwort passw passwd pass admin administrator welcome letmein login master monkey dragon football baseball basketball superman batman iloveyou princess sunshine shadow michael jordan charlie trustno qwerty qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm abc abcd abcde abcdef computer internet samsung google whatever starwars freedom hello secret changeme default test guest user root flower cheese summer winter spring autumn ninja killer hunter pepper ginger jennifer jessica michelle daniel andrew thomas robert george matthew ashley nicole".split(
    " ",
  ),
);
