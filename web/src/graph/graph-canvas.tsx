/**
 * A workflow as a drawing that one can walk through: by pointer, by wheel and by keys. Only what is in sight is in
 * the page, and from afar only outlines are: a thousand steps are as quick as ten.
 */

import "../styles/graph.css";
import {
  type KeyboardEvent,
  memo,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "../parts/button.tsx";
import { count } from "../parts/format.ts";
import type { State } from "../parts/state.ts";
import { type Camera, READABLE, useCamera } from "./camera.ts";
import { branchPath, edgePath } from "./edge-path.ts";
import { cutTo, type GraphEdge, type GraphNode, sizeOf, textWidth } from "./graph-model.ts";
import {
  type Layout,
  type LayoutNode,
  layOut,
  type PlacedEdge,
  type PlacedNode,
  type Point,
} from "./layout.ts";
import { NodeView } from "./node-view.tsx";

export interface GraphCanvasProps {
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly direction: string;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  /** Stands at the top left. */
  readonly hud?: ReactNode;
}

/** What one would look at first. */
const BUSY: readonly State[] = ["run", "wait", "hold", "fail"];

export default function GraphCanvas(props: GraphCanvasProps) {
  const { label, nodes, edges, direction, chosen, onChoose, hud } = props;
  const frame = useRef<HTMLDivElement>(null);
  const layout = useLayout(nodes, edges, direction);
  const places = useMemo(() => new Map(layout?.nodes.map((place) => [place.id, place])), [layout]);
  const [focused, setFocused] = useState<string>();
  const first = nodes.find(({ state }) => state !== undefined && BUSY.includes(state)) ?? nodes[0];
  const camera = useCamera(frame, layout, places.get(first?.id ?? ""));
  const reachable = [focused, chosen, layout?.nodes[0]?.id].find((id) => places.has(id ?? ""));
  const focus = (place: PlacedNode | undefined) => {
    if (place === undefined) return;
    setFocused(place.id);
    camera.show(place);
  };
  useEffect(() => {
    // The node may only now have come into sight, and so into the page.
    const active = document.activeElement;
    if (
      focused === undefined ||
      !(active instanceof SVGElement) ||
      !frame.current?.contains(active)
    )
      return;
    nodeElement(frame.current, focused)?.focus({ preventScroll: true });
  }, [focused]);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = stepOf(event.target);
    if (at === undefined || layout === undefined || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") onChoose(at);
    else {
      const next = neighbour(layout, at, event.key);
      if (next === undefined) return;
      focus(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="canvas" ref={frame}>
      {/* oxlint-disable-next-line no-noninteractive-element-interactions, click-events-have-key-events -- the steps inside are the buttons */}
      <svg
        role="group"
        aria-label={`${label}, ${count(nodes.length)} steps. Arrow keys lead from step to step.`}
        {...camera.panning}
        onClick={(event: MouseEvent) => {
          const step = stepOf(event.target);
          if (step !== undefined) onChoose(step);
        }}
        onFocus={({ target }) => setFocused(stepOf(target))}
        onKeyDown={onKeyDown}
      >
        <Arrows />
        {layout !== undefined && camera.size.width > 0 && (
          <Drawing
            layout={layout}
            nodes={nodes}
            edges={edges}
            camera={camera}
            chosen={chosen}
            reachable={reachable}
          />
        )}
      </svg>
      {hud !== undefined && hud !== false && <div className="hud left">{hud}</div>}
      <div className="hud right">
        <Button
          kind="quiet"
          size="small"
          icon="minus"
          name="Zoom out"
          onPress={() => camera.zoom(1 / 1.25)}
        />
        <span className="micro num muted zoom">{Math.round(camera.view.scale * 100)}%</span>
        <Button
          kind="quiet"
          size="small"
          icon="plus"
          name="Zoom in"
          onPress={() => camera.zoom(1.25)}
        />
        <Button kind="quiet" size="small" icon="fit" name="Show all" onPress={camera.fit} />
      </div>
      <Changes nodes={nodes} />
    </div>
  );
}

/** All that counts of a drawing for where things stand. */
type Shape = [
  direction: string,
  nodes: LayoutNode[],
  edges: [source: string, target: string, labelWidth: number | null][],
];

/** Stays as it is until the drawing itself changes; what a run tells does not move anything. */
function useLayout(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  direction: string,
): Layout | undefined {
  const shape = useMemo(
    () =>
      JSON.stringify([
        direction,
        nodes.map((node) => ({
          id: node.id,
          ...sizeOf(node),
          isPointed: node.shape === "decision",
        })),
        edges.map(({ source, target, label }) => [source, target, labelWidth(label)]),
      ] satisfies Shape),
    [nodes, edges, direction],
  );
  const [layout, setLayout] = useState<Layout>();
  useEffect(() => {
    let isOld = false;
    const [towards, sizes, ways] = JSON.parse(shape) as Shape;
    void layOut(
      sizes,
      ways.map(([source, target, width]) => ({
        source,
        target,
        hasLabel: width !== null,
        labelWidth: width ?? 0,
      })),
      towards,
    ).then((made) => {
      if (!isOld) setLayout(made);
    });
    return () => {
      isOld = true;
    };
  }, [shape]);
  return layout;
}

const BEYOND = 160;

function Drawing({
  layout,
  nodes,
  edges,
  camera: { view, size },
  chosen,
  reachable,
}: {
  readonly layout: Layout;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly camera: Camera;
  readonly chosen: string | undefined;
  readonly reachable: string | undefined;
}) {
  const known = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  const boxes = useMemo(() => layout.edges.map(boxOf), [layout]);
  const isFar = view.scale < READABLE;
  const left = -view.x / view.scale - BEYOND;
  const top = -view.y / view.scale - BEYOND;
  const right = left + size.width / view.scale + 2 * BEYOND;
  const bottom = top + size.height / view.scale + 2 * BEYOND;
  const isSeen = (x1: number, y1: number, x2: number, y2: number) =>
    x2 >= left && x1 <= right && y2 >= top && y1 <= bottom;
  return (
    <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
      {layout.edges.map((place, n) => {
        const edge = edges[n];
        const box = boxes[n];
        if (edge === undefined || box === undefined || !isSeen(...box)) return null;
        const source = known.get(edge.source);
        return (
          <EdgeView
            key={`${edge.source} ${edge.target} ${edge.label ?? ""}`}
            edge={edge}
            place={place}
            from={source?.shape === "decision" ? layout : undefined}
            isSideways={layout.isSideways}
            isFar={isFar}
          />
        );
      })}
      {layout.nodes.map((place) => {
        const node = known.get(place.id);
        const { x, y, width, height } = place;
        const isOut = !isSeen(x - width / 2, y - height / 2, x + width / 2, y + height / 2);
        if (node === undefined || (isOut && place.id !== reachable)) return null;
        return (
          <NodeView
            key={place.id}
            node={node}
            place={place}
            isChosen={place.id === chosen}
            canFocus={place.id === reachable}
            isFar={isFar}
          />
        );
      })}
    </g>
  );
}

function boxOf({ points }: PlacedEdge): readonly [number, number, number, number] {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

const ARROWS = { plain: "a", taken: "at", live: "al" } as const;

const EdgeView = memo(
  function EdgeView({
    edge: { source, label, kind },
    place,
    from,
    isSideways,
    isFar,
  }: {
    readonly edge: GraphEdge;
    readonly place: PlacedEdge;
    /** Where it leaves a decision. */
    readonly from: Layout | undefined;
    readonly isSideways: boolean;
    readonly isFar: boolean;
  }) {
    const decision = from?.nodes.find(({ id }) => id === source);
    const isBranch = decision !== undefined && !place.isBack && !isSideways;
    const path = isBranch
      ? branchPath(place, decision.width / 2, decision.y)
      : edgePath(place, isSideways);
    const off = place.isBack && kind === "plain" ? " off" : "";
    const arrow = place.isBack && kind === "plain" ? "ao" : ARROWS[kind];
    return (
      <>
        <path
          className={`edge ${kind}${place.isBack ? " loop" : ""}${off}`}
          d={path}
          markerEnd={`url(#${arrow})`}
        />
        {!isFar && label !== undefined && place.label !== undefined && (
          <EdgeLabel text={label} at={place.label} isUpright={place.isBack && !isSideways} />
        )}
      </>
    );
  },
  (a, b) =>
    a.place === b.place &&
    a.edge.kind === b.edge.kind &&
    a.edge.label === b.edge.label &&
    a.isFar === b.isFar,
);

const WIDEST_LABEL = 184;

/** In steps: what a run finds out must not move the drawing each time. */
function labelWidth(label: string | undefined): number | null {
  if (label === undefined) return null;
  return Math.ceil(Math.min(WIDEST_LABEL, textWidth(label, "label")) / 60) * 60;
}

function EdgeLabel({
  text,
  at: { x, y },
  isUpright,
}: {
  readonly text: string;
  readonly at: Point;
  readonly isUpright: boolean;
}) {
  const shown = cutTo(text, WIDEST_LABEL, "label");
  const width = textWidth(shown, "label") + 12;
  return (
    <g className="elabel" transform={`translate(${x} ${y})${isUpright ? " rotate(-90)" : ""}`}>
      <title>{text}</title>
      <rect x={-width / 2} y="-8.5" width={width} height="17" rx="3" />
      <text textAnchor="middle" y="3.8">
        {shown}
      </text>
    </g>
  );
}

function Arrows() {
  return (
    <defs>
      {["a", "at", "al", "ao"].map((id) => (
        <marker
          key={id}
          id={id}
          className={`arrow ${id}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerUnits="userSpaceOnUse"
          markerWidth="8"
          markerHeight="8"
          orient="auto"
        >
          <path d="M0 .8 7.2 4 0 7.2z" />
        </marker>
      ))}
    </defs>
  );
}

function stepOf(target: EventTarget | null): string | undefined {
  if (!(target instanceof Element)) return undefined;
  return target.closest<SVGElement>("[data-step]")?.dataset["step"];
}

function nodeElement(within: HTMLElement, id: string): SVGElement | null {
  return within.querySelector<SVGElement>(`[data-step="${CSS.escape(id)}"]`);
}

/**
 * Down and up along the ways, to the nearest step of several; to the sides within the row, and at its end on to the
 * next row, so that every step is come to.
 */
function neighbour(layout: Layout, id: string, key: string): PlacedNode | undefined {
  const { nodes, edges, isSideways } = layout;
  const at = nodes.find((node) => node.id === id);
  if (at === undefined) return undefined;
  const [ahead, behind] = isSideways ? ["ArrowRight", "ArrowLeft"] : ["ArrowDown", "ArrowUp"];
  const ways = (from: "source" | "target", to: "source" | "target") => {
    const own = edges.filter((edge) => edge[from] === id);
    const straight = own.filter(({ isBack }) => !isBack);
    const ends = (straight.length > 0 ? straight : own).map((edge) => edge[to]);
    return nodes
      .filter((node) => ends.includes(node.id))
      .toSorted((a, b) => Math.abs(a.row - at.row) - Math.abs(b.row - at.row))[0];
  };
  switch (key) {
    case "Home":
      return nodes[0];
    case "End":
      return nodes.at(-1);
    case ahead:
      return ways("source", "target");
    case behind:
      return ways("target", "source");
    case "ArrowRight":
    case "ArrowDown":
      return nodes[nodes.indexOf(at) + 1];
    case "ArrowLeft":
    case "ArrowUp":
      return nodes[nodes.indexOf(at) - 1];
    default:
      return undefined;
  }
}

/** Says what has changed, for whoever does not see it; many changes at once are counted. */
function Changes({ nodes }: { readonly nodes: readonly GraphNode[] }) {
  const before = useRef<ReadonlyMap<string, string | undefined>>(undefined);
  const [told, setTold] = useState("");
  useEffect(() => {
    const states = new Map(nodes.map(({ id, state }) => [id, state]));
    const old = before.current;
    before.current = states;
    if (old === undefined) return;
    const changed = nodes.filter(
      ({ id, state }) => state !== undefined && old.has(id) && old.get(id) !== state,
    );
    if (changed.length > 3) setTold(`${changed.length} steps changed`);
    else if (changed.length > 0)
      setTold(changed.map(({ name, fact, state }) => `${name}: ${fact || state}`).join("; "));
  }, [nodes]);
  return (
    <div className="sr" role="status">
      {told}
    </div>
  );
}
