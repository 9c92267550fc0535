import type { Chapter } from "./requirement.ts";

const CREDENTIALS = "src/surfaces/http/request-credentials.test.ts";
const CHECK = "src/surfaces/http/check-request.test.ts";
const HEADERS = "src/surfaces/http/security-headers.test.ts";
const EVERYWHERE =
  "every answer forbids framing, guessing of types, referrers, foreign use and devices";
const PAGES_LOAD =
  "pages load from here alone, write no markup by text, and data loads nothing at all";
const COOKIE_LINES = "is for this site and no script, and `Secure` where its name says so";
const FROM_OUR_PAGE = "comes from our own page, which says so, or from a program with a token";
const LIVE_ATTACK =
  "a hostile page in the browser of someone signed in does nothing and learns nothing";

export const PAGES_IN_THE_BROWSER: Chapter = {
  number: "V3",
  title: "Pages in the browser",
  requirements: [
    {
      number: "V3.2.1",
      level: 1,
      asks: "a browser shows no answer as something it is not",
      met: [
        [HEADERS, PAGES_LOAD],
        [CHECK, "another site may only link to pages, and read nothing"],
      ],
    },
    {
      number: "V3.2.2",
      level: 1,
      asks: "text is shown as text",
      met: [
        [
          "tests/hostile/web.test.ts",
          "as titles, descriptions, labels and tags of tasks, decisions, highlights and projects",
        ],
        [
          "tests/hostile/web.test.ts",
          "nothing acted, nothing was asked, nothing came from elsewhere",
        ],
      ],
    },
    {
      number: "V3.3.1",
      level: 1,
      asks: "cookies are Secure, and their names say so",
      met: [
        [CREDENTIALS, COOKIE_LINES],
        [
          "src/surfaces/http/login-routes.test.ts",
          "only Safari, which keeps no Secure cookie over plain http, gets one without",
        ],
      ],
      note: "one exception, which travels no network: Safari, over plain http to this machine itself, keeps no Secure cookie and gets one without; the cookie alone opens nothing",
    },
    {
      number: "V3.3.2",
      level: 2,
      asks: "cookies are for this site only",
      met: [[CREDENTIALS, COOKIE_LINES]],
    },
    {
      number: "V3.3.3",
      level: 2,
      asks: "cookies are for this host only, and their names say so",
      met: [
        [
          CREDENTIALS,
          "has a name per workspace, over plain http on this machine one more that Safari keeps",
        ],
      ],
    },
    {
      number: "V3.3.4",
      level: 2,
      asks: "scripts do not see the login's cookie",
      met: [
        [CREDENTIALS, COOKIE_LINES],
        [
          "src/surfaces/http/login-routes.test.ts",
          "a code becomes a cookie no script can read and a secret no other origin can",
        ],
      ],
    },
    {
      number: "V3.4.1",
      level: 1,
      asks: "browsers are told to stay with TLS for a year, names below included",
      met: [
        [HEADERS, EVERYWHERE],
        [
          "tests/journeys/tls.test.ts",
          "answers over TLS 1.2 and newer alone, tells browsers to stay with it, and never in the clear",
        ],
      ],
    },
    {
      number: "V3.4.2",
      level: 1,
      asks: "other origins are let in by a fixed list, if at all",
      met: [
        [CHECK, "a page asks only its own origin, by the name it was opened under"],
        [HEADERS, EVERYWHERE],
      ],
      note: "no other origin is let in; no answer has a header of CORS",
    },
    {
      number: "V3.4.3",
      level: 2,
      asks: "a content security policy names what may load, no objects and no base",
      met: [[HEADERS, PAGES_LOAD]],
    },
    {
      number: "V3.4.4",
      level: 2,
      asks: "types are not guessed",
      met: [[HEADERS, EVERYWHERE]],
    },
    {
      number: "V3.4.5",
      level: 2,
      asks: "addresses are told to no other site",
      met: [[HEADERS, EVERYWHERE]],
    },
    {
      number: "V3.4.6",
      level: 2,
      asks: "no answer can be framed",
      met: [
        [HEADERS, PAGES_LOAD],
        ["tests/proof/live-attack.test.ts", LIVE_ATTACK],
      ],
    },
    {
      number: "V3.5.1",
      level: 1,
      asks: "what changes something comes from our own page",
      met: [
        [CHECK, FROM_OUR_PAGE],
        ["tests/proof/live-attack.test.ts", LIVE_ATTACK],
      ],
    },
    {
      number: "V3.5.2",
      level: 1,
      asks: "nothing is changed by a request that a browser sends without asking first",
      met: [
        [CHECK, FROM_OUR_PAGE],
        [CHECK, "is JSON in plain UTF-8, and not compressed"],
      ],
    },
    {
      number: "V3.5.3",
      level: 1,
      asks: "methods that only read change nothing",
      met: [
        ["src/surfaces/http/http-server.test.ts", "a change does not answer GET"],
        [
          "src/surfaces/http/request-guard.test.ts",
          "shapes: effects and readings only inside the allowed set",
        ],
      ],
    },
    {
      number: "V3.5.4",
      level: 2,
      asks: "applications beside each other are kept apart",
      met: [
        [
          CREDENTIALS,
          "has a name per workspace, over plain http on this machine one more that Safari keeps",
        ],
        ["tests/proof/live-attack.test.ts", LIVE_ATTACK],
      ],
    },
    {
      number: "V3.5.5",
      level: 2,
      asks: "messages of other windows are checked",
      notApplicable:
        "no page listens to messages of other windows; its tabs speak over a channel that only their own origin reaches",
    },
    {
      number: "V3.7.1",
      level: 2,
      asks: "nothing outdated runs in the browser",
      met: [
        [HEADERS, PAGES_LOAD],
        ["tests/web/build.test.ts", "name no address outside"],
      ],
    },
    {
      number: "V3.7.2",
      level: 2,
      asks: "redirects lead only where they may",
      notApplicable: "it never redirects",
    },
  ],
};
