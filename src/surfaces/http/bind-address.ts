/** Where the server may listen. Beyond this machine only with people who have passwords, and not in the clear by accident. */

import { ProductError } from "../../kernel/base/errors.ts";

export interface BindRequest {
  /** An IP address or a name of this machine. */
  readonly host: string;
  readonly hasTls: boolean;
  /** Said by the person: plain http beyond this machine is meant, e.g. behind a proxy with TLS. */
  readonly allowRemote: boolean;
  /** The address people use when it is not this machine's own, e.g. `https://work.example.org`. */
  readonly publicOrigin?: string | undefined;
  /** At least one active person can sign in with a password. */
  readonly hasUsers: boolean;
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

export function checkBind(request: BindRequest): void {
  const { host, hasTls, allowRemote, hasUsers, publicOrigin } = request;
  if (publicOrigin !== undefined) checkOriginForm(publicOrigin);
  if (isLoopback(host) && publicOrigin === undefined) return;
  if (!hasUsers)
    throw refuse(
      "bind_without_users",
      `Nobody could sign in at ${host}: no one has a password yet.`,
      {
        hint: "Invite at least one person first.",
      },
    );
  if (!hasTls && !allowRemote)
    throw refuse("bind_without_tls", `At ${host} everything would travel in the clear.`, {
      hint: "Give a certificate and key, or say explicitly that a proxy with TLS stands in front.",
    });
  if (isAnyAddress(host) && publicOrigin === undefined)
    throw refuse(
      "bind_without_name",
      `${host} means every address; under which name do people come?`,
      {
        hint: "Give the public origin, e.g. https://work.example.org.",
      },
    );
}

/** Host header → origin of the page, exactly as browsers write them. */
export function allowedOrigins(
  { host, hasTls, publicOrigin }: Omit<BindRequest, "allowRemote" | "hasUsers">,
  port: number,
): ReadonlyMap<string, string> {
  const scheme = hasTls ? "https" : "http";
  const names = ["127.0.0.1", "localhost", "[::1]"];
  if (!isLoopback(host) && !isAnyAddress(host)) names.push(host.includes(":") ? `[${host}]` : host);
  const origins = new Map(names.map((name) => [`${name}:${port}`, `${scheme}://${name}:${port}`]));
  // Browsers leave out the port that the scheme implies.
  if (port === (hasTls ? 443 : 80))
    for (const name of names) origins.set(name, `${scheme}://${name}`);
  if (publicOrigin !== undefined) origins.set(new URL(publicOrigin).host, publicOrigin);
  return origins;
}

function checkOriginForm(origin: string): void {
  if (URL.canParse(origin) && new URL(origin).origin === origin && /^https?:/.test(origin)) return;
  throw refuse("public_origin_invalid", `"${origin}" is not an origin.`, {
    hint: "Write scheme and name, and the port if it is unusual: https://work.example.org",
  });
}

function isAnyAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "";
}

function refuse(code: string, message: string, options: { hint: string }): ProductError {
  return new ProductError(code, message, { kind: "invalid", ...options });
}
