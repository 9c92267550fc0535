/** Changes to nodes, as changes of the text. Ids are never rewritten. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Diagram, DiagramNode, Mention, Shape } from "./diagram.ts";
import { chainOf } from "./draw-graph.ts";
import { keepRuns, unknownNode } from "./edit-edge.ts";
import { renumberLinkStyles } from "./link-styles.ts";
import { readId } from "./read-id.ts";
import { isFault } from "./scan.ts";
import { deleteStatement, insertBehind } from "./statement-edits.ts";
import { insertAt, replace, type TextEdit } from "./text-edit.ts";
import { isPlainLabel, writeBody, writeLabel } from "./write-label.ts";

type DrawnShape = Exclude<Shape, "none">;

export interface NewNode {
  readonly id: string;
  readonly label: string;
  readonly shape: DrawnShape;
}

/** At the end of the drawing, before settings that follow it. */
export function addNode(diagram: Diagram, { id, label, shape }: NewNode): TextEdit[] {
  checkNewId(diagram, id);
  const body = writeBody(shape, writeLabel(label, "plain"));
  return [insertBehind(diagram, diagram.statements.length - 1, `${id}${body}`)];
}

export function setNodeLabel(diagram: Diagram, id: string, label: string): TextEdit[] {
  const { definition, mentions } = nodeNamed(diagram, id);
  const body = definition?.body;
  if (body === undefined) {
    const end = mentions[0]?.idSpan.end ?? 0;
    return [insertAt(end, writeBody("square", writeLabel(label, "plain")))];
  }
  const { span } = body.label;
  const isQuoted = diagram.source.charAt(span.start) === '"';
  return [replace(span, writeLabel(label, isQuoted ? "quoted" : "plain"))];
}

export function setNodeShape(diagram: Diagram, id: string, shape: DrawnShape): TextEdit[] {
  const { definition, mentions } = nodeNamed(diagram, id);
  const body = definition?.body;
  if (body === undefined) {
    const end = mentions[0]?.idSpan.end ?? 0;
    return [insertAt(end, writeBody(shape, writeLabel(id, "plain")))];
  }
  const { span } = body.label;
  const written = diagram.source.slice(span.start, span.end);
  const isSafe = isPlainLabel(written) || /^"[^"]*"$/.test(written);
  if (!isSafe) return [replace(body.span, writeBody(shape, writeLabel(body.label.text, "quoted")))];
  const [open = "", close = ""] = writeBody(shape, "\n").split("\n");
  return [
    replace({ start: body.span.start, end: span.start }, open),
    replace({ start: span.end, end: body.span.end }, close),
  ];
}

/** With its edges, and with what styles it; its settings are another matter. */
export function removeNode(diagram: Diagram, id: string): TextEdit[] {
  nodeNamed(diagram, id);
  const edits = diagram.statements.flatMap((statement, index): readonly TextEdit[] => {
    if (statement.kind === "styling") return unstyle(diagram, index, id);
    const groups = chainOf(statement)?.groups ?? [];
    if (!groups.some((group) => group.some((mention) => mention.id === id))) return [];
    return withoutNode(diagram, index, groups, id);
  });
  // The last line of a text goes with the line break before it, which the line above may have taken with it.
  const inOrder = edits.toSorted((a, b) => a.start - b.start);
  const apart = inOrder.map((edit, at) => {
    const taken = inOrder[at - 1]?.end ?? 0;
    return edit.start < taken ? { ...edit, start: Math.min(taken, edit.end) } : edit;
  });
  const numbers: (number | undefined)[] = [];
  let next = 0;
  for (const { source, target } of diagram.edges) {
    numbers.push(source === id || target === id ? undefined : next);
    if (source !== id && target !== id) next += 1;
  }
  return [...apart, ...renumberLinkStyles(diagram, (edge) => numbers[edge])];
}

function withoutNode(
  diagram: Diagram,
  index: number,
  groups: readonly (readonly Mention[])[],
  id: string,
): TextEdit[] {
  const runs: (readonly Mention[])[][] = [[]];
  const gone: TextEdit[] = [];
  for (const group of groups) {
    const others = group.filter((mention) => mention.id !== id);
    if (others.length === 0) {
      runs.push([]);
      continue;
    }
    runs.at(-1)?.push(others);
    gone.push(...thinOut(group, id));
  }
  const edits = keepRuns(diagram, index, runs);
  // What leaves a group at its edge leaves with the piece around it, if that goes too.
  return [...edits, ...gone.filter((edit) => !edits.some((other) => covers(other, edit)))];
}

/** Takes the node out of a group of which others stay, with one `&` each. */
function thinOut(group: readonly Mention[], id: string): TextEdit[] {
  const first = group.findIndex((mention) => mention.id !== id);
  return group.flatMap((mention, at) => {
    if (mention.id !== id) return [];
    const start = at < first ? mention.span.start : (group[at - 1]?.span.end ?? mention.span.start);
    const end = at < first ? (group[at + 1]?.span.start ?? mention.span.end) : mention.span.end;
    return [replace({ start, end }, "")];
  });
}

function covers(outer: TextEdit, inner: TextEdit): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** Mermaid would draw a node again that is still styled. */
function unstyle(diagram: Diagram, index: number, id: string): TextEdit[] {
  const { start, end } = diagram.statements[index]?.span ?? { start: 0, end: 0 };
  const found = /^(?:style|class|click)\s+(\S+)/.exec(diagram.source.slice(start, end));
  const names = found?.[1]?.split(",") ?? [];
  if (found === null || !names.includes(id)) return [];
  const kept = names.filter((name) => name !== id);
  if (kept.length === 0) return [deleteStatement(diagram, index)];
  const from = start + found[0].length - names.join(",").length;
  return [replace({ start: from, end: start + found[0].length }, kept.join(","))];
}

function nodeNamed(diagram: Diagram, id: string): DiagramNode {
  const node = diagram.nodes.find((each) => each.id === id);
  if (node === undefined) throw unknownNode(id);
  return node;
}

function checkNewId(diagram: Diagram, id: string): void {
  const read = readId(id, 0);
  if (isFault(read) || read.end < id.length || id === "") {
    throw new ProductError("node_id_invalid", `"${id}" cannot be the id of a node.`, {
      hint: isFault(read) ? read.message : "Use letters, digits, _ and single dashes.",
      details: { id },
    });
  }
  if (!diagram.nodes.some((node) => node.id === id)) return;
  throw new ProductError("node_exists", `The diagram has a node "${id}" already.`, {
    kind: "conflict",
    details: { id },
  });
}
