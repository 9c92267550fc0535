/** Which answers an event makes old: by what they are about and, where that is named, by whose. */

import type { LiveEvent } from "../api/live-events.ts";

/** The nouns of events that change what is shown of a noun, or of one operation, besides its own. A method adds its line. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  inbox: ["wait", "run"],
  run: ["wait", "turn"],
  task: ["run", "turn", "wait", "redaction"],
  artifact: ["run", "turn"],
  workspace: ["run", "wait", "turn", "task", "project", "budget", "setting"],
  budget: ["run", "turn"],
  project: ["task", "decision", "highlight", "conversation"],
  conversation: ["message", "redaction", "import"],
  highlight: ["redaction"],
  decision: ["redaction"],
  harvest: ["run", "packet"],
  thinking: ["task", "decision", "highlight", "conversation", "message", "artifact"],
  packet: ["turn", "run", "redaction", "harvest"],
  workflow: ["agent"],
  model: ["setting"],
  session: ["session_trail", "run"],
  team: ["run", "round", "step", "wait"],
  dialectic: ["run", "turn", "wait", "stage", "document"],
  // Recipes are files, and an estimate follows from them: no event changes either.
  "dialectic.check": [],
  "dialectic.describe": [],
  "dialectic.estimate": [],
};

export interface Question {
  readonly name: string;
  readonly input: unknown;
}

export function isConcerned({ name, input }: Question, { type, stream }: LiveEvent): boolean {
  const noun = nounOf(name);
  const told = nounOf(type);
  const runId = fieldOf(input, "runId");
  // What is asked about one run is touched by all that happens in it, and by nothing that happens in others.
  if (runId !== undefined) return stream.startsWith(runId);
  const also = ALSO[name] ?? ALSO[noun] ?? [];
  return noun === told || noun === "event" || also.includes(told);
}

function nounOf(name: string): string {
  return name.slice(0, name.indexOf("."));
}

function fieldOf(input: unknown, field: string): string | undefined {
  const value = (input as Readonly<Record<string, unknown>> | null)?.[field];
  return typeof value === "string" ? value : undefined;
}
