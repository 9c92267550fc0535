/** Who asks, and what they may do. Permissions live in operations; every door checks them here. */

export const ROLES = ["viewer", "reviewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/**
 * What an operation needs. `read` looks; `answer` responds to inbox items; `edit` changes thinking;
 * `run` starts and steers work; `administer` changes people, tokens, models, budgets, the workspace.
 */
export const PERMISSIONS = ["read", "answer", "edit", "run", "administer"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface Caller {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  readonly isAgent: boolean;
  /** Narrower than the role when the caller came with a token; undefined means all the role allows. */
  readonly scopes: readonly Permission[] | undefined;
}
