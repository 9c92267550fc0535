/** Decides whether a caller may use an operation: what the role allows, narrowed by the token's scopes. */

import { ProductError } from "../base/errors.ts";
import type { Caller, Permission, Role } from "./caller.ts";
import type { Operation } from "./operation.ts";

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ["read"],
  reviewer: ["read", "answer"],
  operator: ["read", "answer", "edit", "run"],
  admin: ["read", "answer", "edit", "run", "administer"],
};

type Verdict = "allowed" | "role_lacks_it" | "scopes_lack_it";

/** Throws when the caller may not. Whose things they are is checked by the operations themselves. */
export function authorise(caller: Caller, operation: Pick<Operation, "name" | "permission">): void {
  const { name, permission } = operation;
  const details = { operation: name, permission, role: caller.role };
  switch (judge(caller, permission)) {
    case "allowed":
      return;
    case "role_lacks_it":
      throw new ProductError("permission_missing", `"${name}" needs the right to ${permission}.`, {
        kind: "not_allowed",
        hint: caller.isAgent
          ? "Ask a person to do it; agents act with the rights they were given."
          : `Your role is ${caller.role}; ask an admin for one that allows it.`,
        details,
      });
    case "scopes_lack_it":
      throw new ProductError("scope_missing", `This token may not be used to ${permission}.`, {
        kind: "not_allowed",
        hint: `Make a token with the scope "${permission}".`,
        details,
      });
  }
}

export function isAllowed(caller: Caller, permission: Permission): boolean {
  return judge(caller, permission) === "allowed";
}

function judge({ role, isAgent, scopes }: Caller, permission: Permission): Verdict {
  // Agents act for people: they never change people, tokens or budgets, whatever their role says.
  const isBarred = isAgent && permission === "administer";
  if (isBarred || !ROLE_PERMISSIONS[role].includes(permission)) return "role_lacks_it";
  return scopes === undefined || scopes.includes(permission) ? "allowed" : "scopes_lack_it";
}
