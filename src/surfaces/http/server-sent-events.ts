/** Server-sent events over an answer that is written only as fast as it is read. */

export interface SentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: unknown;
  /** Keeps the line alive; readers ignore it. */
  readonly comment?: string;
  readonly retryMs?: number;
}

export const EVENT_STREAM = "text/event-stream";

export function encodeSentEvent({ id, event, data, comment, retryMs }: SentEvent): string {
  return [
    comment === undefined ? "" : `: ${comment}\n`,
    retryMs === undefined ? "" : `retry: ${retryMs}\n`,
    event === undefined ? "" : `event: ${event}\n`,
    // JSON holds no line breaks, so one data line always suffices.
    data === undefined ? "" : `data: ${JSON.stringify(data)}\n`,
    id === undefined ? "" : `id: ${id}\n`,
    "\n",
  ].join("");
}

/**
 * Asks the source for the next event only when the last one has been taken. A source that throws ends the
 * answer; whoever reads it comes back with the last id and is told what is wrong.
 */
export function sentEventStream(
  source: AsyncGenerator<readonly SentEvent[], void>,
  onEnd: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await source.next();
          if (!done) return controller.enqueue(encoder.encode(value.map(encodeSentEvent).join("")));
          onEnd(undefined);
        } catch (error) {
          onEnd(error);
        }
        controller.close();
      },
      async cancel() {
        onEnd(undefined);
        await source.return();
      },
    },
    { highWaterMark: 0 },
  );
}
