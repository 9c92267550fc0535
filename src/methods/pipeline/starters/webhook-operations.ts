/** Workflows that others start by a signed message. */

import { z } from "zod";
import { notFound } from "../../../kernel/base/errors.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { spanInput, spanMs } from "../../../kernel/operation/moment-text.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { becauseField, expectedVersionField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { placeOfWorkflow } from "../catalogue/resolve-workflow.ts";
import { chooseWorkflow } from "./started-workflow.ts";
import { deleteOperation, listOperation, switchOperation } from "./starter-operations.ts";
import { placeOfStarter, resolveStarter } from "./starter-rows.ts";
import { starterFields, starterName } from "./starter-shape.ts";
import type { WebhookTable } from "./starter-tables.ts";
import { deliverWebhook } from "./webhook-deliver-operation.ts";
import { type FindWebhookKey, isKeyOf, printOf, secretOf } from "./webhook-secrets.ts";
import {
  showWebhooks,
  webhookDetail,
  webhookField,
  webhookList,
  webhookSecret,
  webhookShape,
} from "./webhook-shape.ts";
import { changedLine, renderSecret, renderWebhook, renderWebhooks } from "./webhook-view.ts";
import {
  deleteWebhook,
  getWebhook,
  insertWebhook,
  listDeliveries,
  updateWebhook,
} from "./webhooks.ts";

const place = placeOfStarter("webhook");
const SHOWN_DELIVERIES = 10;
const aimed = {
  webhookId: webhookField,
  because: becauseField,
  expectedVersion: expectedVersionField,
};

export function webhookOperations(findKey: FindWebhookKey): readonly Operation[] {
  const add = defineOperation({
    name: "webhook.add",
    isAnswerSecret: true,
    summary: "Lets a signed message from outside start a workflow, with its body as input.",
    effect: "writes",
    permission: "run",
    projectScope: { project: "project", workflow: placeOfWorkflow },
    input: z.object({
      ...starterFields,
      name: starterName.optional().describe("What it is called; as the workflow unless given."),
    }),
    output: webhookSecret,
    surfaces: {
      cli: {
        positionals: ["workflow"],
        examples: ['webhook add "PR review" --name "GitHub pushes"'],
        render: rendering(webhookSecret, (webhook) => renderSecret("Made", webhook)),
      },
      mcp: "none",
    },
    run: async (context, { name, ...given }) => {
      const { kernel } = context;
      if (given.model !== undefined) await kernel.models.find(given.model);
      const id = kernel.ids.next();
      const secret = secretOf(await findKey(), id, 1);
      return change(context, function* (act) {
        const { name: usual, chosen } = yield* chooseWorkflow(context, given, act);
        const webhook = { ...chosen, id, name: name ?? usual, secret_print: printOf(secret) };
        return { ...(yield* showOne(yield* insertWebhook(webhook, act))), secret };
      });
    },
  });

  const rotate = defineOperation({
    name: "webhook.rotate",
    isAnswerSecret: true,
    summary: "Gives a webhook another secret; the one before is good for nothing from then on.",
    effect: "writes",
    permission: "run",
    projectScope: { webhookId: place },
    input: z.object({
      ...aimed,
      keepOld: spanInput
        .refine((text) => spanMs(text) <= LONGEST_KEPT_MS, "must be at most 30 days")
        .optional()
        .describe("How long the old secret stays good beside the new one, such as 24h."),
    }),
    output: webhookSecret,
    surfaces: {
      cli: {
        positionals: ["webhookId"],
        examples: ['webhook rotate "GitHub pushes" --keep-old 24h'],
        render: rendering(webhookSecret, (webhook) => renderSecret("Changed", webhook)),
      },
      mcp: "none",
    },
    run: async (context, { webhookId, keepOld, because, expectedVersion }) => {
      const key = await findKey();
      return change(
        context,
        function* (act) {
          const before = yield* find(webhookId, context.caller);
          const secret = secretOf(key, before.id, before.secret_version + 1);
          const patch = {
            secret_version: before.secret_version + 1,
            secret_print: printOf(secret),
            old_secret_until: keepOld === undefined ? null : act.now + spanMs(keepOld),
          };
          const told = { verb: "rotated", expectedVersion };
          const row = yield* updateWebhook(before.id, patch, act, told);
          return { ...(yield* showOne(row)), secret };
        },
        because,
      );
    },
  });

  const show = defineOperation({
    name: "webhook.show",
    summary: "Shows a webhook with its latest deliveries.",
    effect: "reads",
    permission: "read",
    input: z.object({ webhookId: webhookField }),
    output: webhookDetail,
    surfaces: {
      cli: { positionals: ["webhookId"], render: rendering(webhookDetail, renderWebhook) },
      mcp: "full",
    },
    run: async ({ kernel, caller }, { webhookId }) => {
      const key = await findKey();
      return kernel.store.read(function* () {
        const row = yield* find(webhookId, caller);
        const deliveries = yield* listDeliveries(row.id, SHOWN_DELIVERIES);
        return {
          ...(yield* showOne(row)),
          isKeyHere: isKeyOf(key, row),
          deliveries: deliveries.map(({ key: deliveryId, run_id, received_at }) => ({
            deliveryId,
            runId: run_id,
            receivedAt: received_at,
          })),
          asOf: kernel.clock.now(),
        };
      });
    },
  });

  return [list, show, add, update, rotate, enable, disable, remove, deliverWebhook];
}

const LONGEST_KEPT_MS = 30 * 24 * 60 * 60_000;

const list = listOperation({
  noun: "webhook",
  summary: "Lists webhooks.",
  output: webhookList,
  show: showWebhooks,
  render: renderWebhooks,
});

const update = defineOperation({
  name: "webhook.update",
  summary: "Changes what a webhook starts; its runs act with your rights from then on.",
  effect: "writes",
  permission: "run",
  projectScope: { webhookId: place, project: "project", workflow: placeOfWorkflow },
  input: z.object({
    ...aimed,
    ...starterFields,
    name: starterName.optional(),
    workflow: starterFields.workflow.optional(),
    workflowVersion: starterFields.workflowVersion.nullable(),
    model: starterFields.model.nullable(),
  }),
  output: webhookShape,
  surfaces: {
    cli: {
      positionals: ["webhookId"],
      render: rendering(webhookShape, (webhook) => changedLine("Changed", webhook)),
    },
    mcp: "full",
  },
  run: async (context, { webhookId, name, because, expectedVersion, ...given }) => {
    const { kernel, caller } = context;
    if (typeof given.model === "string") await kernel.models.find(given.model);
    return change(
      context,
      function* (act) {
        const before = yield* find(webhookId, caller);
        const { chosen } = yield* chooseWorkflow(context, given, act, before);
        const patch = { ...chosen, ...(name === undefined ? {} : { name }) };
        return yield* showOne(yield* updateWebhook(before.id, patch, act, { expectedVersion }));
      },
      because,
    );
  },
});

const enable = switchOperation({
  noun: "webhook",
  verb: "enable",
  summary: "Lets deliveries in again.",
  output: webhookShape,
  *apply(id, act, expectedVersion) {
    const told = { verb: "enabled", expectedVersion };
    return yield* showOne(yield* updateWebhook(id, { is_enabled: 1 }, act, told));
  },
  render: (webhook) => changedLine("Enabled", webhook),
});

const disable = switchOperation({
  noun: "webhook",
  verb: "disable",
  summary: "Lets nothing in until it is enabled again; senders are not told why.",
  output: webhookShape,
  *apply(id, act, expectedVersion) {
    const told = { verb: "disabled", expectedVersion };
    return yield* showOne(yield* updateWebhook(id, { is_enabled: 0 }, act, told));
  },
  render: (webhook) => changedLine("Disabled", webhook),
});

const remove = deleteOperation("webhook", deleteWebhook);

function* find(given: string, caller: Caller): DatabaseWork<WebhookTable> {
  return yield* getWebhook(yield* resolveStarter("webhook", given, caller));
}

function* showOne(row: WebhookTable): DatabaseWork<z.input<typeof webhookShape>> {
  const [shown] = yield* showWebhooks([row]);
  if (shown === undefined) throw notFound("webhook", row.id);
  return shown;
}
