import { useSyncExternalStore } from "react";
import type { LiveState } from "../api/live-events.ts";
import { live } from "../data/queries.ts";

/** Whether what is shown follows what happens. */
export function useLiveState(): LiveState {
  return useSyncExternalStore((onChange) => live.subscribe({ onState: onChange }), live.state);
}
