/**
 * Reads a flowchart. The grammar is mermaid's, without shapes by name; where mermaid would draw
 * something else than what seems to be written, that is a fault here. Reading goes on behind a
 * fault, in the next line, so all of them are found. Linear in the text, and without recursion.
 */

import { errorAt, type Fault } from "../../../kernel/base/text-position.ts";
import type { Diagram, Direction, Statement } from "./diagram.ts";
import { drawGraph } from "./draw-graph.ts";
import { maskSource } from "./mask-source.ts";
import {
  type ReadStatement,
  readDirectionLine,
  readHeader,
  readStatement,
} from "./read-statement.ts";
import { fault, isFault, matchAt, SPACE, skip } from "./scan.ts";

export const DIAGRAM_LIMITS = { characters: 2_000_000, edges: 500_000, faults: 100 } as const;

export interface ReadDiagram {
  /** What could be read of it. */
  readonly diagram: Diagram;
  readonly faults: readonly Fault[];
}

/** Throws the first fault; the others stand in its details. */
export function parseDiagram(source: string): Diagram {
  const { diagram, faults } = readDiagram(source);
  const [first] = faults;
  if (first === undefined) return diagram;
  throw errorAt(source, { ...first, details: { ...first.details, faults } });
}

/** Never fails. */
export function readDiagram(source: string): ReadDiagram {
  if (source.length > DIAGRAM_LIMITS.characters) return tooLarge(source);
  const masked = maskSource(source);
  const reader: Reader = {
    text: masked.text,
    at: skip(SPACE, masked.text, 0),
    statements: [],
    faults: masked.faults.slice(0, DIAGRAM_LIMITS.faults),
    open: [],
    subgraphs: 0,
    linkIds: new Set(),
    edges: 0,
    lineChecked: 0,
  };
  const direction = takeHeader(reader);
  takeStatements(reader);
  for (const { start } of reader.open) {
    reader.faults.push(fault(start, "The subgraph that begins here has no end"));
  }
  const { statements, faults } = reader;
  const { title, hidden } = masked;
  return {
    diagram: { source, direction, title, statements, hidden, ...drawGraph(statements) },
    faults: faults.toSorted((a, b) => a.offset - b.offset),
  };
}

interface Reader {
  readonly text: string;
  at: number;
  readonly statements: Statement[];
  readonly faults: Fault[];
  /** The subgraphs around the place, outermost first. */
  readonly open: { readonly index: number; readonly start: number }[];
  subgraphs: number;
  readonly linkIds: Set<string>;
  edges: number;
  /** Up to here lines have been asked whether they are directions. */
  lineChecked: number;
}

function takeHeader(reader: Reader): Direction {
  const { text, at } = reader;
  if (at === text.length) {
    reader.faults.push({ ...fault(at, "There is no diagram"), code: "diagram_empty" });
    return "TB";
  }
  const header = readHeader(text, at);
  if (isFault(header)) {
    reader.faults.push(header);
    // Without any header the first line may well be a step; with a bad one it is not.
    if (matchAt(/graph|flowchart/y, text, at) !== undefined) breakOff(reader, at, undefined);
    return "TB";
  }
  const span = { start: at, end: header.end };
  reader.statements.push({ kind: "header", direction: header.direction, span, within: undefined });
  reader.at = header.end;
  return header.direction;
}

const SEPARATORS = /[\s;]+/y;

function takeStatements(reader: Reader): void {
  const { text } = reader;
  for (;;) {
    reader.at = skip(SEPARATORS, text, reader.at);
    if (reader.at >= text.length) return;
    if (reader.faults.length >= DIAGRAM_LIMITS.faults) return giveUp(reader);
    const start = reader.at;
    const statement = withinEdges(
      reader,
      directionLine(reader) ?? readStatement(text, start, reader.linkIds),
    );
    if (statement.kind === "broken") {
      reader.faults.push(statement.fault);
      breakOff(reader, Math.max(start, statement.fault.offset), statement.chain);
    } else {
      keep(reader, statement);
      reader.at = statement.end;
    }
  }
}

/** `A & B & … --> C & D & …` draws an edge for every pair: few characters, very many edges. */
function withinEdges(reader: Reader, statement: ReadStatement): ReadStatement {
  const chain =
    statement.kind === "flow" || statement.kind === "broken" ? statement.chain : undefined;
  const sizes = chain?.groups.map((group) => group.length) ?? [];
  reader.edges += sizes.reduce((sum, size, index) => sum + size * (sizes[index + 1] ?? 0), 0);
  if (reader.edges <= DIAGRAM_LIMITS.edges) return statement;
  const message = `A diagram has at most ${DIAGRAM_LIMITS.edges} edges`;
  return { kind: "broken", chain: undefined, fault: fault(reader.at, message) };
}

function directionLine(reader: Reader): ReadStatement | undefined {
  const { text, at } = reader;
  if (at < reader.lineChecked) return undefined;
  const newline = text.indexOf("\n", at);
  reader.lineChecked = newline === -1 ? text.length : newline;
  return readDirectionLine(text, at, reader.lineChecked);
}

function keep(reader: Reader, read: Exclude<ReadStatement, { kind: "broken" }>): void {
  const span = { start: reader.at, end: read.end };
  if (read.kind === "end" && reader.open.pop() === undefined) {
    const hint = 'As an id, "end" needs a capital letter or something in front of it.';
    reader.faults.push(fault(reader.at, "This end closes no subgraph", hint));
  }
  const { end: _, ...statement } = read;
  reader.statements.push({ ...statement, span, within: reader.open.at(-1)?.index });
  if (read.kind === "flow") {
    for (const { id } of read.chain.links) if (id !== undefined) reader.linkIds.add(id);
  }
  if (read.kind !== "subgraph") return;
  if (read.fault !== undefined) reader.faults.push(read.fault);
  reader.open.push({ index: reader.subgraphs, start: reader.at });
  reader.subgraphs += 1;
}

/** Goes on in the line after the fault. */
function breakOff(
  reader: Reader,
  offset: number,
  chain: Extract<Statement, { kind: "broken" }>["chain"],
): void {
  const newline = reader.text.indexOf("\n", offset);
  const end = newline === -1 ? reader.text.length : newline;
  const span = { start: reader.at, end };
  reader.statements.push({ kind: "broken", chain, span, within: reader.open.at(-1)?.index });
  reader.at = end;
}

function giveUp(reader: Reader): void {
  const message = `After ${DIAGRAM_LIMITS.faults} faults the rest of the diagram was not read`;
  reader.faults.push({ ...fault(reader.at, message), code: "diagram_too_many_faults" });
  breakOff(reader, reader.text.length, undefined);
  reader.open.length = 0;
}

function tooLarge(source: string): ReadDiagram {
  const most = DIAGRAM_LIMITS.characters;
  const reason: Fault = {
    code: "diagram_too_large",
    message: `A diagram has at most ${most} characters, and this one has ${source.length}`,
    offset: most,
  };
  const span = { start: 0, end: source.length };
  const statements: Statement[] = [{ kind: "broken", chain: undefined, span, within: undefined }];
  const diagram = { source, direction: "TB", title: undefined, statements, hidden: [] } as const;
  return { diagram: { ...diagram, ...drawGraph(statements) }, faults: [reason] };
}
