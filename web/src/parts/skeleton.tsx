/** Takes the room that is going to be needed, and says nothing. Shows itself only if it takes long. */

export function Skeleton({ width = "60%" }: { readonly width?: string }) {
  return (
    <span className="skeleton" style={{ width }} aria-hidden="true">
      &nbsp;
    </span>
  );
}

const WIDTHS = ["46%", "62%", "38%", "54%", "70%", "42%"];

export function SkeletonRows({ count = 5 }: { readonly count?: number }) {
  return (
    <div className="rows" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, n) => (
        // biome-ignore lint: they are all alike
        <div key={n}>
          <Skeleton width={WIDTHS[n % WIDTHS.length] ?? "50%"} />
        </div>
      ))}
    </div>
  );
}
