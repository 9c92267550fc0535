import { useSyncExternalStore } from "react";

const narrow = typeof matchMedia === "undefined" ? undefined : matchMedia("(max-width: 720px)");

/** Whether the page is as narrow as a phone, for what style alone cannot decide. */
export function useNarrow(): boolean {
  return useSyncExternalStore(watch, () => narrow?.matches ?? false);
}

function watch(onChange: () => void): () => void {
  narrow?.addEventListener("change", onChange);
  return () => narrow?.removeEventListener("change", onChange);
}
