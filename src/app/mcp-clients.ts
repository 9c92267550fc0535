/** Where each client keeps its list of MCP servers, and what an entry in it looks like. */

import { homedir } from "node:os";
import path from "node:path";

/** What a client starts. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

export interface McpClient {
  readonly title: string;
  /** `home` is the folder the workspace lies in. */
  readonly file: (home: string) => string;
  readonly format: "json" | "toml";
  /** Where in the file the servers stand. */
  readonly key: string;
  readonly entry: (launch: Launch) => Readonly<Record<string, unknown>>;
  readonly after: string;
}

const plain = ({ command, args }: Launch) => ({ command, args: [...args] });

const RESTART = "Restart it, and it asks whether to trust the new server.";

const CLIENTS = {
  "claude-code": {
    title: "Claude Code",
    file: (home) => path.join(home, ".mcp.json"),
    format: "json",
    key: "mcpServers",
    entry: plain,
    after: "Start `claude` in this folder; `/mcp` lists the server.",
  },
  "claude-desktop": {
    title: "Claude Desktop",
    file: () => path.join(settingsFolder(), "Claude", "claude_desktop_config.json"),
    format: "json",
    key: "mcpServers",
    entry: plain,
    after: RESTART,
  },
  cursor: {
    title: "Cursor",
    file: (home) => path.join(home, ".cursor", "mcp.json"),
    format: "json",
    key: "mcpServers",
    entry: plain,
    after: "Switch it on under Settings → MCP.",
  },
  vscode: {
    title: "VS Code",
    file: (home) => path.join(home, ".vscode", "mcp.json"),
    format: "json",
    key: "servers",
    entry: (launch) => ({ type: "stdio", ...plain(launch) }),
    after: "Open the file and press Start above the entry.",
  },
  codex: {
    title: "Codex",
    file: () => path.join(homedir(), ".codex", "config.toml"),
    format: "toml",
    key: "mcp_servers",
    entry: plain,
    after: RESTART,
  },
  gemini: {
    title: "Gemini CLI",
    file: (home) => path.join(home, ".gemini", "settings.json"),
    format: "json",
    key: "mcpServers",
    entry: plain,
    after: "Start `gemini` in this folder; `/mcp` lists the server.",
  },
  windsurf: {
    title: "Windsurf",
    file: () => path.join(homedir(), ".codeium", "windsurf", "mcp_config.json"),
    format: "json",
    key: "mcpServers",
    entry: plain,
    after: RESTART,
  },
  zed: {
    title: "Zed",
    file: () => path.join(homedir(), ".config", "zed", "settings.json"),
    format: "json",
    key: "context_servers",
    entry: (launch) => ({ source: "custom", ...plain(launch), env: {} }),
    after: RESTART,
  },
} as const satisfies Readonly<Record<string, McpClient>>;

export type ClientName = keyof typeof CLIENTS;

export const CLIENT_NAMES = Object.keys(CLIENTS) as readonly ClientName[];

export function clientOf(name: ClientName): McpClient {
  return CLIENTS[name];
}

/** Where programs of this system keep their settings. */
function settingsFolder(): string {
  switch (process.platform) {
    case "darwin":
      return path.join(homedir(), "Library", "Application Support");
    case "win32":
      return process.env["APPDATA"] ?? path.join(homedir(), "AppData", "Roaming");
    default:
      return process.env["XDG_CONFIG_HOME"] ?? path.join(homedir(), ".config");
  }
}
