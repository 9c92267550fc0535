import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ScratchKernel, scratchKernel } from "../../../tests/scratch/scratch-kernel.ts";
import { authenticateLogin } from "./authenticate.ts";
import { callerOf } from "./authorisation-matrix.ts";
import type { Permission, Role } from "./caller.ts";
import { invoke } from "./invoke.ts";
import { loginOperations } from "./login-operations.ts";
import { createOperationRegistry } from "./operation-registry.ts";
import { createLoginCode, exchangeLoginCode } from "./start-login.ts";
import { createThrottle } from "./throttle.ts";

let kernel: ScratchKernel;
before(async () => {
  kernel = await scratchKernel();
});
after(() => kernel.remove());

const registry = createOperationRegistry(loginOperations);
const call = (role: Role, name: string, input: unknown, scope?: Permission) =>
  invoke(kernel, registry, name, callerOf(role, false, scope), input);

async function enter(userId: string) {
  const code = await createLoginCode(kernel, { userId, actor: "test" });
  return exchangeLoginCode(kernel, createThrottle(kernel.clock), {
    code,
    address: "x",
    label: "Firefox",
  });
}

test("people list and end their own logins; admins everybody's; others nobody's", async () => {
  const mine = await enter("viewer");
  const theirs = await enter("operator");

  const { items } = (await call("viewer", "login.list", {})) as {
    items: { id: string; label: string }[];
  };
  assert.deepEqual(
    items.map(({ id, label }) => [id, label]),
    [[mine.loginId, "Firefox"]],
  );
  assert.ok(!JSON.stringify(items).includes("ecret"));
  await assert.rejects(call("viewer", "login.list", { userId: "operator" }), {
    code: "login_not_yours",
  });
  await assert.rejects(call("viewer", "login.revoke", { loginId: theirs.loginId }), {
    code: "login_not_found",
  });
  await assert.rejects(call("viewer", "login.revoke", { loginId: mine.loginId }, "read"), {
    code: "scope_missing",
  });

  assert.deepEqual(await call("viewer", "login.revoke", { loginId: mine.loginId }), {
    wasActive: true,
  });
  assert.deepEqual(await call("admin", "login.revoke", { loginId: theirs.loginId }), {
    wasActive: true,
  });
  assert.deepEqual(await call("admin", "login.revoke", { loginId: theirs.loginId }), {
    wasActive: false,
  });
  await assert.rejects(authenticateLogin(kernel, mine), { code: "login_ended" });
  await assert.rejects(authenticateLogin(kernel, theirs), { code: "login_ended" });
});

test("all logins of a person end at once, and those of everybody for admins alone", async () => {
  const mine = [await enter("viewer"), await enter("viewer")];
  const theirs = await enter("operator");
  const all = (role: Role, input: object, scope?: Permission) =>
    call(role, "login.revoke-all", input, scope);

  for (const input of [{ userId: "operator" }, { everybody: true }])
    await assert.rejects(all("viewer", input), { code: "login_not_yours" });
  await assert.rejects(all("viewer", {}, "read"), { code: "scope_missing" });
  await assert.rejects(all("admin", { userId: "viewer", everybody: true }), {
    code: "input_invalid",
  });
  await assert.rejects(all("admin", { userId: "nobody" }), { code: "user_not_found" });
  for (const login of [...mine, theirs]) await authenticateLogin(kernel, login);

  assert.deepEqual(await all("viewer", {}), { ended: 2 });
  for (const login of mine)
    await assert.rejects(authenticateLogin(kernel, login), { code: "login_ended" });
  await authenticateLogin(kernel, theirs);

  assert.deepEqual(await all("admin", { userId: "operator" }), { ended: 1 });
  await assert.rejects(authenticateLogin(kernel, theirs), { code: "login_ended" });

  const everybody = [await enter("viewer"), await enter("operator"), await enter("admin")];
  assert.deepEqual(await all("admin", { everybody: true }), { ended: 3 });
  for (const login of everybody)
    await assert.rejects(authenticateLogin(kernel, login), { code: "login_ended" });
});
