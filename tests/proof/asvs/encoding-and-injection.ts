import type { Chapter } from "./requirement.ts";

const HOSTILE_WEB = "tests/hostile/web.test.ts";
const NO_UNMANAGED = "written in TypeScript alone, without native code of its own";

export const ENCODING_AND_INJECTION: Chapter = {
  number: "V1",
  title: "Encoding and injection",
  requirements: [
    {
      number: "V1.1.1",
      level: 2,
      asks: "input is decoded once, before it is checked",
      met: [
        [
          "src/surfaces/http/check-request.test.ts",
          "an address is a plain path, without backslashes, fragments and hidden slashes",
        ],
        [
          "src/kernel/base/safe-json.test.ts",
          "what is accepted equals JSON.parse, and nothing is refused without a reason",
        ],
      ],
    },
    {
      number: "V1.1.2",
      level: 2,
      asks: "output is encoded last, for whoever interprets it",
      met: [
        [HOSTILE_WEB, "nothing acted, nothing was asked, nothing came from elsewhere"],
        [
          "tests/web/build.test.ts",
          "hold no inline script or style, and nothing that builds markup or code from text",
        ],
      ],
    },
    {
      number: "V1.2.1",
      level: 1,
      asks: "answers, pages and headers are encoded for where a text stands",
      met: [
        [HOSTILE_WEB, "nothing acted, nothing was asked, nothing came from elsewhere"],
        ["src/surfaces/http/server-sent-events.test.ts", "data with line breaks stays on one line"],
      ],
    },
    {
      number: "V1.2.2",
      level: 1,
      asks: "addresses made of foreign text are encoded, and only safe schemes lead anywhere",
      met: [
        [HOSTILE_WEB, "nothing acted, nothing was asked, nothing came from elsewhere"],
        [
          "src/methods/notice/notices.test.ts",
          "only admins add one, and only to addresses that are safe",
        ],
      ],
    },
    {
      number: "V1.2.3",
      level: 1,
      asks: "scripts and JSON are not built from text",
      met: [
        [
          "tests/web/build.test.ts",
          "hold no inline script or style, and nothing that builds markup or code from text",
        ],
        [
          "src/surfaces/http/http-server.test.ts",
          "serves the page under a strict policy, without inline script or style",
        ],
      ],
    },
    {
      number: "V1.2.4",
      level: 1,
      asks: "databases get values as parameters",
      met: [
        [
          "tests/hostile/operations.test.ts",
          "in every field of every operation is done or refused by name",
        ],
        ["tests/hostile/readers.test.ts", "are read or refused by name, quickly, and lead nowhere"],
      ],
    },
    {
      number: "V1.2.5",
      level: 1,
      asks: "no text becomes a command of the operating system",
      met: [
        ["tests/proof/processes.test.ts", "start nothing of theirs"],
        [
          "src/adapters/command/command-provider.test.ts",
          "arguments and folder are as configured, and no shell reads them",
        ],
      ],
    },
    { number: "V1.2.6", level: 2, asks: "no LDAP injection", notApplicable: "it speaks no LDAP" },
    {
      number: "V1.2.7",
      level: 2,
      asks: "no XPath injection",
      notApplicable: "it reads no XML and has no XPath",
    },
    {
      number: "V1.2.8",
      level: 2,
      asks: "LaTeX is processed safely",
      notApplicable: "it processes no LaTeX",
    },
    {
      number: "V1.2.9",
      level: 2,
      asks: "text in a regular expression means itself",
      met: [
        ["src/methods/pipeline/work/question.test.ts", "never bring a pattern to be run"],
        [
          "src/methods/pipeline/work/output-schema.test.ts",
          "no text takes long to be found unfit for a format",
        ],
      ],
    },
    {
      number: "V1.3.1",
      level: 1,
      asks: "HTML from editors is sanitised",
      notApplicable: "it takes no HTML: nothing that is written or imported is ever used as markup",
    },
    {
      number: "V1.3.2",
      level: 1,
      asks: "no eval, no code from text",
      met: [
        ["tests/architecture.test.ts", "text never becomes code"],
        [
          "tests/proof/incidents.test.ts",
          "expressions that broke out of others' sandboxes are refused or plain, in conditions and templates",
        ],
      ],
    },
    {
      number: "V1.3.3",
      level: 2,
      asks: "what goes to a dangerous place is made safe for it first",
      met: [
        ["src/kernel/prompt/clean-untrusted.test.ts", "no text can close the fence around it"],
        [
          "src/kernel/operation/terminal-text.test.ts",
          "takes out what would move the cursor, recolour or reorder",
        ],
      ],
    },
    {
      number: "V1.3.4",
      level: 2,
      asks: "SVG of users holds no scripts",
      met: [[HOSTILE_WEB, "as workflow sources, labels of steps and prompts"]],
      note: "no SVG is taken; drawings are read as mermaid text and drawn by our own code",
    },
    {
      number: "V1.3.5",
      level: 2,
      asks: "Markdown, style sheets and the like cannot act",
      met: [
        [HOSTILE_WEB, "as what was said: every text stands in its message to the letter"],
        [HOSTILE_WEB, "nothing acted, nothing was asked, nothing came from elsewhere"],
      ],
    },
    {
      number: "V1.3.6",
      level: 2,
      asks: "no requests to addresses of others' choosing",
      met: [
        [
          "src/methods/notice/notices.test.ts",
          "only admins add one, and only to addresses that are safe",
        ],
        [
          "tests/proof/incidents.test.ts",
          "an import starts nothing and sets nothing: what it says about commands, keys and addresses is words",
        ],
      ],
    },
    {
      number: "V1.3.7",
      level: 2,
      asks: "templates are not built from foreign text",
      met: [
        ["src/kernel/base/template.test.ts", "what is inserted is never looked at again"],
        [
          "src/kernel/base/template.test.ts",
          "prototype names and things that are no paths are inert, visible and reported",
        ],
      ],
    },
    { number: "V1.3.8", level: 2, asks: "no JNDI injection", notApplicable: "it is no Java" },
    {
      number: "V1.3.9",
      level: 2,
      asks: "no injection into memcache",
      notApplicable: "it uses no memcache",
    },
    {
      number: "V1.3.10",
      level: 2,
      asks: "format strings are not of others' making",
      notApplicable: "it interprets no format strings: texts are put together by the language",
    },
    {
      number: "V1.3.11",
      level: 2,
      asks: "no injection into mail systems",
      notApplicable: "it sends and reads no mail",
    },
    {
      number: "V1.4.1",
      level: 2,
      asks: "memory is used safely",
      notApplicable: NO_UNMANAGED,
    },
    {
      number: "V1.4.2",
      level: 2,
      asks: "integers do not overflow",
      notApplicable: `${NO_UNMANAGED}; its numbers do not wrap around`,
    },
    {
      number: "V1.4.3",
      level: 2,
      asks: "memory is released once and not used afterwards",
      notApplicable: NO_UNMANAGED,
    },
    {
      number: "V1.5.1",
      level: 1,
      asks: "XML parsers resolve nothing outside",
      notApplicable: "it reads no XML",
    },
    {
      number: "V1.5.2",
      level: 2,
      asks: "foreign data becomes only the kinds of things that are expected",
      met: [
        ["src/kernel/base/safe-json.test.ts", "each refusal has its code and points at the place"],
        [
          "src/methods/continuity/import/hostile-files.test.ts",
          "any bytes at all are read or refused",
        ],
      ],
    },
  ],
};
