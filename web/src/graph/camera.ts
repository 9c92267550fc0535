/** Where one looks at a drawing from. It moves only when somebody moves it. */

import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { Size } from "./graph-model.ts";
import type { Point } from "./layout.ts";

export interface View extends Point {
  readonly scale: number;
}

const CLOSEST = 2;
const FARTHEST = 0.02;
/** Below this, words cannot be read any more. */
export const READABLE = 0.5;

export interface Camera {
  readonly view: View;
  readonly size: Size;
  readonly zoom: (by: number, around?: Point) => void;
  readonly fit: () => void;
  /** Brings a place into sight, if it is not. */
  readonly show: (place: Point & Size) => void;
  readonly panning: {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: (event: PointerEvent) => void;
    readonly onPointerCancel: (event: PointerEvent) => void;
  };
}

/** `first` is where to look when the drawing is too large to be seen at once. */
export function useCamera(
  frame: RefObject<HTMLElement | null>,
  drawing: Size | undefined,
  first: Point | undefined,
): Camera {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [view, setView] = useState<View>();
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const watch = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize(entry.contentRect);
    });
    watch.observe(current);
    return () => watch.disconnect();
  }, [frame]);

  const isMeasured = size.width > 0 && drawing !== undefined;
  if (view === undefined && isMeasured) setView(opening(size, drawing, first));
  const current = view ?? { x: 0, y: 0, scale: 1 };

  const zoom = useCallback(
    (by: number, around?: Point) =>
      setView((before) => {
        if (before === undefined) return before;
        const scale = Math.min(CLOSEST, Math.max(FARTHEST, before.scale * by));
        const at = around ?? { x: size.width / 2, y: size.height / 2 };
        const ratio = scale / before.scale;
        return {
          scale,
          x: at.x - (at.x - before.x) * ratio,
          y: at.y - (at.y - before.y) * ratio,
        };
      }),
    [size],
  );
  useWheel(frame, setView, zoom);
  return {
    view: current,
    size,
    zoom,
    fit: () => {
      if (isMeasured) setView(centred(size, drawing, Math.min(1, fitting(size, drawing))));
    },
    show: (place) => setView((before) => before && inSight(before, size, place)),
    panning: usePanning(setView, zoom),
  };
}

function fitting(size: Size, drawing: Size): number {
  return Math.min(size.width / drawing.width, size.height / drawing.height);
}

function centred(size: Size, drawing: Size, scale: number): View {
  const x = (size.width - drawing.width * scale) / 2;
  const y = Math.max(0, (size.height - drawing.height * scale) / 2);
  return { x, y: Math.min(y, 12), scale };
}

/** The whole if it can be read; else a part, large enough to read. */
function opening(size: Size, drawing: Size, first: Point | undefined): View {
  const whole = Math.min(1, fitting(size, drawing));
  const least = size.width < 500 ? 0.42 : 0.62;
  if (whole >= least || first === undefined) return centred(size, drawing, Math.max(whole, 0.3));
  const scale = Math.min(1, Math.max(0.72, size.width / drawing.width));
  const widest = size.width - drawing.width * scale;
  const x = widest >= 0 ? widest / 2 : between(size.width / 2 - first.x * scale, widest, 0);
  const lowest = size.height - drawing.height * scale;
  const y = lowest >= 0 ? lowest / 3 : between(size.height * 0.3 - first.y * scale, lowest, 0);
  return { x, y, scale };
}

function between(wish: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, wish));
}

const EDGE = 40;

function inSight(view: View, size: Size, { x, y, width, height }: Point & Size): View {
  const along = (at: number, half: number, offset: number, room: number) => {
    const low = (at - half) * view.scale + offset;
    const high = (at + half) * view.scale + offset;
    if (low < EDGE) return offset + EDGE - low;
    return high > room - EDGE ? offset - (high - room + EDGE) : offset;
  };
  return {
    ...view,
    x: along(x, width / 2, view.x, size.width),
    y: along(y, height / 2, view.y, size.height),
  };
}

type SetView = (change: (before: View | undefined) => View | undefined) => void;

function useWheel(
  frame: RefObject<HTMLElement | null>,
  setView: SetView,
  zoom: Camera["zoom"],
): void {
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = current.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey)
        zoom(Math.exp(-event.deltaY / 240), {
          x: event.clientX - box.left,
          y: event.clientY - box.top,
        });
      else
        setView(
          (before) =>
            before && { ...before, x: before.x - event.deltaX, y: before.y - event.deltaY },
        );
    };
    current.addEventListener("wheel", onWheel, { passive: false });
    return () => current.removeEventListener("wheel", onWheel);
  }, [frame, setView, zoom]);
}

/** One finger moves the drawing, two bring it nearer. */
function usePanning(setView: SetView, zoom: Camera["zoom"]): Camera["panning"] {
  const held = useRef(new Map<number, Point>());
  const end = ({ pointerId }: PointerEvent) => void held.current.delete(pointerId);
  return {
    onPointerDown: (event) => {
      if (event.button !== 0) return;
      held.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove: (event) => {
      const before = held.current.get(event.pointerId);
      if (before === undefined) return;
      const now = { x: event.clientX, y: event.clientY };
      const far = Math.hypot(now.x - before.x, now.y - before.y);
      const { currentTarget } = event;
      // A click that trembles is still a click.
      if (!currentTarget.hasPointerCapture(event.pointerId)) {
        if (far < 4) return;
        currentTarget.setPointerCapture(event.pointerId);
      }
      const other = [...held.current].find(([id]) => id !== event.pointerId)?.[1];
      held.current.set(event.pointerId, now);
      if (other === undefined) {
        setView(
          (view) => view && { ...view, x: view.x + now.x - before.x, y: view.y + now.y - before.y },
        );
        return;
      }
      const box = currentTarget.getBoundingClientRect();
      const apart = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y);
      zoom(apart(now) / Math.max(1, apart(before)), {
        x: (now.x + other.x) / 2 - box.left,
        y: (now.y + other.y) / 2 - box.top,
      });
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
