/** Coming in and going out. */

import { requestJson } from "./call.ts";
import { forgetLoginSecret, keepLoginSecret } from "./login-secret.ts";

export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly role: "viewer" | "reviewer" | "operator" | "admin";
  /** What this page came in with. */
  readonly credential: { readonly id: string };
}

export type Entry =
  | { readonly way: "exchange"; readonly body: { readonly code: string } }
  | {
      readonly way: "password";
      readonly body: { readonly email: string; readonly password: string };
    }
  | { readonly way: "accept"; readonly body: { readonly code: string; readonly password: string } };

export async function enter({ way, body }: Entry): Promise<void> {
  const { secret } = (await requestJson(`/api/v1/login/${way}`, body)) as { secret: string };
  keepLoginSecret(secret);
}

export async function whoIsHere(): Promise<Person> {
  return (await requestJson("/api/v1/login/me")) as Person;
}

/** Where the server cannot be reached, this page at least cannot come in any more. */
export async function leave(): Promise<void> {
  try {
    await requestJson("/api/v1/login/logout", {});
  } finally {
    forgetLoginSecret();
  }
}

/** Ends every login of this person, also the one of this page. */
export async function changePassword(change: {
  readonly current: string;
  readonly next: string;
}): Promise<void> {
  await requestJson("/api/v1/login/change-password", change);
  forgetLoginSecret();
}

/** What a link brought along behind its `#`: taken once, then gone from the address. */
export function takeCodeFromAddress(): { readonly code?: string; readonly invite?: string } {
  const given = new URLSearchParams(location.hash.slice(1));
  const [code, invite] = [given.get("code"), given.get("invite")];
  if (code !== null || invite !== null)
    history.replaceState(history.state, "", location.pathname + location.search);
  return { ...(code === null ? {} : { code }), ...(invite === null ? {} : { invite }) };
}
