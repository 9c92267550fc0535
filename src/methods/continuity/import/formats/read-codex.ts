/**
 * Session files of Codex (`~/.codex/sessions/**.jsonl`): `{timestamp, type, payload}` on each line, or the payload
 * alone in older ones. Events repeat what the items say and are passed over.
 */

import type { JsonObject } from "../../../../kernel/base/json.ts";
import { readJsonLines } from "../bytes/read-json-lines.ts";
import type { Reader, Reading } from "../source-file.ts";
import { strandsOf } from "./content-blocks.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isFields,
  itemsOf,
  momentOf,
  textOf,
  titleFrom,
  wordsOf,
} from "./loose-fields.ts";
import { readSession, type Session } from "./read-session.ts";
import { roleOf } from "./spoken-role.ts";
import { calling, resulting, type Strand, toMessages } from "./strands.ts";

export const readCodex: Reader = (reading) =>
  readSession(reading, {
    source: "codex",
    untitled: "Codex session",
    look: lookThrough,
    open: (_session, { note }) => {
      const tools = new Map<string, string>();
      return (line, number) => {
        const { item, at } = unwrap(line);
        if (item === undefined) return undefined;
        const strands = strandsOfItem(item, { note, tools });
        return { thread: "", messages: toMessages(`line ${number}`, strands, at) };
      };
    },
  });

/** Up to the first prompt: what is known about the session stands before it. */
async function lookThrough({ file, limits }: Reading): Promise<Session> {
  const session: { -readonly [Field in keyof Session]: Session[Field] } = {
    id: idOf(/([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/i.exec(file.name)?.[1]),
    title: undefined,
    startedAt: undefined,
    details: {},
  };
  for await (const piece of readJsonLines(file.open("look"), { limits })) {
    if (piece.kind !== "record" || !isFields(piece.value)) continue;
    const line = piece.value;
    const payload = isFields(line["payload"]) ? line["payload"] : line;
    session.startedAt ??= momentOf(payload["timestamp"]) ?? momentOf(line["timestamp"]);
    if (line["type"] === "session_meta" || (line["type"] === undefined && line["id"] !== undefined))
      session.id = idOf(payload["id"]) ?? session.id;
    session.details = { ...session.details, ...detailsOf(payload) };
    const { item } = unwrap(line);
    if (item === undefined || item["role"] !== "user") continue;
    const words = itemsOf(item["content"]).map((block) => textOf(fieldsOf(block)["text"]) ?? "");
    const prompt = words.find((text) => text !== "" && !isInjected(text));
    session.title = titleFrom(prompt);
    if (session.title !== undefined) break;
  }
  return session;
}

function detailsOf(payload: Fields): JsonObject {
  const facts = {
    cwd: payload["cwd"],
    model: payload["model"],
    gitBranch: fieldsOf(payload["git"])["branch"],
  };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => {
      const words = wordsOf(value);
      return words === undefined ? [] : [[name, words.slice(0, 500)] as const];
    }),
  );
}

function unwrap(line: Fields): {
  readonly item: Fields | undefined;
  readonly at: number | undefined;
} {
  const at = momentOf(line["timestamp"]);
  if (line["type"] === "response_item") return { item: fieldsOf(line["payload"]), at };
  if (line["type"] === "compacted")
    return { item: { ...fieldsOf(line["payload"]), type: "compacted" }, at };
  const isWrapped = isFields(line["payload"]) || line["record_type"] !== undefined;
  return { item: isWrapped || line["type"] === undefined ? undefined : line, at };
}

interface ItemContext {
  readonly note: Reading["note"];
  readonly tools: Map<string, string>;
}

function strandsOfItem(item: Fields, { note, tools }: ItemContext): readonly Strand[] {
  const type = textOf(item["type"]) ?? "unnamed";
  const name = wordsOf(item["name"]) ?? type.replace(/_call$/, "");
  const call = textOf(item["call_id"]);
  switch (type) {
    case "message":
      return messageStrands(item, { note, tools });
    case "reasoning": {
      const thoughts = [...itemsOf(item["summary"]), ...itemsOf(item["content"])];
      if (thoughts.length === 0) note("thinking that is encrypted");
      return strandsOf(thoughts, { speaker: "other", note, tools });
    }
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
    case "web_search_call":
      if (call !== undefined) tools.set(call, name);
      return [{ role: "tool", text: calling(name, inputOf(item)) }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", text: resulting(tools.get(call ?? ""), outputOf(item, note)) }];
    case "compacted":
      return [{ role: "other", text: textOf(item["message"]) ?? "" }];
    default:
      note(`item "${type.slice(0, 40)}" left out`);
      return [];
  }
}

function messageStrands(item: Fields, context: ItemContext): readonly Strand[] {
  const strands = strandsOf(item["content"], { speaker: roleOf(item["role"]), ...context });
  const isDeveloper = item["role"] === "developer";
  const said = strands.filter(({ text }) => !isDeveloper && !isInjected(text));
  if (said.length < strands.length) context.note("instructions by the program left out");
  return said;
}

/** What the program says in the person's name before the person does. */
function isInjected(text: string): boolean {
  return /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill)\b|# AGENTS\.md instructions)/.test(
    text,
  );
}

function inputOf(item: Fields): unknown {
  const given = item["arguments"] ?? item["input"] ?? item["action"];
  if (typeof given !== "string") return given;
  try {
    const parsed: unknown = JSON.parse(given);
    return isFields(parsed) ? parsed : given;
  } catch {
    return given;
  }
}

/** Text, text that is JSON with the text inside, or blocks. */
function outputOf(item: Fields, note: Reading["note"]): string {
  const { output } = item;
  if (typeof output !== "string") {
    const content = fieldsOf(output)["content"] ?? output;
    const blocks = strandsOf(content, { speaker: "tool", note, tools: new Map() });
    return blocks.map(({ text }) => text).join("\n\n");
  }
  if (!output.startsWith("{")) return output;
  try {
    return textOf(fieldsOf(JSON.parse(output))["output"]) ?? output;
  } catch {
    return output;
  }
}
