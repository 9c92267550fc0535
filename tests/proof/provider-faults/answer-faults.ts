/** Answers that arrive and are not what was asked for: statuses, bodies, bytes. */

import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import {
  type Brand,
  errorBody,
  startStream,
  TEST_KEY,
  wirePiece,
  wireReply,
  wireStart,
} from "../../../src/adapters/ai-sdk/wire-server.suite.ts";
import type { ModelFailure } from "../../../src/kernel/model/model-error.ts";
import { begun, type Fault, PIECES, pour, TEXT } from "./fault.ts";

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

/** The reply in the format of a brand that does not stream. */
function unstreamed(brand: Brand): unknown {
  if (brand === "anthropic") return { content: [{ type: "text", text: TEXT }] };
  if (brand === "google") return { candidates: [{ content: { parts: [{ text: TEXT }] } }] };
  return { choices: [{ message: { content: TEXT }, finish_reason: "stop" }] };
}

const STATUSES: readonly (readonly [number, ModelFailure, boolean])[] = [
  [400, "invalid_request", false],
  [401, "auth", false],
  [402, "auth", false],
  [403, "auth", false],
  [404, "invalid_request", false],
  [405, "invalid_request", false],
  [408, "timeout", true],
  [409, "unavailable", true],
  [413, "too_large", false],
  [418, "invalid_request", false],
  [422, "invalid_request", false],
  [425, "unavailable", true],
  [429, "rate_limited", true],
  [500, "unavailable", true],
  [501, "unavailable", true],
  [502, "unavailable", true],
  [503, "overloaded", true],
  [504, "timeout", true],
  [520, "unavailable", true],
  [529, "overloaded", true],
];

const BODIES: readonly Fault[] = [
  {
    kind: "200 and a web page",
    answer: (response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><html></html>"),
    ends: ["invalid_request"],
  },
  {
    kind: "200 and an error",
    answer: (response) => json(response, { error: { code: 503, message: "loading" } }),
    ends: ["overloaded"],
  },
  {
    kind: "200 and a reply in one piece, where a stream was asked for",
    answer: (response, brand) => json(response, unstreamed(brand)),
    ends: ["invalid_request"],
  },
  {
    kind: "200 and JSON that is cut",
    answer: (response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"content":[{"te'),
    ends: ["invalid_request"],
  },
  {
    kind: "204, nothing",
    answer: (response) => response.writeHead(204).end(),
    ends: ["unavailable", "cut"],
  },
  {
    kind: "206, a part",
    answer: (response, brand) =>
      response.writeHead(206, { "content-type": "text/event-stream" }).end(begun(brand)),
    ends: ["cut"],
  },
  {
    kind: "a redirect to elsewhere",
    answer: (response) => response.writeHead(307, { location: "http://127.0.0.1:9/" }).end(),
    ends: ["unavailable"],
  },
  {
    kind: "a redirect to itself",
    answer: (response) => response.writeHead(308, { location: "/v1" }).end(),
    ends: ["unavailable"],
  },
  {
    kind: "500 without a body",
    answer: (response) => response.writeHead(500).end(),
    ends: ["unavailable"],
  },
  {
    kind: "500 and a web page",
    answer: (response) =>
      response.writeHead(500, { "content-type": "text/html" }).end("<html>oops</html>"),
    ends: ["unavailable"],
  },
  {
    kind: "500 and a body that never ends",
    answer: (response) => pour(response.writeHead(500), "x".repeat(16_384)),
    ends: ["unavailable", "too_large"],
  },
  {
    kind: "500 and a body that never begins",
    answer: (response) => response.writeHead(500).flushHeaders(),
    ends: ["stalled"],
  },
  {
    kind: "an error that repeats our key",
    answer: (response, brand) =>
      response.writeHead(400).end(errorBody(brand, `bad key ${TEST_KEY}`)),
    ends: ["invalid_request"],
  },
  {
    kind: "an exhausted quota",
    answer: (response) =>
      json(response, { error: { message: "no", type: "insufficient_quota" } }, 429),
    ends: ["rate_limited"],
    retryable: false,
  },
  {
    kind: "a prompt longer than the context",
    answer: (response, brand) =>
      response.writeHead(400).end(errorBody(brand, "prompt is too long: 9 tokens > 8 maximum")),
    ends: ["too_large"],
  },
  {
    kind: "content it declines",
    answer: (response, brand) =>
      response.writeHead(400).end(errorBody(brand, "blocked by content_policy")),
    ends: ["refused"],
  },
];

const RETRY_AFTER: readonly Fault[] = (
  [
    ["in seconds", () => "7", [7_000, 7_000]],
    ["as a date", () => new Date(Date.now() + 30_000).toUTCString(), [25_000, 31_000]],
    ["as a date in the past", () => new Date(0).toUTCString(), "none"],
    ["in thirty years", () => "999999999", [3_600_000, 3_600_000]],
    ["below nothing", () => "-5", "none"],
    ["in no language", () => "soon", "none"],
  ] as const
).map(([how, value, retryAfterMs]) => ({
  kind: `429, and to come again ${how}`,
  answer: (response) => response.writeHead(429, { "retry-after": value() }).end("{}"),
  ends: ["rate_limited"],
  retryAfterMs,
  retryable: true,
}));

const BYTES: readonly Fault[] = [
  {
    kind: "a mark of byte order first",
    answer: (response, brand) => startStream(response).end(`\ufeff${wireReply(brand, PIECES)}`),
    ends: ["whole"],
  },
  {
    kind: "every byte by itself",
    answer: async (response, brand) => {
      startStream(response);
      for (const byte of Buffer.from(wireReply(brand, PIECES))) response.write(Buffer.of(byte));
      response.end();
    },
    ends: ["whole"],
  },
  {
    kind: "lines that end in CR and LF",
    answer: (response, brand) =>
      startStream(response).end(wireReply(brand, PIECES).replaceAll("\n", "\r\n")),
    ends: ["whole"],
  },
  {
    kind: "bytes that are no letters",
    answer: (response, brand) => {
      const bytes = Buffer.from(wireReply(brand, ["before XX after"]));
      bytes.set([0xf0, 0x9f], bytes.indexOf("XX"));
      startStream(response).end(bytes);
    },
    ends: ["whole"],
    text: "before \ufffd after",
  },
  {
    kind: "half a letter of two",
    answer: (response, brand) =>
      startStream(response).end(wireReply(brand, ["XX"]).replace("XX", "\\ud83e")),
    ends: ["whole", "cut"],
    text: "\ud83e",
  },
  {
    kind: "a type that is no stream's, and a stream",
    answer: (response, brand) =>
      response.writeHead(200, { "content-type": "text/plain" }).end(wireReply(brand, PIECES)),
    ends: ["whole"],
  },
  {
    kind: "a compressed stream",
    answer: (response, brand) =>
      response
        .writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
        .end(gzipSync(wireReply(brand, PIECES))),
    ends: ["whole"],
  },
  {
    kind: "half a compressed stream",
    answer: (response, brand) => {
      const whole = gzipSync(wireReply(brand, PIECES));
      response
        .writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
        .end(whole.subarray(0, whole.length / 2));
    },
    ends: ["cut", "unavailable"],
  },
  {
    kind: "a stream that is not compressed as it says",
    answer: (response, brand) =>
      response
        .writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
        .end(wireReply(brand, PIECES)),
    ends: ["cut", "unavailable"],
  },
  {
    kind: "little that unpacks to much",
    answer: (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
        .end(gzipSync(": x\n\n".repeat(200_000))),
    ends: ["too_large"],
  },
  {
    kind: "words for ever",
    answer: (response, brand) => {
      startStream(response).write(wireStart(brand).join(""));
      return pour(response, wirePiece(brand, "and again ".repeat(100)));
    },
    ends: ["too_large"],
    text: "and again ",
  },
  {
    kind: "a line for ever",
    answer: (response) => {
      startStream(response).write("data: ");
      return pour(response, "x".repeat(16_384));
    },
    ends: ["too_large"],
  },
  {
    kind: "one word of two megabytes",
    answer: (response, brand) =>
      startStream(response).end(wireReply(brand, ["x".repeat(2_000_000)])),
    ends: ["too_large"],
  },
  {
    kind: "ten thousand empty events",
    answer: (response, brand) =>
      startStream(response).end(`${": \n\n".repeat(10_000)}${wireReply(brand, PIECES)}`),
    ends: ["whole"],
  },
  {
    kind: "hints sent early, then a reply",
    answer: (response, brand) => {
      response.writeEarlyHints({ link: "</x>; rel=preload" });
      startStream(response).end(wireReply(brand, PIECES));
    },
    ends: ["whole"],
  },
];

export const ANSWER_FAULTS: readonly Fault[] = [
  ...STATUSES.map(([status, failure, retryable]) => ({
    kind: `status ${status}`,
    answer: (response: ServerResponse, brand: Brand) =>
      response.writeHead(status).end(errorBody(brand, "told you")),
    ends: [failure],
    retryable,
  })),
  ...BODIES,
  ...RETRY_AFTER,
  ...BYTES,
];
