/**
 * An export of ChatGPT of any size, made of the same few words: the same file for the same size.
 *
 *   node bench/make-chatgpt-export.ts FILE BYTES [number of a record that lacks its end]
 */

import { once } from "node:events";
import { createWriteStream } from "node:fs";

const VOCABULARY =
  "the tide table shows high water before noon and the harbour master said that every berth has to be free by then because two ferries arrive at once while the crew waits on the quay with new ropes; we decided to move the smaller boats, “über” the weekend, to berth 4 – see `berths.ts`".split(
    " ",
  );

export interface MadeExport {
  readonly conversations: number;
  readonly messages: number;
}

/** Writes about this many bytes; the record number `broken` lacks its end. */
async function makeChatgptExport(
  place: string,
  bytes: number,
  broken?: number,
): Promise<MadeExport> {
  const output = createWriteStream(place, { highWaterMark: 1 << 20 });
  const dice = seeded(7);
  let written = 0;
  let conversations = 0;
  let messages = 0;
  const write = async (text: string) => {
    written += text.length;
    if (!output.write(text)) await once(output, "drain");
  };
  await write("[");
  while (written < bytes) {
    const made = conversation(conversations, dice);
    const text = JSON.stringify(made.value);
    const record = conversations === broken ? text.slice(0, -40) : text;
    await write(`${conversations === 0 ? "" : ", "}${record}`);
    conversations += 1;
    messages += made.messages;
  }
  await write("]");
  output.end();
  await once(output, "close");
  return { conversations, messages };
}

/** As the real ones are: half of it is not what was said. */
function conversation(n: number, dice: () => number) {
  const id = uuid(n, 0);
  const turns = 4 + Math.floor(dice() * 36);
  const mapping: Record<string, unknown> = {
    "client-created-root": {
      id: "client-created-root",
      message: null,
      parent: null,
      children: [uuid(n, 1)],
    },
  };
  const startedAt = 1_700_000_000 + n * 937;
  for (let i = 1; i <= turns; i += 1) {
    const isUser = i % 2 === 1;
    const key = uuid(n, i);
    mapping[key] = {
      id: key,
      message: {
        id: key,
        author: { role: isUser ? "user" : "assistant", name: null, metadata: {} },
        create_time: startedAt + i * 21.5,
        update_time: null,
        content: { content_type: "text", parts: [words(dice, isUser ? 40 : 260)] },
        status: "finished_successfully",
        end_turn: !isUser,
        weight: 1,
        metadata: {
          selected_github_repos: [],
          request_id: uuid(n, i + 500),
          message_source: null,
          turn_exchange_id: uuid(n, i + 600),
          timestamp_: "absolute",
          message_type: null,
          model_slug: "gpt-5",
          default_model_slug: "gpt-5",
          parent_id: uuid(n, i - 1),
          finish_details: { type: "stop", stop_tokens: [200_002] },
          is_complete: true,
          citations: [],
          content_references: [],
        },
        recipient: "all",
        channel: isUser ? null : "final",
      },
      parent: i === 1 ? "client-created-root" : uuid(n, i - 1),
      children: i === turns ? [] : [uuid(n, i + 1)],
    };
  }
  const value = {
    title: words(dice, 5),
    create_time: startedAt,
    update_time: startedAt + turns * 22,
    mapping,
    moderation_results: [],
    current_node: uuid(n, turns),
    plugin_ids: null,
    conversation_id: id,
    conversation_template_id: null,
    gizmo_id: null,
    is_archived: false,
    safe_urls: [],
    default_model_slug: "gpt-5",
    id,
  };
  return { value, messages: turns };
}

function words(dice: () => number, most: number): string {
  const count = 1 + Math.floor(dice() * most);
  const chosen: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const word = VOCABULARY[Math.floor(dice() * VOCABULARY.length)] ?? "";
    chosen.push(i % 17 === 16 ? `${word}.\n` : word);
  }
  return chosen.join(" ");
}

function uuid(n: number, i: number): string {
  return `${n.toString(16).padStart(8, "0")}-0000-4000-8000-${i.toString(16).padStart(12, "0")}`;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

if (import.meta.main) {
  const [, , place = "", bytes, broken] = process.argv;
  const made = await makeChatgptExport(
    place,
    Number(bytes),
    broken === undefined ? undefined : Number(broken),
  );
  console.log(JSON.stringify(made));
}
