/** What reaches the person outside: only what the round changed. */

import { deltasOf } from "./deltas.ts";
import { checkEnvoy } from "./envoy-gate.ts";
import type { Gate } from "./gate.ts";
import { OPEN_SHAPES } from "./reply-shapes.ts";
import { takeItems } from "./take-items.ts";

export function applyEnvoy(gate: Gate, reply: Readonly<Record<string, unknown>>): void {
  const { draft, call, breaches } = gate;
  const deltas = new Map(deltasOf(draft, call.round).map((delta) => [delta.id, delta]));
  for (const { value, path } of takeItems(reply, "messages", OPEN_SHAPES.message, breaches)) {
    const deltaIds = [...new Set(value.deltaIds)];
    const passes = gate.passes(
      { path, item: value },
      () => gate.known("speaker", [value.speakerId], call.allowed.speakers),
      () => checkEnvoy({ text: value.text, deltaIds }, deltas),
    );
    if (passes)
      draft.add("messages", { ...value, deltaIds, round: call.round, exchangeId: call.exchangeId });
  }
}
