/** Coming in and going out: the only routes that hand out a login, and so set the cookie. */

import type { Hono } from "hono";
import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { toCaller } from "../../kernel/operation/authenticate.ts";
import { inputInvalid, toInputProblems } from "../../kernel/operation/input-problems.ts";
import {
  acceptInvitation,
  changePassword,
  exchangeLoginCode,
  type LoginAttempt,
  loginWithPassword,
  type StartedLogin,
} from "../../kernel/operation/start-login.ts";
import { revokeLogin } from "../../kernel/store/logins.ts";
import { addressOf } from "./client-address.ts";
import { type HttpContext, type HttpEnv, type HttpSurface, logSecurity } from "./http-context.ts";
import { readJsonBody } from "./read-json-body.ts";
import { findLoginHalves, keptNames, setCookieLines } from "./request-credentials.ts";

/** Who uses these is not signed in yet. */
export const OPEN_LOGIN_PATHS: ReadonlySet<string> = new Set([
  "/api/v1/login/exchange",
  "/api/v1/login/password",
  "/api/v1/login/accept",
]);

const code = z.string().min(1).max(200);
const password = z.string().min(1).max(1000);
const exchangeBody = z.strictObject({ code });
const passwordBody = z.strictObject({ email: z.string().min(1).max(320), password });
const acceptBody = z.strictObject({ code, password });
const changeBody = z.strictObject({ current: password, next: password });

export function addLoginRoutes(app: Hono<HttpEnv>, surface: HttpSurface): void {
  const { kernel, throttle } = surface;
  app.post("/api/v1/login/exchange", async (context) => {
    const body = await readBody(context, exchangeBody);
    return answerLogin(
      surface,
      context,
      "code",
      await exchangeLoginCode(kernel, throttle, { ...body, ...from(surface, context) }),
    );
  });
  app.post("/api/v1/login/password", async (context) => {
    const body = await readBody(context, passwordBody);
    return answerLogin(
      surface,
      context,
      "password",
      await loginWithPassword(kernel, throttle, { ...body, ...from(surface, context) }),
    );
  });
  app.post("/api/v1/login/accept", async (context) => {
    const body = await readBody(context, acceptBody);
    return answerLogin(
      surface,
      context,
      "invitation",
      await acceptInvitation(kernel, throttle, { ...body, ...from(surface, context) }),
    );
  });
  app.post("/api/v1/login/change-password", async (context) => {
    const { caller, credential } = context.get("who");
    if (credential.kind !== "login")
      throw new ProductError("password_by_token", "A token does not change passwords.", {
        kind: "not_allowed",
        hint: "Sign in with the password, then change it in the settings.",
      });
    const change = await readBody(context, changeBody);
    await changePassword(kernel, throttle, { userId: caller.userId, ...change });
    logSecurity(surface, context, "password.changed");
    return answerLeft(surface, context);
  });
  app.post("/api/v1/login/logout", async (context) => logout(surface, context));
  app.get("/api/v1/login/me", (context) => {
    const { caller, credential } = context.get("who");
    return context.json({ ...caller, credential });
  });
}

function answerLogin(
  surface: HttpSurface,
  context: HttpContext,
  way: string,
  started: StartedLogin,
): Response {
  const { kernel, cookieNames } = surface;
  const { loginId, cookie, secret, expiresAt, user } = started;
  const who = {
    caller: toCaller(user, undefined),
    credential: { kind: "login" as const, id: loginId },
  };
  logSecurity(surface, context, "login.started", { way, who });
  const maxAge = Math.floor((expiresAt - kernel.clock.now()) / 1000);
  for (const line of setCookieLines(keptNames(cookieNames, agentOf(context)), cookie, maxAge))
    context.header("set-cookie", line, { append: true });
  const { id, displayName, role } = user;
  return context.json({ secret, expiresAt, user: { id, displayName, role } });
}

async function logout(surface: HttpSurface, context: HttpContext): Promise<Response> {
  const { kernel } = surface;
  const { caller, credential } = context.get("who");
  if (credential.kind !== "login")
    throw new ProductError("logout_without_login", "A token is revoked, not signed out.", {
      hint: "Use `token revoke`.",
    });
  const act = { actor: caller.userId, now: kernel.clock.now() };
  await kernel.store.write(() => revokeLogin(credential.id, act));
  logSecurity(surface, context, "login.ended");
  return answerLeft(surface, context);
}

/** The browser forgets the cookie, and whatever pages of this origin have kept. Cookies reach other ports, so only ours go. */
function answerLeft({ cookieNames }: HttpSurface, context: HttpContext): Response {
  for (const line of setCookieLines(cookieNames, "", 0))
    context.header("set-cookie", line, { append: true });
  context.header("clear-site-data", '"cache", "storage"');
  return context.json({});
}

async function readBody<Schema extends z.ZodObject>(
  context: HttpContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await readJsonBody(context.req.raw));
  if (parsed.success) return parsed.data;
  throw inputInvalid(toInputProblems(parsed.error, Object.keys(schema.shape)));
}

function from({ proxies, cookieNames }: HttpSurface, context: HttpContext): LoginAttempt {
  return {
    address: addressOf(context.env.incoming, proxies),
    label: agentOf(context)?.slice(0, 200),
    before: findLoginHalves(cookieNames, context),
  };
}

function agentOf({ req }: HttpContext): string | undefined {
  return req.header("user-agent");
}
