/** Files named in a command, sent before it: each is replaced by the id of its upload. */

import type { Progress } from "../../kernel/operation/operation.ts";
import type { CliWorld } from "./cli-world.ts";
import type { Command } from "./command.ts";
import { openSentFile } from "./open-sent-file.ts";
import type { OperationClient } from "./operation-client.ts";

export interface SentInput {
  readonly input: unknown;
  /** For when the command was carried out: what it did not use up is dropped. */
  drop(): Promise<void>;
}

export async function sendFiles(
  { directory, stdin, signal }: CliWorld,
  client: OperationClient,
  { hints }: Command,
  input: unknown,
  report: ((progress: Progress) => void) | undefined,
): Promise<SentInput> {
  const given = input as Readonly<Record<string, unknown>>;
  const sent: Record<string, string> = {};
  for (const [field, endings] of Object.entries(hints.files ?? {})) {
    const typed = given[field];
    if (typeof typed !== "string") continue;
    const file = await openSentFile(typed, { directory, endings, stdin: stdin.bytes });
    try {
      sent[field] = await client.upload(file, { signal, report });
    } finally {
      await file.close();
    }
  }
  return {
    input: { ...given, ...sent },
    drop: async () => {
      for (const id of Object.values(sent)) await client.dropUpload(id);
    },
  };
}
