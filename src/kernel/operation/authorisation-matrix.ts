/** Who may use what, as data: every role × kind of caller × scope × operation. Tests replay it at every door. */

import { isAllowed } from "./authorise.ts";
import { type Caller, PERMISSIONS, type Permission, ROLES, type Role } from "./caller.ts";
import type { OperationRegistry } from "./operation-registry.ts";

export interface MatrixCell {
  readonly operation: string;
  readonly permission: Permission;
  readonly role: Role;
  readonly isAgent: boolean;
  /** The only scope of the token used; undefined when the caller came without a token. */
  readonly scope: Permission | undefined;
  readonly isAllowed: boolean;
}

export function authorisationMatrix({ operations }: OperationRegistry): readonly MatrixCell[] {
  return operations.flatMap(({ name, permission }) =>
    ROLES.flatMap((role) =>
      [false, true].flatMap((isAgent) =>
        [undefined, ...PERMISSIONS].map((scope) => ({
          operation: name,
          permission,
          role,
          isAgent,
          scope,
          isAllowed: isAllowed(callerOf(role, isAgent, scope), permission),
        })),
      ),
    ),
  );
}

export function callerOf(role: Role, isAgent: boolean, scope: Permission | undefined): Caller {
  return {
    userId: `${role}${isAgent ? "-agent" : ""}`,
    name: role,
    role,
    isAgent,
    scopes: scope === undefined ? undefined : [scope],
  };
}
