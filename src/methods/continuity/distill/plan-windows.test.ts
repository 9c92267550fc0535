import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type MessageSize, planWindows, type Window } from "./plan-windows.ts";

const message = (number: number, tokens: number): MessageSize => ({
  position: number,
  id: `m${String(number).padStart(3, "0")}`,
  characters: tokens * 4,
  tokens,
});

/** The messages that a window shows, as the database would give them. */
function inWindow(messages: readonly MessageSize[], { after, through }: Window) {
  const isBehind = (a: MessageSize, b: { position: number; id: string }) =>
    a.position > b.position || (a.position === b.position && a.id > b.id);
  return messages.filter(
    (each) => (after === null || isBehind(each, after)) && !isBehind(each, through),
  );
}

describe("windows over a conversation", () => {
  test("a short conversation is read at once", () => {
    const windows = planWindows([message(0, 10), message(1, 20)], { tokens: 100, overlap: 10 });

    assert.deepEqual(windows, [{ after: null, through: { position: 1, id: "m001" } }]);
  });

  test("a later window begins with the end of the one before", () => {
    const messages = [40, 40, 15, 40, 40].map((tokens, number) => message(number, tokens));
    const windows = planWindows(messages, { tokens: 100, overlap: 20 });

    assert.deepEqual(
      windows.map((window) => inWindow(messages, window).map(({ position }) => position)),
      [
        [0, 1, 2],
        [2, 3, 4],
      ],
    );
  });

  test("a message that is too long is read in slices that overlap", () => {
    const windows = planWindows([message(0, 10), message(1, 250), message(2, 10)], {
      tokens: 100,
      overlap: 10,
    });

    assert.deepEqual(
      windows.map(({ slice }) => slice),
      [
        undefined,
        { start: 0, end: 400 },
        { start: 360, end: 760 },
        { start: 720, end: 1000 },
        undefined,
      ],
    );
  });

  test("whatever the lengths, everything is read and no window is too long", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 40 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 20, max: 200 }), (tokens, size) => {
        const messages = tokens.map((count, number) => message(number, count));
        const windows = planWindows(messages, { tokens: size, overlap: Math.floor(size / 10) });

        const read = new Map<string, number>();
        for (const window of windows) {
          const shown = inWindow(messages, window);
          if (window.slice === undefined) {
            const sum = shown.reduce((total, each) => total + each.tokens, 0);
            assert.ok(sum <= size * 1.1 + 1, `${sum} of ${size}`);
            for (const each of shown) read.set(each.id, each.characters);
            continue;
          }
          const [only] = shown;
          assert.equal(shown.length, 1);
          assert.ok(window.slice.start <= (read.get(only?.id ?? "") ?? 0));
          assert.ok(window.slice.end - window.slice.start <= size * 4);
          read.set(only?.id ?? "", window.slice.end);
        }
        for (const { id, characters } of messages) assert.equal(read.get(id), characters);
      }),
    );
  });
});
