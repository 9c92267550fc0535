/** What a message of ChatGPT holds, by its `content_type`, as strands. */

import type { MessageRole } from "../../../../kernel/store/noun-tables.ts";
import { type Fields, fieldsOf, itemsOf, textOf, wordsOf } from "./loose-fields.ts";
import { calling, fenced, placeholder, resulting, type Strand } from "./strands.ts";

export interface ChatgptContext {
  readonly role: MessageRole;
  readonly note: (name: string) => void;
}

/** Said to every conversation, not in this one, and full of facts about the person. */
export function isPersonalContext({ content }: Fields): boolean {
  const type = fieldsOf(content)["content_type"];
  return type === "user_editable_context" || type === "model_editable_context";
}

export function chatgptStrands(message: Fields, context: ChatgptContext): readonly Strand[] {
  const strands = strandsOfContent(message, context);
  const metadata = fieldsOf(message["metadata"]);
  const attached = itemsOf(metadata["attachments"]).map((attachment) => {
    const { name, mime_type: type, size } = fieldsOf(attachment);
    context.note("attachment named, not kept");
    const text = placeholder("attachment", textOf(name), textOf(type), bytesOf(size));
    return { role: context.role, text };
  });
  return [...withCitations(strands, metadata), ...attached];
}

function strandsOfContent(message: Fields, { role, note }: ChatgptContext): readonly Strand[] {
  const content = fieldsOf(message["content"]);
  const type = textOf(content["content_type"]) ?? "unnamed";
  const text = textOf(content["text"]) ?? "";
  switch (type) {
    case "text":
    case "multimodal_text":
      return itemsOf(content["parts"]).map((part) => ({ role, text: partText(part, note) }));
    case "code":
      return [codeStrand(message, content, role)];
    case "execution_output":
      return [{ role: "tool", text: resulting(authorOf(message), fenced(text)) }];
    case "citable_code_output":
      return [{ role: "tool", text: fenced(textOf(content["output_str"]) ?? "") }];
    case "thoughts":
      return itemsOf(content["thoughts"]).map((thought) => {
        const { summary, content: words } = fieldsOf(thought);
        return {
          role: "other",
          text: [wordsOf(summary), wordsOf(words)].filter(Boolean).join("\n"),
        };
      });
    case "reasoning_recap":
      note("time of thinking left out");
      return [];
    case "tether_browsing_display":
      return [{ role: "tool", text: lines(content["summary"], content["result"]) }];
    case "tether_quote":
    case "sonic_webpage":
      return [{ role: "tool", text: quoteText(content) }];
    case "computer_output":
      note("screenshot named, not kept");
      return [{ role: "tool", text: placeholder("screenshot") }];
    case "system_error":
      return [{ role: "tool", text: resulting(textOf(content["name"]), text, true) }];
    default:
      note(`unknown content "${type.slice(0, 40)}" kept as JSON`);
      return [{ role, text: fenced(JSON.stringify(content, null, 2), "json") }];
  }
}

function codeStrand(message: Fields, content: Fields, role: MessageRole): Strand {
  const text = textOf(content["text"]) ?? "";
  const language = textOf(content["language"]) ?? "";
  const recipient = wordsOf(message["recipient"]) ?? "all";
  if (recipient !== "all") return { role: "tool", text: calling(recipient, text) };
  return { role, text: fenced(text, language === "unknown" ? "" : language) };
}

function partText(part: unknown, note: (name: string) => void): string {
  if (typeof part === "string") return part;
  const fields = fieldsOf(part);
  const type = textOf(fields["content_type"]) ?? "unnamed";
  switch (type) {
    case "audio_transcription":
      return textOf(fields["text"]) ?? "";
    case "image_asset_pointer": {
      note("image named, not kept");
      const { width, height, asset_pointer: pointer } = fields;
      const size =
        typeof width === "number" && typeof height === "number" ? `${width}×${height}` : undefined;
      return placeholder("image", textOf(pointer), size);
    }
    case "audio_asset_pointer":
    case "real_time_user_audio_video_asset_pointer":
    case "video_container_asset_pointer":
      note("recording named, not kept");
      return placeholder("recording", textOf(fields["asset_pointer"]));
    default:
      note(`unknown part "${type.slice(0, 40)}" kept as JSON`);
      return fenced(JSON.stringify(part, null, 2), "json");
  }
}

function quoteText(content: Fields): string {
  const source = [wordsOf(content["title"]), wordsOf(content["url"]) ?? wordsOf(content["domain"])];
  return lines(source.filter(Boolean).join(" – "), wordsOf(content["text"]) ?? content["snippet"]);
}

/** Marks of citations are private signs that only ChatGPT's page can read; what they stand for comes beside them. */
function withCitations(strands: readonly Strand[], metadata: Fields): readonly Strand[] {
  const references = itemsOf(metadata["content_references"])
    .map((reference) => fieldsOf(reference))
    .map(({ matched_text: mark, alt }) => [wordsOf(mark), textOf(alt) ?? ""] as const);
  return strands.map(({ role, text }) => {
    if (!text.includes(CITATION_START)) return { role, text };
    let readable = text;
    for (const [mark, alt] of references) {
      if (mark?.startsWith(CITATION_START)) readable = readable.replaceAll(mark, () => alt);
    }
    return { role, text: readable.replaceAll(CITATION, "") };
  });
}

const CITATION_START = "\ue200";
const CITATION = /\ue200[^\ue200\ue201]{0,500}\ue201/g;

function authorOf(message: Fields): string | undefined {
  return wordsOf(fieldsOf(message["author"])["name"]);
}

function lines(...parts: readonly unknown[]): string {
  return parts
    .map((part) => wordsOf(part))
    .filter((part) => part !== undefined)
    .join("\n\n");
}

function bytesOf(size: unknown): string | undefined {
  return typeof size === "number" ? `${size} bytes` : undefined;
}
