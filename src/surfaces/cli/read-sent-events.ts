/** Reads server-sent events from a stream of bytes, however they are cut. */

export interface ReadEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: unknown;
}

export async function* readSentEvents(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<ReadEvent, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of source) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield readBlock(block);
  }
}

function readBlock(block: string): ReadEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const data = fields.get("data");
  return {
    id: fields.get("id"),
    event: fields.get("event"),
    data: data === undefined ? undefined : (JSON.parse(data) as unknown),
  };
}
