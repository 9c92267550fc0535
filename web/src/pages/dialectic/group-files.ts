/** Files by the folder they lie in, in the order they came; what all folders begin with is said once. */

interface FileGroup<File> {
  readonly folder: string;
  readonly files: readonly (File & { readonly name: string })[];
}

export function groupFiles<File extends { readonly path: string }>(
  files: readonly File[],
): { readonly above: string; readonly groups: readonly FileGroup<File>[] } {
  const named = files.map((file) => {
    const at = file.path.lastIndexOf("/");
    return { ...file, folder: file.path.slice(0, Math.max(0, at)), name: file.path.slice(at + 1) };
  });
  const groups = [...Map.groupBy(named, ({ folder }) => folder)];
  const above = sharedFolders(groups.map(([folder]) => folder));
  return {
    above,
    groups: groups.map(([folder, group]) => ({ folder: folder.slice(above.length), files: group })),
  };
}

/** With its last slash; empty where there is none. */
function sharedFolders(folders: readonly string[]): string {
  const [first = [], ...rest] = folders.map((folder) => folder.split("/"));
  let shared = 0;
  // The last part stays: a folder has a name.
  while (
    shared < first.length - 1 &&
    rest.every((parts) => parts[shared] === first[shared] && parts.length > shared + 1)
  )
    shared += 1;
  return first
    .slice(0, shared)
    .map((part) => `${part}/`)
    .join("");
}
