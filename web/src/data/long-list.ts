/**
 * A list of any length, read page by page as somebody scrolls. When something happens, only the first page and the
 * pages in sight are read again: ten thousand entries cost no more to keep fresh than a hundred.
 */

import { type CallProblem, toProblem } from "../api/call-problem.ts";
import { mergePage, type Named } from "./merge-page.ts";
import type { Query, QueryCache } from "./query-cache.ts";

export interface ListPage<Each> {
  readonly items: readonly Each[];
  readonly nextCursor?: string;
}

export interface LongListState<Each> {
  readonly items: readonly Each[];
  readonly hasMore: boolean;
  /** Nothing is known yet and nothing has gone wrong. */
  readonly isFirst: boolean;
  readonly isReading: boolean;
  readonly problem: CallProblem | undefined;
}

export interface LongList<Each> {
  readonly get: () => LongListState<Each>;
  readonly subscribe: (onChange: () => void) => () => void;
  /** Which entries are in sight: reads ahead, and knows what to keep fresh. */
  readonly see: (first: number, last: number) => void;
  readonly refresh: () => void;
}

interface Page<Each> {
  /** Undefined for the first. */
  readonly cursor: string | undefined;
  readonly items: readonly Each[];
  readonly next: string | undefined;
}

const AHEAD = 60;

export function createLongList<Each extends Named>(
  queries: QueryCache,
  first: Query<ListPage<Each>>,
  read: (cursor: string) => Promise<ListPage<Each>>,
): LongList<Each> {
  const watchers = new Set<() => void>();
  let pages: readonly Page<Each>[] = [];
  let state: LongListState<Each> = {
    items: [],
    hasMore: false,
    isFirst: true,
    isReading: true,
    problem: undefined,
  };
  let seen = { first: 0, last: 0 };
  let taken: unknown;
  let isReadingMore = false;

  const tell = (change: Partial<LongListState<Each>>) => {
    state = { ...state, ...change };
    for (const watcher of watchers) watcher();
  };
  const put = (next: readonly Page<Each>[], change: Partial<LongListState<Each>> = {}) => {
    pages = next;
    const items = pages.flatMap((page) => page.items);
    const hasMore = pages.at(-1)?.next !== undefined;
    tell({ ...change, items, hasMore, isFirst: false });
    readAhead();
  };

  const readAgain = async (at: number, cursor: string) => {
    try {
      const fresh = toPage(await read(cursor), cursor);
      if (pages[at]?.cursor === cursor) put(withPage(pages, at, fresh));
    } catch (error) {
      tell({ problem: toProblem(error) });
    }
  };
  const takeFirst = () => {
    const { data, problem, isReading } = queries.peek<ListPage<Each>>(first.key);
    if (data === undefined || data === taken)
      return tell({ isReading, problem, isFirst: pages.length === 0 && problem === undefined });
    taken = data;
    const inSight = pagesInSight(pages, seen);
    const fresh = toPage(data, undefined);
    put(pages.length === 0 ? [fresh] : withPage(pages, 0, fresh), { isReading, problem });
    for (const { at, cursor } of inSight) if (cursor !== undefined) void readAgain(at, cursor);
  };
  const readAhead = () => {
    const cursor = pages.at(-1)?.next;
    if (cursor === undefined || isReadingMore || seen.last + AHEAD < state.items.length) return;
    isReadingMore = true;
    void readMore(cursor);
  };
  const readMore = async (cursor: string) => {
    try {
      const page = withoutKnown(toPage(await read(cursor), cursor), pages);
      isReadingMore = false;
      if (pages.at(-1)?.next === cursor) put([...pages, page], { problem: undefined });
    } catch (error) {
      isReadingMore = false;
      tell({ problem: toProblem(error) });
    }
  };

  return {
    get: () => state,
    subscribe(onChange) {
      watchers.add(onChange);
      const stop = queries.watch(first, takeFirst);
      takeFirst();
      return () => {
        watchers.delete(onChange);
        stop();
      };
    },
    see(from, to) {
      seen = { first: from, last: to };
      readAhead();
    },
    refresh: () => queries.refresh(first.key),
  };
}

function toPage<Each>(
  { items, nextCursor }: ListPage<Each>,
  cursor: string | undefined,
): Page<Each> {
  return { cursor, items, next: nextCursor };
}

/** A page that was read again keeps its end: where the next one begins does not move. */
function withPage<Each extends Named>(
  pages: readonly Page<Each>[],
  at: number,
  fresh: Page<Each>,
): readonly Page<Each>[] {
  const old = pages[at];
  if (old === undefined) return pages;
  const later = pages.slice(at + 1);
  if (later.length === 0) return [...pages.slice(0, at), fresh];
  const ids = new Set(later.flatMap(({ items }) => items.map(({ id }) => id)));
  return pages.with(at, { ...old, items: mergePage(old.items, fresh.items, ids) });
}

function withoutKnown<Each extends Named>(
  page: Page<Each>,
  pages: readonly Page<Each>[],
): Page<Each> {
  const known = new Set(pages.flatMap(({ items }) => items.map(({ id }) => id)));
  return { ...page, items: page.items.filter(({ id }) => !known.has(id)) };
}

function pagesInSight<Each>(
  pages: readonly Page<Each>[],
  { first, last }: { readonly first: number; readonly last: number },
): readonly { readonly at: number; readonly cursor: string | undefined }[] {
  let begin = 0;
  return pages
    .map(({ cursor, items }, at) => {
      const start = begin;
      begin += items.length;
      return { at, cursor, isSeen: start <= last && begin > first };
    })
    .filter(({ isSeen }) => isSeen);
}
