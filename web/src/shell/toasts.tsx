/** What has just been done, in one line, with a way back if there is one. Problems never come here. */

import { useEffect, useRef, useState } from "react";
import { createSharedState } from "../data/shared-state.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

const SHOWN_MS = 6000;
const MOST = 3;
const toasts = createSharedState<readonly Toast[]>([]);
let lastId = 0;

export function toast(text: string, options: { readonly undo?: () => void } = {}): void {
  lastId += 1;
  toasts.set([...toasts.get().slice(1 - MOST), { id: lastId, text, undo: options.undo }]);
}

function remove(id: number): void {
  toasts.set(toasts.get().filter((each) => each.id !== id));
}

export function Toasts() {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.use().map((each) => (
        <ToastLine key={each.id} toast={each} />
      ))}
    </div>
  );
}

function ToastLine({ toast: { id, text, undo } }: { readonly toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  const leftMs = useRef(SHOWN_MS);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => remove(id), leftMs.current);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <div
      className="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      {text}
      {undo !== undefined && (
        <button
          type="button"
          className="btn sm"
          onClick={() => {
            undo();
            remove(id);
          }}
        >
          Undo
        </button>
      )}
    </div>
  );
}
