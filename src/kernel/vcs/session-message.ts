/**
 * What the one commit of a session says: title, chronos date, the prompt as it was given, the context, what was
 * changed, and the ids of what was squashed. The prompt may hold anything, headings like ours too, and is still read
 * back exactly: whatever follows it is ours and cannot hold a heading.
 */

import { isChronosLine } from "./chronos.ts";

export interface SessionMessage {
  readonly summary: string;
  readonly chronos: string;
  readonly prompt: string;
  readonly context: string;
  /** None were made: the list says so. */
  readonly changes: readonly string[];
  /** Present iff several commits were squashed. */
  readonly squashed: readonly string[] | undefined;
  /** What the rewritten commit said before, where there was only one. */
  readonly before: string | undefined;
}

const PROMPT = "\n\n## Original Prompt\n";
const CONTEXT = "\n\n## Agent Context\n";
const CHANGES = "\n\n## Logical Changes\n";
const SQUASHED = "\n\n## Squashed Change IDs\n";

export function renderSessionMessage(message: SessionMessage): string {
  const { summary, chronos, prompt, context, changes, squashed, before } = message;
  return [
    `${SESSION_TITLE} ${summary}\n${chronos}`,
    `${PROMPT}${prompt}`,
    `${CONTEXT}${context}`,
    `${CHANGES}${list(changes.length === 0 ? ["none"] : changes)}`,
    squashed === undefined ? "" : `${SQUASHED}${list(squashed)}`,
    before === undefined ? "" : `\n\n${before.trimEnd()}`,
    "\n",
  ].join("");
}

export const SESSION_TITLE = "session:";

/** Undefined where it is not of this shape. */
export function parseSessionMessage(message: string): SessionMessage | undefined {
  const changesAt = message.lastIndexOf(CHANGES);
  const contextAt = message.lastIndexOf(CONTEXT, changesAt - 1);
  const promptAt = message.indexOf(PROMPT);
  if (promptAt === -1 || contextAt < promptAt || changesAt < contextAt) return undefined;
  const head = message.slice(0, promptAt).split("\n");
  const [title = "", chronos = "", ...more] = head;
  const summary = title.slice(SESSION_TITLE.length + 1);
  if (!title.startsWith(`${SESSION_TITLE} `) || summary.trim() === "") return undefined;
  if (more.length > 0 || !isChronosLine(chronos)) return undefined;
  const tail = parseTail(message.slice(changesAt + CHANGES.length));
  return (
    tail && {
      summary,
      chronos,
      prompt: message.slice(promptAt + PROMPT.length, contextAt),
      context: message.slice(contextAt + CONTEXT.length, changesAt),
      ...tail,
    }
  );
}

function parseTail(
  text: string,
): Pick<SessionMessage, "changes" | "squashed" | "before"> | undefined {
  const [first = "", ...rest] = text.trimEnd().split("\n\n");
  const changes = parseList(first);
  if (changes === undefined) return undefined;
  const heading = SQUASHED.trim();
  const [next, ...others] = rest;
  const isSquashed = next?.startsWith(`${heading}\n`) ?? false;
  const squashed = isSquashed ? parseList(next?.slice(heading.length + 1) ?? "") : undefined;
  if (isSquashed && squashed === undefined) return undefined;
  const left = isSquashed ? others : rest;
  return {
    changes: changes.length === 1 && changes[0] === "none" ? [] : changes,
    squashed,
    before: left.length === 0 ? undefined : `${left.join("\n\n")}\n`,
  };
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function parseList(text: string): readonly string[] | undefined {
  const lines = text.split("\n");
  return lines.every((line) => line.startsWith("- "))
    ? lines.map((line) => line.slice(2))
    : undefined;
}

/** Whether a text would be taken for the beginning of a section when the message is read back. */
export function holdsHeading(text: string): boolean {
  return [PROMPT, CONTEXT, CHANGES, SQUASHED].some((heading) => `\n\n${text}\n`.includes(heading));
}
