/** MCP over standard input and output, until the client closes its end. */

import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpSurface } from "./mcp-server.ts";
import type { McpVisitor } from "./mcp-visitor.ts";

export async function serveMcpOverStdio(
  surface: McpSurface,
  visitor: McpVisitor,
  stopping: AbortSignal,
): Promise<void> {
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    process.stdin.once("end", () => resolve());
    process.stdin.once("close", () => resolve());
    stopping.addEventListener("abort", () => resolve(), { once: true });
  });
  const handle = serveStdio(() => createMcpServer(surface, visitor), {
    transport,
    onerror: (error) => surface.onTrouble(String(error)),
  });
  await closed;
  await handle.close();
}
