/** Points at something that has an id; opens it beside the page. */

import type { ReactNode } from "react";
import { changeQuery } from "../router/place.ts";
import { shortId } from "./format.ts";

/** What the drawer can show: see `references/`. */
export type ReferenceNoun =
  | "task"
  | "decision"
  | "highlight"
  | "conversation"
  | "run"
  | "exchange"
  | "artifact"
  | "project"
  | "packet"
  | "wait";

export function openReference(noun: ReferenceNoun, id: string): void {
  changeQuery({ open: `${noun}:${id}` });
}

export function closeReference(): void {
  changeQuery({ open: undefined });
}

export function Reference({
  noun,
  id,
  children,
}: {
  readonly noun: ReferenceNoun;
  readonly id: string;
  /** Its id unless given. */
  readonly children?: ReactNode;
}) {
  return (
    <button
      type="button"
      className={children === undefined ? "ref" : "link"}
      title={`Open this ${noun}`}
      onClick={(event) => {
        event.stopPropagation();
        event.preventDefault();
        openReference(noun, id);
      }}
    >
      {children ?? shortId(id)}
    </button>
  );
}

const LETTERS = {
  task: "T",
  decision: "D",
  highlight: "H",
  glossary: "G",
  conversation: "C",
} as const;
export type SourceKind = keyof typeof LETTERS | "fixed";

/** The class that gives a source its colour. */
export function sourceTone(kind: SourceKind): string {
  return `k-${kind === "fixed" ? "x" : LETTERS[kind].toLowerCase()}`;
}

/** The letter of a source. */
export function Source({ kind }: { readonly kind: SourceKind }) {
  const letter = kind === "fixed" ? "·" : LETTERS[kind];
  return (
    <span className={`src ${sourceTone(kind)}`} title={kind === "fixed" ? "fixed text" : kind}>
      {letter}
    </span>
  );
}
