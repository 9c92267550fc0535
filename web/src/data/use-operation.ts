/** What an operation says, kept fresh: the hook that pages read with. */

import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { callOperation } from "../api/call.ts";
import type { CallProblem } from "../api/call-problem.ts";
import type { Input, Item, ListName, Output, ReadName } from "../api/operation.ts";
import { queries } from "./queries.ts";
import { type Answer, NOTHING_YET, type Query } from "./query-cache.ts";
import { useNewest } from "./use-newest.ts";

export interface Shown<Data> {
  /** What is known; while other input is being read, still what was asked for before. */
  readonly data: Data | undefined;
  readonly problem: CallProblem | undefined;
  /** Nothing is known yet and nothing has gone wrong: the time for skeletons. */
  readonly isFirst: boolean;
  readonly isReading: boolean;
  readonly refresh: () => void;
}

export interface ShownOptions {
  /** Reads again this often, for what changes without events. */
  readonly everyMs?: number | undefined;
  /** Keeps it fresh also while the tab is out of sight. */
  readonly isUrgent?: boolean | undefined;
}

/** Undefined input asks nothing. */
export function useOperation<Name extends ReadName>(
  name: Name,
  input: Input<Name> | undefined,
  options: ShownOptions = {},
): Shown<Output<Name>> {
  const key = input === undefined ? undefined : `${name} ${JSON.stringify(input)}`;
  const read = (signal: AbortSignal) => callOperation(name, input as Input<Name>, { signal });
  return useQuery(key, { name, input, read }, options);
}

export interface ShownList<Each, Data> extends Shown<Data> {
  readonly items: readonly Each[];
  readonly hasMore: boolean;
  readonly more: () => void;
}

/** All pages of a list that were asked for, as one; `more` asks for the next. */
export function useList<Name extends ListName>(
  name: Name,
  input: Omit<Input<Name>, "cursor"> | undefined,
  options: ShownOptions = {},
): ShownList<Item<Name>, Output<Name>> {
  const pages = useRef(1);
  const key = input === undefined ? undefined : `${name} pages ${JSON.stringify(input)}`;
  const read = (signal: AbortSignal) => readPages(name, input ?? {}, pages.current, signal);
  const shown = useQuery(key, { name, input, read }, options);
  const { data, refresh } = shown;
  const given = data as { items?: readonly Item<Name>[]; nextCursor?: string } | undefined;
  const more = useCallback(() => {
    pages.current += 1;
    refresh();
  }, [refresh]);
  return {
    ...shown,
    data: data as Output<Name> | undefined,
    items: given?.items ?? [],
    hasMore: given?.nextCursor !== undefined,
    more,
  };
}

async function readPages(
  name: ListName,
  input: object,
  count: number,
  signal: AbortSignal,
): Promise<unknown> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const asked = { ...input, ...(cursor === undefined ? {} : { cursor }) };
    const given = (await callOperation(name, asked as Input<typeof name>, { signal })) as {
      readonly items: readonly unknown[];
      readonly nextCursor?: string;
    };
    items.push(...given.items);
    cursor = given.nextCursor;
    if (cursor === undefined || page >= count) return { ...given, items };
  }
}

export function useQuery<Data>(
  key: string | undefined,
  question: Omit<Query<Data>, "key">,
  { everyMs, isUrgent }: ShownOptions,
): Shown<Data> {
  const current = useNewest(question);
  const subscribe = useCallback(
    (onChange: () => void) => {
      if (key === undefined) return () => undefined;
      const { name, input } = current.current;
      // The newest closure reads, so that what it refers to is as it is now.
      const read = (signal: AbortSignal) => current.current.read(signal);
      return queries.watch({ key, name, input, read, isUrgent }, onChange);
    },
    [key, isUrgent, current],
  );
  const peek = () => (key === undefined ? NOTHING_YET : queries.peek<Data>(key));
  const answer = useSyncExternalStore(subscribe, peek);
  const last = useLast(answer, question.name);
  const refresh = useCallback(() => {
    if (key !== undefined) queries.refresh(key);
  }, [key]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden) refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, refresh]);
  const isReading = key !== undefined && answer.isReading;
  const data = answer.data ?? last;
  const isFirst = isReading && data === undefined;
  return { data, problem: answer.problem, isFirst, isReading, refresh };
}

/** Keeps a list in place while it is being read with another filter: the page does not jump. */
function useLast<Data>({ data, problem }: Answer<Data>, name: string): Data | undefined {
  const [last, setLast] = useState({ name, data });
  const isNew = data !== undefined && data !== last.data;
  if (isNew || last.name !== name) setLast({ name, data });
  return problem === undefined && last.name === name ? last.data : undefined;
}
