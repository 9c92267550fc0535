/** Files that are one conversation with a step on each line. They may be huge, so what is said is handed over in parts. */

import { isUtf8 } from "node:buffer";
import { readJsonLines } from "../bytes/read-json-lines.ts";
import type { ImportedConversation, ImportedMessage } from "../imported-conversation.ts";
import { digestFile, type Reading, type ReadPiece } from "../source-file.ts";
import { type Fields, idOf, isFields } from "./loose-fields.ts";
import { createThreadParts } from "./thread-parts.ts";

export interface Session extends Pick<ImportedConversation, "startedAt" | "details"> {
  readonly id: string | undefined;
  readonly title: string | undefined;
}

export interface SaidInStep {
  /** Empty for the visible one. */
  readonly thread: string;
  readonly messages: readonly ImportedMessage[];
  /** What the thread follows, where it begins here. */
  readonly after?: string | undefined;
}

export interface SessionFormat<Found extends Session> {
  readonly source: ImportedConversation["source"];
  readonly untitled: string;
  /** Reads the file for what must be known before its first word. */
  readonly look: (reading: Reading) => Promise<Found>;
  /** Gives what reads the steps, in order; undefined where nothing was said that is to be kept. */
  readonly open: (
    session: Found,
    reading: Reading,
  ) => (step: Fields, line: number) => SaidInStep | undefined;
}

export async function* readSession<Found extends Session>(
  reading: Reading,
  { source, untitled, look, open }: SessionFormat<Found>,
): AsyncGenerator<ReadPiece, void> {
  const { file, limits, note } = reading;
  const digest = await digestFile(reading, source);
  if (reading.isKnown(digest)) return yield { kind: "known", offset: 0, line: 1 };
  const session = await look(reading);
  const readStep = open(session, reading);
  const parts = createThreadParts();
  const { id = idOf(file.name) ?? "session", title = untitled, startedAt, details } = session;
  const take = (isWhole: boolean): ReadPiece => {
    const threads = [...parts.take().values()];
    const conversation = { source, id, title, startedAt, details, threads };
    return {
      kind: "conversation",
      offset: 0,
      line: 1,
      conversation: isWhole ? { ...conversation, digest } : conversation,
    };
  };
  let isEmpty = true;
  for await (const piece of readJsonLines(file.open(), { limits })) {
    if (piece.kind === "fault") yield piece;
    if (piece.kind !== "record" || !isFields(piece.value)) continue;
    if (!isUtf8(piece.bytes)) note("wrong character replaced");
    const said = readStep(piece.value, piece.line);
    if (said === undefined || said.messages.length === 0) continue;
    isEmpty = false;
    parts.add(said.thread, said.messages, said.after);
    if (parts.isFull) yield take(false);
  }
  if (isEmpty) note("session without messages");
  else yield take(true);
}
