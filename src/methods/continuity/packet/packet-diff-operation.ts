/** Two packets of one project side by side: what came, what went, what changed, and why. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { defineOperation } from "../../../kernel/operation/operation.ts";
import { idField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { diffPrompts, type PartDiff } from "../../../kernel/prompt/diff-prompts.ts";
import { isContextType } from "./context-refs.ts";
import { getVisible } from "./find-packet.ts";
import { type LedgerNotes, notesOf, toHeadOf, whyOf } from "./packet-output.ts";
import { packetDiff } from "./packet-shape.ts";
import { renderDiff } from "./packet-view.ts";
import { type Packet, requirePrompt } from "./packets.ts";
import { coveredPrompt } from "./shown-packets.ts";

export const diff = defineOperation({
  name: "packet.diff",
  summary: "Compares two packets of one project, part by part and line by line.",
  effect: "reads",
  permission: "read",
  input: z.object({
    before: idField("packet"),
    after: idField("packet"),
  }),
  output: packetDiff,
  surfaces: {
    cli: {
      positionals: ["before", "after"],
      examples: ["packet diff 0199a1b2-c3d4 0199a1b2-e5f6"],
      render: rendering(packetDiff, renderDiff),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, input) =>
    kernel.store.read(function* () {
      const before = yield* getVisible(input.before, caller);
      const after = yield* getVisible(input.after, caller);
      refuseStrangers(before, after);
      const old = yield* coveredPrompt(before.projectId, requirePrompt(before));
      const now = yield* coveredPrompt(after.projectId, requirePrompt(after));
      const { parts, lines, counts, characters } = diffPrompts(
        old.prompt,
        now.prompt,
        now.redactor,
      );
      return {
        before: yield* toHeadOf(before),
        after: yield* toHeadOf(after),
        counts,
        characters,
        parts: toParts(parts),
        lines,
        asOf: kernel.clock.now(),
      };
    }),
});

/** Packets of one project share its redactions; without a project they share what they started from. */
function refuseStrangers(before: Packet, after: Packet): void {
  const isSame =
    before.projectId === undefined
      ? after.projectId === undefined && before.originId === after.originId
      : before.projectId === after.projectId;
  if (isSame) return;
  throw new ProductError("packets_unrelated", "These packets are not of one project.", {
    hint: "Compare two that are; `packet list --project` shows them.",
    details: { before: before.id, after: after.id },
  });
}

function toParts(parts: readonly PartDiff[]) {
  const old = notesOf(parts.flatMap(({ before }) => before ?? []));
  const now = notesOf(parts.flatMap(({ after }) => after ?? []));
  return parts.map((part) => toPart(part, old, now));
}

function toPart({ layer, change, before, after }: PartDiff, old: LedgerNotes, now: LedgerNotes) {
  const row = after ?? before;
  const { note, ref } = row ?? {};
  return {
    section: layer,
    change,
    ...(ref !== undefined && isContextType(ref.type) ? { type: ref.type, id: ref.id } : {}),
    ...(note === undefined ? {} : { title: note }),
    before: before && whyOf(before, old),
    after: after && whyOf(after, now),
  };
}
