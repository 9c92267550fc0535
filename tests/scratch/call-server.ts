/** What the program can do, asked of its running server: the same as a command, without a process for each. */

import assert from "node:assert/strict";
import type { Operations } from "../../src/app/operation-types.ts";
import type { Server } from "./program.ts";

export type Call = <Name extends keyof Operations>(
  name: Name,
  input: Operations[Name]["input"],
) => Promise<Operations[Name]["output"]>;

export function callsTo({ url, token }: Pick<Server, "url" | "token">): Call {
  return async (name, input) => {
    const response = await fetch(new URL(`/api/v1/${name.replace(".", "/")}`, url), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    const body = (await response.json()) as never;
    assert.ok(response.ok, `${name}: ${JSON.stringify(body).slice(0, 400)}`);
    return body;
  };
}
