/** A diff with what stayed folded, but for a few lines around each change. */

export interface DiffLine {
  readonly change: "same" | "removed" | "added";
  readonly text: string;
}

type DiffPiece =
  | ({ readonly kind: "line" } & DiffLine)
  | { readonly kind: "fold"; readonly lines: number };

const AROUND = 3;
/** A fold takes a line itself. */
const LEAST = 2;

export function foldDiff(lines: readonly DiffLine[], around = AROUND): readonly DiffPiece[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ change }) => change !== "same"),
  );
  const pieces: DiffPiece[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && isNear[end] === false) end += 1;
    if (end - at >= LEAST) {
      pieces.push({ kind: "fold", lines: end - at });
      at = end;
      continue;
    }
    const line = lines[at];
    if (line !== undefined) pieces.push({ kind: "line", ...line });
    at += 1;
  }
  return pieces;
}
