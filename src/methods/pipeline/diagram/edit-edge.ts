/**
 * Changes to edges, as changes of the text. Node ids and everything else stay as they are written;
 * the order of the edges that stay is kept, since a decision tries its branches in that order.
 */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Chain, Diagram, DiagramEdge, Link, Mention, Span } from "./diagram.ts";
import { chainOf } from "./draw-graph.ts";
import { renumberLinkStyles } from "./link-styles.ts";
import { deleteStatement, insertBehind, lineBreakFor, remainderOf } from "./statement-edits.ts";
import { indentAt, insertAt, lineEndOf, newlineOf, replace, type TextEdit } from "./text-edit.ts";
import { writeLabel } from "./write-label.ts";

export interface NewEdge {
  readonly source: string;
  readonly target: string;
  readonly label?: string | undefined;
}

/** Drawn behind the last edge that leaves the same node, but not before both nodes are drawn. */
export function addEdge(diagram: Diagram, { source, target, label }: NewEdge): TextEdit[] {
  for (const id of [source, target]) {
    if (!diagram.nodes.some((node) => node.id === id)) throw unknownNode(id);
  }
  const last = diagram.edges.findLast((edge) => edge.source === source)?.statement;
  const drawn = diagram.statements.findIndex((statement) =>
    chainOf(statement)?.groups.some((group) => group.some(({ id }) => id === target)),
  );
  const near = last === undefined ? undefined : Math.max(last, drawn);
  // Inside a subgraph a mention would draw the target into it.
  const isInside = near !== undefined && diagram.statements[near]?.within !== undefined;
  const index = near === undefined || isInside ? diagram.statements.length - 1 : near;
  const bars = label === undefined ? "" : `|${writeBars(label)}|`;
  const place = diagram.edges.filter((edge) => edge.statement <= index).length;
  return [
    insertBehind(diagram, index, `${source} -->${bars} ${target}`),
    ...renumberLinkStyles(diagram, (edge) => (edge < place ? edge : edge + 1)),
  ];
}

export function removeEdge(diagram: Diagram, index: number): TextEdit[] {
  const edge = edgeAt(diagram, index);
  const chain = chainOfEdge(diagram, edge);
  const edits = isOnlyPair(chain, edge)
    ? cutChain(diagram, edge.statement, [edge.linkIndex])
    : splitPairs(diagram, edge, (each) =>
        each === edge ? undefined : writtenLink(diagram, edge.link),
      );
  const moved = (each: number) => (each < index ? each : each === index ? undefined : each - 1);
  return [...edits, ...renumberLinkStyles(diagram, moved)];
}

export function setEdgeLabel(
  diagram: Diagram,
  index: number,
  label: string | undefined,
): TextEdit[] {
  const edge = edgeAt(diagram, index);
  const { link } = edge;
  if (!isOnlyPair(chainOfEdge(diagram, edge), edge)) {
    const changed = `${plainArrow(diagram, link)}${label === undefined ? "" : `|${writeBars(label)}|`}`;
    return splitPairs(diagram, edge, (each) =>
      each === edge ? changed : writtenLink(diagram, link),
    );
  }
  if (label === undefined) return link.label === undefined ? [] : [withoutLabel(diagram, link)];
  if (link.label === undefined) return [addBars(diagram, edge, label)];
  return [replace(link.label.span, writeLabel(label, styleOf(diagram, link.label.span, label)))];
}

/** Behind a label the target must stand in the same line; behind a bare arrow it may not. */
function addBars(diagram: Diagram, edge: DiagramEdge, label: string): TextEdit {
  const { link, linkIndex } = edge;
  const bars = `|${writeBars(label)}|`;
  const target =
    chainOfEdge(diagram, edge).groups[linkIndex + 1]?.[0]?.span.start ?? link.arrow.end;
  const isSameLine = target <= lineEndOf(diagram.source, link.arrow.end);
  return isSameLine ? insertAt(link.arrow.end, bars) : insertAt(target, `${bars} `);
}

/** In the middle of a link more is misread than between bars. */
function styleOf(diagram: Diagram, written: Span, label: string): "quoted" | "plain" {
  const { source } = diagram;
  if (source.charAt(written.start) === '"') return "quoted";
  if (source.charAt(written.start - 1) === "|") return "plain";
  const isSimple = /^[\p{L}\p{N} ]+$/u.test(label) && /\s/.test(source.charAt(written.end));
  return isSimple ? "plain" : "quoted";
}

/** Takes links out of a chain; the pieces become statements of their own. */
export function cutChain(diagram: Diagram, index: number, links: readonly number[]): TextEdit[] {
  const statement = diagram.statements[index];
  const chain = statement && chainOf(statement);
  if (statement === undefined || chain === undefined) return [];
  const cut = new Set(links);
  const runs: Mention[][][] = [[]];
  chain.groups.forEach((group, at) => {
    runs.at(-1)?.push([...group]);
    if (cut.has(at)) runs.push([]);
  });
  return keepRuns(diagram, index, runs);
}

/** Leaves only these runs of groups of a statement; a run that says nothing new goes too. */
export function keepRuns(
  diagram: Diagram,
  index: number,
  runs: readonly (readonly (readonly Mention[])[])[],
): TextEdit[] {
  const statement = diagram.statements[index];
  if (statement === undefined) return [];
  const { span } = statement;
  const kept = runs
    .filter((run) => run.length > 0 && !isIdle(diagram, run, statement.within))
    .map(spanOfRun);
  const [first] = kept;
  const last = kept.at(-1);
  if (first === undefined || last === undefined) return [deleteStatement(diagram, index)];
  const indent = indentAt(diagram.source, span.start);
  const gaps = kept.slice(1).map((run, at) => ({ start: kept[at]?.end ?? 0, end: run.start }));
  const head = { start: span.start, end: first.start };
  const tail = { start: last.end, end: span.end };
  return [
    replace(head, remainderOf(diagram, head)),
    ...gaps.map((gap) => replace(gap, lineBreakFor(diagram, gap, indent))),
    replace(tail, remainderOf(diagram, tail)),
  ].filter(({ start, end, text }) => start < end || text !== "");
}

/** A lone bare mention that neither describes a node nor brings it in first. */
function isIdle(
  diagram: Diagram,
  run: readonly (readonly Mention[])[],
  within: number | undefined,
): boolean {
  const [group] = run;
  if (run.length > 1 || group === undefined || within !== undefined) return false;
  return group.every((mention) => {
    const node = diagram.nodes.find(({ id }) => id === mention.id);
    const isBare = mention.span.end === mention.idSpan.end;
    return isBare && node?.mentions[0] !== mention;
  });
}

function spanOfRun(run: readonly (readonly Mention[])[]): Span {
  return {
    start: run[0]?.[0]?.span.start ?? 0,
    end: run.at(-1)?.at(-1)?.span.end ?? 0,
  };
}

/** Writes every pair of a link of groups by itself, so that one of them can differ. */
function splitPairs(
  diagram: Diagram,
  edge: DiagramEdge,
  linkFor: (pair: DiagramEdge) => string | undefined,
): TextEdit[] {
  const { statement: index, linkIndex, link } = edge;
  const chain = chainOfEdge(diagram, edge);
  const span = diagram.statements[index]?.span ?? link.span;
  const target = chain.groups[linkIndex + 1] ?? [];
  const start = target[0]?.span.start ?? span.end;
  const end = target.at(-1)?.span.end ?? span.end;
  const before = chain.groups[linkIndex]?.at(-1)?.span.end ?? link.span.start;
  const newline = newlineOf(diagram.source) + indentAt(diagram.source, span.start);
  const pairs = diagram.edges.filter(
    (each) => each.statement === index && each.linkIndex === linkIndex,
  );
  const lines = pairs.flatMap((pair) => {
    const written = linkFor(pair);
    return written === undefined ? [] : [`${pair.source} ${written} ${pair.target}`];
  });
  const goesOn = linkIndex + 1 < chain.links.length;
  const again = goesOn ? [target.map(({ id }) => id).join(" & ")] : [];
  const gap = { start: before, end: start };
  return [
    replace(gap, lineBreakFor(diagram, gap, indentAt(diagram.source, span.start))),
    insertAt(end, [...lines, ...again].map((line) => newline + line).join("")),
  ];
}

function chainOfEdge(diagram: Diagram, edge: DiagramEdge): Chain {
  const statement = diagram.statements[edge.statement];
  const chain = statement && chainOf(statement);
  if (chain === undefined) throw new Error("The edge is of another diagram.");
  return chain;
}

function isOnlyPair({ groups }: Chain, { linkIndex }: DiagramEdge): boolean {
  return groups[linkIndex]?.length === 1 && groups[linkIndex + 1]?.length === 1;
}

/** As it stands there, without its name, which only one link can have. */
function writtenLink(diagram: Diagram, link: Link): string {
  const text = diagram.source.slice(link.span.start, link.span.end);
  return link.id === undefined ? text : text.slice(link.id.length + 1);
}

const ARROWS = { normal: "-->", thick: "==>", dotted: "-.->", invisible: "~~~" } as const;

function plainArrow(diagram: Diagram, link: Link): string {
  const drawn = diagram.source.slice(link.arrow.start, link.arrow.end);
  const isMiddle = link.label !== undefined && link.label.span.start < link.arrow.start;
  return isMiddle && link.head === "arrow" ? ARROWS[link.stroke] : drawn;
}

function withoutLabel(diagram: Diagram, link: Link): TextEdit {
  const isMiddle = link.label !== undefined && link.label.span.start < link.arrow.start;
  // An id that begins with an `x` or an `o` would become the head of a bare arrow.
  const space = /\w/.test(diagram.source.charAt(link.span.end)) ? " " : "";
  if (!isMiddle) return replace({ start: link.arrow.end, end: link.span.end }, space);
  const name = link.id === undefined ? "" : `${link.id}@`;
  return replace(link.span, `${name}${plainArrow(diagram, link)}${space}`);
}

/** `default` and other plain words stand as they are, conditions in quotes. */
function writeBars(label: string): string {
  return writeLabel(label, /^\w+$/.test(label.trim()) ? "plain" : "quoted");
}

function edgeAt(diagram: Diagram, index: number): DiagramEdge {
  const edge = diagram.edges[index];
  if (edge !== undefined) return edge;
  throw new ProductError("edge_not_found", `The diagram has no edge number ${index}.`, {
    kind: "not_found",
    details: { index, edges: diagram.edges.length },
  });
}

export function unknownNode(id: string): ProductError {
  return new ProductError("node_not_found", `The diagram has no node "${id}".`, {
    kind: "not_found",
    hint: "Ids are exact, upper and lower case included.",
    details: { id },
  });
}
