/** The kinds of steps as line drawings, 14 × 14: in the editor they stand where a run shows its state. */

import type { ReactNode } from "react";
import type { StepShape } from "./graph-model.ts";

const line = (d: string, width = 1.5) => (
  <path className="thin" d={d} strokeWidth={width} strokeLinejoin="round" />
);

export const TYPE_GLYPHS: Readonly<Record<StepShape, ReactNode>> = {
  automated: line("M2 3l3.6 4L2 11M7 11.4h5"),
  manual: (
    <>
      <circle cx="7" cy="4.2" r="2.6" fill="currentColor" />
      <path d="M1.8 13c.3-3.2 2.3-5 5.2-5s4.9 1.8 5.2 5z" fill="currentColor" />
    </>
  ),
  decision: line("M7 1.5 12.5 7 7 12.5 1.5 7z"),
  foreach: line("M3.5 3.5V1.5h9V9h-2M1.5 4.5h8v8h-8z", 1.4),
  join: line("M2 1.5l5 6 5-6M7 7.5v5"),
  subflow: line("M1.5 1.5h11v11h-11zM4.3 4.3h5.4v5.4H4.3z", 1.4),
};

export function TypeGlyph({ shape }: { readonly shape: StepShape }) {
  return (
    <svg className="g" viewBox="0 0 14 14" aria-hidden="true">
      {TYPE_GLYPHS[shape]}
    </svg>
  );
}
