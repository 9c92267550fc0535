/** The agents that come with an imported workflow: made where they are missing, left as they are where they exist. */

import { z } from "zod";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { insertUser } from "../../../kernel/store/users.ts";
import type { ExportedAgent } from "../workflow/workflow-export.ts";
import { type Assignee, findAssignees } from "./assignees.ts";

export const importedAgentShape = z.object({
  id: z.string().describe("As the workflow names it."),
  displayName: z.string(),
  outcome: z.enum(["created", "kept", "missing"]),
  note: z.string().optional(),
});

type ImportedAgent = z.output<typeof importedAgentShape>;

export interface AgentImport {
  readonly isAllowed: boolean;
  readonly nextId: () => string;
  /** Of the models the agents name, those that are known here. */
  readonly models: ReadonlySet<string>;
}

export function* importAgents(
  agents: readonly ExportedAgent[],
  options: AgentImport,
  act: Act,
): DatabaseWork<ImportedAgent[]> {
  const known = yield* findAssignees(agents.map(({ id }) => id));
  const results: ImportedAgent[] = [];
  for (const agent of agents) {
    const here = known.get(agent.id);
    const idHere = idFor(agent, options.nextId);
    const { id, displayName } = agent;
    if (here !== undefined) results.push(keptAs(agent, here));
    else if (!options.isAllowed) results.push({ id, displayName, outcome: "missing" });
    else if (idHere === undefined) {
      const note = "The workflow names it by something that can be no id here.";
      results.push({ id, displayName, outcome: "missing", note });
    } else results.push(yield* createAgent(agent, idHere, options, act));
  }
  return results;
}

function* createAgent(
  { id, displayName, agentPrompt, model }: ExportedAgent,
  idHere: string,
  { models }: AgentImport,
  act: Act,
): DatabaseWork<ImportedAgent> {
  const isModelKnown = model !== undefined && models.has(model);
  const user = { id: idHere, displayName, role: "operator", isAgent: true, agentPrompt } as const;
  yield* insertUser(isModelKnown ? { ...user, model } : user, act);
  const isModelLost = model !== undefined && !isModelKnown;
  const note = isModelLost
    ? `Its model ${model} is not known here; it uses the default.`
    : undefined;
  return { id, displayName, outcome: "created", note };
}

function keptAs({ id, agentPrompt }: ExportedAgent, here: Assignee): ImportedAgent {
  const isOther = here.isAgent && agentPrompt !== undefined && agentPrompt !== here.agentPrompt;
  return {
    id,
    displayName: here.displayName,
    outcome: "kept",
    note: isOther ? "It has another prompt here, which stays as it is." : undefined,
  };
}

/** The source is never rewritten: an agent gets the id it is named by, or is found by its name. */
function idFor({ id, displayName }: ExportedAgent, nextId: () => string): string | undefined {
  if (/^[\w-]{1,100}$/.test(id)) return id;
  return displayName === id ? nextId() : undefined;
}
