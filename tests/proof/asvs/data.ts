import type { Chapter } from "./requirement.ts";

const SENSITIVE = ["docs/safeguards.md", "What is sensitive"] as const;
const NO_STORE = [
  "src/surfaces/http/security-headers.test.ts",
  "pages load from here alone, write no markup by text, and data loads nothing at all",
] as const;
const CANARIES = [
  "tests/proof/canaries.test.ts",
  "are in nothing that is said, sent, logged, shown, exported or kept",
] as const;
const LEFT = [
  "tests/web/settings.test.ts",
  "one sees where one is signed in, ends it there, and changes the password, which ends all",
] as const;

export const DATA: Chapter = {
  number: "V14",
  title: "Data",
  requirements: [
    {
      number: "V14.1.1",
      level: 2,
      asks: "what is sensitive is known and in classes",
      met: [SENSITIVE],
    },
    {
      number: "V14.1.2",
      level: 2,
      asks: "it is written down how each class is protected",
      met: [SENSITIVE],
    },
    {
      number: "V14.2.1",
      level: 1,
      asks: "no secret stands in an address",
      met: [
        [
          "src/surfaces/http/request-credentials.test.ts",
          "is a token, in the form everybody sends them",
        ],
        [
          "tests/web/first-visit.test.ts",
          "the printed link lets in, is gone from the address, and shows what to do first",
        ],
      ],
      note: "the code of a printed link stands behind its #, which browsers keep to themselves",
    },
    {
      number: "V14.2.2",
      level: 2,
      asks: "servers in between keep nothing sensitive",
      met: [NO_STORE],
    },
    {
      number: "V14.2.3",
      level: 2,
      asks: "nothing sensitive goes to those who are not meant",
      met: [
        CANARIES,
        ["tests/web/build.test.ts", "name no address outside"],
        [
          "tests/journeys/telemetry.test.ts",
          "a run's trace arrives: the run, its step, the call, nested, with GenAI names and no words",
        ],
      ],
    },
    {
      number: "V14.2.4",
      level: 2,
      asks: "each class is protected as it is written down",
      met: [
        CANARIES,
        [
          "tests/redaction-everywhere.test.ts",
          "is told by no operation that reads, nor by what is made afterwards",
        ],
        [
          "src/kernel/store/cover-rows.test.ts",
          "what lets people and programs in is in no export that is handed to others",
        ],
      ],
    },
    {
      number: "V14.3.1",
      level: 1,
      asks: "who signs out leaves nothing in the browser, also without the server",
      met: [
        LEFT,
        [
          "src/surfaces/http/login-routes.test.ts",
          "signing out, revoking and deactivating end a login at once",
        ],
      ],
    },
    { number: "V14.3.2", level: 2, asks: "browsers keep no answers", met: [NO_STORE] },
    {
      number: "V14.3.3",
      level: 2,
      asks: "pages keep nothing sensitive in the browser but the login",
      met: [
        [
          "tests/web/thinking.test.ts",
          "the browser keeps the login and what was chosen, and nothing of what was read or written",
        ],
      ],
    },
  ],
};
