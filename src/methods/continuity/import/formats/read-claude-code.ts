/**
 * Session files of Claude Code (`~/.claude/projects/**.jsonl`): a line for each step, linked to the one before it.
 *
 * Calls that run side by side fork the links without anybody having left a branch; only a prompt that was asked again
 * from the same place leaves one. Sub-agents work in side chains. Sessions may be huge, so they are read twice: once
 * for how the lines hang together, once for what they say.
 */

import { readJsonLines } from "../bytes/read-json-lines.ts";
import { type ImportedMessage, LEFT_BRANCH } from "../imported-conversation.ts";
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
import { toMessages } from "./strands.ts";

export const readClaudeCode: Reader = (reading) =>
  readSession(reading, {
    source: "claude-code",
    untitled: "Claude Code session",
    look: lookThrough,
    open: ({ steps }, { branches, note }) => {
      const threads = threadsOf(steps, branches);
      const lastSaid = new Map<string, string>();
      const tools = new Map<string, string>();
      return (step, line) => {
        const id = idOf(step["uuid"]) ?? `line ${line}`;
        const parent = idOf(step["parentUuid"]);
        const before = parent === undefined ? undefined : lastSaid.get(parent);
        const thread = threads.get(id) ?? MAIN;
        const messages = readStep(id, step, { note, tools, isLeftOut: thread === LEFT });
        const last = messages.at(-1)?.id ?? before;
        if (last !== undefined) lastSaid.set(id, last);
        if (thread === LEFT) return undefined;
        return { thread, messages, after: thread === MAIN ? undefined : before };
      };
    },
  });

const MAIN = "";
const LEFT = "\u0000left";

interface Step {
  readonly id: string;
  readonly parent: string | undefined;
  readonly isPrompt: boolean;
  /** The side chain it is part of. */
  readonly side: string | undefined;
}

interface ClaudeCodeSession extends Session {
  readonly steps: readonly Step[];
}

async function lookThrough({ file, limits }: Reading): Promise<ClaudeCodeSession> {
  const steps: Step[] = [];
  const sides = new Map<string, string>();
  const summaries: { leaf: string | undefined; title: string | undefined }[] = [];
  let id = idOf(/([0-9a-f-]{36})\.jsonl$/i.exec(file.name)?.[1]);
  let given: string | undefined;
  let asked: string | undefined;
  let startedAt: number | undefined;
  const details: Record<string, string> = {};
  for await (const piece of readJsonLines(file.open("look"), { limits })) {
    if (piece.kind !== "record" || !isFields(piece.value)) continue;
    const step = piece.value;
    id ??= idOf(step["sessionId"]);
    if (step["type"] === "summary")
      summaries.push({ leaf: idOf(step["leafUuid"]), title: titleFrom(textOf(step["summary"])) });
    given = titleOf(step) ?? given;
    startedAt ??= momentOf(step["timestamp"]);
    noteDetails(details, step);
    const uuid = idOf(step["uuid"]);
    if (uuid === undefined) continue;
    const parent = idOf(step["parentUuid"]);
    const isSide = step["isSidechain"] === true;
    const side = isSide
      ? (idOf(step["agentId"]) ?? (parent === undefined ? undefined : sides.get(parent)) ?? uuid)
      : undefined;
    if (side !== undefined) sides.set(uuid, side);
    const isPrompt = !isSide && isPromptStep(step);
    if (isPrompt) asked ??= titleFrom(promptText(step));
    steps.push({ id: uuid, parent, isPrompt, side });
  }
  // A file of a sub-agent alone names the session that called it; it must not be taken for that session.
  const agent = steps.every(({ side }) => side !== undefined) ? steps[0]?.side : undefined;
  if (agent !== undefined) id = `${id ?? idOf(file.name) ?? "session"}/${agent}`;
  const own = new Set(steps.map((step) => step.id));
  // A file may begin with the titles of other sessions.
  const summary = summaries.findLast(({ leaf }) => leaf !== undefined && own.has(leaf))?.title;
  return { id, title: given ?? summary ?? asked, startedAt, details, steps };
}

function titleOf(step: Fields): string | undefined {
  if (step["type"] === "custom-title") return titleFrom(textOf(step["customTitle"]));
  if (step["type"] === "ai-title") return titleFrom(textOf(step["aiTitle"]));
  return undefined;
}

function noteDetails(details: Record<string, string>, step: Fields): void {
  const model = wordsOf(fieldsOf(step["message"])["model"]);
  const facts = { cwd: step["cwd"], gitBranch: step["gitBranch"], model };
  for (const [name, value] of Object.entries(facts)) {
    const words = wordsOf(value);
    if (words !== undefined && !words.startsWith("<")) details[name] = words.slice(0, 500);
  }
}

function isPromptStep(step: Fields): boolean {
  if (step["type"] !== "user" || step["isMeta"] === true) return false;
  const { content } = fieldsOf(step["message"]);
  if (typeof content === "string") return true;
  return itemsOf(content).some((block) => fieldsOf(block)["type"] !== "tool_result");
}

function promptText(step: Fields): string | undefined {
  const { content } = fieldsOf(step["message"]);
  const text = textOf(content) ?? textOf(fieldsOf(itemsOf(content)[0])["text"]);
  return text?.startsWith("<") ? undefined : text;
}

/** The thread of every step that is not on the main one. */
function threadsOf(
  steps: readonly Step[],
  branches: Reading["branches"],
): ReadonlyMap<string, string> {
  const threads = new Map<string, string>();
  const left = new Map<string, string>();
  const prompts = Map.groupBy(
    steps.filter(({ isPrompt, parent }) => isPrompt && parent !== undefined),
    ({ parent }) => parent,
  );
  for (const siblings of prompts.values()) {
    for (const { id } of siblings.slice(0, -1)) left.set(id, id);
  }
  for (const { id, parent, side } of steps) {
    const branch = left.get(id) ?? (parent === undefined ? undefined : left.get(parent));
    if (branch !== undefined) left.set(id, branch);
    const thread = side ?? branch;
    if (thread !== undefined) threads.set(id, branches === "all" ? thread : LEFT);
  }
  return threads;
}

interface StepContext {
  readonly note: Reading["note"];
  readonly tools: Map<string, string>;
  readonly isLeftOut: boolean;
}

function readStep(id: string, step: Fields, context: StepContext): readonly ImportedMessage[] {
  const { note, tools, isLeftOut } = context;
  const type = textOf(step["type"]) ?? "unnamed";
  if (type !== "user" && type !== "assistant") {
    if (!QUIET.has(type)) note(`line "${type.slice(0, 40)}" left out`);
    return [];
  }
  if (isLeftOut) {
    note(step["isSidechain"] === true ? "step of a sub-agent" : LEFT_BRANCH);
    return [];
  }
  if (step["isMeta"] === true) {
    note("message of the program itself left out");
    return [];
  }
  const message = fieldsOf(step["message"]);
  const speaker = step["isCompactSummary"] === true ? "other" : roleOf(message["role"] ?? type);
  const strands = strandsOf(message["content"], { speaker, note, tools });
  return toMessages(id, strands, momentOf(step["timestamp"]));
}

/** Titles are used as such; the rest holds nothing anybody said. */
const QUIET = new Set(["summary", "custom-title", "ai-title", "file-history-snapshot", "progress"]);
