/** What continuity gives the program beside its nouns: tables, handlers, effects, settings, its share of the sample. */

import type { Library } from "../../kernel/library/library.ts";
import type { EffectKind, Handler } from "../../kernel/run/handler.ts";
import type { Act } from "../../kernel/store/audited-rows.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { digestEffect, digestHandler } from "./digest/digest-handlers.ts";
import { distillEffects, distillHandlers } from "./distill/distill-handlers.ts";
import { packets } from "./packet/packet-tables.ts";
import { deletePacket } from "./packet/packets.ts";
import { answeredEffect, sendHandler } from "./packet/send-packet.ts";

export function continuityHandlers(library: Library, nextId: () => string): readonly Handler[] {
  return [sendHandler, ...distillHandlers(library, nextId), digestHandler(library, nextId)];
}

export function continuityEffects(library: Library): readonly EffectKind[] {
  return [answeredEffect, ...distillEffects(library), digestEffect];
}

/** Packets of the sample project go with it. */
export const continuitySample = {
  what: "packets",
  *clear(projectId: string, act: Act): DatabaseWork<number> {
    const rows = yield* query(
      packets.selectFrom("packet").select("id").where("project_id", "=", projectId),
    );
    for (const { id } of rows) yield* deletePacket(id, act);
    return rows.length;
  },
};
