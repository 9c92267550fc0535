import type { Chapter } from "./requirement.ts";

const NO_LOG = "who came in and who was refused is not written down";

export const LOGS_AND_FAILURES: Chapter = {
  number: "V16",
  title: "Logs and failures",
  requirements: [
    {
      number: "V16.1.1",
      level: 2,
      asks: "it is written down what is logged, where, how, for whom and for how long",
      met: [["docs/safeguards.md", "What is logged"]],
    },
    { number: "V16.2.1", level: 2, asks: "a line says when, where, who and what", missing: NO_LOG },
    { number: "V16.2.2", level: 2, asks: "times are in UTC", missing: NO_LOG },
    { number: "V16.2.3", level: 2, asks: "logs go only where it is written down", missing: NO_LOG },
    { number: "V16.2.4", level: 2, asks: "logs can be read by programs", missing: NO_LOG },
    {
      number: "V16.2.5",
      level: 2,
      asks: "logs hold no secrets",
      met: [
        [
          "tests/proof/canaries.test.ts",
          "are in nothing that is said, sent, logged, shown, exported or kept",
        ],
      ],
    },
    {
      number: "V16.3.1",
      level: 2,
      asks: "every sign-in is logged, let in or refused",
      missing: NO_LOG,
    },
    { number: "V16.3.2", level: 2, asks: "what was not allowed is logged", missing: NO_LOG },
    {
      number: "V16.3.3",
      level: 2,
      asks: "attempts to get around what protects are logged",
      missing: NO_LOG,
    },
    {
      number: "V16.3.4",
      level: 2,
      asks: "unforeseen failures are logged",
      met: [
        [
          "src/surfaces/http/http-server.test.ts",
          "an unforeseen failure tells its id and nothing else; the log has the rest",
        ],
      ],
    },
    { number: "V16.4.1", level: 2, asks: "nobody can write lines of their own", missing: NO_LOG },
    {
      number: "V16.4.2",
      level: 2,
      asks: "others can neither read nor change logs",
      missing: NO_LOG,
    },
    {
      number: "V16.4.3",
      level: 2,
      asks: "logs are sent to another system",
      missing: "nothing sends them on by itself",
    },
    {
      number: "V16.5.1",
      level: 2,
      asks: "who asks hears nothing of the insides of a failure",
      met: [
        [
          "src/surfaces/http/http-server.test.ts",
          "an unforeseen failure tells its id and nothing else; the log has the rest",
        ],
      ],
    },
    {
      number: "V16.5.2",
      level: 2,
      asks: "it goes on safely while something else is away",
      met: [
        [
          "tests/proof/provider-faults/provider-faults.test.ts",
          "a command: each ends in time, as what it is, and none passes half a reply off as whole",
        ],
      ],
    },
    {
      number: "V16.5.3",
      level: 2,
      asks: "a failure never lets something through",
      met: [
        [
          "tests/proof/disk-fault.test.ts",
          "any write of an operation: refused by name, and nothing of it is there",
        ],
        ["src/kernel/operation/invoke.test.ts", "does not let an answer of the wrong shape out"],
      ],
    },
  ],
};
