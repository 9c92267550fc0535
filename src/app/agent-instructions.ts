/** What an agent is told of the workspace before it calls anything: a prompt of the library, like everything models read. */

import type { Library } from "../kernel/library/library.ts";
import { parsePrompt } from "../kernel/library/parse-prompt.ts";

export function agentInstructions(library: Library): string {
  return parsePrompt(library.read("workspace/prompts/agent-instructions.md")).body.trim();
}
