import { CONNECTIONS } from "./connections.ts";
import { CRYPTOGRAPHY_CHAPTER } from "./cryptography.ts";
import { DATA } from "./data.ts";
import { ENCODING_AND_INJECTION } from "./encoding-and-injection.ts";
import { FILES } from "./files.ts";
import { INPUT_AND_LIMITS } from "./input-and-limits.ts";
import { LOGINS_AND_SESSIONS } from "./logins.ts";
import { LOGS_AND_FAILURES } from "./logs-and-failures.ts";
import { OAUTH } from "./oauth.ts";
import { PAGES_IN_THE_BROWSER } from "./pages-in-the-browser.ts";
import { REQUESTS_AND_ANSWERS } from "./requests-and-answers.ts";
import type { Chapter } from "./requirement.ts";
import { RIGHTS } from "./rights.ts";
import { SELF_CONTAINED_TOKENS } from "./self-contained-tokens.ts";
import { SETTINGS_AND_SECRETS } from "./settings-and-secrets.ts";
import { SIGNING_IN } from "./signing-in.ts";
import { SOURCE_AND_PACKAGES } from "./source-and-packages.ts";
import { WEBRTC } from "./webrtc.ts";

/** In the order of the standard. */
export const CHAPTERS: readonly Chapter[] = [
  ENCODING_AND_INJECTION,
  INPUT_AND_LIMITS,
  PAGES_IN_THE_BROWSER,
  REQUESTS_AND_ANSWERS,
  FILES,
  SIGNING_IN,
  LOGINS_AND_SESSIONS,
  RIGHTS,
  SELF_CONTAINED_TOKENS,
  OAUTH,
  CRYPTOGRAPHY_CHAPTER,
  CONNECTIONS,
  SETTINGS_AND_SECRETS,
  DATA,
  SOURCE_AND_PACKAGES,
  LOGS_AND_FAILURES,
  WEBRTC,
];
