/** Round 0: the mission in the team's words, a persona for each member, and what is not known. */

import type { MissingDetail } from "../state/team-records.ts";
import type { Gate } from "./gate.ts";
import { OPEN_SHAPES } from "./reply-shapes.ts";
import { takeItems } from "./take-items.ts";

export function applyBootstrap(gate: Gate, reply: Readonly<Record<string, unknown>>): void {
  const { draft, call, breaches } = gate;
  const details = takeItems(reply, "missingDetails", OPEN_SHAPES.missingDetail, breaches);
  const missingDetails = details.map(({ value }): MissingDetail => ({ ...value, answer: null }));
  const mission = OPEN_SHAPES.mission.safeParse(reply["mission"]);
  if (mission.success) {
    draft.add("missions", {
      ...mission.data,
      missingDetails,
      round: call.round,
      setBy: call.memberId,
    });
  } else
    gate.refuse(
      "team_reply_unreadable",
      "is no mission with statement, charter, objectives and constraints",
      ["mission"],
      reply["mission"],
    );
  setPersonas(gate, reply, "personas");
  const without = draft.list("members").filter(({ persona }) => persona === null);
  for (const { id, name } of without) {
    gate.refuse("team_persona_missing", `gives no persona to ${id} (${name})`, ["personas"], null);
  }
}

export function setPersonas(
  gate: Gate,
  reply: Readonly<Record<string, unknown>>,
  field: string,
): void {
  const { draft, call, breaches } = gate;
  const seen = new Set<string>();
  for (const { value, path } of takeItems(reply, field, OPEN_SHAPES.persona, breaches)) {
    const { memberId, text, motivation } = value;
    const isFree = gate.passes(
      { path, item: value },
      () => gate.known("member", [memberId], call.allowed.members),
      () =>
        seen.has(memberId)
          ? { code: "team_persona_missing", message: `gives ${memberId} a second persona` }
          : undefined,
    );
    const member = draft.find("members", memberId);
    if (!isFree || member === undefined) continue;
    seen.add(memberId);
    draft.put("members", { ...member, persona: text, motivation, personaRound: call.round });
  }
}
