/** Ids may be shortened to any unique beginning. What the caller may not see does not count. */

import type { Expression, SqlBool } from "kysely";
import { notFound, ProductError } from "../base/errors.ts";
import { type DatabaseWork, query } from "./database-work.ts";
import { db } from "./query-builder.ts";
import {
  seesArtifact,
  seesConversation,
  seesDecision,
  seesExchange,
  seesHighlight,
  seesMessage,
  seesProject,
  seesRedaction,
  seesRun,
  seesTask,
  seesTeam,
  seesToken,
  seesWait,
  type Viewer,
} from "./visibility.ts";

export const IDENTIFIED_NOUNS = [
  "project",
  "conversation",
  "message",
  "highlight",
  "task",
  "decision",
  "redaction",
  "team",
  "run",
  "exchange",
  "wait",
  "artifact",
  "user",
  "token",
] as const;
export type IdentifiedNoun = (typeof IDENTIFIED_NOUNS)[number];

export function resolveId(
  noun: IdentifiedNoun,
  given: string,
  viewer: Viewer,
): DatabaseWork<string> {
  return resolveIdAmong(noun, given, SEES[noun]?.(viewer));
}

/** For any table with ids, also those of methods; `visible` is the condition under which a row counts. */
export function* resolveIdAmong(
  noun: string,
  given: string,
  visible: Expression<SqlBool> | undefined,
): DatabaseWork<string> {
  const range = idRange(given);
  let select = db
    .selectFrom(noun as "user")
    .select("id")
    .where((where) =>
      where.or([
        where("id", "=", given),
        ...(range
          ? [where.and([where("id", ">=", range.first), where("id", "<=", range.last)])]
          : []),
      ]),
    )
    .orderBy("id")
    .limit(SHOWN + 1);
  if (visible !== undefined) select = select.where(visible);
  const ids = (yield* query(select)).map(({ id }) => id);
  const [id] = ids;
  if (id === undefined) throw notFound(noun, given);
  if (ids.length === 1 || ids.includes(given)) return ids.includes(given) ? given : id;
  throw ambiguous(noun, given, ids);
}

const SHOWN = 5;
const MIN_PREFIX = 4;

const SEES: Partial<Record<IdentifiedNoun, (viewer: Viewer) => Expression<SqlBool>>> = {
  project: seesProject,
  conversation: seesConversation,
  message: seesMessage,
  highlight: seesHighlight,
  task: seesTask,
  decision: seesDecision,
  redaction: seesRedaction,
  team: seesTeam,
  run: seesRun,
  exchange: seesExchange,
  wait: seesWait,
  artifact: seesArtifact,
  token: seesToken,
};

/** Whole ids at both ends: bare prefixes would sort differently under some collations of PostgreSQL. */
function idRange(prefix: string): { first: string; last: string } | undefined {
  const lower = prefix.toLowerCase();
  const isPrefix =
    lower.length >= MIN_PREFIX &&
    lower.replaceAll(/[0-9a-f]/g, "0") === LOWEST.slice(0, lower.length);
  if (!isPrefix) return undefined;
  return {
    first: lower + LOWEST.slice(lower.length),
    last: lower + LOWEST.slice(lower.length).replaceAll("0", "f"),
  };
}

const LOWEST = "00000000-0000-0000-0000-000000000000";

function ambiguous(noun: string, given: string, ids: readonly string[]): ProductError {
  const shown = ids.slice(0, SHOWN);
  const more = ids.length > SHOWN ? " and more" : "";
  return new ProductError(
    "id_ambiguous",
    `"${given}" is the beginning of several ids: ${shown.join(", ")}${more}.`,
    {
      kind: "conflict",
      hint: "Give more of the id.",
      details: { noun, given, candidates: shown },
    },
  );
}
