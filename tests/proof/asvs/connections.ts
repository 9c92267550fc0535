import type { Chapter } from "./requirement.ts";

const TLS = "tests/journeys/tls.test.ts";
const TLS_ALONE =
  "answers over TLS 1.2 and newer alone, tells browsers to stay with it, and never in the clear";
const CONFIG = "src/app/config.test.ts";
const CHECKED =
  "beyond this machine asks for TLS with a checked certificate, whatever less was written";

export const CONNECTIONS: Chapter = {
  number: "V12",
  title: "Connections",
  requirements: [
    {
      number: "V12.1.1",
      level: 1,
      asks: "only TLS 1.2 and newer, the newest first",
      met: [[TLS, TLS_ALONE]],
    },
    {
      number: "V12.1.2",
      level: 2,
      asks: "only recommended ciphers, the strongest first",
      met: [[TLS, "speaks only ciphers that keep and vouch for what is said, the strongest first"]],
    },
    {
      number: "V12.1.3",
      level: 2,
      asks: "certificates of clients are checked before they mean anything",
      notApplicable: "nobody is known by a certificate",
    },
    {
      number: "V12.2.1",
      level: 1,
      asks: "whoever comes from elsewhere comes over TLS, and never in the clear",
      met: [
        [TLS, TLS_ALONE],
        [
          "src/surfaces/http/bind-address.test.ts",
          "beyond it only with people, and with TLS or where somebody said so",
        ],
      ],
      note: "without TLS it listens on this machine alone, unless somebody says that a proxy with TLS stands in front",
    },
    {
      number: "V12.2.2",
      level: 1,
      asks: "certificates for everybody are trusted by everybody",
      met: [["docs/safeguards.md", "Beyond this machine"]],
      note: "the certificate is brought by whoever serves it; none comes along and none is made",
    },
    {
      number: "V12.3.1",
      level: 2,
      asks: "every connection in and out is encrypted",
      met: [
        [TLS, TLS_ALONE],
        [CONFIG, CHECKED],
        [
          "src/app/clear-address.test.ts",
          "a model is asked over TLS alone, unless its settings say otherwise, and the list says why it is not",
        ],
        [
          "src/app/clear-address.test.ts",
          "telemetry goes over TLS alone, unless the environment says otherwise",
        ],
        [
          "src/methods/notice/notices.test.ts",
          "only admins add one, and only to addresses that are safe",
        ],
      ],
      note: "beyond this machine, unless whoever runs it says for one way that it is protected otherwise",
    },
    {
      number: "V12.3.2",
      level: 2,
      asks: "certificates of servers are checked",
      met: [
        [CONFIG, CHECKED],
        [CONFIG, "a server that answers without TLS is told nothing more than that TLS is wanted"],
      ],
    },
    {
      number: "V12.3.3",
      level: 2,
      asks: "its own services speak TLS with each other",
      notApplicable:
        "it has no services that speak HTTP with each other: server, engine and pages are one process",
    },
    {
      number: "V12.3.4",
      level: 2,
      asks: "its own services trust only certificates that are meant",
      met: [[CONFIG, CHECKED]],
      note: "the database is the only one",
    },
  ],
};
