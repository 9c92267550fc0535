import type { Chapter } from "./requirement.ts";

const EVERY_RIGHT = "tests/proof/every-right.test.ts";

export const RIGHTS: Chapter = {
  number: "V8",
  title: "Who may do what",
  requirements: [
    {
      number: "V8.1.1",
      level: 1,
      asks: "it is written down who may do what with what",
      met: [["docs/security.md", "Who may do what"]],
    },
    {
      number: "V8.1.2",
      level: 2,
      asks: "it is written down who may see and set which fields",
      met: [["docs/safeguards.md", "Who sees which field"]],
    },
    {
      number: "V8.2.1",
      level: 1,
      asks: "what is done takes the right to do it",
      met: [
        [
          "src/methods/workspace/workspace-matrix.test.ts",
          "answers every caller as role, scope and sight allow",
        ],
        [
          EVERY_RIGHT,
          "nobody does what the role does not allow, sees what lies in a foreign project, or leaves a trace when refused",
        ],
      ],
    },
    {
      number: "V8.2.2",
      level: 1,
      asks: "whose things are seen and changed takes the right to those things",
      met: [
        [
          EVERY_RIGHT,
          "nobody does what the role does not allow, sees what lies in a foreign project, or leaves a trace when refused",
        ],
        [
          "src/methods/workspace/workspace-matrix.test.ts",
          "no list, search, log or status of others shows what lies in a foreign private project",
        ],
      ],
    },
    {
      number: "V8.2.3",
      level: 2,
      asks: "single fields take the right to see and set them",
      met: [
        ["src/methods/workspace/core-operations.test.ts", "addresses are for admins and oneself"],
        [
          "src/methods/workspace/redacted-view.test.ts",
          "are lifted for the eyes of a person who may edit, not for an agent",
        ],
        [
          "src/kernel/operation/invoke.test.ts",
          "gives the answer without anything its schema does not name",
        ],
      ],
    },
    {
      number: "V8.3.1",
      level: 1,
      asks: "the server decides, not the page",
      met: [
        [
          "src/surfaces/http/authorisation.test.ts",
          "is refused exactly where the matrix refuses it",
        ],
      ],
    },
    {
      number: "V8.4.1",
      level: 2,
      asks: "who shares the program with others does not touch what is theirs",
      met: [
        [EVERY_RIGHT, "no list of others names anything of a foreign private project"],
        [
          "src/methods/workspace/workspace-matrix.test.ts",
          "no list, search, log or status of others shows what lies in a foreign private project",
        ],
      ],
      note: "workspaces share nothing: each has its own store; within one, projects are kept apart",
    },
  ],
};
