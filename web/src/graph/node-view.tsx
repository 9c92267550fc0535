/** One step: its outline says what kind it is, its glyph how it stands, its words confirm both. */

import { memo, type ReactNode } from "react";
import { GLYPH_SHAPES } from "../parts/glyph.tsx";
import { toneOf } from "../parts/state.ts";
import { hasHidden, visibleParts } from "../parts/visible-text.ts";
import { cutTo, type GraphNode } from "./graph-model.ts";
import type { PlacedNode } from "./layout.ts";
import { TYPE_GLYPHS } from "./type-glyph.tsx";

export interface NodeViewProps {
  readonly node: GraphNode;
  readonly place: PlacedNode;
  readonly isChosen: boolean;
  readonly canFocus: boolean;
  readonly isFar: boolean;
}

/** Drawn again only when something about it is different: a run tells the same of most steps every time. */
export const NodeView = memo(DrawnNode, (a, b) => {
  if (a.place !== b.place || a.isChosen !== b.isChosen || a.isFar !== b.isFar) return false;
  if (a.canFocus !== b.canFocus) return false;
  return a.node === b.node || isAlike(a.node, b.node);
});

function isAlike(a: GraphNode, b: GraphNode): boolean {
  return (
    a.name === b.name &&
    a.state === b.state &&
    a.fact === b.fact &&
    a.shape === b.shape &&
    a.fault === b.fault &&
    a.progress === b.progress &&
    (a.cells === b.cells || a.cells?.join() === b.cells?.join())
  );
}

function DrawnNode({ node, place, isChosen, canFocus, isFar }: NodeViewProps) {
  const { id, name, state, fact, fault } = node;
  const { x, y, width, height } = place;
  const left = x - width / 2;
  const top = y - height / 2;
  const words = [name, state ?? node.shape, fact, fault === undefined ? "" : `has an ${fault}`];
  return (
    <g
      className={`node s-${state ?? "none"}${isChosen ? " sel" : ""}${isFar ? " far" : ""}`}
      data-step={id}
      role="button"
      tabIndex={canFocus ? 0 : -1}
      aria-pressed={isChosen}
      transform={`translate(${left} ${top})`}
    >
      <title>{words.filter(Boolean).map(plain).join(", ")}</title>
      {isChosen && <Halo node={node} width={width} height={height} />}
      <Outline node={node} width={width} height={height} />
      {!isFar && <Inside node={node} width={width} height={height} />}
    </g>
  );
}

interface PartProps {
  readonly node: GraphNode;
  readonly width: number;
  readonly height: number;
}

const BACK = 8;

function Halo({ node: { shape }, width, height }: PartProps) {
  const radius = shape === "manual" ? height / 2 + 4 : 8;
  if (shape === "decision")
    return <path className="halo" d={diamond(-6, -4, width + 12, height + 8)} />;
  return <rect className="halo" x="-4" y="-4" width={width + 8} height={height + 8} rx={radius} />;
}

function Outline({ node: { shape }, width, height }: PartProps): ReactNode {
  switch (shape) {
    case "manual":
      return <rect className="shape" width={width} height={height} rx={height / 2} />;
    case "decision":
      return <path className="shape" strokeLinejoin="round" d={diamond(0, 0, width, height)} />;
    case "join":
      return (
        <path
          className="shape"
          strokeLinejoin="round"
          d={`M0 0H${width}L${width - 16} ${height}H16Z`}
        />
      );
    case "foreach":
      return (
        <>
          <rect className="back" x={8} y={0} width={width - 16} height={height - BACK} rx="5" />
          <rect className="back" x={4} y={4} width={width - 8} height={height - BACK} rx="5" />
          <rect className="shape" y={BACK} width={width} height={height - BACK} rx="5" />
        </>
      );
    case "subflow":
      return (
        <>
          <rect className="shape" width={width} height={height} rx="5" />
          <rect className="inner" x="3" y="3" width={width - 6} height={height - 6} rx="3" />
        </>
      );
    default:
      return <rect className="shape" width={width} height={height} rx="5" />;
  }
}

function diamond(x: number, y: number, width: number, height: number): string {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  return `M${x} ${middleY}L${middleX} ${y}L${x + width} ${middleY}L${middleX} ${y + height}Z`;
}

function Inside({ node, width, height }: PartProps) {
  const { id, name, shape, state, fact, cells, progress, fault } = node;
  const tone = state === undefined ? "todo" : toneOf(state);
  const glyph = state === undefined ? TYPE_GLYPHS[shape] : GLYPH_SHAPES[state];
  if (shape === "decision")
    return (
      <>
        <g className={tone} transform={`translate(${width / 2 - 6} 7) scale(.86)`}>
          {glyph}
        </g>
        <text className="t" textAnchor="middle" x={width / 2} y={height / 2 + 6}>
          {cutTo(plain(name), width - 66)}
        </text>
        <Fault fault={fault} x={width / 2 + 14} y={-2} />
      </>
    );
  const inset = shape === "join" ? 22 : shape === "manual" ? 16 : 11;
  const top = shape === "foreach" ? BACK : 0;
  const hasFact = fact !== "";
  const hasBar = cells !== undefined || progress !== undefined;
  const middle = top + (height - top) / 2;
  const baseline = hasBar ? top + 19 : hasFact ? middle - 4 : middle + 4.5;
  const isShortId = id !== name && id.length <= 3;
  const room = width - inset * 2 - 19 - (isShortId ? id.length * 6.5 : 0);
  return (
    <>
      <g className={tone} transform={`translate(${inset} ${baseline - 11.5})`}>
        {glyph}
      </g>
      <text className="t" x={inset + 21} y={baseline}>
        {cutTo(plain(name), room)}
      </text>
      {hasFact && (
        <text className={`m ${isLoud(state) ? tone : ""}`} x={inset + 21} y={baseline + 16}>
          {cutTo(plain(fact), width - inset * 2 - 21, "fact")}
        </text>
      )}
      {cells !== undefined && <Cells cells={cells} width={width} y={height - 14} />}
      {cells === undefined && progress !== undefined && (
        <g className={tone}>
          <rect className="track" x="11" y={height - 14} width={width - 22} height="6" rx="3" />
          <rect
            x="11"
            y={height - 14}
            width={(width - 22) * progress}
            height="6"
            rx="3"
            fill="currentColor"
          />
        </g>
      )}
      {isShortId && (
        <text
          className="id"
          textAnchor="end"
          x={width - (shape === "join" ? 12 : shape === "manual" ? 15 : 7)}
          y={top + (shape === "manual" ? 16 : 14)}
        >
          {id}
        </text>
      )}
      <Fault fault={fault} x={width - 11} y={top - 7} />
    </>
  );
}

function isLoud(state: GraphNode["state"]): boolean {
  return state === "run" || state === "wait" || state === "fail" || state === "hold";
}

function Cells({
  cells,
  width,
  y,
}: {
  readonly cells: NonNullable<GraphNode["cells"]>;
  readonly width: number;
  readonly y: number;
}) {
  const each = (width - 22) / Math.max(1, cells.length);
  return cells.map((state, n) => {
    const isOpen = state === "todo" || state === "skip";
    return (
      <rect
        // oxlint-disable-next-line no-array-index-key -- an item is its place
        key={n}
        className={`cell ${toneOf(state)}${isOpen ? " open" : ""}`}
        x={11 + n * each}
        y={y}
        width={Math.max(2, each - 2)}
        height="6"
        rx="1.5"
      />
    );
  });
}

function Fault({
  fault,
  x,
  y,
}: {
  readonly fault: GraphNode["fault"];
  readonly x: number;
  readonly y: number;
}) {
  if (fault === undefined) return null;
  return (
    <g className={fault === "error" ? "fail" : "wait"} transform={`translate(${x} ${y})`}>
      <circle className="ground" cx="7" cy="7" r="9" />
      {GLYPH_SHAPES[fault === "error" ? "fail" : "warn"]}
    </g>
  );
}

/** Characters that mislead the eye become their marks; a drawing has no room for more. */
function plain(text: string): string {
  if (!hasHidden(text)) return text;
  return visibleParts(text)
    .map(({ text: part, mark }) => (mark === undefined ? part : `[${mark}]`))
    .join("");
}
