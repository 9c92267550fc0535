/** What was built on an artifact, directly or through others. */

/** Whatever else is known of it. */
interface Reader {
  readonly id: string;
  readonly inputs: readonly { readonly id: string }[];
}

/** Of the artifacts that stand: those that read one of `changed`, and those that read these in turn. */
export function dependantsOf(
  artifacts: readonly Reader[],
  changed: readonly string[],
): readonly string[] {
  const readers = new Map<string, string[]>();
  for (const { id, inputs } of artifacts) {
    for (const input of inputs) {
      const known = readers.get(input.id);
      if (known === undefined) readers.set(input.id, [id]);
      else known.push(id);
    }
  }
  const found = new Set<string>();
  const open = [...changed];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const reader of readers.get(at) ?? []) {
      if (found.has(reader)) continue;
      found.add(reader);
      open.push(reader);
    }
  }
  return [...found];
}
