/** How a session's facts are said, the same in the list and in the view. */

import type { Item } from "../../api/operation.ts";
import { plural } from "../../parts/format.ts";
import type { State } from "../../parts/state.ts";

type Session = Item<"session.list">;

/** A session that is not pushed or half-way stands still until somebody finishes it. */
export const SESSION_STATES: Readonly<Record<Session["state"], { glyph: State; words: string }>> = {
  open: { glyph: "run", words: "open" },
  finishing: { glyph: "hold", words: "stopped half-way" },
  synthesised: { glyph: "hold", words: "not pushed" },
  finished: { glyph: "ok", words: "finished" },
  abandoned: { glyph: "skip", words: "given up" },
};

export function pushWords({ push, pushReason }: Pick<Session, "push" | "pushReason">): string {
  switch (push) {
    case "pushed":
      return "pushed, and seen at the remote";
    case "off":
      return "kept here: pushing was left out";
    case "none":
      return "kept here: there is no remote";
    case "failed":
      return pushReason ?? "pushing failed";
    default:
      return "not pushed yet";
  }
}

export function intentWords({ intents }: Pick<Session, "intents">): string {
  return intents === 0 ? "no intents" : plural(intents, "intent");
}

/** Change ids are told by their beginning. */
export function shortChange(id: string): string {
  return id.slice(0, 12);
}
