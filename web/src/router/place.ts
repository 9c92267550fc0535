/** Where the page is: path and query of the address. Links are plain `<a href>`; clicks on them are taken here. */

import { useCallback, useSyncExternalStore } from "react";

export interface Place {
  readonly path: string;
  /** The path's parts, decoded. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

export interface Going {
  /** Takes the place of the current entry in the history. */
  readonly replace?: boolean;
}

const watchers = new Set<() => void>();

export function navigate(to: string, { replace = false }: Going = {}): void {
  const { href, origin } = location;
  const target = new URL(to, href);
  if (target.origin !== origin || target.href === href) return;
  if (replace) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  for (const watcher of watchers) watcher();
}

/** Changes fields of the query and leaves the rest; undefined takes one away. */
export function changeQuery(
  fields: Readonly<Record<string, string | undefined>>,
  going: Going = {},
): void {
  const target = new URL(location.href);
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) target.searchParams.delete(name);
    else target.searchParams.set(name, value);
  }
  navigate(target.href, going);
}

export function usePlace(): Place {
  const address = useSyncExternalStore(watch, () => location.pathname + location.search);
  return readPlace(address);
}

/** A field of the query as state that survives reloading and can be linked to. */
export function useQueryField(
  name: string,
): readonly [string | undefined, (value: string | undefined) => void] {
  const { query } = usePlace();
  const set = useCallback(
    (value: string | undefined) => changeQuery({ [name]: value }, { replace: true }),
    [name],
  );
  return [query.get(name) ?? undefined, set];
}

export function readPlace(address: string): Place {
  const { pathname, searchParams } = new URL(address, "http://place");
  const segments = pathname.split("/").filter(Boolean).map(decode);
  return { path: pathname, segments, query: searchParams };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function watch(onChange: () => void): () => void {
  watchers.add(onChange);
  addEventListener("popstate", onChange);
  return () => {
    watchers.delete(onChange);
    removeEventListener("popstate", onChange);
  };
}

/** For the outermost element's `onClick`: links within the workspace change the page without loading it. */
export function takeClick(event: MouseEvent): void {
  const isPlain =
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!isPlain || event.defaultPrevented || !(event.target instanceof Element)) return;
  const link = event.target.closest("a");
  if (link === null || link.target !== "" || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || link.pathname.startsWith("/api/")) return;
  event.preventDefault();
  navigate(link.href);
}
