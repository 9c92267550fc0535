/**
 * Decides about a request from its shape alone, before routing, authentication and body: it stops web
 * pages of other origins (also other ports of this machine), rebound names and odd encodings.
 *
 * Pure, so that tests can try every combination; `http-server.ts` asks it first for every request.
 */

export interface RequestFacts {
  readonly method: string;
  /** The request target as sent: path and query. */
  readonly target: string;
  /** Header names in lower case; a header sent twice has two values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

export interface GuardPolicy {
  /** `name:port` exactly as browsers send it in Host → the origin of our page under that name. */
  readonly origins: ReadonlyMap<string, string>;
  /** The names of our login cookie. */
  readonly cookieNames: readonly string[];
  /** Beginnings of addresses at which programs send what they have signed, with how many bytes that may be. */
  readonly doors: ReadonlyMap<string, number>;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Proves that a script of our own page sent it: other origins cannot add it without asking first. */
const APP_HEADER = "x-app";
const MAX_TARGET_BYTES = 8 * 1024;
export const MAX_JSON_BYTES = 4 * 1024 * 1024;
const API_PREFIX = "/api/";
const UPLOADS_PREFIX = "/api/v1/uploads/";

export function checkRequest(facts: RequestFacts, policy: GuardPolicy): Refusal | undefined {
  return (
    checkForm(facts) ??
    checkHost(facts, policy) ??
    checkOrigin(facts, policy) ??
    (isSafe(facts.method) ? checkRead(facts) : checkWrite(facts, policy))
  );
}

const SINGLE_HEADERS = [
  "host",
  "origin",
  "sec-fetch-site",
  "sec-fetch-mode",
  "content-type",
  "content-length",
  "authorization",
  "idempotency-key",
  "if-match",
  "last-event-id",
  APP_HEADER,
];

function checkForm({ method, target, headers }: RequestFacts): Refusal | undefined {
  if (
    !target.startsWith("/") ||
    target.startsWith("//") ||
    /[\\#]|%2f|%5c|%00/i.test(pathOf(target))
  )
    return refuse(400, "target_invalid", "The request's address is not a plain path.");
  if (Buffer.byteLength(target) > MAX_TARGET_BYTES)
    return refuse(414, "target_too_long", `An address has at most ${MAX_TARGET_BYTES} bytes.`);
  if (!METHODS.has(method))
    return refuse(405, "method_not_allowed", `The method ${printable(method)} is not used here.`);
  const twice = SINGLE_HEADERS.find((name) => (headers.get(name)?.length ?? 0) > 1);
  if (twice !== undefined)
    return refuse(400, "header_repeated", `The header ${twice} may be sent only once.`);
  return undefined;
}

function checkHost({ headers }: RequestFacts, { origins }: GuardPolicy): Refusal | undefined {
  if (origins.has(hostOf(headers))) return undefined;
  return refuse(421, "host_not_served", "This server does not answer to that host name.");
}

function checkOrigin({ headers }: RequestFacts, { origins }: GuardPolicy): Refusal | undefined {
  const origin = headers.get("origin")?.[0];
  if (origin === undefined || origin === origins.get(hostOf(headers))) return undefined;
  return refuse(403, "origin_refused", "Pages of other origins may not use this server.");
}

function hostOf(headers: RequestFacts["headers"]): string {
  return headers.get("host")?.[0] ?? "";
}

/** Another site may link to the page, which holds no secrets; it may not read anything else. */
function checkRead({ target, headers }: RequestFacts): Refusal | undefined {
  const site = headers.get("sec-fetch-site")?.[0];
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  const isLink = headers.get("sec-fetch-mode")?.[0] === "navigate" && !isApi(target);
  return isLink ? undefined : foreignSite();
}

function checkWrite(facts: RequestFacts, policy: GuardPolicy): Refusal | undefined {
  const door = facts.method === "POST" ? doorOf(facts.target, policy) : undefined;
  if (door !== undefined) {
    return checkSender(facts, policy) ?? checkBodyKind(facts, door.maxBytes);
  }
  return checkWriter(facts, policy) ?? checkBodyKind(facts, MAX_JSON_BYTES);
}

/** What is signed needs nobody's rights, but no page may send it either: it could only be replayed from there. */
function checkSender({ headers }: RequestFacts, policy: GuardPolicy): Refusal | undefined {
  const isPage = headers.has("origin") || headers.has("sec-fetch-site");
  if (!isPage && !sendsCookie(headers, policy)) return undefined;
  return refuse(403, "page_refused", "Only programs send something here.");
}

function doorOf(target: string, { doors }: GuardPolicy): { readonly maxBytes: number } | undefined {
  for (const [prefix, maxBytes] of doors) {
    if (target.startsWith(prefix)) return { maxBytes };
  }
  return undefined;
}

function checkWriter({ headers }: RequestFacts, policy: GuardPolicy): Refusal | undefined {
  const site = headers.get("sec-fetch-site")?.[0];
  if (site !== undefined && site !== "same-origin") return foreignSite();
  const hasCookie = sendsCookie(headers, policy);
  const hasBearer = headers.has("authorization");
  if (hasBearer && hasCookie)
    return refuse(401, "credentials_ambiguous", "Send a token or a login, not both.");
  // A program that holds a token is no web page; anything else must show that it is our own page.
  if (hasBearer) return undefined;
  if (site === undefined && !headers.has("origin"))
    return hasCookie
      ? refuse(403, "origin_missing", "A login is used from the page it was made in.")
      : refuse(401, "unauthenticated", "Sign in first, or send a token.");
  if (headers.get(APP_HEADER)?.[0] !== "1")
    return refuse(403, "app_header_missing", `A page must send "${APP_HEADER}: 1" with changes.`);
  return undefined;
}

function checkBodyKind(
  { method, target, headers }: RequestFacts,
  maxBytes: number,
): Refusal | undefined {
  if (headers.has("content-encoding"))
    return refuse(415, "encoding_refused", "Request bodies are sent as they are, not compressed.");
  if (method === "DELETE" && !hasBody(headers)) return undefined;
  const isUpload = method === "PUT" && target.startsWith(UPLOADS_PREFIX);
  const wanted = isUpload ? "application/octet-stream" : "application/json";
  const [type, ...parameters] = (headers.get("content-type")?.[0] ?? "").split(";");
  const isPlain = parameters.every((text) => /^\s*charset\s*=\s*"?utf-8"?\s*$/i.test(text));
  if (type?.trim().toLowerCase() !== wanted || !isPlain)
    return refuse(415, "content_type_refused", `Send the body as ${wanted}.`);
  const length = headers.get("content-length")?.[0];
  if (!isUpload && length !== undefined && Number(length) > maxBytes)
    return refuse(413, "body_too_large", `A JSON body has at most ${maxBytes} bytes.`);
  return undefined;
}

function hasBody(headers: RequestFacts["headers"]): boolean {
  const length = headers.get("content-length")?.[0] ?? "0";
  return headers.has("transfer-encoding") || length !== "0";
}

/** The cookie pairs of all Cookie headers; a name sent twice keeps its first value. */
export function readCookies(headers: RequestFacts["headers"]): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (headers.get("cookie") ?? []).flatMap((line) => line.split(";"))) {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, equals).trim();
    if (equals > 0 && !cookies.has(name)) cookies.set(name, pair.slice(equals + 1).trim());
  }
  return cookies;
}

function sendsCookie(headers: RequestFacts["headers"], { cookieNames }: GuardPolicy): boolean {
  const cookies = readCookies(headers);
  return cookieNames.some((name) => cookies.has(name));
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE"]);

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function isApi(target: string): boolean {
  return target.startsWith(API_PREFIX);
}

function pathOf(target: string): string {
  return target.replace(/\?.*$/s, "");
}

function foreignSite(): Refusal {
  return refuse(403, "foreign_site", "Pages of other sites may not use this server.");
}

function printable(text: string): string {
  return text.replaceAll(/[^\w-]/g, "?").slice(0, 20);
}

function refuse(status: number, code: string, message: string): Refusal {
  return { status, code, message };
}
