/** Sessions: what was asked of agents, and the trail each left in version control. */

import "./sessions.css";
import type { PageProps } from "../page.ts";
import { SessionList } from "./session-list.tsx";
import { SessionView } from "./session-view.tsx";

export default function SessionsPage({ rest: [id, tab] }: PageProps) {
  return id === undefined ? <SessionList /> : <SessionView key={id} id={id} tab={tab} />;
}
