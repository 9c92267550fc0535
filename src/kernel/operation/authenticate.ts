/**
 * Finds out who asks. Everything is looked up at every request, so that revoking a token, ending a login or
 * deactivating a person takes effect at once.
 */

import { ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import { findLoginByCookieHash, type Login, touchLogin } from "../store/logins.ts";
import { findTokenByHash, type Token, touchToken } from "../store/tokens.ts";
import { findUser, type User } from "../store/users.ts";
import { isApiToken } from "./api-token.ts";
import { type Caller, PERMISSIONS, type Permission } from "./caller.ts";
import type { Kernel } from "./kernel.ts";
import { matchesHash } from "./secret-text.ts";

export interface Authenticated {
  readonly caller: Caller;
  readonly credential: { readonly kind: "token" | "login"; readonly id: string };
}

/** A login unused for this long is over. */
export const LOGIN_IDLE_MS = 12 * 60 * 60_000;
const TOUCH_MS = 60_000;

export async function authenticateToken(kernel: Kernel, text: string): Promise<Authenticated> {
  if (!isApiToken(text)) throw unauthenticated("token_invalid", "This is not a token of ours.");
  const now = kernel.clock.now();
  const { token, user } = await kernel.store.read(() => findTokenAndUser(hashText(text)));
  if (token === undefined) throw unauthenticated("token_unknown", "This token is not known here.");
  if (token.revokedAt !== undefined)
    throw unauthenticated("token_revoked", "This token was revoked.");
  if (token.expiresAt !== undefined && token.expiresAt <= now)
    throw unauthenticated("token_expired", "This token has expired.");
  const caller = toCaller(user, toScopes(token.scopes));
  if (now - (token.lastUsedAt ?? 0) > TOUCH_MS)
    await touch(kernel, () => touchToken(token.id, now));
  return { caller, credential: { kind: "token", id: token.id } };
}

/** Both halves are needed: the cookie alone also reaches other ports of this machine. */
export async function authenticateLogin(
  kernel: Kernel,
  { cookie, secret }: { readonly cookie: string; readonly secret: string | undefined },
): Promise<Authenticated> {
  const now = kernel.clock.now();
  const { login, user } = await kernel.store.read(() => findLoginAndUser(hashText(cookie)));
  if (login === undefined || secret === undefined || !matchesHash(secret, login.originSecretHash))
    throw unauthenticated("login_unknown", "You are not signed in here.");
  const endsAt = Math.min(login.expiresAt, login.lastSeenAt + LOGIN_IDLE_MS);
  if (login.revokedAt !== undefined || endsAt <= now)
    throw unauthenticated("login_ended", "This login has ended.");
  const caller = toCaller(user, undefined);
  if (now - login.lastSeenAt > TOUCH_MS) await touch(kernel, () => touchLogin(login.id, now));
  return { caller, credential: { kind: "login", id: login.id } };
}

export function unauthenticated(code: string, message: string): ProductError {
  return new ProductError(code, message, {
    kind: "unauthenticated",
    hint: "Sign in again (`open` prints a fresh link), or use a valid token.",
  });
}

function* findTokenAndUser(
  tokenHash: string,
): DatabaseWork<{ token: Token | undefined; user: User | undefined }> {
  const token = yield* findTokenByHash(tokenHash);
  return { token, user: token && (yield* findUser(token.userId)) };
}

function* findLoginAndUser(
  cookieHash: string,
): DatabaseWork<{ login: Login | undefined; user: User | undefined }> {
  const login = yield* findLoginByCookieHash(cookieHash);
  return { login, user: login && (yield* findUser(login.userId)) };
}

export function toCaller(
  user: User | undefined,
  scopes: readonly Permission[] | undefined,
): Caller {
  if (user === undefined || !user.isActive)
    throw unauthenticated("user_inactive", "This account is not active.");
  const { id: userId, displayName: name, role, isAgent } = user;
  return { userId, name, role, isAgent, scopes };
}

/** Scopes of a later version mean nothing here, and so allow nothing. */
function toScopes(scopes: readonly string[] | undefined): readonly Permission[] | undefined {
  return scopes && PERMISSIONS.filter((permission) => scopes.includes(permission));
}

/** Only says when it was last used: on a full disk people must still be able to look. */
async function touch(kernel: Kernel, work: () => DatabaseWork<void>): Promise<void> {
  try {
    await kernel.store.write(work);
  } catch (error) {
    const isDisk = error instanceof ProductError && error.kind === "unavailable";
    if (!isDisk && !(error instanceof ProductError && error.code === "store_read_only"))
      throw error;
  }
}
