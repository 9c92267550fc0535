/** What people want in a packet or out of it, as they name it: `task:ID`, or an id alone. */

import { notFound, ProductError } from "../../../kernel/base/errors.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import type { Viewer } from "../../../kernel/store/visibility.ts";
import type { ThoughtType } from "../../../kernel/store/withheld-sources.ts";
import type { PacketWishes, Wish } from "./packet-context.ts";

const TYPES: readonly ThoughtType[] = ["task", "decision", "highlight"];

export function* resolveWishes(
  pins: readonly string[],
  bans: readonly string[],
  viewer: Viewer,
): DatabaseWork<PacketWishes> {
  const wishes = {
    pins: yield* resolveAll(pins, viewer),
    bans: yield* resolveAll(bans, viewer),
  };
  const both = wishes.pins.find(({ id }) => wishes.bans.some((ban) => ban.id === id));
  if (both === undefined) return wishes;
  throw new ProductError(
    "packet_wishes_clash",
    `The ${both.type} "${both.id}" is pinned and banned at once.`,
    { hint: "Take one of the two back.", details: { type: both.type, id: both.id } },
  );
}

function* resolveAll(given: readonly string[], viewer: Viewer): DatabaseWork<readonly Wish[]> {
  const wishes = new Map<string, Wish>();
  for (const text of given) {
    const wish = yield* resolveWish(text, viewer);
    wishes.set(wish.id, wish);
  }
  return [...wishes.values()];
}

function* resolveWish(text: string, viewer: Viewer): DatabaseWork<Wish> {
  const [, named, rest = ""] = /^(task|decision|highlight):(.+)$/.exec(text) ?? [];
  const type = TYPES.find((each) => each === named);
  if (type !== undefined) return { type, id: yield* resolveId(type, rest, viewer) };
  for (const each of TYPES) {
    try {
      return { type: each, id: yield* resolveId(each, text, viewer) };
    } catch (error) {
      if (!(error instanceof ProductError) || error.kind !== "not_found") throw error;
    }
  }
  throw notFound("thought", text);
}
