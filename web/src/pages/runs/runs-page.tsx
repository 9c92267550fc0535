/** Runs of every method: the list, or one of them. */

import "./runs.css";
import type { PageProps } from "../page.ts";
import { RunList } from "./run-list.tsx";
import { RunView } from "./run-view.tsx";

export default function RunsPage({ rest: [id, tab] }: PageProps) {
  return id === undefined ? <RunList /> : <RunView key={id} id={id} tab={tab} />;
}
