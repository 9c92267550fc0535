/** Loopback servers that speak the providers' real wire formats, and misbehave when told to. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { AiSdkConfig, CallLimits } from "./ai-sdk-config.ts";

export type Brand = AiSdkConfig["brand"];
export const BRANDS: readonly Brand[] = ["anthropic", "openai", "google", "openai-compatible"];

export interface WireServer {
  readonly url: string;
  /** Parsed request bodies and headers, in order of arrival. */
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: unknown;
  }[];
  readonly openSockets: () => number;
  readonly close: () => Promise<void>;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

export async function startWireServer(answer: Answer): Promise<WireServer> {
  const sockets = new Set<Socket>();
  const requests: WireServer["requests"] = [];
  // Keep-alive would leave sockets open after good calls and hide those that are held by bad ones.
  const server = createServer({ keepAlive: false }, (request, response) => {
    const chunks: Buffer[] = [];
    response.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push({
        path: request.url ?? "",
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString("utf8")),
      });
      response.setHeader("connection", "close");
      void answer(response, request);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A test that fails before it closes its server must not keep the others waiting.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    openSockets: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const TEST_KEY = "sk-test-0123456789abcdef";

export function configFor(
  brand: Brand,
  url: string,
  limits: Partial<CallLimits> = {},
): AiSdkConfig {
  return brand === "openai-compatible"
    ? { brand, name: "local", baseUrl: `${url}/v1`, apiKey: TEST_KEY, limits }
    : { brand, baseUrl: `${url}/v1`, apiKey: TEST_KEY, limits };
}

/** Stands for "stop" or "length" in each brand's own words. */
export type WireFinish = "stop" | "length" | "none";

/** The whole body of a reply, as the brand's API streams it. */
export function wireReply(
  brand: Brand,
  pieces: readonly string[],
  finish: WireFinish = "stop",
): string {
  return [
    ...wireStart(brand),
    ...pieces.map((piece) => wirePiece(brand, piece)),
    ...wireEnd(brand, finish),
  ].join("");
}

function event(data: unknown, name?: string): string {
  return `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
}
const typed = (data: { type: string; [key: string]: unknown }) => event(data, data.type);

export function wireStart(brand: Brand): string[] {
  switch (brand) {
    case "anthropic":
      return [
        typed({
          type: "message_start",
          message: {
            id: "msg_01",
            type: "message",
            role: "assistant",
            model: "claude-test",
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: {
              input_tokens: 21,
              cache_read_input_tokens: 8,
              cache_creation_input_tokens: 4,
              output_tokens: 1,
            },
          },
        }),
        typed({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        typed({ type: "ping" }),
      ];
    case "openai":
      return [
        typed({
          type: "response.created",
          sequence_number: 0,
          response: {
            id: "resp_1",
            created_at: 1_790_000_000,
            model: "gpt-test",
            service_tier: "default",
          },
        }),
        typed({
          type: "response.in_progress",
          sequence_number: 1,
          response: {
            id: "resp_1",
            created_at: 1_790_000_000,
            model: "gpt-test",
            service_tier: "default",
          },
        }),
        typed({
          type: "response.output_item.added",
          sequence_number: 2,
          output_index: 0,
          item: {
            type: "message",
            id: "item_1",
            role: "assistant",
            status: "in_progress",
            content: [],
          },
        }),
        typed({
          type: "response.content_part.added",
          sequence_number: 3,
          item_id: "item_1",
          output_index: 0,
          content_index: 0,
          part: { type: "output_text", text: "", annotations: [] },
        }),
      ];
    case "google":
      return [];
    default:
      return [event(chatChunk({ role: "assistant", content: "" }, null))];
  }
}

export function wirePiece(brand: Brand, text: string): string {
  switch (brand) {
    case "anthropic":
      return typed({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    case "openai":
      return typed({
        type: "response.output_text.delta",
        sequence_number: 4,
        item_id: "item_1",
        output_index: 0,
        content_index: 0,
        delta: text,
        logprobs: [],
      });
    case "google":
      return event({
        candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }],
        modelVersion: "gemini-test",
      });
    default:
      return event(chatChunk({ content: text }, null));
  }
}

export function wireEnd(brand: Brand, finish: WireFinish): string[] {
  if (finish === "none") return [];
  const full = finish === "length";
  switch (brand) {
    case "anthropic":
      return [
        typed({ type: "content_block_stop", index: 0 }),
        typed({
          type: "message_delta",
          delta: { stop_reason: full ? "max_tokens" : "end_turn", stop_sequence: null },
          usage: { output_tokens: 9 },
        }),
        typed({ type: "message_stop" }),
      ];
    case "openai": {
      const usage = {
        input_tokens: 33,
        input_tokens_details: { cached_tokens: 8 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 42,
      };
      return [
        typed({
          type: "response.output_item.done",
          sequence_number: 5,
          output_index: 0,
          item: {
            type: "message",
            id: "item_1",
            role: "assistant",
            status: "completed",
            content: [],
          },
        }),
        full
          ? typed({
              type: "response.incomplete",
              sequence_number: 6,
              response: { incomplete_details: { reason: "max_output_tokens" }, usage },
            })
          : typed({
              type: "response.completed",
              sequence_number: 6,
              response: { incomplete_details: null, usage },
            }),
      ];
    }
    case "google":
      return [
        event({
          candidates: [
            {
              content: { role: "model", parts: [{ text: "" }] },
              finishReason: full ? "MAX_TOKENS" : "STOP",
              index: 0,
            },
          ],
          usageMetadata: {
            promptTokenCount: 33,
            candidatesTokenCount: 7,
            thoughtsTokenCount: 2,
            cachedContentTokenCount: 8,
            totalTokenCount: 42,
          },
          modelVersion: "gemini-test",
        }),
      ];
    default:
      return [
        event(chatChunk({}, full ? "max_tokens" : "stop")),
        event({
          ...chatChunk({}, null),
          choices: [],
          usage: {
            prompt_tokens: 33,
            completion_tokens: 9,
            total_tokens: 42,
            prompt_tokens_details: { cached_tokens: 8 },
          },
        }),
        "data: [DONE]\n\n",
      ];
  }
}

function chatChunk(delta: object, finishReason: string | null) {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: "local-test",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/** An error the brand reports inside a stream that began with 200. */
export function wireStreamError(brand: Brand): string {
  switch (brand) {
    case "anthropic":
      return typed({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    case "openai":
      return typed({
        type: "error",
        sequence_number: 9,
        error: {
          type: "server_error",
          code: "server_error",
          message: "The server had an error",
          param: null,
        },
      });
    case "google":
      return event({
        error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
      });
    default:
      return event({ error: { message: "worker died", type: "server_error", code: 500 } });
  }
}

export function errorBody(brand: Brand, message: string): string {
  switch (brand) {
    case "anthropic":
      return JSON.stringify({ type: "error", error: { type: "some_error", message } });
    case "google":
      return JSON.stringify({ error: { code: 400, message, status: "SOME_STATUS" } });
    default:
      return JSON.stringify({ error: { message, type: "some_error", param: null, code: null } });
  }
}

export function startStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
}
