/** What statements draw. As in mermaid, a later label replaces an earlier one. */

import type {
  Chain,
  Diagram,
  DiagramEdge,
  DiagramNode,
  Direction,
  Mention,
  Span,
  Statement,
  Subgraph,
} from "./diagram.ts";

export function drawGraph(
  statements: readonly Statement[],
): Pick<Diagram, "nodes" | "edges" | "subgraphs"> {
  const mentions = new Map<string, Mention[]>();
  const edges: DiagramEdge[] = [];
  statements.forEach((statement, index) => {
    const chain = chainOf(statement);
    if (chain === undefined) return;
    for (const mention of chain.groups.flat()) {
      const known = mentions.get(mention.id);
      if (known === undefined) mentions.set(mention.id, [mention]);
      else known.push(mention);
    }
    for (const edge of edgesOf(chain, index)) edges.push(edge);
  });
  const { subgraphs, owners } = groupNodes(statements);
  const nodes = Array.from(mentions, ([id, all]) => nodeOf(id, all, owners.get(id)));
  return { nodes, edges, subgraphs };
}

export function chainOf(statement: Statement): Chain | undefined {
  return statement.kind === "flow" || statement.kind === "broken" ? statement.chain : undefined;
}

function* edgesOf(chain: Chain, statement: number): Generator<DiagramEdge> {
  for (const [linkIndex, link] of chain.links.entries()) {
    for (const source of chain.groups[linkIndex] ?? []) {
      for (const target of chain.groups[linkIndex + 1] ?? []) {
        const { label } = link;
        yield { source: source.id, target: target.id, label, link, statement, linkIndex };
      }
    }
  }
}

function nodeOf(
  id: string,
  mentions: readonly Mention[],
  subgraph: number | undefined,
): DiagramNode {
  const definition = mentions.findLast(({ body }) => body !== undefined);
  return {
    id,
    label: definition?.body?.label.text ?? id,
    shape: definition?.body?.shape ?? "none",
    mentions,
    definition,
    subgraph,
  };
}

interface Draft {
  readonly id: string | undefined;
  readonly title: string;
  readonly span: Span;
  readonly parent: number | undefined;
  end: number;
  direction: Direction | undefined;
  readonly mentioned: Set<string>;
}

/** A node belongs to the subgraph that mentions it and is closed first. */
function groupNodes(statements: readonly Statement[]): {
  readonly subgraphs: readonly Subgraph[];
  readonly owners: ReadonlyMap<string, number>;
} {
  const drafts: Draft[] = [];
  const open: number[] = [];
  const owners = new Map<string, number>();
  const close = (index: number, end: number): void => {
    const draft = drafts[index];
    if (draft === undefined) return;
    draft.end = end;
    for (const id of draft.mentioned) if (!owners.has(id)) owners.set(id, index);
  };
  for (const statement of statements) {
    const inside = open.at(-1);
    const draft = inside === undefined ? undefined : drafts[inside];
    if (statement.kind === "subgraph") {
      const { id, title, span, within } = statement;
      const fresh = { id, title, span, parent: within, end: span.end, direction: undefined };
      open.push(drafts.length);
      drafts.push({ ...fresh, mentioned: new Set() });
    } else if (statement.kind === "end") {
      if (inside !== undefined) close(inside, statement.span.end);
      open.pop();
    } else if (statement.kind === "direction" && draft !== undefined) {
      draft.direction = statement.direction;
    } else if (draft !== undefined) {
      for (const { id } of chainOf(statement)?.groups.flat() ?? []) draft.mentioned.add(id);
    }
  }
  for (const index of open.toReversed()) close(index, statements.at(-1)?.span.end ?? 0);
  return { subgraphs: drafts.map((draft, index) => finished(draft, index, owners)), owners };
}

function finished(draft: Draft, index: number, owners: ReadonlyMap<string, number>): Subgraph {
  const { id, title, span, parent, end, direction, mentioned } = draft;
  return {
    id,
    title,
    span: { start: span.start, end },
    parent,
    direction,
    nodeIds: [...mentioned].filter((node) => owners.get(node) === index),
  };
}
