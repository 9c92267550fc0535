/**
 * Places the steps of a workflow in rows, so that ways lead down and cross as little as possible. The work is done in
 * slices: a thousand steps do not hold the page up. Loops are taken out first and led back outside, as a person
 * would draw them.
 *
 * Rows by longest way, order by the mean of the neighbours (both directions, several times), places by the nearest
 * ones that keep order and distance.
 */

import type { Size } from "./graph-model.ts";

export interface LayoutNode extends Size {
  readonly id: string;
  /** It is reached and left at its corners: ways to it come to its middle. */
  readonly isPointed?: boolean;
}

export interface LayoutEdge {
  readonly source: string;
  readonly target: string;
  readonly hasLabel: boolean;
  /** Drawn sideways, it needs room between the rows. */
  readonly labelWidth?: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends LayoutNode, Point {
  readonly row: number;
}

export interface PlacedEdge {
  readonly source: string;
  readonly target: string;
  /** From border to border, with a point in every row between. */
  readonly points: readonly Point[];
  readonly isBack: boolean;
  readonly label: Point | undefined;
}

export interface Layout extends Size {
  readonly isSideways: boolean;
  /** Row by row, and from one side to the other: the order of reading. */
  readonly nodes: readonly PlacedNode[];
  /** In the order given. */
  readonly edges: readonly PlacedEdge[];
}

const BETWEEN = 34;
const ROW_GAP = 26;
const LABEL_GAP = 48;
const THREAD = 26;
const MARGIN = 28;
const ALMOST = 10;
const ORDER_ROUNDS = 6;
const PLACE_ROUNDS = 10;
/** Ways across more rows than this in all are drawn straight instead of being led around. */
const MOST_BENDS = 20_000;
const SLICE_MS = 8;

/** `pause` is called now and then; the page uses it to breathe. */
export async function layOut(
  given: readonly LayoutNode[],
  ways: readonly LayoutEdge[],
  direction: string,
  pause: () => Promise<void> = breathe,
): Promise<Layout> {
  const isSideways = direction === "LR" || direction === "RL";
  const nodes = isSideways
    ? given.map((node) => ({ ...node, width: node.height, height: node.width }))
    : given;
  const rest = slicer(pause);
  const known = new Set(nodes.map(({ id }) => id));
  const edges = ways.filter(({ source, target }) => known.has(source) && known.has(target));
  const back = backEdges(nodes, edges);
  const forward = edges.filter((edge) => !back.has(edge));
  const rows = rowsOf(nodes, forward);
  await rest();
  const items = itemsOf(nodes, forward, rows);
  await order(items, rest);
  await place(items, rest);
  const placed = finish(items, nodes, ways, back, rows, isSideways);
  return turn(placed, direction, isSideways);
}

function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

function slicer(pause: () => Promise<void>): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await pause();
    since = performance.now();
  };
}

/** Those that lead back to a step that is still on the way down to them. */
export function backEdges<Edge extends Pick<LayoutEdge, "source" | "target">>(
  nodes: readonly { readonly id: string }[],
  edges: readonly Edge[],
): ReadonlySet<Edge> {
  const outgoing = Map.groupBy(edges, ({ source }) => source);
  const back = new Set<Edge>();
  const state = new Map<string, "open" | "done">();
  for (const { id: first } of nodes) {
    if (state.has(first)) continue;
    const stack = [{ id: first, next: 0 }];
    state.set(first, "open");
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const edge = outgoing.get(frame.id)?.[frame.next];
      frame.next += 1;
      if (edge === undefined) {
        state.set(frame.id, "done");
        stack.pop();
      } else if (state.get(edge.target) === "open") back.add(edge);
      else if (!state.has(edge.target)) {
        state.set(edge.target, "open");
        stack.push({ id: edge.target, next: 0 });
      }
    }
  }
  return back;
}

function rowsOf(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
): ReadonlyMap<string, number> {
  const rows = new Map(nodes.map(({ id }) => [id, 0]));
  const left = new Map(nodes.map(({ id }) => [id, 0]));
  const outgoing = Map.groupBy(edges, ({ source }) => source);
  for (const { target } of edges) left.set(target, (left.get(target) ?? 0) + 1);
  const ready = nodes.filter(({ id }) => left.get(id) === 0).map(({ id }) => id);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    for (const { target } of outgoing.get(id) ?? []) {
      rows.set(target, Math.max(rows.get(target) ?? 0, (rows.get(id) ?? 0) + 1));
      const open = (left.get(target) ?? 1) - 1;
      left.set(target, open);
      if (open === 0) ready.push(target);
    }
  }
  return rows;
}

/** A node, or the place where a long way passes through a row. */
interface Item {
  readonly node: LayoutNode | undefined;
  readonly width: number;
  readonly row: number;
  x: number;
  readonly above: Item[];
  readonly below: Item[];
}

interface Items {
  readonly rows: Item[][];
  readonly byNode: ReadonlyMap<string, Item>;
  /** The items a way passes through, its ends included. */
  readonly ways: ReadonlyMap<LayoutEdge, readonly Item[]>;
}

function itemsOf(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  rowOf: ReadonlyMap<string, number>,
): Items {
  const rows: Item[][] = [];
  const add = (node: LayoutNode | undefined, row: number): Item => {
    const item: Item = { node, width: node?.width ?? THREAD, row, x: 0, above: [], below: [] };
    (rows[row] ??= []).push(item);
    return item;
  };
  const byNode = new Map(nodes.map((node) => [node.id, add(node, rowOf.get(node.id) ?? 0)]));
  const ways = new Map<LayoutEdge, readonly Item[]>();
  let bends = 0;
  for (const edge of edges) {
    const source = byNode.get(edge.source);
    const target = byNode.get(edge.target);
    if (source === undefined || target === undefined) continue;
    const way = [source];
    bends += Math.max(0, target.row - source.row - 1);
    if (bends <= MOST_BENDS)
      for (let row = source.row + 1; row < target.row; row += 1) way.push(add(undefined, row));
    way.push(target);
    for (const [n, item] of way.entries()) {
      const next = way[n + 1];
      if (next === undefined) continue;
      item.below.push(next);
      next.above.push(item);
    }
    ways.set(edge, way);
  }
  return { rows, byNode, ways };
}

async function order({ rows }: Items, rest: () => Promise<void>): Promise<void> {
  const number = (row: readonly Item[]) => {
    for (const [n, item] of row.entries()) item.x = n;
  };
  rows.forEach(number);
  for (let round = 0; round < ORDER_ROUNDS; round += 1) {
    const isDown = round % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      const wish = new Map(
        row.map((item) => [item, meanOf(isDown ? item.above : item.below, item.x)]),
      );
      row.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
      number(row);
      await rest();
    }
  }
}

function meanOf(items: readonly Item[], otherwise: number): number {
  if (items.length === 0) return otherwise;
  return items.reduce((sum, { x }) => sum + x, 0) / items.length;
}

async function place({ rows }: Items, rest: () => Promise<void>): Promise<void> {
  for (const row of rows) settle(row, () => 0);
  for (let round = 0; round < PLACE_ROUNDS; round += 1) {
    const isDown = round % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed()) {
      settle(row, (item) => {
        const both = round >= PLACE_ROUNDS - 2 ? [...item.above, ...item.below] : undefined;
        return meanOf(both ?? (isDown ? item.above : item.below), item.x);
      });
      await rest();
    }
  }
}

/** The places nearest to those wished for that keep order and distance: pooling neighbours that are too close. */
function settle(row: readonly Item[], wishOf: (item: Item) => number): void {
  const pools: { sum: number; weight: number; from: number }[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const [n, item] of row.entries()) {
    const before = row[n - 1];
    if (before !== undefined) offset += (before.width + item.width) / 2 + BETWEEN;
    offsets.push(offset);
    // A long way bends rather than a node moves.
    const weight = item.node === undefined ? 0.6 : 1;
    let pool = { sum: (wishOf(item) - offset) * weight, weight, from: n };
    for (
      let last = pools.at(-1);
      last !== undefined && last.sum / last.weight > pool.sum / pool.weight;
      last = pools.at(-1)
    ) {
      pools.pop();
      pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, from: last.from };
    }
    pools.push(pool);
  }
  for (const [p, { sum, weight, from }] of pools.entries()) {
    const to = pools[p + 1]?.from ?? row.length;
    for (let n = from; n < to; n += 1) {
      const item = row[n];
      if (item !== undefined) item.x = sum / weight + (offsets[n] ?? 0);
    }
  }
}

interface Row {
  readonly top: number;
  readonly middle: number;
  readonly bottom: number;
}

function finish(
  { rows, byNode, ways }: Items,
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  back: ReadonlySet<LayoutEdge>,
  rowOf: ReadonlyMap<string, number>,
  isSideways: boolean,
): Layout {
  const all = rows.flat();
  const left = all.reduce((least, { x, width }) => Math.min(least, x - width / 2), Infinity);
  const shift = all.length === 0 ? 0 : MARGIN - left;
  for (const item of all) item.x += shift;
  const gapBelow = new Map<number, number>();
  for (const edge of edges) {
    if (!edge.hasLabel || back.has(edge)) continue;
    const row = rowOf.get(edge.source) ?? 0;
    const needed = isSideways ? (edge.labelWidth ?? 0) + 34 : LABEL_GAP;
    gapBelow.set(row, Math.max(gapBelow.get(row) ?? 0, needed));
  }
  const heights: Row[] = [];
  let y = MARGIN;
  for (const [n, row] of rows.entries()) {
    const tallest = row.reduce((most, { node }) => Math.max(most, node?.height ?? 0), 0);
    heights.push({ top: y, middle: y + tallest / 2, bottom: y + tallest });
    y += tallest + Math.max(gapBelow.get(n) ?? 0, ROW_GAP);
  }
  let right = all.reduce((most, { x, width }) => Math.max(most, x + width / 2), 0);
  const placed = new Map(
    nodes.map((node): [string, PlacedNode] => {
      const item = byNode.get(node.id);
      const row = item?.row ?? 0;
      return [node.id, { ...node, row, x: item?.x ?? 0, y: heights[row]?.middle ?? 0 }];
    }),
  );
  const lanes = new Map<string, number>();
  const drawn = edges.map((edge): PlacedEdge => {
    const source = placed.get(edge.source);
    const target = placed.get(edge.target);
    if (source === undefined || target === undefined)
      return { ...edge, points: [], isBack: false, label: undefined };
    if (!back.has(edge))
      return forwardEdge(edge, source, target, ways.get(edge) ?? [], heights, isSideways);
    // Those that lead to the same step share their lane.
    const lane = lanes.get(edge.target) ?? right + 22;
    lanes.set(edge.target, lane);
    right = Math.max(right, lane);
    return backEdge(edge, source, target, lane, heights);
  });
  const inOrder = [...placed.values()].toSorted((a, b) => a.row - b.row || a.x - b.x);
  const height = (heights.at(-1)?.bottom ?? 0) + MARGIN + (back.size > 0 ? 16 : 0);
  return { isSideways: false, nodes: inOrder, edges: drawn, width: right + MARGIN, height };
}

function forwardEdge(
  edge: LayoutEdge,
  source: PlacedNode,
  target: PlacedNode,
  way: readonly Item[],
  rows: readonly Row[],
  isSideways: boolean,
): PlacedEdge {
  const between = way.slice(1, -1).flatMap(({ x, row }) => {
    const { top = 0, bottom = 0 } = rows[row] ?? {};
    return [
      { x, y: top },
      { x, y: bottom },
    ];
  });
  const next = way[1] ?? target;
  // A way that is all but straight is drawn straight; where it meets a side, nobody minds the place.
  const isStraight = way.length <= 2 && Math.abs(source.x - next.x) <= ALMOST;
  const x = isStraight && !(target.isPointed ?? false) ? source.x : target.x;
  const from = { x: isStraight ? x : source.x, y: source.y + source.height / 2 };
  const to = { x, y: target.y - target.height / 2 };
  const points = [from, ...between, to];
  const second = points[1] ?? to;
  const gap = rows[source.row + 1]?.top ?? second.y;
  const below = rows[source.row]?.bottom ?? from.y;
  const y = isSideways ? (below + gap) / 2 - 3 : gap - 22;
  const label = edge.hasLabel ? { x: second.x, y } : undefined;
  return { ...edge, points, isBack: false, label };
}

/** Down into the gap below, along the lane outside, and in again through the gap above. */
function backEdge(
  edge: LayoutEdge,
  source: PlacedNode,
  target: PlacedNode,
  lane: number,
  rows: readonly Row[],
): PlacedEdge {
  const leaves = (rows[source.row]?.bottom ?? source.y) + 11;
  const enters = (rows[target.row]?.top ?? target.y) - 12;
  const inX = target.x + Math.min(target.width / 4, 40);
  const points = [
    { x: source.x, y: source.y + source.height / 2 },
    { x: source.x, y: leaves },
    { x: lane, y: leaves },
    { x: lane, y: enters },
    { x: inX, y: enters },
    { x: inX, y: target.y - target.height / 2 },
  ];
  const label = edge.hasLabel ? { x: lane, y: (leaves + enters) / 2 } : undefined;
  return { ...edge, points, isBack: true, label };
}

/** Laid out from top to bottom, then turned to where the drawing says. */
function turn(layout: Layout, direction: string, isSideways: boolean): Layout {
  const isUp = direction === "BT" || direction === "RL";
  if (!isSideways && !isUp) return layout;
  const { width, height } = layout;
  const move = ({ x, y }: Point): Point => {
    const along = isUp ? height - y : y;
    return isSideways ? { x: along, y: x } : { x, y: along };
  };
  return {
    isSideways,
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    nodes: layout.nodes.map((node) => ({
      ...node,
      ...move(node),
      width: isSideways ? node.height : node.width,
      height: isSideways ? node.width : node.height,
    })),
    edges: layout.edges.map((edge) => ({
      ...edge,
      points: edge.points.map(move),
      label: edge.label && move(edge.label),
    })),
  };
}
