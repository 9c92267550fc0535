/** Workflows: the list, one of them in its editor, or how it came to be. */

import "../../styles/editor.css";
import "./workflows.css";
import type { PageProps } from "../page.ts";
import { VersionsView } from "./versions-view.tsx";
import { WorkflowEditor } from "./workflow-editor.tsx";
import { WorkflowList } from "./workflow-list.tsx";

export default function WorkflowsPage({ rest: [id, view] }: PageProps) {
  if (id === undefined) return <WorkflowList />;
  if (view === "versions") return <VersionsView key={id} id={id} />;
  return <WorkflowEditor key={id} id={id} />;
}
