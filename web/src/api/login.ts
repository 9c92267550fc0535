/** Coming in and going out. */

import { request, requestJson } from "./call.ts";
import { forgetLoginSecret, keepLoginSecret } from "./login-secret.ts";

export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly role: "viewer" | "reviewer" | "operator" | "admin";
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

export async function leave(): Promise<void> {
  await request("/api/v1/login/logout", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
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
