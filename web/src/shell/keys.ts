/** Keys and key sequences. Tab is never taken, and nothing is while somebody writes. */

import { allCommands, type Command } from "./commands.ts";

const SEQUENCE_MS = 700;

export interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** `?` and capitals are keys of their own: shift is in them. */
export function strokeName({ key, ctrlKey, metaKey, altKey, shiftKey }: Stroke): string {
  const mod = ctrlKey || metaKey ? "mod+" : "";
  const alt = altKey ? "alt+" : "";
  const shift = shiftKey && key.length > 1 ? "shift+" : "";
  return mod + alt + shift + (key.length === 1 && mod !== "" ? key.toLowerCase() : key);
}

/** The command that the strokes so far amount to, or whether one of them may still come of it. */
export function matchKeys(
  strokes: readonly string[],
  commands: readonly Command[],
): Command | "unfinished" | undefined {
  const typed = strokes.join(" ");
  const found = commands.find(({ keys }) => keys === typed);
  if (found !== undefined) return found;
  return commands.some(({ keys }) => keys?.startsWith(`${typed} `)) ? "unfinished" : undefined;
}

export function listenForKeys(): () => void {
  let strokes: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.key === "Tab") return;
    // An editor in a shadow root shows only its outside unless it is asked what lies in it.
    const target = event.composedPath()[0] ?? event.target;
    const isFree = !isWriting(target) && document.querySelector("dialog:modal") === null;
    const commands = allCommands().filter(({ isGlobal }) => isFree || isGlobal);
    clearTimeout(timer);
    const name = strokeName(event);
    const found = matchKeys([...strokes, name], commands) ?? matchKeys([name], commands);
    if (found === "unfinished") {
      strokes = [...strokes, name];
      timer = setTimeout(() => {
        strokes = [];
      }, SEQUENCE_MS);
      return;
    }
    strokes = [];
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

const isMac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Keys as they are printed on this machine's keys. */
export function keyLabels(keys: string): readonly string[] {
  return keys.split(" ").map((stroke) =>
    stroke
      .replace("mod+", isMac ? "⌘" : "Ctrl ")
      .replace("alt+", isMac ? "⌥" : "Alt ")
      .replace("shift+", "⇧")
      .replace("Enter", "↵")
      .replace("Escape", "esc")
      .replace("ArrowDown", "↓")
      .replace("ArrowUp", "↑")
      .replace(/(?<=⌘|Ctrl )[a-z]$/, (letter) => letter.toUpperCase()),
  );
}
