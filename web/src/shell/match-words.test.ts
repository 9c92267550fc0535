import assert from "node:assert/strict";
import { test } from "node:test";
import { matchWords } from "./match-words.ts";

const LINES = ["Open the inbox", "Runs", "task.add Adds a task", "Pause the run"];
const match = (typed: string) => matchWords(typed, LINES, (line) => line);

test("every word must occur, and beginnings come first", () => {
  assert.deepEqual(match("run"), ["Runs", "Pause the run"]);
  assert.deepEqual(match("TASK add"), ["task.add Adds a task"]);
  assert.deepEqual(match("nothing"), []);
});

test("nothing typed keeps everything in its order", () => {
  assert.deepEqual(match("  "), LINES);
});
