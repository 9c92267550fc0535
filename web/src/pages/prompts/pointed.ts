/** What is pointed at in one place of the inspector and shown in all of them: text, layers and ledger. */

export interface Place {
  readonly layer: string;
  /** A whole layer unless given. */
  readonly part?: string | undefined;
}

export function isPointedAt(pointed: Place | undefined, { layer, part }: Place): boolean {
  if (pointed === undefined) return false;
  return pointed.part === undefined ? pointed.layer === layer : pointed.part === part;
}

/** For whatever stands for the place: by pointer and, for whoever has none, by the focus. */
export function pointsAt(place: Place, onPoint: (place: Place | undefined) => void) {
  const point = () => onPoint(place);
  const leave = () => onPoint(undefined);
  return { onPointerEnter: point, onPointerLeave: leave, onFocus: point, onBlur: leave };
}
