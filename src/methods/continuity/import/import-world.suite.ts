/** A workspace in which people import: real store, real uploads, the operations as every surface calls them. */

import { scratchKernel } from "../../../../tests/scratch/scratch-kernel.ts";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { Caller, Role } from "../../../kernel/operation/caller.ts";
import { type InvokeOptions, invoke } from "../../../kernel/operation/invoke.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import { createOperationRegistry } from "../../../kernel/operation/operation-registry.ts";
import { appendUpload, beginUpload } from "../../../kernel/operation/uploads.ts";
import { query } from "../../../kernel/store/database-work.ts";
import { examineStore } from "../../../kernel/store/doctor-store.ts";
import { engineTables } from "../../../kernel/store/engine-migration.ts";
import type { Finding } from "../../../kernel/store/finding.ts";
import { nounTables } from "../../../kernel/store/noun-migration.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { searchTables } from "../../../kernel/store/search-migration.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { insertUser } from "../../../kernel/store/users.ts";
import { importTables } from "./import-migration.ts";
import { IMPORT_NOUNS } from "./import-nouns.ts";
import { importOperations } from "./import-operations.ts";
import type { ImportDetail, ImportResult, ShownImport } from "./import-shape.ts";

export interface ImportWorld {
  readonly kernel: Kernel;
  as(caller: Caller, name: string, input?: unknown, options?: InvokeOptions): Promise<unknown>;
  upload(name: string, content: string | Buffer, caller?: Caller): Promise<string>;
  /** Uploads and imports. */
  import(
    name: string,
    content: string | Buffer,
    input?: Readonly<Record<string, unknown>>,
    caller?: Caller,
  ): Promise<ImportResult>;
  show(id: string | undefined, caller?: Caller): Promise<ImportDetail>;
  list(caller?: Caller): Promise<readonly ShownImport[]>;
  /** What is stored: title, source id and the words of every conversation, in the order they began. */
  stored(): Promise<readonly StoredConversation[]>;
  examine(): Promise<readonly Finding[]>;
  remove(): Promise<void>;
}

export interface StoredConversation {
  readonly id: string;
  readonly title: string;
  readonly sourceId: string | null;
  readonly createdBy: string;
  readonly projects: readonly string[];
  readonly said: readonly string[];
}

export function caller(userId: string, role: Role = "operator"): Caller {
  return { userId, name: userId, role, isAgent: false, scopes: undefined };
}

export const OPERATOR = caller("operator");
export const STRANGER = caller("stranger");

export async function openImportWorld(
  options: { dialect?: Dialect; clock?: Clock } = {},
): Promise<ImportWorld> {
  const kernel = await scratchKernel({ ...options, migrations: [importTables] });
  await kernel.store.write(() =>
    insertUser(
      { id: "stranger", displayName: "Stranger", role: "operator" },
      { actor: "test", now: kernel.clock.now() },
    ),
  );
  const registry = createOperationRegistry(importOperations, IMPORT_NOUNS);
  const as: ImportWorld["as"] = (who, name, input = {}, how = {}) =>
    invoke(kernel, registry, name, who, input, how);
  const upload: ImportWorld["upload"] = async (name, content, who = OPERATOR) => {
    const bytes = Buffer.from(content);
    const { id } = await beginUpload(kernel, who, { name, bytes: bytes.length });
    if (bytes.length > 0) await appendUpload(kernel, who, { id, offset: 0, chunk: once(bytes) });
    return id;
  };
  return {
    kernel,
    as,
    upload,
    import: async (name, content, input = {}, who = OPERATOR) => {
      const file = await upload(name, content, who);
      return (await as(who, "import.start", { file, ...input })) as ImportResult;
    },
    show: async (importId, who = OPERATOR) =>
      (await as(who, "import.show", { importId })) as ImportDetail,
    list: async (who = OPERATOR) =>
      ((await as(who, "import.list")) as { items: readonly ShownImport[] }).items,
    stored: () => readStored(kernel),
    examine: async () => {
      const findings: Finding[] = [];
      await examineStore(kernel.store, {
        migrations: [engineTables, nounTables, searchTables, importTables],
        report: (finding) => findings.push(finding),
      });
      return findings;
    },
    remove: () => kernel.remove(),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

function readStored({ store }: Kernel): Promise<readonly StoredConversation[]> {
  return store.read(function* () {
    const conversations = yield* query(
      db.selectFrom("conversation").selectAll().orderBy("started_at").orderBy("id"),
    );
    const messages = Map.groupBy(
      yield* query(db.selectFrom("message").selectAll().orderBy("position").orderBy("id")),
      (message) => message.conversation_id,
    );
    const links = Map.groupBy(
      yield* query(db.selectFrom("conversation_project").selectAll()),
      (link) => link.conversation_id,
    );
    return conversations.map(({ id, title, source_id: sourceId, created_by: createdBy }) => ({
      id,
      title,
      sourceId,
      createdBy,
      projects: (links.get(id) ?? []).map((link) => link.project_id),
      said: (messages.get(id) ?? []).map(({ role, content }) => `${role}: ${content}`),
    }));
  });
}
