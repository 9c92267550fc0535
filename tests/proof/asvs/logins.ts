import type { Chapter } from "./requirement.ts";

const AUTHENTICATE = "src/kernel/operation/authenticate.test.ts";
const LOGIN_ROUTES = "src/surfaces/http/login-routes.test.ts";
const ENDS = [
  AUTHENTICATE,
  "ends when unused, when old, when revoked, when the role changes",
] as const;
const LOGINS = ["docs/safeguards.md", "Logins"] as const;
const AT_ONCE = [
  LOGIN_ROUTES,
  "signing out, revoking and deactivating end a login at once",
] as const;

export const LOGINS_AND_SESSIONS: Chapter = {
  number: "V7",
  title: "Logins and how they end",
  requirements: [
    {
      number: "V7.1.1",
      level: 2,
      asks: "it is written down how long a login lasts, used and unused",
      met: [LOGINS],
    },
    {
      number: "V7.1.2",
      level: 2,
      asks: "it is written down how many logins one person may have",
      met: [LOGINS],
    },
    {
      number: "V7.1.3",
      level: 2,
      asks: "logins shared with other systems are written down",
      notApplicable: "logins are shared with no other system",
    },
    {
      number: "V7.2.1",
      level: 1,
      asks: "the server checks logins and tokens",
      met: [
        [
          "src/surfaces/http/request-credentials.test.ts",
          "or a cookie with the secret of the page, and never both or neither",
        ],
      ],
    },
    {
      number: "V7.2.2",
      level: 1,
      asks: "a login has secrets made for it alone",
      met: [
        [
          LOGIN_ROUTES,
          "a code becomes a cookie no script can read and a secret no other origin can",
        ],
      ],
    },
    {
      number: "V7.2.3",
      level: 1,
      asks: "they are unique, random, and at least 128 bits long",
      met: [
        [
          "tests/proof/cryptography.test.ts",
          "secrets that let in are 256 bits of the system's chance",
        ],
        [
          LOGIN_ROUTES,
          "a code becomes a cookie no script can read and a secret no other origin can",
        ],
      ],
    },
    {
      number: "V7.2.4",
      level: 1,
      asks: "signing in makes a new login and ends the one before",
      met: [
        [
          LOGIN_ROUTES,
          "signing in again in the same browser ends the login before; with one half of it nothing is ended",
        ],
      ],
    },
    { number: "V7.3.1", level: 2, asks: "an unused login ends", met: [ENDS] },
    { number: "V7.3.2", level: 2, asks: "every login ends some day", met: [ENDS] },
    { number: "V7.4.1", level: 1, asks: "an ended login opens nothing", met: [AT_ONCE, ENDS] },
    {
      number: "V7.4.2",
      level: 1,
      asks: "who is deactivated or deleted is signed out everywhere",
      met: [
        AT_ONCE,
        [
          "src/kernel/store/people.test.ts",
          "a changed role, password or deactivation ends logins; deactivation also revokes tokens",
        ],
        ["src/kernel/store/people.test.ts", "a deleted user takes tokens and logins along"],
      ],
    },
    {
      number: "V7.4.3",
      level: 2,
      asks: "another password can end all other logins",
      met: [
        [
          LOGIN_ROUTES,
          "a password is changed with the old one, which ends every login and the old password; a token cannot",
        ],
      ],
    },
    {
      number: "V7.4.4",
      level: 2,
      asks: "signing out is in sight on every page",
      met: [
        [
          "tests/web/settings.test.ts",
          "one sees where one is signed in, ends it there, and changes the password, which ends all",
        ],
      ],
      note: "in the menu of one's name, which stands above every page",
    },
    {
      number: "V7.4.5",
      level: 2,
      asks: "admins can end the logins of one person, or of all",
      met: [
        [
          "src/kernel/operation/login-operations.test.ts",
          "all logins of a person end at once, and those of everybody for admins alone",
        ],
      ],
    },
    {
      number: "V7.5.1",
      level: 2,
      asks: "what signing in depends on is changed only by who has just signed in",
      missing:
        "a password takes the old one, but an admin changes somebody's address with the login they have",
    },
    {
      number: "V7.5.2",
      level: 2,
      asks: "people see their logins and end them, having signed in again",
      missing: "they see and end them, but are not asked to sign in again for it",
    },
    {
      number: "V7.6.1",
      level: 2,
      asks: "logins here and at an identity provider end as written down",
      notApplicable: "it knows no identity providers",
    },
    {
      number: "V7.6.2",
      level: 2,
      asks: "no login begins without somebody doing something",
      met: [[LOGIN_ROUTES, "a page of another origin cannot exchange a code"]],
    },
  ],
};
