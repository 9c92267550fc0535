/**
 * A tree of messages as threads: the visible one from its root to its last message, then every branch that was left,
 * from where it leaves. Each node is in exactly one thread. Circles and lost parents do no harm.
 */

export interface TreeNode {
  readonly id: string;
  readonly parent: string | undefined;
}

export interface NodeThread {
  /** The node it follows; undefined where it begins at a root. */
  readonly after: string | undefined;
  readonly ids: readonly string[];
}

/** `leaf` ends the visible thread. Of several children the last is the one that was gone on with. */
export function cutThreads(
  nodes: readonly TreeNode[],
  leaf: string | undefined,
): readonly NodeThread[] {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const children = Map.groupBy(
    nodes.filter(({ parent }) => parent !== undefined && parents.has(parent)),
    ({ parent }) => parent,
  );
  const taken = new Set<string>();
  const threads: NodeThread[] = [];

  const visible = pathTo(leaf, parents);
  if (visible.length > 0) threads.push({ after: undefined, ids: visible });
  for (const id of visible) taken.add(id);

  const follow = (from: string): readonly string[] => {
    const ids: string[] = [];
    for (let id: string | undefined = from; id !== undefined && !taken.has(id); ) {
      ids.push(id);
      taken.add(id);
      id = children.get(id)?.findLast((child) => !taken.has(child.id))?.id;
    }
    return ids;
  };

  // Parents first, so that a branch of a branch leaves from something already placed.
  for (const start of inOrder(nodes, parents, children)) {
    if (taken.has(start)) continue;
    const parent = parents.get(start);
    const after = parent !== undefined && taken.has(parent) ? parent : undefined;
    threads.push({ after, ids: follow(start) });
  }
  return threads;
}

function pathTo(
  leaf: string | undefined,
  parents: ReadonlyMap<string, string | undefined>,
): readonly string[] {
  const path: string[] = [];
  const seen = new Set<string>();
  for (let id = leaf; id !== undefined && parents.has(id) && !seen.has(id); id = parents.get(id)) {
    seen.add(id);
    path.push(id);
  }
  return path.toReversed();
}

/** Roots and their descendants, level by level; nodes of a circle, which no root reaches, come last. */
function inOrder(
  nodes: readonly TreeNode[],
  parents: ReadonlyMap<string, string | undefined>,
  children: ReadonlyMap<string | undefined, readonly TreeNode[]>,
): readonly string[] {
  const ordered = new Set<string>();
  for (const { id, parent } of nodes) {
    if (parent === undefined || !parents.has(parent)) ordered.add(id);
  }
  // A set is walked in the order of adding, also what is added on the way.
  for (const id of ordered) for (const child of children.get(id) ?? []) ordered.add(child.id);
  for (const { id } of nodes) ordered.add(id);
  return [...ordered];
}
