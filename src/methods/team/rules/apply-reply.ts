/**
 * What follows from a reply. Every gate is passed item by item: what passes is put, what does not is a breach. Asked
 * before a reply is accepted, it names the breaches to correct; asked for good, it turns them into refusals on record.
 */

import type { Step } from "../state/team-records.ts";
import type { Put, TeamState } from "../state/team-state.ts";
import type { StepCall } from "./allowed.ts";
import { applyBootstrap } from "./apply-bootstrap.ts";
import { applyEnvoy } from "./apply-envoy.ts";
import { applyInspect } from "./apply-inspect.ts";
import { applyPeerReview } from "./apply-peer-review.ts";
import { applyPlan } from "./apply-plan.ts";
import { applyReflect } from "./apply-reflect.ts";
import { applyWrite } from "./apply-write.ts";
import type { Breach } from "./breach.ts";
import { Draft } from "./draft.ts";
import { Gate } from "./gate.ts";

type Reply = Readonly<Record<string, unknown>>;

const APPLY: Readonly<Record<Step, (gate: Gate, reply: Reply) => void>> = {
  bootstrap: applyBootstrap,
  reflect: applyReflect,
  plan_assign: applyPlan,
  write: applyWrite,
  peer_review: applyPeerReview,
  inspect: applyInspect,
  envoy: applyEnvoy,
};

/** The breaches of a reply against the state as it is; nothing is kept. */
export function breachesOf(state: TeamState, call: StepCall, value: unknown): readonly Breach[] {
  return applyTo(new Draft(state), call, value);
}

export function applyReply(
  state: TeamState,
  call: StepCall,
  value: unknown,
): { readonly puts: readonly Put[]; readonly breaches: readonly Breach[] } {
  const draft = new Draft(state);
  const breaches = applyTo(draft, call, value);
  const { step, round, memberId, exchangeId } = call;
  for (const { code, message, path, item } of breaches) {
    draft.add("refusals", {
      round,
      step,
      memberId,
      code,
      message,
      place: placeText(path),
      item: item ?? null,
      exchangeId,
    });
  }
  return { puts: draft.puts(), breaches };
}

function applyTo(draft: Draft, call: StepCall, value: unknown): readonly Breach[] {
  const gate = new Gate(draft, call);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    gate.refuse(
      "team_reply_unreadable",
      "is no object with the fields that were asked for",
      [],
      value,
    );
    return gate.breaches;
  }
  const reply = value as Reply;
  APPLY[call.step](gate, reply);
  keepNote(gate, reply["noteToSelf"]);
  return gate.breaches;
}

function keepNote({ draft, call }: Gate, note: unknown): void {
  const member = draft.find("members", call.memberId);
  if (member === undefined || typeof note !== "string" || note.trim() === "") return;
  draft.put("members", { ...member, lastNote: note.trim().slice(0, 1000) });
}

/** `actions[1]` */
export function placeText(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("");
}
