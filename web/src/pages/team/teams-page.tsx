/** Teams: those that are ready, the missions they work on, or one of these. */

import "./team.css";
import type { PageProps } from "../page.ts";
import { TeamList } from "./team-list.tsx";
import { TeamRun } from "./team-run.tsx";

export default function TeamsPage({ rest: [id, tab, item] }: PageProps) {
  return id === undefined ? <TeamList /> : <TeamRun key={id} id={id} tab={tab} item={item} />;
}
