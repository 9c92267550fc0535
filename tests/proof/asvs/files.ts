import type { Chapter } from "./requirement.ts";

export const FILES: Chapter = {
  number: "V5",
  title: "Files",
  requirements: [
    {
      number: "V5.1.1",
      level: 2,
      asks: "kinds and sizes of files that are taken are written down, and how they are made safe",
      met: [["docs/safeguards.md", "Files"]],
    },
    {
      number: "V5.2.1",
      level: 1,
      asks: "files are no larger than can be dealt with",
      met: [
        [
          "src/surfaces/http/uploads.test.ts",
          "parts must fit: no gaps, no overlaps, no more than announced, no other's upload",
        ],
        [
          "src/methods/continuity/import/hostile-files.test.ts",
          "a single text of 100 MB is passed over without being held, and the rest is read",
        ],
      ],
    },
    {
      number: "V5.2.2",
      level: 1,
      asks: "what is in a file is what it is taken for",
      met: [
        [
          "src/methods/continuity/import/import-operations.test.ts",
          "a file without conversations is refused with the reason, and leaves nothing behind",
        ],
        [
          "src/methods/continuity/import/hostile-files.test.ts",
          "any bytes at all are read or refused",
        ],
      ],
    },
    {
      number: "V5.2.3",
      level: 2,
      asks: "packed files cannot explode",
      met: [
        [
          "src/methods/continuity/import/bytes/zip.test.ts",
          "what is encrypted, packed strangely, made to explode or shared is refused by name",
        ],
      ],
    },
    {
      number: "V5.3.1",
      level: 1,
      asks: "files from outside are not run by the server",
      met: [
        [
          "src/surfaces/http/page-files.test.ts",
          "pages answer to their file's name, to that without its ending, and to their folder's; nothing else is there",
        ],
        [
          "tests/proof/incidents.test.ts",
          "an import starts nothing and sets nothing: what it says about commands, keys and addresses is words",
        ],
      ],
    },
    {
      number: "V5.3.2",
      level: 1,
      asks: "names from outside do not become paths",
      met: [
        [
          "src/methods/continuity/import/bytes/zip.test.ts",
          "names that climb out of their folder stay names",
        ],
        [
          "src/methods/workspace/workspace-care.test.ts",
          "are reached by name only: nothing outside their folder can be read or written",
        ],
        ["src/kernel/library/library.test.ts", "no path leads out of the library"],
        [
          "src/kernel/vcs/repository-path.test.ts",
          "of subjects are safe names in every script, and never leave their folder",
        ],
      ],
    },
    {
      number: "V5.4.1",
      level: 2,
      asks: "what is downloaded has a name that we gave it",
      met: [
        [
          "src/app/dialectic-archive-route.test.ts",
          "an archive has a name of ours, whatever the dialectic is called and the request says",
        ],
      ],
    },
    {
      number: "V5.4.2",
      level: 2,
      asks: "names of downloads cannot break out of their header",
      met: [
        [
          "src/app/dialectic-archive-route.test.ts",
          "an archive has a name of ours, whatever the dialectic is called and the request says",
        ],
      ],
    },
    {
      number: "V5.4.3",
      level: 2,
      asks: "files from outside are scanned for what is malicious",
      notApplicable:
        "no file from outside is handed out again: an upload is read for its conversations and removed",
    },
  ],
};
