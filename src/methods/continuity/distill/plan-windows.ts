/**
 * Cuts a conversation into windows that a model can read at once. Neighbours overlap, so that what is said at a border
 * is seen whole by one of them; a message that is too long for a window is read in slices.
 */

export interface MessageSize {
  readonly position: number;
  readonly id: string;
  readonly characters: number;
  readonly tokens: number;
}

export interface Place {
  readonly position: number;
  readonly id: string;
}

/** Messages behind `after` up to and with `through`, in the order they were said; or a slice of one. */
export interface Window {
  readonly after: Place | null;
  readonly through: Place;
  readonly slice?: { readonly start: number; readonly end: number } | undefined;
}

export interface WindowSize {
  readonly tokens: number;
  /** How much of the window before is read again. */
  readonly overlap: number;
}

export const USUAL_WINDOW: WindowSize = { tokens: 6000, overlap: 600 };

export function planWindows(
  messages: readonly MessageSize[],
  size: WindowSize = USUAL_WINDOW,
): readonly Window[] {
  const windows: Window[] = [];
  let first = 0;
  while (first < messages.length) {
    const message = messages[first];
    if (message === undefined) break;
    if (message.tokens > size.tokens) {
      windows.push(...slicesOf(message, messages[first - 1], size));
      first += 1;
      continue;
    }
    const end = endOf(messages, first, size.tokens);
    const from = overlapStart(messages, first, size.overlap, windows.length > 0);
    const through = messages[end - 1] ?? message;
    windows.push({ after: placeOf(messages[from - 1]), through: toPlace(through) });
    first = end;
  }
  return windows;
}

/** As many as fit, at least one. */
function endOf(messages: readonly MessageSize[], first: number, tokens: number): number {
  let sum = 0;
  let end = first;
  for (; end < messages.length; end += 1) {
    sum += messages[end]?.tokens ?? 0;
    if (sum > tokens && end > first) break;
  }
  return end;
}

function overlapStart(
  messages: readonly MessageSize[],
  first: number,
  overlap: number,
  isLater: boolean,
): number {
  if (!isLater) return first;
  let sum = 0;
  let from = first;
  while (from > 0) {
    sum += messages[from - 1]?.tokens ?? 0;
    if (sum > overlap) break;
    from -= 1;
  }
  return from;
}

function slicesOf(
  message: MessageSize,
  before: MessageSize | undefined,
  { tokens, overlap }: WindowSize,
): readonly Window[] {
  const perToken = message.characters / message.tokens;
  const length = Math.max(1, Math.floor(tokens * perToken));
  const step = Math.max(1, length - Math.floor(overlap * perToken));
  const slices: Window[] = [];
  for (let start = 0; start < message.characters; start += step) {
    const end = Math.min(message.characters, start + length);
    slices.push({ after: placeOf(before), through: toPlace(message), slice: { start, end } });
    if (end === message.characters) break;
  }
  return slices;
}

function placeOf(message: MessageSize | undefined): Place | null {
  return message === undefined ? null : toPlace(message);
}

function toPlace({ position, id }: MessageSize): Place {
  return { position, id };
}
