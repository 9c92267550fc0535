/** git has no change ids: a trailer stands in for them, alone in the last paragraph of a message. */

const OWN_TRAILER = /\n\nChange-Id: (I[0-9a-f]{40})\n$/;
const ANY_TRAILER = /^Change-Id: (I[0-9a-f]{40})$/m;

export function newChangeId(random: (count: number) => Uint8Array): string {
  return `I${Buffer.from(random(20)).toString("hex")}`;
}

/** Of a commit that names none. It is written down as soon as we rewrite the commit, and so outlives it. */
export function ownChangeId(commitId: string): string {
  return `I${commitId}`;
}

/** `message` ends with a line break and comes out of `parseMessage` as it went in. */
export function withChangeId(message: string, changeId: string): string {
  return `${message}\nChange-Id: ${changeId}\n`;
}

export interface ParsedMessage {
  /** Undefined where the message has none. */
  readonly changeId: string | undefined;
  readonly message: string;
}

/** Trailers of others in the same paragraph stay in the message, ours with them. */
export function parseMessage(stored: string): ParsedMessage {
  const own = OWN_TRAILER.exec(stored);
  if (own !== null) return { changeId: own[1], message: `${stored.slice(0, own.index)}\n` };
  const message = stored.endsWith("\n") ? stored : `${stored}\n`;
  const lastParagraph =
    message
      .trimEnd()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? "";
  return { changeId: ANY_TRAILER.exec(lastParagraph)?.[1], message };
}
