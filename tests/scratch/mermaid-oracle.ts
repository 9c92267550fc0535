/**
 * Mermaid's own flowchart parser, without a browser. Its labels pass through a sanitiser that gives
 * up where there is no document and is then a bare function; a method of all functions takes its
 * place. (A context of its own would keep that apart, and take twice the time.)
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

export interface MermaidGraph {
  readonly nodes: readonly { readonly id: string; readonly shape: string; readonly text: string }[];
  readonly edges: readonly {
    readonly source: string;
    readonly target: string;
    readonly text: string;
    readonly type: string;
    readonly stroke: string;
  }[];
  readonly direction: string;
}

/** What mermaid draws, or the reason why it draws nothing. */
export type MermaidReading = MermaidGraph | { readonly refused: string };

interface Vertex {
  readonly id: string;
  readonly type?: string;
  readonly text: string;
}

interface Edge {
  readonly start: string;
  readonly end: string;
  readonly text: string;
  readonly type: string;
  readonly stroke: string;
}

interface FlowDatabase {
  getVertices(): Map<string, Vertex>;
  getEdges(): readonly Edge[];
  getDirection(): string;
}

interface Mermaid {
  initialize(config: object): void;
  readonly mermaidAPI: {
    getDiagramFromText(text: string): Promise<{ readonly db: FlowDatabase }>;
  };
}

export function openMermaid(): (source: string) => Promise<MermaidReading> {
  const file = fileURLToPath(import.meta.resolve("@mermaid-js/tiny"));
  vm.runInThisContext(readFileSync(file, "utf8"), { filename: file });
  vm.runInThisContext("Function.prototype.sanitize = (text) => text");
  const { mermaid } = globalThis as unknown as { mermaid: Mermaid };
  mermaid.initialize({
    securityLevel: "loose",
    maxEdges: 1e9,
    maxTextSize: 1e9,
    logLevel: "fatal",
  });
  return async (source) => {
    try {
      const { db } = await mermaid.mermaidAPI.getDiagramFromText(source);
      return {
        nodes: Array.from(db.getVertices().values(), ({ id, type, text }) => ({
          id,
          shape: type ?? "none",
          text: withEntities(text),
        })),
        edges: db.getEdges().map(({ start, end, text, type, stroke }) => ({
          source: start,
          target: end,
          text: withEntities(text),
          type,
          stroke,
        })),
        direction: db.getDirection(),
      };
    } catch (error) {
      return { refused: (error as Error).message };
    }
  };
}

/** Mermaid hides `#quot;` behind other characters until it renders. */
function withEntities(text: string): string {
  return text.replaceAll("ﬂ°°", "#").replaceAll("ﬂ°", "#").replaceAll("¶ß", ";");
}
