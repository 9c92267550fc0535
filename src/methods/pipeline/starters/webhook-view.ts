/** Webhooks on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  fieldLines,
  manyLines,
  oneLine,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { momentText, timeAgo } from "../../../kernel/operation/terminal-time.ts";
import type { webhookDetail, webhookList, webhookSecret, webhookShape } from "./webhook-shape.ts";

type Shown = z.output<typeof webhookShape>;

export function renderWebhooks({ items, nextCursor, asOf }: z.output<typeof webhookList>): string {
  if (items.length === 0) return "No webhooks. Add one with `webhook add WORKFLOW`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "NAME", width: 30 },
    { title: "STARTS", width: 30, isSpare: true },
    { title: "STATE" },
    { title: "SECRET", isSpare: true },
    { title: "LAST", width: 50 },
  ];
  const rows = items.map((webhook) => [
    short(webhook.id),
    webhook.name,
    webhook.workflow === webhook.name ? "" : webhook.workflow,
    webhook.isEnabled ? "open" : "shut",
    webhook.secretPrint,
    lastText(webhook, asOf),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderWebhook(webhook: z.output<typeof webhookDetail>): string {
  const { id, name, path, asOf, input, deliveries, oldSecretUntil } = webhook;
  const version = webhook.workflowVersion;
  return blocks(
    `${webhook.isEnabled ? "● open" : "▮ shut"}  ${oneLine(name)}`,
    webhook.isKeyHere ? undefined : OTHER_KEY,
    fieldLines([
      ["id", id],
      ["address", `POST ${path}`],
      [
        "starts",
        `${oneLine(webhook.workflow)}${version === undefined ? "" : `, version ${version}`}`,
      ],
      ["secret", webhook.secretPrint],
      ["old secret", oldText(oldSecretUntil, asOf)],
      ["project", webhook.projectName ?? webhook.projectId],
      ["acts as", webhook.runsAsName ?? webhook.runsAs],
      ["model", webhook.model],
      ["last", lastText(webhook, asOf)],
      ["changed", `${timeAgo(webhook.updatedAt, asOf)}, version ${webhook.version}`],
    ]),
    section(
      "Input beneath the body",
      hasAny(input) ? manyLines(JSON.stringify(input, null, 2)) : "",
    ),
    section(
      "Deliveries",
      deliveries.length === 0
        ? ""
        : table(
            [{ title: "RECEIVED" }, { title: "DELIVERY", width: 40 }, { title: "RUN" }],
            deliveries.map(({ deliveryId, runId, receivedAt }) => [
              timeAgo(receivedAt, asOf),
              deliveryId,
              shortId(runId),
            ]),
          ),
    ),
  );
}

const OTHER_KEY =
  "! Its secret was made with a key that does not lie here: nothing is let in. Bring that key, or `webhook rotate`.";

/** The secret stands on a line of its own, so that it can be taken with one grip. */
export function renderSecret(verb: string, webhook: z.output<typeof webhookSecret>): string {
  const { id, name, path, secret, oldSecretUntil } = webhook;
  return blocks(
    doneLine(
      `${verb} webhook ${shortId(id)} "${oneLine(name)}". Keep its secret now; it is not shown again.`,
    ),
    `  ${secret}`,
    fieldLines([
      ["send to", `POST ${path}  (JSON, below this server's address)`],
      [
        "sign as",
        "Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature), or as GitHub does",
      ],
      [
        "old secret",
        oldSecretUntil === undefined ? undefined : `good until ${momentText(oldSecretUntil)}`,
      ],
    ]),
  );
}

export function changedLine(verb: string, { id, name, isEnabled }: Shown): string {
  const state = isEnabled ? "It lets deliveries in." : "It lets nothing in.";
  return doneLine(`${verb} webhook ${shortId(id)} "${oneLine(name)}". ${state}`);
}

function lastText({ lastDeliveryAt, lastNote }: Shown, asOf: number): string {
  if (lastNote !== undefined) return `refused: ${oneLine(lastNote)}`;
  return lastDeliveryAt === undefined ? "" : timeAgo(lastDeliveryAt, asOf);
}

function oldText(until: number | undefined, asOf: number): string | undefined {
  return until === undefined || until <= asOf ? undefined : `good until ${momentText(until)}`;
}

function hasAny(input: unknown): boolean {
  return Object.keys(Object(input) as object).length > 0;
}
