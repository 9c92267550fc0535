/** Where webhooks come in: `POST /hooks/<id>`, signed. What is believed becomes a delivery with the rights of whoever set it up. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Json } from "../../../kernel/base/json.ts";
import { parseJson } from "../../../kernel/base/safe-json.ts";
import type { Perform } from "../../../kernel/operation/invoke.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import { type Knock, notBelieved, type SignedDoor } from "../../../kernel/operation/signed-door.ts";
import { starterCaller } from "./started-workflow.ts";
import type { WebhookTable } from "./starter-tables.ts";
import { type FindWebhookKey, secretsOf } from "./webhook-secrets.ts";
import { deliveredShape, HOOKS } from "./webhook-shape.ts";
import { type Proof, proveDelivery } from "./webhook-signature.ts";
import { findWebhook, noteRefusal } from "./webhooks.ts";

const MOST_BYTES = 1024 * 1024;

/** What is carried out goes through `perform`, like anybody's wishes. */
export function webhookDoor(
  kernel: Pick<Kernel, "clock" | "store">,
  perform: Perform,
  findKey: FindWebhookKey,
): SignedDoor {
  return {
    prefix: HOOKS,
    maxBytes: MOST_BYTES,
    believe: async (knock) => {
      const key = await findKey();
      const row = await kernel.store.read(() => findWebhook(knock.id));
      const now = kernel.clock.now();
      // Who asks for a webhook that is not there waits as long as who signs wrongly.
      const secrets = secretsOf(key, row ?? NO_WEBHOOK, now);
      const proof = proveDelivery(knock, secrets, now);
      if (row === undefined || row.is_enabled === 0 || proof === undefined) throw notBelieved();
      return () => deliver(row, proof, readBody(knock));
    },
  };

  async function deliver(row: WebhookTable, proof: Proof, body: Json): Promise<Json> {
    try {
      const caller = await kernel.store.read(() => starterCaller(row));
      const input = { webhookId: row.id, ...proof, body };
      const started = await perform("webhook.deliver", caller, input);
      const { runId, isNew } = deliveredShape.parse(started);
      return { runId, isNew };
    } catch (error) {
      if (!(error instanceof ProductError) || error.code === "delivery_id_reused") throw error;
      await kernel.store.write(() => noteRefusal(row.id, error.message));
      throw notStarted(error);
    }
  }
}

const NO_WEBHOOK = { id: "", secret_version: 1, old_secret_until: null };

function readBody({ body }: Knock): Json {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    throw new ProductError("json_invalid", "The body is not UTF-8.", { cause });
  }
  return parseJson(text, { maxBytes: MOST_BYTES });
}

/** Why is for those who can see the webhook; its sender only learns that it is not their fault. */
function notStarted(cause: ProductError): ProductError {
  return new ProductError("webhook_not_started", "This was received, and could not be started.", {
    kind: "conflict",
    hint: "Whoever set up the webhook sees why: `webhook show`.",
    cause,
  });
}
