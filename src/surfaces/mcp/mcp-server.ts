/**
 * Operations for agents. One instance serves one visitor; which tools they see follows from the operations' own
 * declarations, the profile, and what the visitor may do.
 */

import { inspect } from "node:util";
import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Library } from "../../kernel/library/library.ts";
import { problemsOf } from "../../kernel/operation/input-problems.ts";
import type { Operation, Progress } from "../../kernel/operation/operation.ts";
import type { McpVisitor } from "./mcp-visitor.ts";
import { modelText } from "./model-text.ts";
import { describePrompt, fillPrompt, offeredPrompts } from "./prompts.ts";
import { describeTemplates, listResources, readResource, shownResources } from "./resources.ts";
import { chooseTools, describeTool, type ToolChoice, toolName } from "./tools.ts";

export interface McpSurface {
  readonly program: { readonly name: string; readonly title: string; readonly version: string };
  readonly operations: readonly Operation[];
  readonly library: Library;
  readonly choice: ToolChoice;
  /** What a model should know of the whole before it calls anything. */
  readonly instructions: string;
  readonly onTrouble: (text: string) => void;
}

/** What the SDK recommends instead keeps its own list of tools and checks them by code it generates; ours are rendered. */
export function createMcpServer(surface: McpSurface, visitor: McpVisitor) {
  const { program, operations, library } = surface;
  const { name: scheme } = program;
  const allowed = operations.filter(({ permission }) => visitor.may(permission));
  const tools = new Map(chooseTools(allowed, surface.choice).map((each) => [toolName(each), each]));
  const resources = shownResources(allowed);
  const prompts = offeredPrompts(allowed.filter(isOpenTo(surface.choice)), library);
  const server = new Server(
    { name: program.name, title: program.title, version: program.version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: surface.instructions,
    },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: [...tools.values()].map((operation) => describeTool(operation)),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const operation = tools.get(params.name);
    if (operation === undefined) throw unknownTool(params.name);
    const { _meta: meta, signal } = mcpReq;
    const token = meta?.progressToken;
    const report =
      token === undefined
        ? undefined
        : (progress: Progress) => void mcpReq.notify(toNotification(token, progress));
    try {
      const output = await visitor.invoke(operation.name, params.arguments ?? {}, {
        signal,
        report,
      });
      return { content: [{ type: "text", text: modelText(output) }] };
    } catch (error) {
      return { isError: true, content: [{ type: "text", text: failureText(surface, error) }] };
    }
  });
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: describeTemplates(scheme, resources),
  }));
  server.setRequestHandler("resources/list", async (_, { mcpReq }) => ({
    resources: await listResources(scheme, resources, visitor, mcpReq.signal),
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) =>
    foreseen(surface, async () => ({
      contents: [await readResource(scheme, resources, visitor, { uri, signal: mcpReq.signal })],
    })),
  );
  server.setRequestHandler("prompts/list", () => ({
    prompts: prompts.map((prompt) => describePrompt(prompt)),
  }));
  server.setRequestHandler("prompts/get", async ({ params }, { mcpReq }) => {
    const { name, arguments: given = {} } = params;
    return foreseen(surface, () =>
      fillPrompt(prompts, visitor, { name, given, signal: mcpReq.signal }),
    );
  });
  return server;
}

/** A prompt may do what a tool of the same visitor may. */
function isOpenTo({ readOnly }: ToolChoice): (operation: Operation) => boolean {
  return ({ effect }) => !readOnly || effect === "reads";
}

function toNotification(progressToken: string | number, progress: Progress) {
  const { message, done = 0, total, detail } = progress;
  return {
    method: "notifications/progress" as const,
    params: {
      progressToken,
      progress: done,
      ...(total === undefined ? {} : { total }),
      message: detail === undefined ? message : `${message} · ${detail}`,
    },
  };
}

/** What a model needs to do better next time: what happened, where, and what to do instead. */
function failureText(surface: McpSurface, error: unknown): string {
  if (!(error instanceof ProductError)) {
    surface.onTrouble(inspect(error));
    return "unexpected: something went wrong inside; trying the same again may or may not help.";
  }
  const { code, message, hint } = error;
  const problems = problemsOf(error).map(({ pointer, message: says }) => `- ${pointer}: ${says}`);
  return [`${code}: ${message}`, ...problems, ...(hint === undefined ? [] : [hint])].join("\n");
}

async function foreseen<Result>(surface: McpSurface, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw new ProtocolError(
      error instanceof ProductError
        ? ProtocolErrorCode.InvalidParams
        : ProtocolErrorCode.InternalError,
      failureText(surface, error),
    );
  }
}

function unknownTool(name: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool "${name.slice(0, 100)}" for you here; tools/list says what there is.`,
  );
}
