/** Why a packet cannot start from something. */

import { ProductError } from "../../../kernel/base/errors.ts";

const HOW: Readonly<Record<string, string>> = {
  highlight: "`highlight convert ID task`",
  conversation: "`distill ID` proposes which",
};

/** What is not a commitment is evidence for one: it is turned into a task or a decision first. */
export function originRefused(type: string): ProductError {
  return new ProductError("packet_origin_refused", `A packet does not start from a ${type}.`, {
    hint: `Convert it to a Task or a Decision first, and start from that: ${HOW[type] ?? "`task add`"}.`,
    details: { originType: type },
  });
}

export function originRedacted(type: string, id: string): ProductError {
  return new ProductError("packet_origin_redacted", `The ${type} "${id}" is redacted.`, {
    kind: "conflict",
    hint: "Lift the redaction, or start from something else.",
    details: { originType: type, originId: id },
  });
}
