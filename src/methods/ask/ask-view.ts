/** An answer as a person reads it on a terminal. */

export interface ShownAnswer {
  readonly runId: string;
  readonly state: string;
  readonly answer?:
    | {
        readonly answer: string;
        readonly confidence: number;
        readonly followUps: readonly string[];
      }
    | undefined;
  readonly exchangeId?: string | undefined;
  readonly reason?: string | undefined;
}

export function renderAnswer({ runId, state, answer, exchangeId, reason }: ShownAnswer): string {
  if (!answer) {
    const why = reason === undefined ? "" : `: ${reason}`;
    return `No answer yet. The run is ${state}${why}\n\nSee what it needs: throughline inbox list\nLook at it:        throughline run show ${runId}\n`;
  }
  const next = answer.followUps.map((text) => `  • ${text}`).join("\n");
  return [
    answer.answer.trimEnd(),
    ...(next === "" ? [] : [`Worth asking next:\n${next}`]),
    `Confidence ${Math.round(answer.confidence * 100)} %. See why it says so: throughline exchange show ${exchangeId ?? ""}`,
  ]
    .join("\n\n")
    .concat("\n");
}
