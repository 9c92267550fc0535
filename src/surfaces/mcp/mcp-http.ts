/** MCP at an address of the server: its guard and its callers, both eras of the protocol, nothing kept between requests. */

import { createMcpHandler } from "@modelcontextprotocol/server";
import { createMcpServer, type McpSurface } from "./mcp-server.ts";
import type { McpVisitor } from "./mcp-visitor.ts";
import { PROFILES, type Profile } from "./tools.ts";

export type McpRoute = (request: Request, visitor: McpVisitor) => Promise<Response>;

/** `?profile=full` and `?readonly=1` choose other tools than the core ones. */
export function mcpOverHttp(surface: Omit<McpSurface, "choice">): McpRoute {
  return async (request, visitor) => {
    const asked = new URL(request.url).searchParams;
    const profile = PROFILES.find((name) => name === asked.get("profile")) ?? "core";
    const choice = { profile: profile satisfies Profile, readOnly: asked.get("readonly") === "1" };
    const handler = createMcpHandler(() => createMcpServer({ ...surface, choice }, visitor), {
      onerror: (error) => surface.onTrouble(String(error)),
    });
    return handler.fetch(request);
  };
}
