/** Who sent a request: a bearer token, or our cookie together with the secret of the page's origin. */

import {
  type Authenticated,
  authenticateLogin,
  authenticateToken,
  unauthenticated,
} from "../../kernel/operation/authenticate.ts";
import type { HttpContext, HttpSurface } from "./http-context.ts";
import { readCookies } from "./request-guard.ts";

/** Kept by the page in storage that only its own origin can read. */
const SECRET_HEADER = "x-login-secret";

export async function authenticateRequest(
  { kernel, cookieNames }: HttpSurface,
  context: HttpContext,
): Promise<Authenticated> {
  const authorization = context.req.header("authorization");
  const cookie = findCookie(cookieNames, context.req.header("cookie"));
  if (authorization !== undefined && cookie !== undefined)
    throw unauthenticated("credentials_ambiguous", "Send a token or a login, not both.");
  if (authorization !== undefined) {
    const [, token] = /^Bearer ([!-~]{1,200})$/i.exec(authorization) ?? [];
    if (token === undefined)
      throw unauthenticated(
        "authorization_invalid",
        "Send the token as `Authorization: Bearer …`.",
      );
    return authenticateToken(kernel, token);
  }
  if (cookie === undefined)
    throw unauthenticated("unauthenticated", "Sign in first, or send a token.");
  return authenticateLogin(kernel, { cookie, secret: context.req.header(SECRET_HEADER) });
}

/** The login that this browser has until now, as far as it shows both halves. */
export function findLoginHalves(
  cookieNames: readonly string[],
  { req }: HttpContext,
): { readonly cookie: string; readonly secret: string } | undefined {
  const cookie = findCookie(cookieNames, req.header("cookie"));
  const secret = req.header(SECRET_HEADER);
  return cookie === undefined || secret === undefined ? undefined : { cookie, secret };
}

function findCookie(names: readonly string[], line: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  const cookies = readCookies(new Map([["cookie", [line]]]));
  return names
    .map((name) => cookies.get(name))
    .find((value) => value !== undefined && value !== "");
}

/**
 * Cookies of one machine reach all its ports, so each workspace has its own name. Safari refuses `Secure`
 * cookies over plain http also on this machine; there, and nowhere else, the name without prefix serves.
 */
export function loginCookieNames(
  instance: string,
  { isPlainHere }: { readonly isPlainHere: boolean },
): readonly string[] {
  return isPlainHere
    ? [`__Host-${instance}-login`, `${instance}-login`]
    : [`__Host-${instance}-login`];
}

/** Every other browser is given the cookie with the prefix alone. */
export function keptNames(
  names: readonly string[],
  userAgent: string | undefined,
): readonly string[] {
  const isSafari = /\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//.test(userAgent ?? "");
  return isSafari ? names : names.filter(hasPrefix);
}

function hasPrefix(name: string): boolean {
  return name.startsWith("__Host-");
}

export function setCookieLines(
  names: readonly string[],
  value: string,
  maxAgeSeconds: number,
): readonly string[] {
  return names.map((name) => {
    const secure = hasPrefix(name) ? " Secure;" : "";
    return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds};${secure} HttpOnly; SameSite=Strict`;
  });
}
