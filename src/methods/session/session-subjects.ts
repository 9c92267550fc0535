/** The registry of subjects: names with their aliases, for each repository. */

import {
  type Act,
  findForChange,
  insertAudited,
  updateAudited,
} from "../../kernel/store/audited-rows.ts";
import { toJsonText } from "../../kernel/store/cells.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { lockName } from "../../kernel/store/lock-name.ts";
import { subjectKey } from "../../kernel/vcs/repository-path.ts";
import { SUBJECTS } from "./session-migration.ts";
import { sessionDb } from "./session-tables.ts";
import type { KnownSubject } from "./subjects.ts";

export function* listSubjects(repository: string): DatabaseWork<readonly KnownSubject[]> {
  const rows = yield* query(
    sessionDb
      .selectFrom("session_subject")
      .select(["name", "aliases"])
      .where("repository", "=", repository)
      .orderBy("name"),
  );
  return rows.map(({ name, aliases }) => ({
    name,
    aliases: JSON.parse(aliases) as readonly string[],
  }));
}

/** Adds the subject, or gives the known one these other names. */
export function* putSubject(
  repository: string,
  { name, aliases }: KnownSubject,
  id: string,
  act: Act,
): DatabaseWork<void> {
  yield* lockName(`subjects ${repository}`);
  const rows = yield* query(
    sessionDb
      .selectFrom("session_subject")
      .select(["id", "name"])
      .where("repository", "=", repository),
  );
  const known = rows.find((row) => row.name === name);
  const before = known === undefined ? undefined : yield* findForChange(SUBJECTS, known.id);
  const cells = { aliases: toJsonText([...aliases]) };
  if (before !== undefined) {
    yield* updateAudited(SUBJECTS, before, cells, act, { projectId: null });
    return;
  }
  const row = {
    id,
    repository,
    name,
    // Names of signs only have no key of letters.
    name_key: subjectKey(name) || name,
    ...cells,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  yield* insertAudited(SUBJECTS, row, act, { projectId: null });
}
