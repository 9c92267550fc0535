/** What is told of who came in and who was turned away: when, from where, who, what. Never what they sent. */

import type { IncomingMessage } from "node:http";
import type { ErrorKind } from "../../kernel/base/errors.ts";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Authenticated } from "../../kernel/operation/authenticate.ts";
import { addressOf, type Proxies } from "./client-address.ts";

export type SecurityEvent =
  | "login.started"
  | "login.refused"
  | "login.ended"
  | "password.changed"
  | "caller.refused"
  | "access.refused"
  | "input.refused"
  | "limit.reached"
  | "request.refused";

/** One line of JSON. */
export interface SecurityEntry {
  readonly level: "security";
  /** In UTC, to the millisecond. */
  readonly at: string;
  readonly event: SecurityEvent;
  readonly requestId: string;
  /** Where it came from; behind a proxy that was named, who the proxy says it was. */
  readonly address: string;
  readonly method?: string;
  /** Without what stood behind `?`. */
  readonly path?: string;
  readonly userId?: string;
  /** Came in with which login or token. */
  readonly credential?: string;
  /** By a one-time code, a password or an invitation. */
  readonly way?: string;
  /** Why it was refused. */
  readonly code?: string;
}

export interface SecurityFacts {
  readonly now: number;
  readonly requestId: string;
  readonly incoming: IncomingMessage;
  readonly proxies: Proxies;
}

const MAX_PATH = 200;

export function securityEntry(
  event: SecurityEvent,
  { now, requestId, incoming, proxies }: SecurityFacts,
  more: {
    readonly who?: Authenticated | undefined;
    readonly way?: string;
    readonly code?: string;
  } = {},
): SecurityEntry {
  const { who, way, code } = more;
  const { method, url } = incoming;
  return {
    level: "security",
    at: new Date(now).toISOString(),
    event,
    requestId,
    address: addressOf(incoming, proxies),
    ...(method === undefined ? {} : { method: method.slice(0, 20) }),
    ...(url === undefined ? {} : { path: url.replace(/[?#].*$/s, "").slice(0, MAX_PATH) }),
    ...(who === undefined
      ? {}
      : {
          userId: who.caller.userId,
          credential: `${who.credential.kind} ${who.credential.id}`,
        }),
    ...(way === undefined ? {} : { way }),
    ...(code === undefined ? {} : { code }),
  };
}

/** What a refusal is told as; what is nobody's doing is not told here. */
export function refusalEvent(
  error: unknown,
  { isLogin, isKnown }: { readonly isLogin: boolean; readonly isKnown: boolean },
): SecurityEvent | undefined {
  if (!(error instanceof ProductError)) return undefined;
  if (error.kind === "unauthenticated") return isLogin ? "login.refused" : "caller.refused";
  // To those who may not see a thing it is said not to be there.
  if (error.kind === "not_found") return isKnown ? "access.refused" : undefined;
  return EVENT_OF_KIND[error.kind];
}

const EVENT_OF_KIND: Readonly<Partial<Record<ErrorKind, SecurityEvent>>> = {
  not_allowed: "access.refused",
  limit: "limit.reached",
  invalid: "input.refused",
};
