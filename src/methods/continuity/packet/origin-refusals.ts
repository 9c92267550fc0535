/** Why a packet cannot start from something. */

import { ProductError } from "../../../kernel/base/errors.ts";

const HOW: Readonly<Record<string, (id: string) => string>> = {
  highlight: (id) => `\`highlight convert ${id} task\``,
  conversation: (id) => `\`distill ${id}\` proposes which`,
};

/** What is not a commitment is evidence for one: it is turned into a task or a decision first. */
export function originRefused(type: string, id: string): ProductError {
  const how = HOW[type]?.(id) ?? "`task add`";
  return new ProductError("packet_origin_refused", `A packet does not start from a ${type}.`, {
    hint: `Convert it to a Task or a Decision first, and start from that: ${how}.`,
    details: { originType: type, originId: id },
  });
}

export function originRedacted(type: string, id: string): ProductError {
  return new ProductError("packet_origin_redacted", `The ${type} "${id}" is redacted.`, {
    kind: "conflict",
    hint: "Lift the redaction, or start from something else.",
    details: { originType: type, originId: id },
  });
}
