/**
 * What happens to a subject, an event a line, until it comes to rest. The story begins after its last rest: whoever has
 * a run go on hears of that, not of what led up to where it stood.
 */

import type { ErrorKind } from "../../kernel/base/errors.ts";
import type { FollowHint } from "../../kernel/operation/operation.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import type { Event } from "../../kernel/store/events.ts";
import type { CliWorld } from "./cli-world.ts";
import { exitCodeOf, INTERRUPTED } from "./exit-code.ts";
import type { GlobalOptions } from "./global-options.ts";
import { humanValue } from "./human-value.ts";
import type { OperationClient } from "./operation-client.ts";
import { SCHEMA_VERSION } from "./render-error.ts";
import { safeJson, safeText } from "./safe-text.ts";

interface Following {
  readonly follow: FollowHint;
  readonly options: GlobalOptions;
  readonly output: unknown;
}

export async function followStream(
  world: CliWorld,
  client: OperationClient,
  { follow, options, output }: Following,
): Promise<number> {
  const { stdout } = world;
  const stream = String((output as Readonly<Record<string, unknown>>)[follow.stream]);
  const stop = new AbortController();
  const signal = AbortSignal.any([world.signal, stop.signal]);
  const write = (kind: string, data: unknown) =>
    stdout.write(`${safeJson({ schemaVersion: SCHEMA_VERSION, kind, data })}\n`);
  let outcome: ErrorKind | "ok" | undefined;
  let past: Event[] | undefined = [];

  const tell = (event: Event) => {
    if (options.isJson) write("event", event);
    else stdout.write(`${eventLine(event)}\n`);
  };
  const restAt = (event: Event | undefined) => {
    outcome = event && follow.until[event.type];
    if (outcome === undefined) return;
    if (options.isJson) write("result", { outcome, type: event?.type });
    stop.abort();
  };
  const catchUp = () => {
    if (past === undefined) return;
    for (const event of sinceLastRest(past, follow)) tell(event);
    restAt(past.at(-1));
    past = undefined;
  };
  for await (const event of client.events({ after: "0.0", streams: [stream] }, signal, catchUp)) {
    if (past !== undefined) {
      past.push(event);
      continue;
    }
    tell(event);
    restAt(event);
    if (outcome !== undefined) break;
  }
  return outcome === undefined ? INTERRUPTED : exitCodeOf(outcome);
}

/** The last event may itself be a rest; it is the end of what is told, not what it begins after. */
function sinceLastRest(events: readonly Event[], { until }: FollowHint): readonly Event[] {
  const before = events.slice(0, -1).findLastIndex(({ type }) => until[type] !== undefined);
  return events.slice(before + 1);
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Facts that are not there are not told, and ids are cut as everywhere; `--json` has all of it. */
function eventLine({ at, type, data }: Event): string {
  const facts =
    typeof data === "object" && data !== null && !Array.isArray(data) ? Object.entries(data) : [];
  const shown = facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const text = humanValue(name, value);
      return `${safeText(name)}=${ID.test(text) ? shortId(text) : text}`;
    });
  return [humanValue("at", at), safeText(type), ...shown].join("  ");
}
