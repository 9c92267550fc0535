/** Who speaks, from the many words tools have for it. */

import type { MessageRole } from "../../../../kernel/store/noun-tables.ts";

const ROLES: Readonly<Record<string, MessageRole>> = {
  user: "user",
  human: "user",
  you: "user",
  me: "user",
  i: "user",
  prompt: "user",
  question: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  bot: "assistant",
  answer: "assistant",
  response: "assistant",
  chatgpt: "assistant",
  gpt: "assistant",
  claude: "assistant",
  gemini: "assistant",
  bard: "assistant",
  copilot: "assistant",
  cursor: "assistant",
  codex: "assistant",
  grok: "assistant",
  mistral: "assistant",
  "le chat": "assistant",
  deepseek: "assistant",
  perplexity: "assistant",
  llama: "assistant",
  qwen: "assistant",
  agent: "assistant",
  system: "system",
  developer: "system",
  tool: "tool",
  function: "tool",
};

export function findRole(word: string): MessageRole | undefined {
  const name = word.trim().toLowerCase();
  if (Object.hasOwn(ROLES, name)) return ROLES[name];
  // `gpt-4o`, `claude 3.5 sonnet`: a known name and a version.
  const family = /^([a-z]+)[\s-]?[\d.]+[\w .-]{0,30}$/.exec(name)?.[1];
  return family !== undefined && Object.hasOwn(ROLES, family) ? ROLES[family] : undefined;
}

export function roleOf(word: unknown): MessageRole {
  return (typeof word === "string" ? findRole(word) : undefined) ?? "other";
}
