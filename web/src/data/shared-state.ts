/** A value that parts of the page share, kept in the browser if it has a place there. */

import { useSyncExternalStore } from "react";

export interface SharedState<Value> {
  get(): Value;
  set(value: Value): void;
  use(): Value;
}

export function createSharedState<Value>(initial: Value): SharedState<Value> {
  const watchers = new Set<() => void>();
  let current = initial;
  const get = () => current;
  const watch = (onChange: () => void) => {
    watchers.add(onChange);
    return () => watchers.delete(onChange);
  };
  return {
    get,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const watcher of watchers) watcher();
    },
    use: () => useSyncExternalStore(watch, get),
  };
}

/** Text that is still there tomorrow. */
export function createKeptText(place: string): SharedState<string | undefined> {
  const state = createSharedState<string | undefined>(localStorage.getItem(place) ?? undefined);
  return {
    ...state,
    set(value) {
      if (value === undefined) localStorage.removeItem(place);
      else localStorage.setItem(place, value);
      state.set(value);
    },
  };
}
