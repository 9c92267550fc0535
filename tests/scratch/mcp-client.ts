/** The official client of the protocol, on a workspace as its users have it. */

import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Agent } from "./mcp-loop.ts";
import type { Server } from "./program.ts";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

/** The revision before 2026-07-28 is spoken by clients that never ask for another. */
export type Era = "previous" | "current";

export interface ConnectedAgent extends Agent {
  readonly client: Client;
  close(): Promise<void>;
}

export async function agentOverStdio(
  folder: string,
  era: Era,
  { flags = [], env = {} }: { flags?: readonly string[]; env?: Record<string, string> } = {},
): Promise<ConnectedAgent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "-C", folder, "mcp", ...flags],
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stderr: "inherit",
  });
  return connect(era, (client) => client.connect(transport));
}

export async function agentOverHttp(
  { url, token }: Pick<Server, "url" | "token">,
  era: Era,
  query = "",
): Promise<ConnectedAgent> {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  return connect(era, (client) => client.connect(transport));
}

async function connect(
  era: Era,
  start: (client: Client) => Promise<void>,
): Promise<ConnectedAgent> {
  const mode = era === "previous" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await start(client);
  const call: Agent["call"] = async (name, input = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...input } });
    const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    if (isError === true) throw new Error(text);
    return text;
  };
  return {
    client,
    call,
    ask: async <Output>(name: string, input?: Readonly<Record<string, unknown>>) =>
      JSON.parse(await call(name, input)) as Output,
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => {
      const [content] = (await client.readResource({ uri })).contents;
      return content !== undefined && "text" in content ? content.text : "";
    },
    prompt: async (name, input) => {
      const [message] = (await client.getPrompt({ name, arguments: { ...input } })).messages;
      return message?.content.type === "text" ? message.content.text : "";
    },
    close: () => client.close(),
  };
}
