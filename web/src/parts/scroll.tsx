import type { ReactNode } from "react";

/** A region that scrolls by itself and may hold nothing but words: the keyboard must reach it. */
export function Scroll({
  label,
  className = "scroll",
  children,
}: {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    // oxlint-disable-next-line no-noninteractive-tabindex -- arrow keys scroll it
    <div className={className} role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
