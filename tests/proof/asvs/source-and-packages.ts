import type { Chapter } from "./requirement.ts";

const PACKAGES = ["docs/safeguards.md", "Packages"] as const;

export const SOURCE_AND_PACKAGES: Chapter = {
  number: "V15",
  title: "Source and packages",
  requirements: [
    {
      number: "V15.1.1",
      level: 1,
      asks: "it is written down how soon a hole in a package is closed, and packages are renewed",
      met: [PACKAGES],
    },
    {
      number: "V15.1.2",
      level: 2,
      asks: "there is a list of all packages, from places that are trusted",
      met: [
        PACKAGES,
        [
          "tests/proof/packages.test.ts",
          "are pinned exactly, listed with a hash each, and those that are shipped run nothing on installing",
        ],
        ["tests/proof/packages.test.ts", "are installed as they are listed"],
      ],
    },
    {
      number: "V15.1.3",
      level: 2,
      asks: "it is written down what is costly, and what keeps it from standing in the way",
      met: [["docs/safeguards.md", "Limits"]],
    },
    {
      number: "V15.2.1",
      level: 1,
      asks: "no package is older than that allows",
      met: [
        ["tests/proof/packages.test.ts", "are none of those that had a hole when we looked"],
        [
          "tests/proof/packages.test.ts",
          "have no known hole that is open for longer than it may be",
        ],
      ],
      note: "looked for by hand, in public threads, on the day and for the packages that the test names; `npm run prove` asks the registry, which could not be reached where this was written",
    },
    {
      number: "V15.2.2",
      level: 2,
      asks: "what is costly does not stand in the way of the rest",
      met: [
        [
          "src/kernel/operation/password.test.ts",
          "of a flood of sign-ins two are worked on, fifty wait in order, and the rest are told to come back",
        ],
        [
          "src/methods/pipeline/running/foreach.test.ts",
          "over a million items is stopped at its limit within a second",
        ],
        [
          "tests/proof/http-fuzz.test.ts",
          "requests to every route: none fails, none is slow, every refusal says why",
        ],
      ],
    },
    {
      number: "V15.2.3",
      level: 2,
      asks: "what is shipped holds nothing that only development needs",
      met: [
        [
          "tests/architecture.test.ts",
          "shipped code leans neither on tests nor on packages outside its layer",
        ],
      ],
    },
    {
      number: "V15.3.1",
      level: 1,
      asks: "an answer has only the fields that are meant",
      met: [
        [
          "src/kernel/operation/invoke.test.ts",
          "gives the answer without anything its schema does not name",
        ],
        [
          "src/kernel/store/people.test.ts",
          "a user is found as inserted, by address in any case, and never with the password",
        ],
      ],
    },
    {
      number: "V15.3.2",
      level: 2,
      asks: "redirects of others are not followed",
      met: [
        [
          "src/adapters/ai-sdk/ai-sdk-provider.test.ts",
          "a redirect is refused and the key does not follow it",
        ],
        [
          "src/methods/notice/notices.test.ts",
          "only admins add one, and only to addresses that are safe",
        ],
      ],
    },
    {
      number: "V15.3.3",
      level: 2,
      asks: "only fields that are meant can be set",
      met: [
        [
          "src/methods/workspace/bad-input.test.ts",
          "a field nobody knows is refused by every operation",
        ],
      ],
    },
    {
      number: "V15.3.4",
      level: 2,
      asks: "behind a proxy the address of who asks is known, and cannot be made up",
      met: [
        [
          "src/surfaces/http/client-address.test.ts",
          "is what the named proxy says, and of several the first that is none of ours",
        ],
        [
          "src/surfaces/http/security-log.test.ts",
          "of who stands behind a proxy that was named, and of the proxy where nobody named it",
        ],
      ],
    },
    {
      number: "V15.3.5",
      level: 2,
      asks: "nothing is taken for another kind of thing",
      met: [
        [
          "src/methods/workspace/bad-input.test.ts",
          "every kind of field refuses a value of another kind at its place",
        ],
        [
          "src/kernel/base/condition-evaluate.test.ts",
          "operands of different types are unknown, and path and types are named",
        ],
      ],
    },
    {
      number: "V15.3.6",
      level: 2,
      asks: "prototypes stay as they are",
      met: [
        [
          "src/kernel/base/hostile-text.test.ts",
          "random texts give answers or typed errors, and prototypes stay as they were",
        ],
        [
          "src/kernel/base/json-path.test.ts",
          "prototypes, getters and what JSON cannot hold are out of reach",
        ],
      ],
    },
    {
      number: "V15.3.7",
      level: 2,
      asks: "a parameter that comes twice deceives nobody",
      met: [
        ["src/surfaces/http/check-request.test.ts", "a header that decides something is sent once"],
        [
          "src/surfaces/http/http-server.test.ts",
          "refuses what the schema refuses, with a pointer to it",
        ],
        [
          "src/surfaces/http/http-server.test.ts",
          "broken, doubled, reserved, deep and huge JSON is refused without effect",
        ],
      ],
    },
  ],
};
