/** Which subject a report belongs to. A new one is made only when it is asked for: else every title would breed one. */

import { ProductError } from "../../kernel/base/errors.ts";
import { nearMatches } from "../../kernel/contract/near-match.ts";
import { subjectFolder, subjectKey } from "../../kernel/vcs/repository-path.ts";

export interface KnownSubject {
  readonly name: string;
  readonly aliases: readonly string[];
}

/** The subject's own name, found by any of its names in any spelling. */
export function findSubject(given: string, known: readonly KnownSubject[]): string | undefined {
  const key = subjectKey(given);
  const exact = known.find(({ name }) => name === given);
  if (exact !== undefined) return exact.name;
  // A name of signs only has no key; such ones are the same only if they are written the same.
  if (key === "") return undefined;
  return known.find(({ name, aliases }) =>
    [name, ...aliases].some((each) => subjectKey(each) === key),
  )?.name;
}

export function resolveSubject(
  given: string,
  known: readonly KnownSubject[],
  isNewAllowed: boolean,
): string {
  const found = findSubject(given, known);
  if (found !== undefined) return found;
  if (isNewAllowed || known.length === 0) return requireSubjectName(given, known);
  const near = nearMatches(
    given,
    known.map(({ name }) => name),
  );
  throw new ProductError("subject_unknown", `There is no subject "${given}" here.`, {
    kind: "not_found",
    hint:
      near.length > 0
        ? `Did you mean ${near.join(" or ")}? A new one is made with --new-subject.`
        : `There are: ${known
            .slice(0, 10)
            .map(({ name }) => name)
            .join(", ")}. A new one is made with --new-subject.`,
    details: { near },
  });
}

/** Two subjects may not share a folder, on any file system. */
export function requireSubjectName(name: string, known: readonly KnownSubject[]): string {
  const folder = subjectFolder(name).toLowerCase();
  const clash = known.find((each) => subjectFolder(each.name).toLowerCase() === folder);
  if (clash === undefined || clash.name === name) return name;
  throw new ProductError(
    "subject_clashes",
    `"${name}" would share its folder with the subject "${clash.name}".`,
    {
      kind: "conflict",
      hint: "Use that one, or choose a name that differs in more than its signs.",
    },
  );
}

/** What is registered, and what has a folder already; a folder's own aliases count like registered ones. */
export function joinSubjects(
  registered: readonly KnownSubject[],
  folders: ReadonlyMap<string, readonly string[]>,
): readonly KnownSubject[] {
  const taken = new Set(registered.map(({ name }) => subjectFolder(name)));
  const found = [...folders]
    .filter(([folder]) => !taken.has(folder))
    .map(([folder, aliases]) => ({ name: folder, aliases }));
  const joined = registered.map(({ name, aliases }) => ({
    name,
    aliases: [...new Set([...aliases, ...(folders.get(subjectFolder(name)) ?? [])])],
  }));
  return [...joined, ...found];
}
