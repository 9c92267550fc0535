import type { Chapter } from "./requirement.ts";

const TOLD = "src/surfaces/http/security-log.test.ts";
const KEPT = "src/app/security-log.test.ts";
const COMES_IN = [TOLD, "of everybody who comes in: when, from where, who, by which way"] as const;
const REFUSED = [
  TOLD,
  "of everybody who is refused, with the reason, and of nothing they sent",
] as const;
const NOT_ALLOWED = [
  TOLD,
  "of what somebody was not allowed, and of what did not fit: who, with what, which operation",
] as const;
const A_LINE_EACH = [
  KEPT,
  "has a line for each entry, whatever stands in it, and nobody adds one of their own",
] as const;
const LOGGED = ["docs/safeguards.md", "What is logged"] as const;

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
    {
      number: "V16.2.1",
      level: 2,
      asks: "a line says when, where, who and what",
      met: [COMES_IN, REFUSED, NOT_ALLOWED],
    },
    {
      number: "V16.2.2",
      level: 2,
      asks: "times are in UTC",
      met: [COMES_IN, LOGGED],
      note: "the clock is the machine's",
    },
    {
      number: "V16.2.3",
      level: 2,
      asks: "logs go only where it is written down",
      met: [
        LOGGED,
        [
          "tests/journeys/security-log.test.ts",
          "is written where the documentation says, by a served workspace, also of what agents were refused",
        ],
      ],
    },
    { number: "V16.2.4", level: 2, asks: "logs can be read by programs", met: [A_LINE_EACH] },
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
      met: [COMES_IN, REFUSED],
    },
    {
      number: "V16.3.2",
      level: 2,
      asks: "what was not allowed is logged",
      met: [
        NOT_ALLOWED,
        [
          "tests/journeys/security-log.test.ts",
          "is written where the documentation says, by a served workspace, also of what agents were refused",
        ],
      ],
    },
    {
      number: "V16.3.3",
      level: 2,
      asks: "attempts to get around what protects are logged",
      met: [
        [TOLD, "of requests that the guard turned away before anything else"],
        NOT_ALLOWED,
        [TOLD, "of limits that were reached, of signing out, and of another password"],
      ],
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
    {
      number: "V16.4.1",
      level: 2,
      asks: "nobody can write lines of their own",
      met: [A_LINE_EACH],
    },
    {
      number: "V16.4.2",
      level: 2,
      asks: "others can neither read nor change logs",
      met: [
        [KEPT, "is the owner's alone to read, also when others had been let in"],
        ["src/kernel/store/doctor-store.test.ts", "every kind of meddling is found and named"],
      ],
      note: "no operation reads or changes the security log; the log of events is chained by hashes",
    },
    {
      number: "V16.4.3",
      level: 2,
      asks: "logs are sent to another system",
      missing: "a collector may follow the file, but nothing sends its lines on by itself",
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
