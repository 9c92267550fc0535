import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { authorise, isAllowed, ROLE_PERMISSIONS } from "./authorise.ts";
import { type Caller, PERMISSIONS, type Permission, ROLES, type Role } from "./caller.ts";

const ALLOWED: Readonly<Record<Role, string>> = {
  viewer: "read",
  reviewer: "read answer",
  operator: "read answer edit run",
  admin: "read answer edit run administer",
};

function caller(role: Role, more: Partial<Caller> = {}): Caller {
  return { userId: "u", name: "U", role, isAgent: false, scopes: undefined, ...more };
}

describe("what a caller may", () => {
  test("is what the role allows", () => {
    for (const role of ROLES) {
      const allowed = PERMISSIONS.filter((permission) => isAllowed(caller(role), permission));
      assert.equal(allowed.join(" "), ALLOWED[role]);
      assert.equal(ROLE_PERMISSIONS[role].join(" "), ALLOWED[role]);
    }
  });

  test("is no more than the scopes of the token, and no scope reaches beyond the role", () => {
    for (const role of ROLES)
      for (const scope of PERMISSIONS)
        for (const permission of PERMISSIONS) {
          const isWanted = scope === permission && ALLOWED[role].split(" ").includes(scope);
          assert.equal(isAllowed(caller(role, { scopes: [scope] }), permission), isWanted);
        }
    assert.ok(!isAllowed(caller("admin", { scopes: [] }), "read"));
  });

  test("is never to administer for an agent", () => {
    const agent = caller("admin", { isAgent: true });

    assert.deepEqual(
      PERMISSIONS.filter((permission) => isAllowed(agent, permission)),
      ["read", "answer", "edit", "run"],
    );
  });

  test("is refused with what is missing and who can help", () => {
    const operation = (permission: Permission) => ({ name: "budget.set", permission }) as const;

    authorise(caller("admin"), operation("administer"));
    assert.throws(() => authorise(caller("viewer"), operation("edit")), {
      code: "permission_missing",
      kind: "not_allowed",
      message: '"budget.set" needs the right to edit.',
      hint: "Your role is viewer; ask an admin for one that allows it.",
      details: { operation: "budget.set", permission: "edit", role: "viewer" },
    });
    assert.throws(() => authorise(caller("admin", { isAgent: true }), operation("administer")), {
      code: "permission_missing",
      hint: "Ask a person to do it; agents act with the rights they were given.",
    });
    assert.throws(() => authorise(caller("operator", { scopes: ["read"] }), operation("run")), {
      code: "scope_missing",
      kind: "not_allowed",
      message: "This token may not be used to run.",
      hint: 'Make a token with the scope "run".',
      details: { operation: "budget.set", permission: "run", role: "operator" },
    });
  });
});
