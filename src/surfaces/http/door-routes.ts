/**
 * Doors for signed messages. They stand outside of `/api/`, take no token and no cookie, and are not for pages: the
 * guard has turned those away. Who is not believed may not try as often as they like; who is, no more often than
 * a sender that has run wild should.
 */

import type { Hono } from "hono";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import type { SignedDoor } from "../../kernel/operation/signed-door.ts";
import { addressOf } from "./client-address.ts";
import type { HttpContext, HttpEnv, HttpSurface } from "./http-context.ts";
import { createRateLimit } from "./rate-limit.ts";
import { readBytes } from "./read-json-body.ts";

/** By address. A door is refused to whoever is not believed, so the limit only spares work and the log. */
const UNBELIEVED = { perSecond: 1, burst: 30, who: "This address" };
/** By door. */
const BELIEVED = { perSecond: 5, burst: 100, who: "This sender" };

export function addDoorRoutes(
  app: Hono<HttpEnv>,
  { kernel, proxies }: HttpSurface,
  doors: readonly SignedDoor[],
): void {
  const unbelieved = createRateLimit(kernel.clock, UNBELIEVED);
  const believed = createRateLimit(kernel.clock, BELIEVED);
  for (const door of doors) {
    app.post(`${door.prefix}*`, async (context) => {
      const id = context.req.path.slice(door.prefix.length);
      const body = await readBytes(context.req.raw, door.maxBytes);
      const enter = await believe(door, context, { id, body });
      believed.take(id);
      return answer(context, await enter());
    });
  }

  async function believe(
    door: SignedDoor,
    context: HttpContext,
    sent: { readonly id: string; readonly body: Uint8Array },
  ) {
    try {
      return await door.believe({ ...sent, header: (name) => context.req.header(name) });
    } catch (error) {
      const isUnbelieved = error instanceof ProductError && error.kind === "unauthenticated";
      if (isUnbelieved) unbelieved.take(addressOf(context.env.incoming, proxies));
      throw error;
    }
  }
}

function answer(context: HttpContext, value: Json): Response {
  return context.body(JSON.stringify(value), 202, { "content-type": "application/json" });
}
