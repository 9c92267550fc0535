/** A model's reply as it arrives: `GET /api/v1/replies`, taken up again where it broke off. */

import { request } from "./call.ts";
import { readSentEvents } from "./sent-events.ts";

interface Piece {
  readonly offset: number;
  readonly text: string;
  readonly next: number;
}

const AGAIN_MS = 1000;

/** Calls back with the whole text so far; resolves when the reply has ended. */
export async function followReply(
  exchangeId: string,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let text = "";
  let next = 0;
  let isOver = false;
  while (!isOver && !signal.aborted) {
    try {
      const place = next === 0 ? exchangeId : `${exchangeId}:${next}`;
      const response = await request(`/api/v1/replies?exchanges=${place}`, { signal });
      await readSentEvents(response, (events) => {
        for (const { event, data } of events) {
          if (event === "exchange.finished") isOver = true;
          if (event !== "exchange.progressed") continue;
          const piece = JSON.parse(data) as Piece;
          text = text.slice(0, piece.offset) + piece.text;
          next = piece.next;
        }
        onText(text);
      });
    } catch (error) {
      if (signal.aborted) return;
      // Whoever may not read it is told so by what is shown beside; asking again would not help.
      if (error instanceof Error && "status" in error && Number(error.status) >= 400) throw error;
    }
    if (!isOver) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
