/** Text in the formats that JSON schemas name. */

import type { Dice } from "./rehearsal-dice.ts";

const NAMES = ["ana", "ben", "chen", "dilek"] as const;
const PLACES = ["import", "review", "plan", "notes"] as const;

/** `undefined` for a format without a maker here; a pattern usually stands beside those. */
export function formattedText(format: string, dice: Dice): string | undefined {
  return MAKERS[format]?.(dice);
}

const MAKERS: Readonly<Record<string, (dice: Dice) => string>> = {
  "date-time": (dice) => `${date(dice)}T${time(dice)}Z`,
  date,
  time,
  duration: (dice) => `PT${1 + dice.below(8)}H`,
  email: (dice) => `${dice.pick(NAMES)}@example.org`,
  "idn-email": (dice) => `${dice.pick(NAMES)}@example.org`,
  uri: (dice) => `https://example.org/${dice.pick(PLACES)}`,
  "uri-reference": (dice) => `/${dice.pick(PLACES)}`,
  iri: (dice) => `https://example.org/${dice.pick(PLACES)}`,
  url: (dice) => `https://example.org/${dice.pick(PLACES)}`,
  hostname: (dice) => `${dice.pick(PLACES)}.example.org`,
  uuid: (dice) =>
    `${hex(dice, 8)}-${hex(dice, 4)}-4${hex(dice, 3)}-8${hex(dice, 3)}-${hex(dice, 12)}`,
  guid: (dice) =>
    `${hex(dice, 8)}-${hex(dice, 4)}-4${hex(dice, 3)}-8${hex(dice, 3)}-${hex(dice, 12)}`,
  ipv4: (dice) => `192.0.2.${1 + dice.below(250)}`,
  ipv6: (dice) => `2001:db8::${hex(dice, 4)}`,
  cidrv4: () => "192.0.2.0/24",
  cidrv6: () => "2001:db8::/32",
  base64: (dice) => Buffer.from(hex(dice, 6)).toString("base64"),
  base64url: (dice) => Buffer.from(hex(dice, 6)).toString("base64url"),
  e164: (dice) => `+4930${1_000_000 + dice.below(9_000_000)}`,
  emoji: (dice) => dice.pick(["🧪", "🚀", "✅"] as const),
  jwt: () => "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl",
  "json-pointer": (dice) => `/${dice.pick(PLACES)}`,
  regex: () => "^[a-z]+$",
};

function date(dice: Dice): string {
  return `2026-${two(1 + dice.below(12))}-${two(1 + dice.below(28))}`;
}

function time(dice: Dice): string {
  return `${two(8 + dice.below(10))}:${two(dice.below(60))}:00`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function hex(dice: Dice, digits: number): string {
  let text = "";
  while (text.length < digits) text += dice.below(16).toString(16);
  return text;
}
