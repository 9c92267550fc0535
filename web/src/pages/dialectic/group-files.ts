/** Files by the folder they lie in, in the order they came. */

interface FileGroup<File> {
  readonly folder: string;
  readonly files: readonly (File & { readonly name: string })[];
}

export function groupFiles<File extends { readonly path: string }>(
  files: readonly File[],
): readonly FileGroup<File>[] {
  const named = files.map((file) => {
    const at = file.path.lastIndexOf("/");
    return { ...file, folder: file.path.slice(0, Math.max(0, at)), name: file.path.slice(at + 1) };
  });
  return [...Map.groupBy(named, ({ folder }) => folder)].map(([folder, group]) => ({
    folder,
    files: group,
  }));
}
