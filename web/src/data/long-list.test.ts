import assert from "node:assert/strict";
import { test } from "node:test";
import { createLongList, type ListPage } from "./long-list.ts";
import { createQueryCache } from "./query-cache.ts";

interface Entry {
  readonly id: string;
  readonly words: string;
}

const PAGE = 100;

/** A list on a server of our own, newest first, read by the id after which a page begins. */
function serving(count: number) {
  let entries = Array.from({ length: count }, (_, n): Entry => ({ id: `e${n}`, words: "" }));
  const asked: string[] = [];
  const page = (cursor?: string): ListPage<Entry> => {
    asked.push(cursor ?? "first");
    const from = cursor === undefined ? 0 : entries.findIndex(({ id }) => id === cursor) + 1;
    const items = entries.slice(from, from + PAGE);
    const last = items.at(-1)?.id;
    const isMore = from + PAGE < entries.length && last !== undefined;
    return { items, ...(isMore ? { nextCursor: last } : {}) };
  };
  const queries = createQueryCache({ isHidden: () => false, keepMs: 500 });
  const list = createLongList<Entry>(
    queries,
    { key: "entries", name: "task.list", input: {}, read: () => Promise.resolve(page()) },
    (cursor) => Promise.resolve(page(cursor)),
  );
  return {
    list,
    asked,
    change: (next: (entries: readonly Entry[]) => Entry[]) => {
      entries = next(entries);
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    assert.ok(tries < 1000, "it did not come to that");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test("ten thousand entries come in as they are scrolled to, each once", async () => {
  const { list, asked } = serving(10_000);
  const stop = list.subscribe(() => undefined);
  await until(() => list.get().items.length === PAGE);
  assert.deepEqual(asked, ["first"]);

  for (let seen = 0; seen < 10_000; seen += 30) {
    list.see(seen, seen + 30);
    await until(() => list.get().items.length >= Math.min(10_000, seen + 30));
  }
  const ids = new Set(list.get().items.map(({ id }) => id));

  assert.equal(list.get().items.length, 10_000);
  assert.equal(ids.size, 10_000);
  assert.equal(asked.length, 100);
  assert.equal(list.get().hasMore, false);
  stop();
});

test("what changes in sight is read again, what is out of sight is not, and nothing is shown twice", async () => {
  const { list, asked, change } = serving(1000);
  const stop = list.subscribe(() => undefined);
  await until(() => list.get().items.length > 0);
  for (let seen = 0; seen <= 400; seen += 40) {
    list.see(seen, seen + 40);
    await until(() => list.get().items.length >= seen + 40);
  }
  const before = asked.length;

  change((entries) => [
    { id: "new", words: "" },
    ...entries
      .filter(({ id }) => id !== "e410")
      .map((entry) => (entry.id === "e420" ? { ...entry, words: "changed" } : entry)),
  ]);
  list.refresh();
  await until(() => list.get().items[0]?.id === "new");
  await until(() => list.get().items.every(({ id }) => id !== "e410"));
  const { items } = list.get();

  assert.ok(asked.length - before <= 4, `${asked.length - before} pages were read`);
  assert.equal(items.find(({ id }) => id === "e420")?.words, "changed");
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
  assert.equal(items[100]?.id, "e99", "nothing was pushed out");
  stop();
});
