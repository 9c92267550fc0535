/** The silhouette of a state: told by shape as well as by colour. Words stand beside it. */

import type { ReactNode } from "react";
import { type State, toneOf } from "./state.ts";

type GlyphName = State | "warn";

/** For drawings: what stands inside the glyph's own square of 14. */
export const GLYPH_SHAPES: Readonly<Record<GlyphName, ReactNode>> = {
  ok: (
    <>
      <circle cx="7" cy="7" r="6" fill="currentColor" />
      <path className="cutout" d="M4.2 7.2 6.2 9.2 9.9 5.2" strokeWidth="1.6" />
    </>
  ),
  run: (
    <>
      <circle cx="7" cy="7" r="5.2" className="thin" strokeOpacity=".28" strokeWidth="1.8" />
      <path className="thin spin" d="M7 1.8a5.2 5.2 0 1 1-5.2 5.2" strokeWidth="1.8" />
      <circle cx="7" cy="7" r="1.7" fill="currentColor" />
    </>
  ),
  wait: (
    <>
      <path
        d="M2.6 1.4h8.8a1.4 1.4 0 0 1 1.4 1.4v5.6a1.4 1.4 0 0 1-1.4 1.4H7.6L4.4 12.8V9.8H2.6a1.4 1.4 0 0 1-1.4-1.4V2.8a1.4 1.4 0 0 1 1.4-1.4z"
        fill="currentColor"
      />
      <path className="cutout" d="M4.4 5.6h.1M7 5.6h.1M9.6 5.6h.1" strokeWidth="1.7" />
    </>
  ),
  hold: (
    <>
      <rect x="1.4" y="1.4" width="11.2" height="11.2" rx="2" fill="currentColor" />
      <path className="cutout" d="M5.2 4.6v4.8M8.8 4.6v4.8" strokeWidth="1.7" />
    </>
  ),
  fail: (
    <>
      <path d="M4.5 1h5L13 4.5v5L9.5 13h-5L1 9.5v-5z" fill="currentColor" />
      <path className="cutout" d="M5 5l4 4M9 5 5 9" strokeWidth="1.6" />
    </>
  ),
  stale: (
    <>
      <circle cx="7" cy="7" r="5.3" className="thin" strokeWidth="1.7" strokeDasharray="2.4 1.8" />
      <path className="thin" d="M7 4.2V7l1.7 1.3" strokeWidth="1.3" />
    </>
  ),
  todo: <circle cx="7" cy="7" r="5.2" className="thin" strokeWidth="1.4" />,
  skip: (
    <>
      <circle cx="7" cy="7" r="5.2" className="thin" strokeWidth="1.4" />
      <path className="thin" d="M4 10 10 4" strokeWidth="1.4" />
    </>
  ),
  part: (
    <>
      <circle cx="7" cy="7" r="5.3" className="thin" strokeWidth="1.5" />
      <path d="M7 1.7a5.3 5.3 0 0 0 0 10.6z" fill="currentColor" />
    </>
  ),
  warn: (
    <>
      <path
        d="M7 1.2 13.2 12.4H.8z"
        fill="currentColor"
        stroke="currentColor"
        strokeLinejoin="round"
      />
      <path className="cutout" d="M7 5.2v3.4M7 10.6v.1" strokeWidth="1.5" />
    </>
  ),
};

export function Glyph({ state }: { readonly state: GlyphName }) {
  const tone = state === "warn" ? "wait" : toneOf(state);
  return (
    <svg className={`g ${tone}`} viewBox="0 0 14 14" aria-hidden="true">
      {GLYPH_SHAPES[state]}
    </svg>
  );
}

/** A glyph with its words on a tinted ground: one word or a short fact. */
export function Chip({
  state,
  children,
}: {
  readonly state: GlyphName;
  readonly children: ReactNode;
}) {
  const tone = state === "warn" ? "wait" : toneOf(state);
  return (
    <span className={`chip ${tone}`}>
      <Glyph state={state} />
      {children}
    </span>
  );
}
