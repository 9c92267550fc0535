/** A list that holds only what is in sight. Rows are all equally high; `--row-height` says how high to the style. */

import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";

const OVER = 8;

export function VirtualList({
  label,
  count,
  rowHeight,
  renderRow,
  onSee,
  current,
  after,
}: {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  readonly renderRow: (index: number) => ReactNode;
  readonly onSee?: (first: number, last: number) => void;
  /** The row that is brought into sight when it changes. */
  readonly current?: number | undefined;
  /** Stands below the last row. */
  readonly after?: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [{ top, height }, setWindow] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const { current: element } = box;
    if (element === null) return;
    const measure = () => {
      // Whole steps only: a row is not drawn anew for every pixel.
      const step = Math.floor(element.scrollTop / rowHeight);
      setWindow((before) =>
        before.top === step && before.height === element.clientHeight
          ? before
          : { top: step, height: element.clientHeight },
      );
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [rowHeight]);
  const shown = Math.ceil(height / rowHeight);
  const first = Math.max(0, Math.min(top, count - shown) - OVER);
  const last = Math.min(count, top + shown + OVER);
  useEffect(() => onSee?.(top, top + shown), [onSee, top, shown]);
  useEffect(() => {
    const { current: element } = box;
    if (element === null || current === undefined || current < 0) return;
    const from = current * rowHeight;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (from + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = from + rowHeight - element.clientHeight;
  }, [current, rowHeight]);
  return (
    // oxlint-disable-next-line no-noninteractive-tabindex -- arrow keys scroll it
    <div className="scroll vlist" ref={box} role="region" aria-label={label} tabIndex={0}>
      <div
        role="list"
        aria-label={label}
        className="vlist-all"
        style={{ height: count * rowHeight, "--row-height": `${rowHeight}px` } as object}
      >
        {Array.from({ length: Math.max(0, last - first) }, (_, n) => (
          <div
            // oxlint-disable-next-line no-array-index-key -- a row is its place
            key={first + n}
            role="listitem"
            aria-posinset={first + n + 1}
            aria-setsize={count}
            className="vlist-row"
            style={{ transform: `translateY(${(first + n) * rowHeight}px)` }}
          >
            {renderRow(first + n)}
          </div>
        ))}
      </div>
      {after}
    </div>
  );
}
