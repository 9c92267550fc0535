/** The ways to a browser login: a one-time code, a password, an invitation. Each gives a fresh cookie and secret. */

import { ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import { type DatabaseWork, queryFirst } from "../store/database-work.ts";
import { consumeLoginCode, insertLoginCode } from "../store/login-codes.ts";
import type { Act } from "../store/audited-rows.ts";
import { findLoginByCookieHash, insertLogin, revokeLogin } from "../store/logins.ts";
import { db } from "../store/query-builder.ts";
import {
  findPasswordHash,
  findUser,
  findUserByEmail,
  getUser,
  insertUser,
  type User,
  updateUser,
} from "../store/users.ts";
import { unauthenticated } from "./authenticate.ts";
import type { Role } from "./caller.ts";
import type { Kernel } from "./kernel.ts";
import { checkNewPassword, checkPasswordOwner, hashPassword, verifyPassword } from "./password.ts";
import { matchesHash, mintSecret } from "./secret-text.ts";
import type { Throttle } from "./throttle.ts";

export const LOGIN_CODE_MS = 10 * 60_000;
const INVITATION_MS = 7 * 24 * 60 * 60_000;
export const LOGIN_MS = 7 * 24 * 60 * 60_000;

const LOGIN_CODE = "login_";
const INVITATION = "invite_";

export interface StartedLogin {
  readonly loginId: string;
  /** For the cookie that no script can read. */
  readonly cookie: string;
  /** For the page's own storage, which other origins cannot read. */
  readonly secret: string;
  readonly expiresAt: number;
  readonly user: User;
}

export interface LoginAttempt {
  /** Where the request comes from; failures slow it down. */
  readonly address: string;
  readonly label?: string | undefined;
  /** The login that this browser had until now; the new one takes its place. */
  readonly before?: { readonly cookie: string; readonly secret: string } | undefined;
}

/** A code for a link: works once, for ten minutes. */
export async function createLoginCode(
  kernel: Kernel,
  { userId, actor }: { readonly userId: string; readonly actor: string },
): Promise<string> {
  const code = mintSecret(kernel.random, LOGIN_CODE);
  await kernel.store.write(() => putCode(kernel, { code, userId, actor, lastsMs: LOGIN_CODE_MS }));
  return code;
}

export interface Invitation {
  readonly user: User;
  readonly code: string;
  readonly expiresAt: number;
}

/** Makes the person and a code with which they choose a password and come in. */
export async function inviteUser(
  kernel: Kernel,
  person: { readonly email: string; readonly displayName: string; readonly role: Role },
  actor: string,
): Promise<Invitation> {
  const id = kernel.ids.next();
  const code = mintSecret(kernel.random, INVITATION);
  const now = kernel.clock.now();
  const user = await kernel.store.write(function* () {
    const inserted = yield* insertUser({ id, ...person }, { actor, now });
    yield* putCode(kernel, { code, userId: id, actor, lastsMs: INVITATION_MS });
    return inserted;
  });
  return { user, code, expiresAt: now + INVITATION_MS };
}

/** Another code for a person who lost theirs or forgot the password. */
export async function inviteAgain(
  kernel: Kernel,
  userId: string,
  actor: string,
): Promise<Invitation> {
  const code = mintSecret(kernel.random, INVITATION);
  const now = kernel.clock.now();
  const user = await kernel.store.write(function* () {
    const known = yield* getUser(userId);
    refuseAgents(known);
    yield* putCode(kernel, { code, userId, actor, lastsMs: INVITATION_MS });
    return known;
  });
  return { user, code, expiresAt: now + INVITATION_MS };
}

export async function exchangeLoginCode(
  kernel: Kernel,
  throttle: Throttle,
  { code, ...attempt }: LoginAttempt & { readonly code: string },
): Promise<StartedLogin> {
  return guarded(throttle, attempt, () => {
    if (!code.startsWith(LOGIN_CODE)) throw codeRefused();
    return startLogin(kernel, attempt, () => consumeCode(kernel, code));
  });
}

export async function acceptInvitation(
  kernel: Kernel,
  throttle: Throttle,
  {
    code,
    password,
    ...attempt
  }: LoginAttempt & { readonly code: string; readonly password: string },
): Promise<StartedLogin> {
  await checkNewPassword(password);
  return guarded(throttle, attempt, async () => {
    if (!code.startsWith(INVITATION)) throw codeRefused();
    const passwordHash = await hashPassword(password, kernel.random);
    return startLogin(kernel, attempt, function* () {
      const userId = yield* consumeCode(kernel, code);
      checkPasswordOwner(password, yield* getUser(userId));
      yield* updateUser(userId, { passwordHash }, { actor: userId, now: kernel.clock.now() });
      return userId;
    });
  });
}

export async function loginWithPassword(
  kernel: Kernel,
  throttle: Throttle,
  {
    email,
    password,
    ...attempt
  }: LoginAttempt & { readonly email: string; readonly password: string },
): Promise<StartedLogin> {
  const account = email.trim().toLowerCase();
  return guarded(throttle, { account, address: attempt.address }, async () => {
    const { user, hash } = await kernel.store.read(() => findCredentials(email));
    const isRight = await verifyPassword(password, hash);
    if (!isRight || user === undefined || !user.isActive) throw passwordRefused();
    return startLogin(kernel, attempt, function* () {
      // Changed while we compared: the old password must not open the door any more.
      if ((yield* findPasswordHash(user.id)) !== hash) throw passwordRefused();
      return user.id;
    });
  });
}

/** Ends every login of the person, the one this came with included. */
export async function changePassword(
  kernel: Kernel,
  throttle: Throttle,
  change: { readonly userId: string; readonly current: string; readonly next: string },
): Promise<void> {
  const { userId, current, next } = change;
  await checkNewPassword(next);
  await guarded(throttle, { account: userId }, async () => {
    const { user, stored } = await kernel.store.read(function* () {
      return { user: yield* getUser(userId), stored: yield* findPasswordHash(userId) };
    });
    if (!(await verifyPassword(current, stored))) throw passwordRefused();
    checkPasswordOwner(next, user);
    const passwordHash = await hashPassword(next, kernel.random);
    const act = { actor: userId, now: kernel.clock.now() };
    await kernel.store.write(function* () {
      // Changed while we compared: the old password must not set another one.
      if ((yield* findPasswordHash(userId)) !== stored) throw passwordRefused();
      yield* updateUser(userId, { passwordHash }, act);
    });
  });
}

/** Whether anybody could come in from elsewhere. */
export function* hasPasswordUser(): DatabaseWork<boolean> {
  const user = yield* queryFirst(
    db
      .selectFrom("user")
      .select("id")
      .where("is_active", "=", 1)
      .where("password_hash", "is not", null)
      .limit(1),
  );
  return user !== undefined;
}

async function startLogin(
  kernel: Kernel,
  { label, before }: LoginAttempt,
  identify: () => DatabaseWork<string>,
): Promise<StartedLogin> {
  const loginId = kernel.ids.next();
  const cookie = mintSecret(kernel.random);
  const secret = mintSecret(kernel.random);
  const now = kernel.clock.now();
  const expiresAt = now + LOGIN_MS;
  const user = await kernel.store.write(function* () {
    const userId = yield* identify();
    const found = yield* findUser(userId);
    if (found === undefined || !found.isActive) throw codeRefused();
    refuseAgents(found);
    yield* insertLogin(
      {
        id: loginId,
        userId,
        label,
        cookieHash: hashText(cookie),
        originSecretHash: hashText(secret),
        expiresAt,
      },
      { actor: userId, now },
    );
    if (before !== undefined) yield* endLogin(before, { actor: userId, now });
    return found;
  });
  return { loginId, cookie, secret, expiresAt, user };
}

/** Ending one takes both halves, as using it does. */
function* endLogin(
  { cookie, secret }: { readonly cookie: string; readonly secret: string },
  act: Act,
): DatabaseWork<void> {
  const login = yield* findLoginByCookieHash(hashText(cookie));
  if (login !== undefined && matchesHash(secret, login.originSecretHash))
    yield* revokeLogin(login.id, act);
}

/**
 * Counts only refusals against the caller; a full disk or a busy store is no guess. Success clears the account
 * but not the address: else one good account would let its owner guess at all others.
 */
async function guarded<Result>(
  throttle: Throttle,
  from: { readonly account?: string; readonly address?: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const account = from.account === undefined ? [] : [`account ${from.account}`];
  const keys = from.address === undefined ? account : [...account, `address ${from.address}`];
  throttle.check(keys);
  try {
    const result = await attempt();
    throttle.succeed(account);
    return result;
  } catch (error) {
    if (error instanceof ProductError && error.kind === "unauthenticated") throttle.fail(keys);
    throw error;
  }
}

function* putCode(
  kernel: Kernel,
  put: {
    readonly code: string;
    readonly userId: string;
    readonly actor: string;
    readonly lastsMs: number;
  },
): DatabaseWork<void> {
  const { code, userId, actor, lastsMs } = put;
  const now = kernel.clock.now();
  const expiresAt = now + lastsMs;
  yield* insertLoginCode({ codeHash: hashText(code), userId, expiresAt }, { actor, now });
}

function* consumeCode(kernel: Kernel, code: string): DatabaseWork<string> {
  const userId = yield* consumeLoginCode(hashText(code), kernel.clock.now());
  if (userId === undefined) throw codeRefused();
  return userId;
}

function* findCredentials(
  email: string,
): DatabaseWork<{ user: User | undefined; hash: string | undefined }> {
  const user = yield* findUserByEmail(email);
  return { user, hash: user && (yield* findPasswordHash(user.id)) };
}

function refuseAgents(user: User): void {
  if (!user.isAgent) return;
  throw new ProductError("agent_login", "Agents do not sign in; they use tokens.", {
    kind: "not_allowed",
    hint: "Make a token for the agent.",
  });
}

function codeRefused(): ProductError {
  return unauthenticated("login_code_invalid", "This code is not valid, was used, or has expired.");
}

function passwordRefused(): ProductError {
  return unauthenticated("password_wrong", "This address and password do not fit.");
}
