/** Connections and streams that go wrong on the way. */

import type { ServerResponse } from "node:http";
import {
  startStream,
  wireEnd,
  wirePiece,
  wireReply,
  wireStreamError,
} from "../../../src/adapters/ai-sdk/wire-server.suite.ts";
import { begun, type Fault, PIECES, pour, TEXT } from "./fault.ts";

const raw = (response: ServerResponse, bytes: string | Buffer, thenClose = true) => {
  response.socket?.write(bytes, () => {
    if (thenClose) response.socket?.end();
  });
};
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";

const CONNECTIONS: readonly Fault[] = [
  { kind: "nobody listens", address: "nobody", answer: () => {}, ends: ["unavailable"] },
  {
    kind: "TLS is asked of a server without it",
    address: "tls",
    answer: () => {},
    ends: ["unavailable"],
  },
  {
    kind: "closed without a byte",
    answer: (response) => response.destroy(),
    ends: ["unavailable"],
  },
  {
    kind: "reset without a byte",
    answer: (response) => response.socket?.resetAndDestroy(),
    ends: ["unavailable"],
  },
  {
    kind: "closed inside the status line",
    answer: (response) => raw(response, "HTTP/1.1 20"),
    ends: ["unavailable"],
  },
  {
    kind: "something that is not HTTP",
    answer: (response) => raw(response, "SSH-2.0-OpenSSH_9.2\r\n"),
    ends: ["unavailable"],
  },
  {
    kind: "headers that never end",
    answer: (response) => raw(response, HEAD, false),
    ends: ["stalled"],
  },
  {
    kind: "a megabyte of headers",
    answer: (response) => raw(response, `${HEAD}x-long: ${"x".repeat(1_000_000)}\r\n\r\n`),
    ends: ["unavailable"],
  },
  { kind: "no answer at all", answer: () => {}, ends: ["stalled"] },
];

const STREAMS: readonly Fault[] = [
  {
    kind: "silence after the headers",
    answer: (response) => startStream(response).flushHeaders(),
    ends: ["stalled"],
  },
  {
    kind: "silence after some words",
    answer: (response, brand) => startStream(response).write(begun(brand)),
    ends: ["stalled"],
  },
  {
    kind: "silence after every word, before the end",
    answer: (response, brand) => startStream(response).write(wireReply(brand, PIECES, "none")),
    ends: ["stalled"],
  },
  {
    kind: "signs of life for ever, and no word",
    answer: (response) => pour(startStream(response), `: ${"keep-alive ".repeat(1_000)}\n\n`),
    ends: ["too_large", "timeout"],
  },
  {
    kind: "cut after the headers",
    answer: (response) => {
      startStream(response).flushHeaders();
      setTimeout(() => response.destroy(), 5);
    },
    ends: ["cut"],
  },
  {
    kind: "cut between two words",
    answer: (response, brand) => {
      startStream(response).write(begun(brand));
      setTimeout(() => response.destroy(), 5);
    },
    ends: ["cut"],
  },
  {
    kind: "cut inside an event",
    answer: (response, brand) => {
      startStream(response).write(begun(brand) + wirePiece(brand, "more").slice(0, -9));
      setTimeout(() => response.destroy(), 5);
    },
    ends: ["cut"],
  },
  {
    kind: "cut inside a letter",
    answer: (response, brand) => {
      const bytes = Buffer.from(begun(brand) + wirePiece(brand, "五"));
      startStream(response).write(bytes.subarray(0, bytes.lastIndexOf(Buffer.from("五")) + 1));
      setTimeout(() => response.destroy(), 5);
    },
    ends: ["cut"],
  },
  {
    kind: "reset in the middle",
    answer: (response, brand) => {
      startStream(response).write(begun(brand));
      setTimeout(() => response.socket?.resetAndDestroy(), 5);
    },
    ends: ["cut"],
  },
  {
    kind: "a proper goodbye before the end",
    answer: (response, brand) => startStream(response).end(begun(brand)),
    ends: ["cut"],
  },
  {
    kind: "a proper goodbye inside an event",
    answer: (response, brand) =>
      startStream(response).end(begun(brand) + wirePiece(brand, "more").slice(0, -9)),
    ends: ["cut"],
  },
  {
    kind: "a stream without an event",
    answer: (response) => startStream(response).end(),
    ends: ["cut"],
  },
  {
    kind: "fewer bytes than announced",
    answer: (response, brand) => {
      const body = begun(brand);
      raw(response, `${HEAD}content-length: ${Buffer.byteLength(body) + 500}\r\n\r\n${body}`);
    },
    ends: ["cut"],
  },
  {
    kind: "more bytes than announced",
    answer: (response, brand) => {
      const announced = Buffer.byteLength(begun(brand));
      raw(response, `${HEAD}content-length: ${announced}\r\n\r\n${wireReply(brand, PIECES)}`);
    },
    ends: ["cut"],
  },
  {
    kind: "a chunk whose length is no number",
    answer: (response, brand) => {
      const body = begun(brand);
      const length = Buffer.byteLength(body).toString(16);
      raw(response, `${HEAD}transfer-encoding: chunked\r\n\r\n${length}\r\n${body}\r\nzz\r\n`);
    },
    ends: ["cut"],
  },
  {
    kind: "an error before the first word",
    answer: (response, brand) => startStream(response).end(wireStreamError(brand)),
    ends: ["overloaded", "unavailable"],
  },
  {
    kind: "an error after some words",
    answer: (response, brand) => startStream(response).end(begun(brand) + wireStreamError(brand)),
    ends: ["overloaded", "unavailable"],
  },
  {
    kind: "an error after some words, and then the end of a good reply",
    answer: (response, brand) =>
      startStream(response).end(
        begun(brand) + wireStreamError(brand) + wireEnd(brand, "stop").join(""),
      ),
    ends: ["overloaded", "unavailable"],
  },
  {
    kind: "a word that is no JSON, and then the end of a good reply",
    answer: (response, brand) =>
      startStream(response).end(
        `${begun(brand)}data: {"oops\n\n${wireEnd(brand, "stop").join("")}`,
      ),
    ends: ["cut"],
  },
  {
    kind: "a number instead of an event, and then the end of a good reply",
    answer: (response, brand) =>
      startStream(response).end(`${begun(brand)}data: 42\n\n${wireEnd(brand, "stop").join("")}`),
    ends: ["cut"],
  },
  {
    kind: "null instead of an event, and then the end of a good reply",
    answer: (response, brand) =>
      startStream(response).end(`${begun(brand)}data: null\n\n${wireEnd(brand, "stop").join("")}`),
    ends: ["cut"],
  },
  {
    kind: "a hundred thousand brackets instead of an event",
    answer: (response, brand) =>
      startStream(response).end(
        `${begun(brand)}data: ${"[".repeat(100_000)}\n\n${wireEnd(brand, "stop").join("")}`,
      ),
    ends: ["cut"],
  },
  {
    kind: "an event that would change every object",
    answer: (response, brand) =>
      startStream(response).end(
        `${begun(brand)}data: {"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\n\n`,
      ),
    ends: ["cut"],
  },
];

const FINISHES: readonly Fault[] = [
  {
    kind: "ended at the limit of length",
    answer: (response, brand) =>
      startStream(response).end(wireReply(brand, PIECES.slice(0, 2), "length")),
    ends: ["length"],
  },
  {
    kind: "ended for a reason nobody knows",
    answer: (response, brand) =>
      startStream(response).end(
        wireReply(brand, PIECES.slice(0, 2), "length").replaceAll(
          /max_tokens|max_output_tokens|MAX_TOKENS/g,
          "solar_flare",
        ),
      ),
    ends: ["unknown", "length"],
  },
  {
    kind: "the finish is told twice",
    answer: (response, brand) =>
      startStream(response).end(wireReply(brand, PIECES) + wireEnd(brand, "stop").join("")),
    ends: ["whole"],
  },
  {
    kind: "silence after the finish",
    answer: (response, brand) => startStream(response).write(wireReply(brand, PIECES)),
    ends: ["whole", "stalled"],
  },
  {
    kind: "a word told twice",
    answer: (response, brand) =>
      startStream(response).end(wireReply(brand, [...PIECES, PIECES[2] ?? ""])),
    ends: ["whole"],
    text: TEXT + PIECES[2],
  },
];

export const STREAM_FAULTS: readonly Fault[] = [...CONNECTIONS, ...STREAMS, ...FINISHES];
