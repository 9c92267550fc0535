/** The person whose machine it is: the first admin of a fresh workspace. */

import { userInfo } from "node:os";
import type { Caller } from "../kernel/operation/caller.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import { queryFirst } from "../kernel/store/database-work.ts";
import { db } from "../kernel/store/query-builder.ts";
import { getUser, insertUser, type User } from "../kernel/store/users.ts";

/** Finds the oldest active admin, or makes one: whoever can open the workspace's files owns it. */
export async function findAdmin(kernel: Pick<Kernel, "clock" | "ids" | "store">): Promise<User> {
  const id = kernel.ids.next();
  return kernel.store.write(function* () {
    const known = yield* queryFirst(
      db
        .selectFrom("user")
        .select("id")
        .where("role", "=", "admin")
        .where("is_active", "=", 1)
        .where("is_agent", "=", 0)
        .orderBy("created_at")
        .orderBy("id")
        .limit(1),
    );
    if (known) return yield* getUser(known.id);
    const act = { actor: id, now: kernel.clock.now() };
    return yield* insertUser({ id, displayName: userName(), role: "admin" }, act);
  });
}

export function callerOf(user: User): Caller {
  return {
    userId: user.id,
    name: user.displayName,
    role: user.role,
    isAgent: user.isAgent,
    scopes: undefined,
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "owner";
  }
}
