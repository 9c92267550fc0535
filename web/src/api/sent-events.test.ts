import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createSentEventReader } from "./sent-events.ts";

const STREAM = [
  ": connected\nretry: 1000\n\n",
  'event: task.created\ndata: {"stream":"p"}\nid: 1.2\n\n',
  ": alive\nid: 1.3\n\n",
  'event: run.completed\ndata: {"text":"ä – 漢"}\nid: 1.4\n\n',
].join("");

test("events are read whole, however the stream is cut", () => {
  const whole = createSentEventReader()(STREAM);
  assert.deepEqual(
    whole.map(({ event, id }) => [event, id]),
    [
      ["", undefined],
      ["task.created", "1.2"],
      ["", "1.3"],
      ["run.completed", "1.4"],
    ],
  );

  fc.assert(
    fc.property(fc.array(fc.nat({ max: STREAM.length }), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
      const read = createSentEventReader();
      const pieces = places.slice(1).map((end, n) => STREAM.slice(places[n], end));
      assert.deepEqual(pieces.flatMap(read), whole);
    }),
  );
});

test("what is unfinished is not given out", () => {
  const read = createSentEventReader();
  assert.deepEqual(read("event: task.created\ndata: {}"), []);
  assert.equal(read("\n\n")[0]?.event, "task.created");
});
