import type { Chapter } from "./requirement.ts";

const TALKS_TO = ["docs/safeguards.md", "What it talks to"] as const;
const NOTICES = [
  "src/methods/notice/notices.test.ts",
  "only admins add one, and only to addresses that are safe",
] as const;
const PAGES = [
  "src/surfaces/http/page-files.test.ts",
  "pages answer to their file's name, to that without its ending, and to their folder's; nothing else is there",
] as const;
const IMPORT_SETS_NOTHING = [
  "tests/proof/incidents.test.ts",
  "an import starts nothing and sets nothing: what it says about commands, keys and addresses is words",
] as const;

export const SETTINGS_AND_SECRETS: Chapter = {
  number: "V13",
  title: "Settings and secrets",
  requirements: [
    {
      number: "V13.1.1",
      level: 2,
      asks: "it is written down what it connects to, and where people name an address",
      met: [TALKS_TO],
    },
    {
      number: "V13.2.1",
      level: 2,
      asks: "parts behind it know each other by more than a lasting password",
      missing:
        "a database may be reached by certificate, but a password in its address is enough; providers of models give lasting keys",
    },
    {
      number: "V13.2.2",
      level: 2,
      asks: "parts behind it have the least rights",
      met: [
        TALKS_TO,
        [
          "src/adapters/command/command-provider.test.ts",
          "of our environment it sees only what is allowed",
        ],
      ],
    },
    {
      number: "V13.2.3",
      level: 2,
      asks: "no credential is one that everybody knows",
      met: [
        [
          "tests/proof/cryptography.test.ts",
          "secrets that let in are 256 bits of the system's chance",
        ],
        [
          "tests/journeys/tls.test.ts",
          "answers to the name people use, once somebody has a password",
        ],
      ],
    },
    {
      number: "V13.2.4",
      level: 2,
      asks: "it connects only to what was named beforehand",
      met: [TALKS_TO, NOTICES, IMPORT_SETS_NOTHING],
    },
    {
      number: "V13.2.5",
      level: 2,
      asks: "the server sends and reads only what was named beforehand",
      met: [
        NOTICES,
        PAGES,
        ["src/kernel/library/library.test.ts", "no path leads out of the library"],
      ],
    },
    {
      number: "V13.3.1",
      level: 2,
      asks: "secrets are kept by a vault, and never in source or build",
      missing:
        "keys come from the environment, which a vault may fill, or from a file of mode 600; no vault is asked",
    },
    {
      number: "V13.3.2",
      level: 2,
      asks: "secrets are open to as few as possible",
      met: [
        [
          "src/adapters/command/command-provider.test.ts",
          "of our environment it sees only what is allowed",
        ],
        [
          "tests/proof/canaries.test.ts",
          "are in nothing that is said, sent, logged, shown, exported or kept",
        ],
        [
          "tests/journeys/tls.test.ts",
          "a key that others can read, or that is not there, is refused with the file's name",
        ],
      ],
    },
    {
      number: "V13.4.1",
      level: 1,
      asks: "nothing of version control is there to be read",
      met: [
        PAGES,
        [
          "src/surfaces/http/http-server.test.ts",
          "a browser that asks for a place gets the page, also where its name has dots; for a file it does not",
        ],
      ],
    },
    {
      number: "V13.4.2",
      level: 2,
      asks: "nothing is left in a mode for debugging",
      met: [
        [
          "src/surfaces/http/http-server.test.ts",
          "an unforeseen failure tells its id and nothing else; the log has the rest",
        ],
      ],
      note: "there is no such mode",
    },
    { number: "V13.4.3", level: 2, asks: "folders are not listed", met: [PAGES] },
    {
      number: "V13.4.4",
      level: 2,
      asks: "TRACE is not answered",
      met: [
        [
          "src/surfaces/http/check-request.test.ts",
          "only the methods that are used here are let in, and others are named harmlessly",
        ],
      ],
    },
    {
      number: "V13.4.5",
      level: 2,
      asks: "numbers and descriptions are for those who are meant",
      met: [
        [
          "tests/journeys/telemetry.test.ts",
          "/metrics can be read with an admin's token that may read, and with no other",
        ],
        [
          "src/surfaces/http/http-server.test.ts",
          "health, readiness and version need no login and say nothing else",
        ],
      ],
    },
  ],
};
