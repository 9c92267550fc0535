/** The blocks of which Claude, Claude Code, Codex and OpenAI-like messages are made, as strands. */

import type { MessageRole } from "../../../../kernel/store/noun-tables.ts";
import { type Fields, fieldsOf, itemsOf, textOf, wordsOf } from "./loose-fields.ts";
import { calling, fenced, placeholder, resulting, type Strand } from "./strands.ts";

export interface BlockContext {
  readonly speaker: MessageRole;
  readonly note: (name: string) => void;
  /** Names of tools by the id of their call, so that a result says whose it is. */
  readonly tools: Map<string, string>;
}

/** `content` is text, a list of blocks, or one block. */
export function strandsOf(content: unknown, context: BlockContext): readonly Strand[] {
  if (typeof content === "string") return [{ role: context.speaker, text: content }];
  if (Array.isArray(content)) {
    return content.flatMap((block: unknown) =>
      typeof block === "string"
        ? [{ role: context.speaker, text: block }]
        : strandsOfBlock(fieldsOf(block), context),
    );
  }
  return content === null || content === undefined
    ? []
    : strandsOfBlock(fieldsOf(content), context);
}

function strandsOfBlock(block: Fields, context: BlockContext): readonly Strand[] {
  const { speaker, note } = context;
  const type = textOf(block["type"]) ?? (typeof block["text"] === "string" ? "text" : "unnamed");
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
    case "summary_text":
    case "reasoning_text":
      return [{ role: speaker, text: textOf(block["text"]) ?? "" }];
    case "refusal":
      return [{ role: speaker, text: textOf(block["refusal"]) ?? "" }];
    case "thinking":
      return [{ role: "other", text: textOf(block["thinking"]) ?? "" }];
    case "redacted_thinking":
      note("thinking that is encrypted");
      return [];
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return [callOf(block, context)];
    case "image":
    case "image_url":
    case "input_image":
      note("image named, not kept");
      return [{ role: speaker, text: imageOf(block) }];
    case "document":
    case "file":
    case "input_file":
    case "input_audio":
      note(`${type} named, not kept`);
      return [{ role: speaker, text: placeholder(type, nameOf(block)) }];
    case "token_budget":
    case "flag":
      return [];
    default:
      if (type.endsWith("tool_result") || type.endsWith("_result"))
        return [resultOf(block, context)];
      note(`unknown block "${type.slice(0, 40)}" kept as JSON`);
      return [{ role: speaker, text: fenced(JSON.stringify(block, null, 2), "json") }];
  }
}

function callOf(block: Fields, { tools }: BlockContext): Strand {
  const name = textOf(block["name"]) ?? "";
  const id = textOf(block["id"]);
  if (id !== undefined && name !== "") tools.set(id, name);
  return { role: "tool", text: calling(name, block["input"]) };
}

function resultOf(block: Fields, context: BlockContext): Strand {
  const id = textOf(block["tool_use_id"]);
  const name = wordsOf(block["name"]) ?? (id === undefined ? undefined : context.tools.get(id));
  if (id !== undefined) context.tools.delete(id);
  const text = strandsOf(block["content"], { ...context, speaker: "tool" })
    .map((strand) => strand.text)
    .join("\n\n");
  return { role: "tool", text: resulting(name, text, block["is_error"] === true) };
}

function imageOf(block: Fields): string {
  const source = fieldsOf(block["source"]);
  const address = textOf(fieldsOf(block["image_url"])["url"]) ?? textOf(block["image_url"]);
  // Pictures inside the text would fill the store with what no reader can read.
  const shown = address?.startsWith("data:") ? undefined : address?.slice(0, 500);
  return placeholder("image", textOf(source["media_type"]), shown, nameOf(block));
}

function nameOf(block: Fields): string | undefined {
  return (
    wordsOf(block["file_name"]) ??
    wordsOf(block["filename"]) ??
    wordsOf(block["title"]) ??
    wordsOf(block["name"]) ??
    wordsOf(fieldsOf(itemsOf(block["files"])[0])["file_name"])
  );
}
