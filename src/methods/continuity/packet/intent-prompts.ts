/** A prompt per intent, the library's own ones too: picked by name in a client, it compiles a packet and says it. */

import path from "node:path";
import type { Library } from "../../../kernel/library/library.ts";
import type { PromptHint } from "../../../kernel/operation/operation.ts";
import { CUSTOM, INTENTS, readIntent } from "./intents.ts";

export function intentPrompts(library: Library): readonly PromptHint[] {
  const added = library
    .list({ kind: "intents", folder: "continuity/intents" })
    .map((entry) => path.posix.basename(entry.path, ".json"));
  return [...new Set<string>([...INTENTS, ...added])].map((slug) => {
    const { label, instruction } = readIntent(library, slug);
    const isCustom = slug === CUSTOM;
    return {
      name: slug,
      title: label,
      summary: isCustom
        ? "Your own request, on top of all that a project, a task or a decision knows."
        : instruction.split(/(?<=\.)\s/, 1).join(""),
      input: { originType: "project", intent: slug },
      asks: ["originId", "originType", ...(isCustom ? ["customIntent"] : [])],
      text: "promptText",
    };
  });
}
