/**
 * A flowchart as it is written: every statement with its place in the text, and what the statements
 * draw — nodes, edges, subgraphs. Nothing is normalised; the text itself stays the truth.
 */

/** `text.slice(start, end)`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Direction = "TD" | "TB" | "BT" | "LR" | "RL";

/** Bracket pairs by the name mermaid gives the drawn shape; `none` where only the id is written. */
export type Shape =
  | "none"
  | "square"
  | "round"
  | "diamond"
  | "subroutine"
  | "stadium"
  | "cylinder"
  | "circle"
  | "doublecircle"
  | "ellipse"
  | "odd"
  | "hexagon"
  | "lean_right"
  | "lean_left"
  | "trapezoid"
  | "inv_trapezoid";

export interface Diagram {
  readonly source: string;
  readonly direction: Direction;
  /** From the front matter. */
  readonly title: string | undefined;
  /** In order, without overlap; between them stand only blanks, semicolons and hidden text. */
  readonly statements: readonly Statement[];
  /** What the grammar never sees, in order. It may stand inside a statement that goes on behind it. */
  readonly hidden: readonly HiddenText[];
  /** In order of first mention. */
  readonly nodes: readonly DiagramNode[];
  /** In drawing order; `A & B --> C & D` draws A→C, A→D, B→C, B→D. */
  readonly edges: readonly DiagramEdge[];
  readonly subgraphs: readonly Subgraph[];
}

/** A comment goes from `%%` to the end of its line, a directive from `%%{` to `}%%`. */
export interface HiddenText {
  readonly kind: "frontmatter" | "directive" | "comment";
  readonly span: Span;
}

export type Statement = StatementPlace &
  (
    | { readonly kind: "header"; readonly direction: Direction }
    | { readonly kind: "flow"; readonly chain: Chain }
    | { readonly kind: "subgraph"; readonly id: string | undefined; readonly title: string }
    | { readonly kind: "end" }
    | { readonly kind: "direction"; readonly direction: Direction }
    /** Looks only: `classDef`, `class`, `style`, `linkStyle`, `click`, `link@{ … }`. */
    | { readonly kind: "styling"; readonly keyword: string }
    /** `accTitle`, `accDescr`. */
    | { readonly kind: "description"; readonly keyword: string }
    /** What could not be read, and what was read before it broke off; a fault says why. */
    | { readonly kind: "broken"; readonly chain: Chain | undefined }
  );

interface StatementPlace {
  readonly span: Span;
  /** The innermost subgraph it stands in, as an index into `subgraphs`. */
  readonly within: number | undefined;
}

/** `A & B -->|label| C --> D`: groups of mentions, and the links between them. */
export interface Chain {
  readonly groups: readonly (readonly Mention[])[];
  /** One fewer than groups. */
  readonly links: readonly Link[];
}

/** One place where a node's id is written, with what stands around it. */
export interface Mention {
  readonly id: string;
  /** Id, brackets and `:::class` together. */
  readonly span: Span;
  readonly idSpan: Span;
  readonly body: MentionBody | undefined;
}

/** `["label"]`, brackets included. */
export interface MentionBody {
  readonly shape: Exclude<Shape, "none">;
  readonly span: Span;
  readonly label: Label;
}

export interface Label {
  /** What a reader sees: without quotes, entities decoded. */
  readonly text: string;
  /** What is written between the brackets or bars, quotes included. */
  readonly span: Span;
}

export interface Link {
  readonly span: Span;
  /** Of `e1@-->`. */
  readonly id: string | undefined;
  readonly stroke: "normal" | "thick" | "dotted" | "invisible";
  /** At the tail and at the head; `A --> B` has none and an arrow. */
  readonly tail: LinkEnd;
  readonly head: LinkEnd;
  readonly label: Label | undefined;
  /** The arrow itself: of `-- text -->` the second part, of `-->|text|` the part before the bar. */
  readonly arrow: Span;
}

export type LinkEnd = "none" | "arrow" | "cross" | "circle";

export interface DiagramNode {
  readonly id: string;
  /** The last label that was written; the id where there is none. */
  readonly label: string;
  readonly shape: Shape;
  /** Every place that names it in a chain, first one first. */
  readonly mentions: readonly Mention[];
  /** The mention that gives label and shape: the last one with brackets. */
  readonly definition: Mention | undefined;
  /** The innermost subgraph it belongs to, as an index into `subgraphs`. */
  readonly subgraph: number | undefined;
}

export interface DiagramEdge {
  readonly source: string;
  readonly target: string;
  readonly label: Label | undefined;
  readonly link: Link;
  /** Indexes of its statement, and of its link in the chain there. */
  readonly statement: number;
  readonly linkIndex: number;
}

export interface Subgraph {
  readonly id: string | undefined;
  readonly title: string;
  readonly span: Span;
  readonly parent: number | undefined;
  readonly direction: Direction | undefined;
  readonly nodeIds: readonly string[];
}
