import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeCommand } from "../kernel/operation/command-description.ts";
import { loadOperations, wordsOf } from "../kernel/operation/noun-index.ts";
import { nounOf } from "../kernel/operation/operation-name.ts";
import { createOperationRegistry } from "../kernel/operation/operation-registry.ts";
import { toCommand } from "../surfaces/cli/command.ts";
import { listNouns } from "./methods.ts";

const nouns = listNouns(() => "");
const { operations } = createOperationRegistry(await loadOperations(nouns), nouns);

describe("the index of nouns", () => {
  test("has every noun and every operation of the modules it names once", async () => {
    const everything = (await Promise.all(nouns.map((noun) => noun.load()))).flat();
    const names = nouns.map(({ name }) => name);

    assert.deepEqual(names, [...new Set(names)]);
    assert.deepEqual(
      [...new Set(everything.map(({ name }) => name))].toSorted(),
      operations.map(({ name }) => name).toSorted(),
    );
  });

  test("names the words that commands begin with, each with the line help shows", () => {
    for (const noun of nouns) {
      const own = operations.filter((operation) => nounOf(operation) === noun.name);
      const commands = own.map((operation) => describeCommand(operation));
      const words = [...new Set(commands.map(({ words: [first = ""] }) => first))];

      assert.deepEqual(Object.keys(wordsOf(noun)).toSorted(), words.toSorted(), noun.name);
      for (const [word, line] of Object.entries(wordsOf(noun))) {
        const under = commands.filter(({ words: [first] }) => first === word);
        const [only] = under.length === 1 ? under : [];
        const isAlone = only?.words.length === 1;
        assert.equal(line, isAlone ? only.summary : noun.summary, word);
      }
    }
  });

  test("two nouns share no word", () => {
    const words = nouns.flatMap((noun) => Object.keys(wordsOf(noun)));

    assert.deepEqual(words, [...new Set(words)]);
  });

  test("every operation can be typed, and its description travels as JSON", () => {
    for (const operation of operations) {
      const description = describeCommand(operation);
      const command = toCommand(JSON.parse(JSON.stringify(description)) as typeof description);
      assert.deepEqual(command.words, description.words);
    }
  });
});
