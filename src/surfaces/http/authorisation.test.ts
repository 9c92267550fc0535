import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sampleWorld } from "../../../tests/scratch/sample-operations.ts";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import { authorisationMatrix } from "../../kernel/operation/authorisation-matrix.ts";
import { updateUser } from "../../kernel/store/users.ts";
import { operationPath } from "./operation-routes.ts";

let server: ScratchServer;
before(async () => {
  server = await scratchServer();
});
after(() => server.close());

const ask = async (operation: string, token: string) => {
  const path = operationPath({ name: operation });
  const response = await server.fetch(path, { method: "POST", body: "{}", token });
  await response.arrayBuffer();
  return response.status;
};

describe("every operation over HTTP, for everybody", () => {
  const { registry } = sampleWorld();

  test("is refused exactly where the matrix refuses it", async () => {
    const cells = authorisationMatrix(registry).filter(({ isAgent }) => !isAgent);
    const tokens = new Map<string, Promise<string>>();

    for (const { operation, role, scope, isAllowed } of cells) {
      const key = `${role} ${scope}`;
      // A scope beyond the role cannot be issued; the role was changed after the token was made.
      if (!tokens.has(key)) tokens.set(key, tokenWith(role, scope));
      const status = await ask(operation, await tokens.get(key)!);
      assert.equal(status === 403, !isAllowed, `${operation} as ${key}: ${status}`);
      assert.notEqual(status, 401, `${operation} as ${key}`);
    }
  });

  test("is refused to nobody in particular and to whoever was deactivated", async () => {
    const token = await server.token("reviewer");
    await server.kernel.store.write(() =>
      updateUser("reviewer", { isActive: false }, { actor: "test", now: 1 }),
    );

    for (const { name } of registry.operations) {
      assert.equal(await ask(name, token), 401, name);
      const response = await fetch(server.url + operationPath({ name }), {
        method: "POST",
        headers: { "content-type": "application/json", origin: server.url, "x-app": "1" },
        body: "{}",
      });
      assert.equal(response.status, 401, name);
    }
  });

  async function tokenWith(
    role: Parameters<ScratchServer["token"]>[0],
    scope: NonNullable<Parameters<ScratchServer["token"]>[1]>[number] | undefined,
  ): Promise<string> {
    if (scope === undefined) return server.token(role);
    const { store } = server.kernel;
    const act = { actor: "test", now: Date.now() };
    const { issueToken } = await import("../../kernel/operation/issue-token.ts");
    if (role === "admin") return server.token(role, [scope]);
    await store.write(() => updateUser(role, { role: "admin" }, act));
    const { text } = await issueToken(server.kernel, {
      userId: role,
      name: "x",
      scopes: [scope],
      actor: "test",
    });
    await store.write(() => updateUser(role, { role }, act));
    return text;
  }
});
