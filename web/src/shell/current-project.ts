/** The project the pages are about; none means all of them. */

import { createKeptText } from "../data/shared-state.ts";
import { useOperation } from "../data/use-operation.ts";

const kept = createKeptText("project");

/** As lists take it: `useList("run.list", { project: useProjectId() })`. */
export function useProjectId(): string | undefined {
  return kept.use();
}

export function setProject(id: string | undefined): void {
  kept.set(id);
}

export interface ProjectChoice {
  readonly id: string;
  readonly name: string;
}

export function useProjects(): {
  readonly projects: readonly ProjectChoice[];
  readonly current: ProjectChoice | undefined;
} {
  const { data } = useOperation("project.list", { limit: 200 });
  const id = useProjectId();
  const projects = data?.items ?? [];
  const current = projects.find((project) => project.id === id);
  // A project that is gone must not leave the pages empty for ever.
  if (data !== undefined && id !== undefined && current === undefined)
    queueMicrotask(() => setProject(undefined));
  return { projects, current };
}
