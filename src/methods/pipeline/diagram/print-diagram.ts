/** The text of a diagram, put together from its parts: byte for byte what was read. */

import type { Chain, Diagram, Span } from "./diagram.ts";
import { chainOf } from "./draw-graph.ts";

export function printDiagram(diagram: Diagram): string {
  const parts = diagram.statements.flatMap((statement): readonly Span[] => {
    const chain = statement.kind === "broken" ? undefined : chainOf(statement);
    return chain === undefined ? [statement.span] : spansOf(chain);
  });
  return printParts(diagram.source, parts);
}

function spansOf(chain: Chain): Span[] {
  return chain.groups.flatMap((group, index) => {
    const link = chain.links[index];
    const mentions = group.flatMap(({ idSpan, body }) => (body ? [idSpan, body.span] : [idSpan]));
    return link === undefined ? mentions : [...mentions, link.span];
  });
}

/** Parts out of order or on top of each other would show: text would be doubled or missing. */
function printParts(source: string, parts: readonly Span[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of parts) {
    pieces.push(source.slice(from, start), source.slice(start, end));
    from = end;
  }
  pieces.push(source.slice(from));
  return pieces.join("");
}
