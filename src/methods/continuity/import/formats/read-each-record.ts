/** Files whose records are conversations: each is read by itself, and what is stored already is passed over. */

import { isUtf8 } from "node:buffer";
import { readJsonLines } from "../bytes/read-json-lines.ts";
import { type JsonRecordOptions, readJsonRecords } from "../bytes/read-json-records.ts";
import { faultAt } from "../bytes/record.ts";
import type { ImportedConversation, Source } from "../imported-conversation.ts";
import { digestBytes, type Reader, type Reading, type ReadPiece } from "../source-file.ts";
import { type Fields, fieldsOf } from "./loose-fields.ts";

export interface RecordFormat {
  readonly source: Source;
  readonly isRecord: (value: unknown) => boolean;
  /** Whether no record can stand inside another. */
  readonly standsAlone: boolean;
  /** What is said of a record that is none. */
  readonly strange: string;
  readonly read: (record: Fields, reading: Reading) => ImportedConversation;
}

/** Where in a file its records are. */
export type RecordPlace = "lines" | JsonRecordOptions["within"];

export function recordReader(format: RecordFormat, within: RecordPlace): Reader {
  return (reading) => readEachRecord(reading, format, within);
}

async function* readEachRecord(
  reading: Reading,
  { source, isRecord, standsAlone, strange, read }: RecordFormat,
  within: RecordPlace,
): AsyncGenerator<ReadPiece, void> {
  let digest = "";
  // Asked of every record right before it comes: what was hashed to know it need not be hashed again to keep it.
  const isKnown = (bytes: Buffer) => {
    digest = digestBytes(reading, source, bytes);
    return reading.isKnown(digest);
  };
  const chunks = reading.file.open();
  const options = { isRecord, standsAlone, isKnown, limits: reading.limits };
  const records =
    within === "lines"
      ? readJsonLines(chunks, options)
      : readJsonRecords(chunks, { within, ...options });
  for await (const record of records) {
    if (record.kind === "fault") {
      yield record;
      continue;
    }
    const place = { offset: record.offset, line: record.line };
    if (record.kind === "known") yield { kind: "known", ...place };
    else if (!isRecord(record.value)) yield faultAt(place, "record_strange", strange);
    else {
      if (!isUtf8(record.bytes)) reading.note("wrong character replaced");
      const conversation = { ...read(fieldsOf(record.value), reading), digest };
      if (conversation.threads.every(({ messages }) => messages.length === 0))
        reading.note("conversation without messages left out");
      yield { kind: "conversation", ...place, conversation };
    }
  }
}
