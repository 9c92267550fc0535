/**
 * A view that stays in its place on the terminal and is drawn anew with every change, until its subject comes to rest.
 * What happened before is not told again: an old end that was not the last word ends nothing.
 */

import { stripVTControlCharacters } from "node:util";
import type { ErrorKind } from "../../kernel/base/errors.ts";
import type { FollowHint } from "../../kernel/operation/operation.ts";
import type { CliWorld } from "./cli-world.ts";
import { exitCodeOf, INTERRUPTED } from "./exit-code.ts";
import type { OperationClient } from "./operation-client.ts";
import { renderView, type Surface } from "./render-output.ts";
import { textWidth } from "./text-width.ts";

const DRAW_MS = 120;
/** An end counts when nothing follows it for this long. */
const REST_MS = 300;

interface Following {
  readonly follow: FollowHint;
  readonly output: unknown;
  /** Asked with every drawing: the window may have changed. */
  readonly surface: () => Surface;
}

export async function followLive(
  world: CliWorld,
  client: OperationClient,
  { follow, output, surface }: Following,
): Promise<number> {
  const { stdout } = world;
  const subject = String((output as Readonly<Record<string, unknown>>)[follow.stream]);
  const stop = new AbortController();
  const signal = AbortSignal.any([world.signal, stop.signal]);
  const screen = createScreen(stdout);
  let outcome: ErrorKind | "ok" | undefined;
  let isDrawing = false;
  let isStale = true;
  let rest: NodeJS.Timeout | undefined;

  const draw = async () => {
    if (isDrawing || !isStale) return;
    isDrawing = true;
    isStale = false;
    try {
      const { view } = await client.invoke(
        follow.view ?? "",
        { [follow.stream]: subject },
        { signal },
      );
      screen.show(renderView(view ?? "", surface()));
    } finally {
      isDrawing = false;
    }
  };
  await draw();
  const beat = setInterval(() => void draw().catch(() => stop.abort()), DRAW_MS);
  try {
    const events = client.events({ after: "0.0", streams: [subject] }, signal);
    for await (const { type } of events) {
      isStale = true;
      clearTimeout(rest);
      outcome = follow.until[type];
      if (outcome !== undefined) rest = setTimeout(() => stop.abort(), REST_MS);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(beat);
    clearTimeout(rest);
  }
  if (outcome === undefined || world.signal.aborted) return INTERRUPTED;
  const { view } = await client.invoke(
    follow.view ?? "",
    { [follow.stream]: subject },
    { signal: world.signal },
  );
  screen.show(renderView(view ?? "", surface()));
  return exitCodeOf(outcome);
}

/** Draws over what it drew before; what is longer than the terminal is cut at its lower edge. */
function createScreen(stdout: CliWorld["stdout"]) {
  let drawn = 0;
  return {
    show(text: string): void {
      const rows = Math.max(4, stdout.rows - 1);
      const lines = text.split("\n").slice(0, rows);
      const { columns } = stdout;
      const up = drawn === 0 ? "" : `\u001B[${drawn}A`;
      stdout.write(`${up}\u001B[0J${lines.join("\n")}\n`);
      drawn = lines.reduce(
        (sum, line) =>
          sum + Math.max(1, Math.ceil(textWidth(stripVTControlCharacters(line)) / columns)),
        0,
      );
    },
  };
}
