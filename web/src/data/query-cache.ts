/**
 * What the server said, kept while somebody looks at it. Two parts of a page that ask the same ask once; an event
 * that makes an answer old has it read again, at most every half second, and never while the tab is out of sight.
 */

import { type CallProblem, toProblem } from "../api/call-problem.ts";
import type { LiveEvent } from "../api/live-events.ts";
import { isConcerned, type Question } from "./freshness.ts";

export interface Answer<Data> {
  readonly data: Data | undefined;
  /** Why the last reading failed; `data` is then what was known before. */
  readonly problem: CallProblem | undefined;
  readonly isReading: boolean;
}

export interface Query<Data = unknown> extends Question {
  readonly key: string;
  /** Read also while the tab is out of sight: its title or a notification shows it. */
  readonly isUrgent?: boolean | undefined;
  read(signal: AbortSignal): Promise<Data>;
}

interface Entry {
  query: Query;
  answer: Answer<unknown>;
  readonly watchers: Set<() => void>;
  readAt: number;
  isOld: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  reading: AbortController | undefined;
}

export interface QueryCache {
  peek<Data>(key: string): Answer<Data>;
  watch(query: Query, onChange: () => void): () => void;
  refresh(key: string): void;
  /** Everything that events or a change of ours have made old. */
  spoil(isOld: (question: Question) => boolean): void;
  /** Reads what grew old while the tab was out of sight. */
  catchUp(): void;
  /** Puts in place what a change gave back, before it is read again. */
  put(key: string, data: unknown): void;
}

const PAUSE_MS = 500;
const KEEP_MS = 60_000;

export const NOTHING_YET: Answer<never> = {
  data: undefined,
  problem: undefined,
  isReading: true,
};

export interface QueryCacheOptions {
  readonly isHidden?: () => boolean;
  /** How long an answer nobody looks at any more is kept. */
  readonly keepMs?: number;
}

export function createQueryCache({
  isHidden = () => document.hidden,
  keepMs = KEEP_MS,
}: QueryCacheOptions = {}): QueryCache {
  const entries = new Map<string, Entry>();

  const tell = (entry: Entry, answer: Answer<unknown>) => {
    entry.answer = answer;
    for (const watcher of entry.watchers) watcher();
  };

  const read = async (entry: Entry) => {
    entry.reading?.abort();
    const reading = new AbortController();
    Object.assign(entry, { reading, isOld: false, readAt: Date.now(), timer: undefined });
    if (!entry.answer.isReading) tell(entry, { ...entry.answer, isReading: true });
    try {
      const data = await entry.query.read(reading.signal);
      if (!reading.signal.aborted) settle(entry, { data, problem: undefined, isReading: false });
    } catch (error) {
      if (reading.signal.aborted) return;
      settle(entry, { data: entry.answer.data, problem: toProblem(error), isReading: false });
    }
  };

  const settle = (entry: Entry, answer: Answer<unknown>) => {
    entry.reading = undefined;
    tell(entry, answer);
    if (entry.isOld) schedule(entry);
  };

  /** A reading under way may or may not know of what has just happened: it is done again after it. */
  const schedule = (entry: Entry) => {
    entry.isOld = true;
    const isBusy = entry.reading !== undefined || entry.timer !== undefined;
    if (isBusy || entry.watchers.size === 0) return;
    if (isHidden() && entry.query.isUrgent !== true) return;
    const leftMs = Math.max(0, entry.readAt + PAUSE_MS - Date.now());
    entry.timer = setTimeout(() => void read(entry), leftMs);
  };

  const forget = (key: string, entry: Entry) => {
    entry.timer = setTimeout(() => {
      entry.reading?.abort();
      entries.delete(key);
    }, keepMs);
  };

  return {
    peek: <Data>(key: string) => (entries.get(key)?.answer ?? NOTHING_YET) as Answer<Data>,
    watch(query, onChange) {
      const { key } = query;
      const entry = entries.get(key) ?? newEntry(query);
      entries.set(key, entry);
      entry.query = query;
      const isFirst = entry.watchers.size === 0;
      entry.watchers.add(onChange);
      if (isFirst) {
        clearTimeout(entry.timer);
        entry.timer = undefined;
        // Nobody listened meanwhile, so nothing is known of what has happened since.
        if (entry.reading === undefined) void read(entry);
      }
      return () => {
        entry.watchers.delete(onChange);
        if (entry.watchers.size > 0) return;
        clearTimeout(entry.timer);
        forget(key, entry);
      };
    },
    refresh(key) {
      const entry = entries.get(key);
      if (entry !== undefined) void read(entry);
    },
    spoil(isOld) {
      for (const entry of entries.values()) if (isOld(entry.query)) schedule(entry);
    },
    catchUp() {
      for (const entry of entries.values()) if (entry.isOld) schedule(entry);
    },
    put(key, data) {
      const entry = entries.get(key);
      if (entry === undefined) return;
      entry.reading?.abort();
      settle(entry, { data, problem: undefined, isReading: false });
    },
  };
}

function newEntry(query: Query): Entry {
  return {
    query,
    answer: NOTHING_YET,
    watchers: new Set(),
    readAt: 0,
    isOld: false,
    timer: undefined,
    reading: undefined,
  };
}

export function spoilByEvents(cache: QueryCache, events: readonly LiveEvent[]): void {
  cache.spoil((question) => events.some((event) => isConcerned(question, event)));
}
