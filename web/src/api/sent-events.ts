/** Server-sent events out of a streamed answer. `EventSource` cannot send the headers that prove who asks. */

export interface SentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Text in, whole events out; what is unfinished waits for the next piece. Comments come as events named "". */
export function createSentEventReader(): (piece: string) => SentEvent[] {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.map(readBlock);
  };
}

function readBlock(block: string): SentEvent {
  let id: string | undefined;
  let event = "";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return { id, event, data: data.join("\n") };
}

export async function readSentEvents(
  response: Response,
  onEvents: (events: readonly SentEvent[]) => void,
): Promise<void> {
  if (response.body === null) return;
  const read = createSentEventReader();
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    onEvents(read(piece));
  }
}
