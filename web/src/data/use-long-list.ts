/** A list of any length for a page: see `long-list.ts`. */

import { useState, useSyncExternalStore } from "react";
import { callOperation } from "../api/call.ts";
import type { Input, Item, ListName } from "../api/operation.ts";
import { createLongList, type ListPage, type LongList, type LongListState } from "./long-list.ts";
import type { Named } from "./merge-page.ts";
import { queries } from "./queries.ts";

export interface ShownLongList<Each> extends LongListState<Each> {
  /** What is asked for now is still being read; `items` are what was asked for before. */
  readonly isOld: boolean;
  readonly see: (first: number, last: number) => void;
  readonly refresh: () => void;
}

export function useLongList<Name extends ListName>(
  name: Name,
  input: Omit<Input<Name>, "cursor" | "limit">,
  pageSize = 100,
): ShownLongList<Item<Name> & Named> {
  type Each = Item<Name> & Named;
  const key = `${name} long ${JSON.stringify(input)}`;
  const [held, setHeld] = useState(() => ({
    key,
    list: makeList<Name>(key, name, input, pageSize),
  }));
  const [before, setBefore] = useState<readonly Each[]>([]);
  if (held.key !== key) {
    // The page stays as it is until there is something else to show.
    setBefore(held.list.get().items);
    setHeld({ key, list: makeList<Name>(key, name, input, pageSize) });
  }
  const { list } = held;
  const state = useSyncExternalStore(list.subscribe, list.get);
  const isOld = state.isFirst && before.length > 0;
  return {
    ...state,
    items: isOld ? before : state.items,
    isFirst: state.isFirst && !isOld,
    isOld,
    see: list.see,
    refresh: list.refresh,
  };
}

function makeList<Name extends ListName>(
  key: string,
  name: Name,
  input: object,
  limit: number,
): LongList<Item<Name> & Named> {
  type Each = Item<Name> & Named;
  const read = async (cursor?: string, signal?: AbortSignal) => {
    const asked = { ...input, limit, ...(cursor === undefined ? {} : { cursor }) };
    const given = await callOperation(name, asked as Input<Name>, { signal });
    return given as unknown as ListPage<Each>;
  };
  const first = { key, name, input, read: (signal: AbortSignal) => read(undefined, signal) };
  return createLongList<Each>(queries, first, read);
}
