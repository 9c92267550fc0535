/** Makes API tokens. The text is given out once; only its hash is kept. */

import { ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import { insertToken, type Token } from "../store/tokens.ts";
import { getUser } from "../store/users.ts";
import { apiTokenPrefix, mintApiToken } from "./api-token.ts";
import { ROLE_PERMISSIONS } from "./authorise.ts";
import type { Permission } from "./caller.ts";
import type { Kernel } from "./kernel.ts";

export const TOKEN_MS = 90 * 24 * 60 * 60_000;

export interface TokenRequest {
  readonly userId: string;
  readonly name: string;
  /** Undefined: all the user's role allows, now and later. */
  readonly scopes?: readonly Permission[] | undefined;
  /** 90 days unless said otherwise; null never ends. */
  readonly expiresAt?: number | null | undefined;
  readonly actor: string;
}

export async function issueToken(
  kernel: Kernel,
  request: TokenRequest,
): Promise<{ readonly text: string; readonly token: Token }> {
  const { userId, name, scopes, actor } = request;
  const text = mintApiToken(kernel.random);
  const id = kernel.ids.next();
  const now = kernel.clock.now();
  const expiresAt = request.expiresAt === undefined ? now + TOKEN_MS : request.expiresAt;
  if (expiresAt !== null && expiresAt <= now)
    throw new ProductError("token_already_expired", "This token would be over before it begins.");
  const token = await kernel.store.write(function* () {
    const { role } = yield* getUser(userId);
    const beyond = scopes?.find((scope) => !ROLE_PERMISSIONS[role].includes(scope));
    if (beyond !== undefined) throw beyondRole(beyond, role);
    return yield* insertToken(
      {
        id,
        userId,
        name,
        tokenHash: hashText(text),
        prefix: apiTokenPrefix(text),
        scopes,
        expiresAt: expiresAt ?? undefined,
      },
      { actor, now },
    );
  });
  return { text, token };
}

function beyondRole(scope: Permission, role: string): ProductError {
  return new ProductError("scope_beyond_role", `A ${role} cannot ${scope}, and so no token can.`, {
    kind: "not_allowed",
    hint: "Leave the scope out, or change the role first.",
  });
}
