/** A tree of a source's messages as threads of ours; a message of theirs may be none, one or several of ours. */

import {
  type ImportedMessage,
  type ImportedThread,
  LEFT_BRANCH,
} from "../imported-conversation.ts";
import type { Reading } from "../source-file.ts";
import { cutThreads, type TreeNode } from "./cut-threads.ts";

export interface ReadTree {
  readonly nodes: readonly TreeNode[];
  /** The last message of the visible thread. */
  readonly leaf: string | undefined;
  readonly read: (id: string) => readonly ImportedMessage[];
  /** Whether something was said there; the rest only holds the tree together. */
  readonly isSaid: (id: string) => boolean;
}

export function readTree(
  { nodes, leaf, read, isSaid }: ReadTree,
  { branches, note }: Pick<Reading, "branches" | "note">,
): readonly ImportedThread[] {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const lastOf = new Map<string, string>();
  const found: ImportedThread[] = [];
  for (const [index, { after, ids }] of cutThreads(nodes, leaf).entries()) {
    if (index > 0 && branches === "visible") {
      note(LEFT_BRANCH, ids.filter((id) => isSaid(id)).length);
      continue;
    }
    const messages = ids.flatMap((id) => {
      const said = read(id);
      const last = said.at(-1);
      if (last !== undefined) lastOf.set(id, last.id);
      return said;
    });
    if (messages.length > 0) found.push({ after: nearestSaid(after, parents, lastOf), messages });
  }
  return found;
}

/** Where nothing says what is shown, it is the newest message that nothing follows. */
export function newestLeaf(
  nodes: readonly TreeNode[],
  at: (id: string) => number | undefined,
): string | undefined {
  const followed = new Set(nodes.map(({ parent }) => parent));
  return nodes
    .filter(({ id }) => !followed.has(id))
    .toSorted((a, b) => (at(a.id) ?? 0) - (at(b.id) ?? 0))
    .at(-1)?.id;
}

/** Nodes without words of their own lead to those before them. */
function nearestSaid(
  from: string | undefined,
  parents: ReadonlyMap<string, string | undefined>,
  lastOf: ReadonlyMap<string, string>,
): string | undefined {
  const seen = new Set<string>();
  for (let id = from; id !== undefined && !seen.has(id); id = parents.get(id)) {
    const said = lastOf.get(id);
    if (said !== undefined) return said;
    seen.add(id);
  }
  return undefined;
}
