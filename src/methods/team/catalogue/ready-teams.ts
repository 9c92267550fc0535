/** Teams that come as files, shipped with the product or put into the workspace's library, and teams people have saved. */

import type { Library } from "../../../kernel/library/library.ts";
import { parseLibraryJson } from "../../../kernel/library/parse-library-json.ts";
import { notFound } from "../../../kernel/base/errors.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { listTeams, type Team } from "../../../kernel/store/teams.ts";
import type { Viewer } from "../../../kernel/store/visibility.ts";
import { type TeamShape, teamShape } from "../state/team-shape.ts";

export interface ReadyTeam {
  /** How it is called where a team is named: `library:lab`, or the id of a saved one. */
  readonly ref: string;
  readonly team: TeamShape;
}

const FOLDER = "team/teams";
const ENDING = ".json";
const PREFIX = "library:";

export function listLibraryTeams(library: Library): readonly ReadyTeam[] {
  return library.list({ kind: "teams", folder: FOLDER }).map(({ path }) => readTeam(library, path));
}

/** By `library:<file name>`, the file's name, or the name the team gives itself. */
export function findLibraryTeam(library: Library, given: string): ReadyTeam | undefined {
  const wanted = given.startsWith(PREFIX) ? given.slice(PREFIX.length) : given;
  const all = listLibraryTeams(library);
  return (
    all.find(({ ref }) => ref === PREFIX + wanted) ??
    all.find(({ team }) => team.name.toLowerCase() === wanted.toLowerCase())
  );
}

function readTeam(library: Library, path: string): ReadyTeam {
  const ref = PREFIX + path.slice(FOLDER.length + 1, -ENDING.length);
  return { ref, team: parseLibraryJson(library.read(path), teamShape) };
}

/** A saved team keeps its whole shape as the one member of its list. */
export function toReady({ id, members }: Pick<Team, "id" | "members">): ReadyTeam | undefined {
  const read = teamShape.safeParse(members[0]);
  return read.success ? { ref: id, team: read.data } : undefined;
}

export function* listSavedTeams(viewer: Viewer): DatabaseWork<readonly ReadyTeam[]> {
  const { items } = yield* listTeams({ viewer, limit: 200 });
  return items.flatMap((team) => toReady(team) ?? []);
}

export function* findTeam(
  library: Library,
  given: string,
  viewer: Viewer,
): DatabaseWork<ReadyTeam> {
  const ready = findLibraryTeam(library, given);
  if (ready !== undefined) return ready;
  const saved = yield* listSavedTeams(viewer);
  const found =
    saved.find(({ ref }) => ref === given) ??
    saved.find(({ ref }) => given.length >= 4 && ref.startsWith(given)) ??
    saved.find(({ team }) => team.name.toLowerCase() === given.toLowerCase());
  if (found === undefined) throw notFound("team", given);
  return found;
}
