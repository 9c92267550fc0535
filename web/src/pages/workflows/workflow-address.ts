/** An id, or the name of a file of the library, as a part of the address. */
export function workflowAddress(id: string, view = ""): string {
  return `/workflows/${encodeURIComponent(id)}${view === "" ? "" : `/${view}`}`;
}
