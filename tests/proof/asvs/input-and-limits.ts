import type { Chapter } from "./requirement.ts";

export const INPUT_AND_LIMITS: Chapter = {
  number: "V2",
  title: "Input and limits",
  requirements: [
    {
      number: "V2.1.1",
      level: 1,
      asks: "it is written down how input is checked",
      met: [["docs/safeguards.md", "What comes in"]],
    },
    {
      number: "V2.1.2",
      level: 2,
      asks: "it is written down how things that belong together are checked together",
      met: [["docs/safeguards.md", "What comes in"]],
    },
    {
      number: "V2.1.3",
      level: 2,
      asks: "limits for one person and for all are written down",
      met: [["docs/safeguards.md", "Limits"]],
    },
    {
      number: "V2.2.1",
      level: 1,
      asks: "input is held against what is expected",
      met: [
        [
          "src/methods/workspace/bad-input.test.ts",
          "every kind of field refuses a value of another kind at its place",
        ],
        [
          "tests/hostile/operations.test.ts",
          "in every field of every operation is done or refused by name",
        ],
      ],
    },
    {
      number: "V2.2.2",
      level: 1,
      asks: "the server checks, whatever the page did",
      met: [
        [
          "src/surfaces/http/http-server.test.ts",
          "refuses what the schema refuses, with a pointer to it",
        ],
        [
          "tests/proof/http-fuzz.test.ts",
          "requests to every route: none fails, none is slow, every refusal says why",
        ],
      ],
    },
    {
      number: "V2.2.3",
      level: 2,
      asks: "things that belong together fit each other",
      met: [
        ["src/kernel/operation/invoke.test.ts", "keeps the rules a schema has beyond its fields"],
        [
          "src/methods/workspace/model-operations.test.ts",
          "takes what its kind needs, and nothing that would be ignored",
        ],
      ],
    },
    {
      number: "V2.3.1",
      level: 1,
      asks: "steps are taken in their order, none is skipped",
      met: [
        [
          "src/methods/workspace/core-operations.test.ts",
          "a task moves only by the transition table, and says where it may go",
        ],
        [
          "src/methods/workspace/core-operations.test.ts",
          "a task of a live run is moved by the run, not by hand",
        ],
      ],
    },
    {
      number: "V2.3.2",
      level: 2,
      asks: "limits hold as they are written down",
      met: [
        [
          "src/kernel/run/limits.test.ts",
          "lets one more turn start only while every limit has room",
        ],
        [
          "src/methods/pipeline/running/foreach.test.ts",
          "over a million items is stopped at its limit within a second",
        ],
        ["src/kernel/model/budget.test.ts", "two calls under way cannot pass one limit together"],
      ],
    },
    {
      number: "V2.3.3",
      level: 2,
      asks: "an operation is done whole or not at all",
      met: [
        [
          "tests/proof/disk-fault.test.ts",
          "any write of an operation: refused by name, and nothing of it is there",
        ],
      ],
    },
    {
      number: "V2.3.4",
      level: 2,
      asks: "what there is once is not given out twice",
      met: [
        [
          "src/methods/workspace/core-operations.test.ts",
          "taking tasks at the same time never gives one to two",
        ],
        [
          "src/methods/workspace/core-operations.test.ts",
          "an answer counts once: of two at the same moment one wins, the other is told who",
        ],
      ],
    },
    {
      number: "V2.4.1",
      level: 2,
      asks: "programs that run wild are held back",
      met: [
        [
          "src/surfaces/http/rate-limit.test.ts",
          "are answered with 429, Retry-After and a problem, for that token alone, whatever it asks for",
        ],
        [
          "src/methods/pipeline/starters/webhooks.test.ts",
          "too many that are not believed are told to wait, and those that are get in all the same, until they are too many",
        ],
      ],
    },
  ],
};
