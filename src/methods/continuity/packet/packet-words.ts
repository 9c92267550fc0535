/** The fixed words of packets, from `library/continuity/prompts`. */

import { renderTemplate } from "../../../kernel/base/template.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { type LibraryPrompt, parsePrompt } from "../../../kernel/library/parse-prompt.ts";
import type { Piece } from "../../../kernel/prompt/part.ts";

export interface PacketWords {
  readonly constraints: Piece;
  readonly continuation: Piece;
  readonly taskRequest: Piece;
  readonly decisionRequest: Piece;
  returnContract(packet: string): Piece;
}

export function readPacketWords(library: Library): PacketWords {
  const contract = promptOf(library, "return-contract");
  return {
    constraints: pieceOf(promptOf(library, "constraints")),
    continuation: pieceOf(promptOf(library, "continuation")),
    taskRequest: pieceOf(promptOf(library, "task-request")),
    decisionRequest: pieceOf(promptOf(library, "decision-request")),
    returnContract: (packet) => pieceOf(contract, { packet }),
  };
}

function promptOf(library: Library, name: string): LibraryPrompt {
  return parsePrompt(library.read(`continuity/prompts/${name}.md`));
}

function pieceOf({ template, file }: LibraryPrompt, values: Record<string, string> = {}): Piece {
  return {
    text: renderTemplate(template, values).text.trim(),
    ref: { type: "prompt", id: file.path, version: file.hash },
  };
}
