/** Whom a workflow names: by id, by address, or by the name they are shown with. */

import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import type { WorkflowDefinition } from "../workflow/workflow-definition.ts";

export interface Assignee {
  readonly id: string;
  readonly displayName: string;
  readonly isAgent: boolean;
  readonly isActive: boolean;
  readonly agentPrompt: string | undefined;
  readonly model: string | undefined;
}

/** By what is written. Whoever is not found, or shares the name with another, is left out. */
export function* findAssignees(
  given: readonly string[],
): DatabaseWork<ReadonlyMap<string, Assignee>> {
  if (given.length === 0) return new Map();
  const addresses = new Map(given.map((text) => [text, addressOf(text)]));
  const rows = yield* query(
    db
      .selectFrom("user")
      .select(["id", "email", "display_name", "is_agent", "is_active", "agent_prompt", "model"])
      .where((where) =>
        where.or([
          where("id", "in", [...given]),
          where("email", "in", [...addresses.values()]),
          where("display_name", "in", [...given]),
        ]),
      ),
  );
  const found = new Map<string, Assignee>();
  for (const text of given) {
    const named = rows.filter((row) => row.display_name === text);
    const row =
      rows.find(({ id }) => id === text) ??
      rows.find(({ email }) => email !== null && email === addresses.get(text)) ??
      (named.length === 1 ? named[0] : undefined);
    if (row === undefined) continue;
    found.set(text, {
      id: row.id,
      displayName: row.display_name,
      isAgent: row.is_agent === 1,
      isActive: row.is_active === 1,
      agentPrompt: row.agent_prompt ?? undefined,
      model: row.model ?? undefined,
    });
  }
  return found;
}

/** Each once, in drawing order. */
export function assigneesOf({ steps }: WorkflowDefinition): readonly string[] {
  const written = steps.flatMap((step) =>
    "defaultAssigneeId" in step && step.defaultAssigneeId !== undefined
      ? [step.defaultAssigneeId]
      : [],
  );
  return [...new Set(written)];
}

function addressOf(text: string): string {
  return text.trim().normalize("NFKC").toLowerCase();
}
