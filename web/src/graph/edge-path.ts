/** Ways as paths of SVG: soft between rows, with round corners where they go around. */

import type { PlacedEdge, Point } from "./layout.ts";

const RADIUS = 8;

export function edgePath({ points, isBack }: PlacedEdge, isSideways: boolean): string {
  return isBack ? cornered(points) : curved(points, isSideways);
}

/** A decision sends its ways out at its corners. */
export function branchPath({ points }: PlacedEdge, half: number, middle: number): string {
  const [first, second, ...rest] = points;
  if (first === undefined || second === undefined) return "";
  const side = Math.sign(second.x - first.x);
  if (Math.abs(second.x - first.x) < half * 0.6) return curved(points, false);
  const corner = { x: first.x + side * half, y: middle };
  const elbow = { x: second.x, y: middle };
  // Not far enough out for a corner: it leaves below after all.
  if ((elbow.x - corner.x) * side < RADIUS) return curved(points, false);
  return (
    cornered([corner, elbow, second]) + curved([second, ...rest], false).replace(/^M\S+ \S+/, "")
  );
}

function curved([first, ...rest]: readonly Point[], isSideways: boolean): string {
  if (first === undefined) return "";
  let at = first;
  let path = `M${at.x} ${at.y}`;
  for (const point of rest) {
    const middle = isSideways ? (at.x + point.x) / 2 : (at.y + point.y) / 2;
    if (at.x === point.x || at.y === point.y) path += `L${point.x} ${point.y}`;
    else if (isSideways) path += `C${middle} ${at.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    else path += `C${at.x} ${middle} ${point.x} ${middle} ${point.x} ${point.y}`;
    at = point;
  }
  return path;
}

function cornered(points: readonly Point[]): string {
  const [first] = points;
  if (first === undefined) return "";
  let path = `M${first.x} ${first.y}`;
  for (let n = 1; n < points.length - 1; n += 1) {
    const [before, corner, next] = [points[n - 1], points[n], points[n + 1]];
    if (before === undefined || corner === undefined || next === undefined) break;
    const into = towards(corner, before);
    const out = towards(corner, next);
    path += `L${into.x} ${into.y}Q${corner.x} ${corner.y} ${out.x} ${out.y}`;
  }
  const last = points.at(-1);
  return last === undefined ? path : `${path}L${last.x} ${last.y}`;
}

function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
