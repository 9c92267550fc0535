import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { ImportedThread } from "./imported-conversation.ts";
import { type FamilyDraft, placeThreads } from "./place-threads.ts";

test("a new conversation becomes one thread, its branches their own", () => {
  const family = emptyFamily();

  place(family, [thread("a b c"), { ...thread("x y"), after: "a" }]);

  assert.deepEqual(shown(family), { 1: "a b c", 2: "x y" });
});

test("the same again adds nothing; what goes on is added where it ends", () => {
  const family = emptyFamily();
  place(family, [thread("a b")]);

  assert.deepEqual(place(family, [thread("a b")]).placements, []);
  place(family, [thread("a b c d")]);
  place(family, [{ ...thread("e"), after: "d" }]);

  assert.deepEqual(shown(family), { 1: "a b c d e" });
});

test("a branch that becomes the visible one is a conversation of its own and grows there", () => {
  const family = emptyFamily();
  place(family, [thread("a b c")]);

  const { placements } = place(family, [thread("a x y")]);
  place(family, [thread("a x y z")]);
  place(family, [thread("a b c d")]);

  assert.deepEqual(
    placements.map(({ begins, after }) => [begins, after]),
    [["branch", "a"]],
  );
  assert.deepEqual(shown(family), { 1: "a b c d", 2: "x y z" });
});

test("what turns up between two messages goes between them, or to the end when there is no room", () => {
  const family = emptyFamily();
  place(family, [thread("a b")]);

  place(family, [thread("a m b")]);
  place(family, [thread("first a m b")]);
  assert.deepEqual(shown(family), { 1: "first a m b" });

  const tight = Array.from({ length: 1200 }, (_, i) => `m${i}`).join(" ");
  place(family, [thread(`a ${tight} m b`)]);

  assert.equal(shown(family)[1]?.split(" ").length, 1204);
  assert.ok(shown(family)[1]?.startsWith("first a m b m0"));
});

test("other words under a known id are reported and change nothing", () => {
  const family = emptyFamily();
  place(family, [thread("a b")]);

  const changed = { messages: [{ id: "a", role: "user" as const, content: "other" }] };

  assert.deepEqual(place(family, [changed]), { placements: [], edited: ["a"] });
  assert.equal(family.known.get("a")?.content, "a");
});

test("a thread that shares nothing with what is stored stands alone", () => {
  const family = emptyFamily();
  place(family, [thread("a b"), thread("s t")]);

  assert.deepEqual(shown(family), { 1: "a b", 2: "s t" });
});

test("for any history of trees: every message is stored once, in an order each branch agrees with", () => {
  const growth = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 })), { minLength: 1, maxLength: 30 });

  fc.assert(
    fc.property(growth, fc.integer({ min: 1, max: 5 }), (steps, every) => {
      const family = emptyFamily();
      const parents = new Map<string, string | undefined>([["n0", undefined]]);
      let leaf = "n0";
      for (const [i, [pick, stay]] of steps.entries()) {
        const ids = [...parents.keys()];
        // Mostly goes on from the leaf, at times from anywhere.
        const parent = stay > 0 ? leaf : (ids[pick % ids.length] ?? leaf);
        leaf = `n${i + 1}`;
        parents.set(leaf, parent);
        if (i % every === 0) place(family, [thread(path(leaf, parents).join(" "))]);
      }
      place(family, [thread(path(leaf, parents).join(" "))]);

      const again = place(family, [thread(path(leaf, parents).join(" "))]);

      assert.deepEqual(again.placements, []);
      const stored = Object.values(shown(family)).map((ids) => ids.split(" "));
      const all = stored.flat();
      assert.equal(new Set(all).size, all.length);
      for (const id of path(leaf, parents)) assert.ok(all.includes(id));
      for (const ids of stored) {
        for (const [i, id] of ids.entries()) {
          if (i > 0) assert.ok(path(id, parents).includes(ids[i - 1] ?? ""), `${ids[i - 1]} ${id}`);
        }
      }
    }),
    { numRuns: 300 },
  );
});

function emptyFamily(): FamilyDraft & { count: number } {
  return { main: undefined, known: new Map(), last: new Map(), count: 0 };
}

function place(family: FamilyDraft & { count: number }, threads: readonly ImportedThread[]) {
  return placeThreads(threads, family, () => String((family.count += 1)));
}

function thread(ids: string): ImportedThread {
  return { messages: ids.split(" ").map((id) => ({ id, role: "user", content: id })) };
}

function path(leaf: string, parents: ReadonlyMap<string, string | undefined>): string[] {
  const ids: string[] = [];
  for (let id: string | undefined = leaf; id !== undefined; id = parents.get(id)) ids.unshift(id);
  return ids;
}

/** What is in each conversation, in order. */
function shown({ known }: FamilyDraft): Record<string, string> {
  const byConversation = Map.groupBy(known, ([, { conversationId }]) => conversationId);
  return Object.fromEntries(
    [...byConversation].map(([id, messages]) => [
      id,
      messages
        .toSorted(([, a], [, b]) => a.position - b.position)
        .map(([message]) => message)
        .join(" "),
    ]),
  );
}
