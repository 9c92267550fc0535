import type { Chapter } from "./requirement.ts";

const PASSWORD = "src/kernel/operation/password.test.ts";
const AUTHENTICATE = "src/kernel/operation/authenticate.test.ts";
const LOGIN_ROUTES = "src/surfaces/http/login-routes.test.ts";
const LOGIN_PAGE = [
  "tests/web/settings.test.ts",
  "one sees where one is signed in, ends it there, and changes the password, which ends all",
] as const;
const CODE_ONCE = [
  AUTHENTICATE,
  "a code works once and for ten minutes; both halves of the login are needed",
] as const;
const INVITED = [
  AUTHENTICATE,
  "an invited person chooses a password, comes in with it, and changes it",
] as const;
const CHANGED = [
  LOGIN_ROUTES,
  "a password is changed with the old one, which ends every login and the old password; a token cannot",
] as const;
const COMMON = [
  PASSWORD,
  "is none of the 10,000 that are most often stolen, in any case, and may else be of any kind",
] as const;
const SLOWED = [
  AUTHENTICATE,
  "says the same for an unknown person as for a wrong password, and slows guessing down",
] as const;
const WAYS_IN = ["docs/safeguards.md", "Ways in"] as const;
const NO_PROVIDER = "nobody signs in through another service: it knows no identity providers";

export const SIGNING_IN: Chapter = {
  number: "V6",
  title: "Signing in",
  requirements: [
    {
      number: "V6.1.1",
      level: 1,
      asks: "it is written down how guessing is slowed down, and how nobody is locked out by it",
      met: [WAYS_IN],
    },
    {
      number: "V6.1.2",
      level: 2,
      asks: "words that passwords may not be made of are written down",
      met: [WAYS_IN],
    },
    {
      number: "V6.1.3",
      level: 2,
      asks: "all ways to sign in are written down, with what guards each",
      met: [WAYS_IN],
    },
    {
      number: "V6.2.1",
      level: 1,
      asks: "a password has at least eight characters",
      met: [[PASSWORD, "has eight to 128 characters, however many bytes each takes"]],
    },
    { number: "V6.2.2", level: 1, asks: "people can change it", met: [CHANGED, LOGIN_PAGE] },
    {
      number: "V6.2.3",
      level: 1,
      asks: "changing it takes the old and the new one",
      met: [CHANGED],
    },
    {
      number: "V6.2.4",
      level: 1,
      asks: "it is none of the 3,000 most used",
      met: [COMMON, [PASSWORD, "is none of those that are tried first, whatever decorates them"]],
    },
    { number: "V6.2.5", level: 1, asks: "it may be of any characters", met: [COMMON] },
    { number: "V6.2.6", level: 1, asks: "it is not shown while typed", met: [LOGIN_PAGE] },
    {
      number: "V6.2.7",
      level: 1,
      asks: "it may be pasted and filled in by a manager",
      met: [LOGIN_PAGE],
    },
    {
      number: "V6.2.8",
      level: 1,
      asks: "it counts exactly as it was typed",
      met: [
        [
          PASSWORD,
          "counts as it was typed: case, blanks, its end however long, and letters that look alike",
        ],
      ],
    },
    {
      number: "V6.2.9",
      level: 2,
      asks: "it may have 64 characters and more",
      met: [[PASSWORD, "has eight to 128 characters, however many bytes each takes"]],
    },
    {
      number: "V6.2.10",
      level: 2,
      asks: "it is good until somebody changes it",
      met: [
        [
          AUTHENTICATE,
          "a password is good until it is changed, however old; one that is forgotten is replaced by a new invitation",
        ],
      ],
    },
    {
      number: "V6.2.11",
      level: 2,
      asks: "it is not made of the words that are written down",
      met: [
        [
          AUTHENTICATE,
          "refuses a password made of the person's own name, address or the program's, and the invitation stays good",
        ],
      ],
    },
    {
      number: "V6.2.12",
      level: 2,
      asks: "it is none of those that were stolen elsewhere",
      met: [COMMON],
      note: "held against the 10,000 that stand most often in stolen lists, which come along; the hundreds of millions of the online services are asked nowhere",
    },
    {
      number: "V6.3.1",
      level: 1,
      asks: "guessing is slowed down as it is written down",
      met: [
        SLOWED,
        [LOGIN_ROUTES, "guessing is slowed down, and says when to come back"],
        [
          "src/kernel/operation/throttle.test.ts",
          "is free four times; then each failure doubles the wait, up to a quarter of an hour",
        ],
      ],
    },
    {
      number: "V6.3.2",
      level: 1,
      asks: "there are no accounts that everybody knows",
      met: [
        [
          "tests/journeys/tls.test.ts",
          "answers to the name people use, once somebody has a password",
        ],
        ["tests/journeys/first-minute.test.ts", "the printed code lets one visitor in, once"],
      ],
    },
    {
      number: "V6.3.3",
      level: 2,
      asks: "signing in takes more than one factor",
      missing: "a password or a one-time link alone lets in; there is no second factor",
    },
    {
      number: "V6.3.4",
      level: 2,
      asks: "there are no other ways in, and none is weaker",
      met: [
        WAYS_IN,
        [AUTHENTICATE, "agents and inactive people do not come in"],
        [
          "src/surfaces/http/authorisation.test.ts",
          "is refused to nobody in particular and to whoever was deactivated",
        ],
      ],
    },
    {
      number: "V6.4.1",
      level: 1,
      asks: "codes for the first time are random, soon over, used once and become no password",
      met: [CODE_ONCE, INVITED],
    },
    {
      number: "V6.4.2",
      level: 1,
      asks: "there are no hints and no secret questions",
      met: [WAYS_IN],
    },
    {
      number: "V6.4.3",
      level: 2,
      asks: "a forgotten password is replaced safely",
      met: [
        [
          AUTHENTICATE,
          "a password is good until it is changed, however old; one that is forgotten is replaced by a new invitation",
        ],
      ],
    },
    {
      number: "V6.4.4",
      level: 2,
      asks: "a lost second factor is replaced as carefully as it was given",
      notApplicable: "it has no second factor that could be lost",
    },
    { number: "V6.5.1", level: 2, asks: "one-time codes work once", met: [CODE_ONCE] },
    {
      number: "V6.5.2",
      level: 2,
      asks: "one-time codes are kept as hashes",
      met: [
        CODE_ONCE,
        [
          "src/kernel/store/people.test.ts",
          "a login code works exactly once among 20 who try, and not after it expired",
        ],
      ],
    },
    {
      number: "V6.5.3",
      level: 2,
      asks: "one-time codes come from a sound source of chance",
      met: [
        [
          "tests/proof/cryptography.test.ts",
          "secrets that let in are 256 bits of the system's chance",
        ],
      ],
    },
    {
      number: "V6.5.4",
      level: 2,
      asks: "one-time codes cannot be guessed",
      met: [
        [
          "tests/proof/cryptography.test.ts",
          "secrets that let in are 256 bits of the system's chance",
        ],
      ],
    },
    {
      number: "V6.5.5",
      level: 2,
      asks: "one-time codes are over after ten minutes",
      met: [CODE_ONCE],
      note: "an invitation, which makes an account rather than signing in to one, is good for a week",
    },
    {
      number: "V6.6.1",
      level: 2,
      asks: "codes by telephone are a last resort",
      notApplicable: "it calls and writes to no telephones",
    },
    {
      number: "V6.6.2",
      level: 2,
      asks: "a code over another channel answers the request it was made for",
      notApplicable:
        "no sign-in waits for a code over another channel: the one-time link is itself the sign-in",
    },
    {
      number: "V6.6.3",
      level: 2,
      asks: "codes cannot be tried one after the other",
      met: [SLOWED, [LOGIN_ROUTES, "guessing is slowed down, and says when to come back"]],
    },
    {
      number: "V6.8.1",
      level: 2,
      asks: "one identity provider cannot pose as another",
      notApplicable: NO_PROVIDER,
    },
    {
      number: "V6.8.2",
      level: 2,
      asks: "assertions are signed, and the signature is checked",
      notApplicable: NO_PROVIDER,
    },
    { number: "V6.8.3", level: 2, asks: "SAML assertions count once", notApplicable: NO_PROVIDER },
    {
      number: "V6.8.4",
      level: 2,
      asks: "how strongly somebody signed in elsewhere is asked for",
      notApplicable: NO_PROVIDER,
    },
  ],
};
