import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../kernel/base/clock.ts";
import { ModelError } from "../../kernel/model/model-error.ts";
import { modelProviderSuite, suiteRequest } from "../../kernel/model/model-provider.suite.ts";
import type { ModelDelta, ModelFinish, ModelRequest } from "../../kernel/model/model-provider.ts";
import type { CallLimits } from "./ai-sdk-config.ts";
import { createAiSdkProvider } from "./ai-sdk-provider.ts";
import {
  type Answer,
  BRANDS,
  type Brand,
  configFor,
  errorBody,
  startStream,
  startWireServer,
  TEST_KEY,
  type WireServer,
  wireEnd,
  wirePiece,
  wireReply,
  wireStart,
  wireStreamError,
} from "./wire-server.suite.ts";

const PIECES = ["The import ", "takes fünf Tage, ", "五天 🧪."];
const TEXT = PIECES.join("");

for (const brand of BRANDS) {
  modelProviderSuite({
    name: `ai-sdk ${brand}`,
    async open(scenario, { idleMs, maxOutputChars }) {
      const server = await startWireServer(async (response) => {
        if (scenario.kind === "rate_limited") {
          const headers = { "retry-after": String(scenario.retryAfterSeconds) };
          response.writeHead(429, headers).end(errorBody(brand, "slow down"));
        } else if (scenario.kind === "broken") {
          response.writeHead(500).end(errorBody(brand, "oops"));
        } else if (scenario.kind === "stall" && scenario.pieces.length === 0) {
          return;
        } else if (scenario.kind === "reply") {
          startStream(response).end(wireReply(brand, scenario.pieces, scenario.finish ?? "stop"));
        } else if (scenario.kind === "endless") {
          await writeForEver(startStream(response), brand);
        } else {
          startStream(response).write(wireReply(brand, scenario.pieces, "none"));
          if (scenario.kind === "no_finish") response.end();
          if (scenario.kind === "cut") setTimeout(() => response.destroy(), 20);
        }
      });
      const config = configFor(brand, server.url, { idleMs, maxOutputChars });
      return {
        provider: createAiSdkProvider(config, systemClock),
        model: "test-model",
        openCalls: server.openSockets,
        close: server.close,
      };
    },
  });
}

describe("finish and usage", () => {
  for (const brand of BRANDS) {
    test(`${brand}: usage is what the provider told`, async () => {
      const { finish } = await ask(brand, (response) =>
        startStream(response).end(wireReply(brand, PIECES)),
      );

      const common = { inputTokens: 33, cachedInputTokens: 8, outputTokens: 9 };
      const extra = {
        anthropic: { cacheWriteTokens: 4 },
        openai: { reasoningTokens: 2 },
        google: { reasoningTokens: 2 },
        "openai-compatible": {},
      };
      assert.deepEqual(finish?.usage, { ...common, ...extra[brand] });
    });
  }

  test("a compatible server that tells no usage gives none, not zeros", async () => {
    const whole = wireReply("openai-compatible", PIECES).replace(
      /data: [^\n]*"usage"[^\n]*\n\n/,
      "",
    );

    const { finish } = await ask("openai-compatible", (response) =>
      startStream(response).end(whole),
    );

    assert.deepEqual([finish?.reason, finish?.usage], ["stop", {}]);
  });

  test("the raw max_tokens of a compatible server means length", async () => {
    const { finish } = await ask("openai-compatible", (response) =>
      startStream(response).end(wireReply("openai-compatible", PIECES, "length")),
    );

    assert.deepEqual([finish?.reason, finish?.rawReason], ["length", "max_tokens"]);
  });

  test("a refusal ends as content filter, in Anthropic's words and in OpenAI's", async () => {
    const anthropic = wireReply("anthropic", ["No."]).replace("end_turn", "refusal");
    const compatible = wireReply("openai-compatible", ["No."]).replace(
      '"content":"No."',
      '"refusal":"No."',
    );

    const first = await ask("anthropic", (response) => startStream(response).end(anthropic));
    const second = await ask("openai-compatible", (response) =>
      startStream(response).end(compatible),
    );

    assert.equal(first.finish?.reason, "content_filter");
    assert.equal(second.finish?.reason, "content_filter");
  });

  test("thinking and commentary come as reasoning, never as answer text", async () => {
    const thinking = [
      ...wireStart("openai-compatible"),
      wirePiece("openai-compatible", "x").replace(
        '"content":"x"',
        '"reasoning_content":"let me see"',
      ),
      wirePiece("openai-compatible", "Done."),
      ...wireEnd("openai-compatible", "stop"),
    ].join("");
    const commentary = wireReply("openai", ["Looking into it."]).replace(
      '"type":"message","id":"item_1"',
      '"type":"message","phase":"commentary","id":"item_1"',
    );

    const first = await ask("openai-compatible", (response) => startStream(response).end(thinking));
    const second = await ask("openai", (response) => startStream(response).end(commentary));

    assert.deepEqual([first.reasoning, first.text], ["let me see", "Done."]);
    assert.deepEqual([second.reasoning, second.text], ["Looking into it.", ""]);
  });
});

describe("broken streams", () => {
  for (const brand of BRANDS) {
    test(`${brand}: cut at many bytes, the reply never passes as whole and what arrived is a prefix`, async () => {
      const whole = Buffer.from(wireReply(brand, PIECES));
      // The finish is told somewhere near the end: cut there at every seventh byte, before that more coarsely.
      const tail = Buffer.byteLength(wireEnd(brand, "stop").join(""));
      const ends: number[] = [];
      for (let at = 0; at < whole.length - tail; at += 61) ends.push(at);
      for (let at = whole.length - tail; at < whole.length - 1; at += 7) ends.push(at);
      let at = 0;
      const server = await startWireServer((response) => {
        const end = ends[at] ?? 0;
        startStream(response);
        if (end === 0) response.flushHeaders();
        else response.write(whole.subarray(0, end));
        setTimeout(() => response.destroy(), 2);
      });
      let cuts = 0;
      try {
        for (; at < ends.length; at += 1) {
          const heard = await hear(server, brand);
          const place = `${brand} at byte ${ends[at]} of ${whole.length}`;
          assert.ok(TEXT.startsWith(heard.text), place);
          if (heard.finish?.reason === "stop") {
            assert.fail(`${place} passed as whole`);
          }
          assert.equal(heard.finish?.reason ?? heard.error?.failure, "cut", place);
          cuts += 1;
        }
      } finally {
        await server.close();
      }
      assert.ok(cuts > 20, String(cuts));
    });

    test(`${brand}: letters split over chunks arrive whole`, async () => {
      const whole = Buffer.from(wireReply(brand, PIECES));

      const heard = await ask(brand, async (response) => {
        startStream(response);
        for (let at = 0; at < whole.length; at += 3) {
          response.write(whole.subarray(at, at + 3));
          if (at % 99 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
      });

      assert.equal(heard.text, TEXT);
      assert.equal(heard.finish?.reason, "stop");
    });

    test(`${brand}: invalid UTF-8 becomes replacement marks and breaks nothing`, async () => {
      const whole = Buffer.from(wireReply(brand, ["before XX after"]));
      const spoiled = Buffer.from(whole);
      spoiled.set([0xf0, 0x9f], whole.indexOf("XX"));

      const heard = await ask(brand, (response) => startStream(response).end(spoiled));

      assert.match(heard.text, /^before \ufffd+ after$/);
    });

    test(`${brand}: an error event in the middle is a failure, and the text before it is kept`, async () => {
      const heard = await ask(brand, (response) =>
        startStream(response).end(
          wireReply(brand, PIECES.slice(0, 1), "none") + wireStreamError(brand),
        ),
      );

      assert.equal(heard.text, PIECES[0]);
      assert.equal(heard.finish, undefined);
      assert.ok(heard.error);
      assert.match(heard.error.failure, /^(?:overloaded|unavailable)$/);
      assert.equal(heard.error.retryable, true);
    });

    test(`${brand}: an error event before any text is a failure too, and frees the connection`, async () => {
      const server = await startWireServer((response) => {
        startStream(response).write(wireStreamError(brand));
      });

      const heard = await hear(server, brand);
      await until(() => server.openSockets() === 0);

      assert.match(heard.error?.failure ?? "", /^(?:overloaded|unavailable)$/);
      await server.close();
    });

    test(`${brand}: nonsense inside the event stream is not taken for an answer`, async () => {
      const heard = await ask(brand, (response) =>
        startStream(response).end(
          `${wireReply(brand, PIECES.slice(0, 1), "none")}data: {"oops\n\n`,
        ),
      );

      assert.equal(heard.text, PIECES[0]);
      assert.equal(heard.error?.failure, "cut");
    });

    test(`${brand}: doubled and empty events do no harm`, async () => {
      const whole = wireReply(brand, PIECES).replaceAll("\n\n", "\n\n: keep-alive\n\n\n");

      const heard = await ask(brand, (response) => startStream(response).end(whole));

      assert.deepEqual([heard.text, heard.finish?.reason], [TEXT, "stop"]);
    });
  }
});

describe("answers that are no stream", () => {
  const statuses: readonly (readonly [number, string, boolean])[] = [
    [400, "invalid_request", false],
    [401, "auth", false],
    [403, "auth", false],
    [404, "invalid_request", false],
    [408, "timeout", true],
    [409, "unavailable", true],
    [413, "too_large", false],
    [429, "rate_limited", true],
    [500, "unavailable", true],
    [502, "unavailable", true],
    [503, "overloaded", true],
    [529, "overloaded", true],
  ];

  for (const brand of BRANDS) {
    test(`${brand}: each status becomes its failure, with the provider's words and without the key`, async () => {
      let status = 0;
      const server = await startWireServer((response) => {
        response.writeHead(status).end(errorBody(brand, `told you: ${TEST_KEY}`));
      });
      for (const [each, failure, retryable] of statuses) {
        status = each;
        const { error } = await hear(server, brand);
        assert.deepEqual([error?.failure, error?.retryable], [failure, retryable], String(each));
        assert.match(error?.message ?? "", /told you/);
        assert.ok(!JSON.stringify(everything(error)).includes(TEST_KEY), String(each));
      }
      await server.close();
    });

    test(`${brand}: a web page instead of JSON names the mistake`, async () => {
      const page = "<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>";

      const bad = await ask(brand, (response) =>
        response.writeHead(502, { "content-type": "text/html" }).end(page),
      );
      const fine = await ask(brand, (response) =>
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page),
      );

      assert.equal(bad.error?.failure, "unavailable");
      assert.doesNotMatch(bad.error?.message ?? "", /<html>/);
      assert.equal(fine.error?.failure, "invalid_request");
      assert.match(fine.error?.message ?? "", /web page/);
    });

    test(`${brand}: 200 with an error body is an error`, async () => {
      const heard = await ask(brand, (response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ error: { code: 503, message: "model is loading" } })),
      );

      assert.equal(heard.error?.failure, "overloaded");
      assert.match(heard.error?.message ?? "", /model is loading/);
    });

    test(`${brand}: a server that is not there cannot be reached`, async () => {
      const server = await startWireServer(() => {});
      await server.close();

      const { error } = await hear(server, brand);

      assert.deepEqual([error?.failure, error?.retryable], ["unavailable", true]);
      assert.match(error?.message ?? "", /cannot be reached/);
    });

    test(`${brand}: a connection closed without an answer is unavailable`, async () => {
      const { error } = await ask(brand, (response) => response.destroy());

      assert.deepEqual([error?.failure, error?.retryable], ["unavailable", true]);
    });
  }

  test("Retry-After works as a date, and an absurd one is bounded", async () => {
    const wait = async (value: string) =>
      (
        await ask("anthropic", (response) =>
          response.writeHead(429, { "retry-after": value }).end("{}"),
        )
      ).error?.retryAfterMs;

    const dated = await wait(new Date(Date.now() + 30_000).toUTCString());

    assert.ok(dated !== undefined && dated > 25_000 && dated <= 30_000, String(dated));
    assert.equal(await wait("999999999"), 3_600_000);
    assert.equal(await wait("gibberish"), undefined);
  });

  test("an exhausted quota is not tried again", async () => {
    const body = JSON.stringify({
      error: {
        message: "You exceeded your quota",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    });

    const { error } = await ask("openai", (response) => response.writeHead(429).end(body));

    assert.deepEqual([error?.failure, error?.retryable], ["rate_limited", false]);
  });

  test("a prompt beyond the context window is too large", async () => {
    const body = errorBody("anthropic", "prompt is too long: 210000 tokens > 200000 maximum");

    const { error } = await ask("anthropic", (response) => response.writeHead(400).end(body));

    assert.equal(error?.failure, "too_large");
  });

  test("a redirect is refused and the key does not follow it", async () => {
    const elsewhere = await startWireServer((response) => startStream(response).end());

    const { error } = await ask("anthropic", (response) =>
      response.writeHead(307, { location: `${elsewhere.url}/v1/messages` }).end(),
    );

    assert.ok(error);
    assert.equal(elsewhere.requests.length, 0);
    await elsewhere.close();
  });
});

describe("limits", () => {
  test("the total limit ends a call that keeps trickling", async () => {
    const heard = await ask(
      "anthropic",
      async (response) => {
        startStream(response);
        for (const part of wireStart("anthropic")) response.write(part);
        while (!response.destroyed) {
          response.write(": keep-alive\n\n");
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      },
      { idleMs: 2_000, totalMs: 250 },
    );

    assert.equal(heard.error?.failure, "timeout");
  });

  test("bytes are bounded, also those of one endless line and of a gzip bomb", async () => {
    const limits = { maxWireBytes: 300_000 };
    const line = await ask(
      "openai-compatible",
      async (response) => {
        startStream(response).write("data: ");
        await writeUntilClosed(response, "x".repeat(16_384));
      },
      limits,
    );
    const bomb = await ask(
      "openai-compatible",
      (response) =>
        response
          .writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
          .end(gzipSync(": x\n\n".repeat(400_000))),
      limits,
    );

    assert.equal(line.error?.failure, "too_large");
    assert.equal(bomb.error?.failure, "too_large");
  });

  test("a slow listener is no stall", async () => {
    const server = await startWireServer((response) => {
      startStream(response).end(wireReply("anthropic", PIECES));
    });
    const provider = createAiSdkProvider(
      configFor("anthropic", server.url, { idleMs: 1500 }),
      systemClock,
    );
    let text = "";
    let patienceMs = 2000;
    for await (const delta of provider.call(suiteRequest("test"), {
      signal: new AbortController().signal,
    })) {
      await new Promise((resolve) => setTimeout(resolve, patienceMs));
      patienceMs = 0;
      if (delta.type === "text") text += delta.text;
    }

    assert.equal(text, TEXT);
    await server.close();
  });
});

describe("what is sent", () => {
  const schema = {
    type: "object",
    properties: { answer: { type: "string" } },
    required: ["answer"],
    additionalProperties: false,
  };
  const sent = async (brand: Brand, change: Partial<ModelRequest>) => {
    const server = await startWireServer((response) =>
      startStream(response).end(wireReply(brand, PIECES)),
    );
    await hear(server, brand, {}, change);
    await server.close();
    return { ...server.requests[0], body: JSON.stringify(server.requests[0]?.body) };
  };

  test("the key goes in the header, the messages in their roles", async () => {
    const anthropic = await sent("anthropic", {});
    const openai = await sent("openai", {});
    const google = await sent("google", {});

    assert.equal(anthropic.headers?.["x-api-key"], TEST_KEY);
    assert.match(anthropic.body, /"system":\[\{"type":"text","text":"Answer briefly\."/);
    assert.match(anthropic.path ?? "", /\/v1\/messages$/);
    assert.equal(openai.headers?.authorization, `Bearer ${TEST_KEY}`);
    assert.match(openai.body, /"store":false/);
    assert.equal(google.headers?.["x-goog-api-key"], TEST_KEY);
    assert.ok(!(google.path ?? "").includes(TEST_KEY));
  });

  test("a JSON contract is passed on, but not to a continuation and not for sections", async () => {
    for (const brand of ["anthropic", "openai", "google"] as const) {
      const plain = await sent(brand, { outputSchema: schema });
      const continued = await sent(brand, {
        outputSchema: schema,
        continuationOf: { text: '{"answer":"it' },
        labels: { step: "s", attempt: 1, continuation: 1 },
      });
      const sections = await sent(brand, {
        outputSchema: schema,
        syntax: {
          kind: "sections",
          sections: [{ heading: "Answer", field: "answer", read: "text" }],
        },
      });

      assert.match(plain.body, /additionalProperties|"answer"/, brand);
      assert.doesNotMatch(continued.body, /"answer":\{/, brand);
      assert.doesNotMatch(sections.body, /"answer":\{/, brand);
    }
  });

  test("cache breakpoints become Anthropic's cache_control on the marked message", async () => {
    const { body } = await sent("anthropic", { cacheBreakpoints: [0] });

    assert.match(body, /"text":"Answer briefly\.","cache_control":\{"type":"ephemeral"\}/);
    assert.equal(body.match(/cache_control/g)?.length, 1);
  });

  test("usage is asked of compatible servers, and limits and temperature are passed on", async () => {
    const { body } = await sent("openai-compatible", { temperature: 0.2, maxOutputTokens: 321 });

    assert.match(body, /"include_usage":true/);
    assert.match(body, /"max_tokens":321/);
    assert.match(body, /"temperature":0\.2/);
  });
});

test("making a provider loads no provider package", async () => {
  const script = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        console.log(specifier);
        return next(specifier, context);
      },
    });
    const { createAiSdkProvider } = await import("${new URL("./ai-sdk-provider.ts", import.meta.url).href}");
    createAiSdkProvider({ brand: "anthropic", apiKey: "k" }, { now: () => 0 });
  `;

  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    script,
  ]);

  assert.match(stdout, /ai-sdk-provider\.ts/);
  assert.doesNotMatch(stdout, /^@ai-sdk/m);
});

interface Heard {
  readonly text: string;
  readonly reasoning: string;
  readonly finish: ModelFinish | undefined;
  readonly error: ModelError | undefined;
}

async function ask(brand: Brand, answer: Answer, limits: Partial<CallLimits> = {}): Promise<Heard> {
  const server = await startWireServer(answer);
  try {
    return await hear(server, brand, limits);
  } finally {
    await server.close();
  }
}

async function hear(
  server: WireServer,
  brand: Brand,
  limits: Partial<CallLimits> = {},
  change: Partial<ModelRequest> = {},
): Promise<Heard> {
  const provider = createAiSdkProvider(
    configFor(brand, server.url, { idleMs: 3_000, ...limits }),
    systemClock,
  );
  const deltas: ModelDelta[] = [];
  let error: ModelError | undefined;
  try {
    const request = { ...suiteRequest("test-model"), ...change };
    const { signal } = new AbortController();
    for await (const delta of provider.call(request, { signal })) deltas.push(delta);
  } catch (thrown) {
    assert.ok(thrown instanceof ModelError, String(thrown));
    error = thrown;
  }
  const join = (type: string) =>
    deltas
      .map((delta) => (delta.type === type && delta.type !== "finish" ? delta.text : ""))
      .join("");
  return {
    text: join("text"),
    reasoning: join("reasoning"),
    finish: deltas.find((delta) => delta.type === "finish"),
    error,
  };
}

function everything(error: ModelError | undefined): unknown {
  return [error?.message, error?.hint, error?.details, error?.stack, error?.cause];
}

async function writeForEver(response: Parameters<Answer>[0], brand: Brand): Promise<void> {
  for (const part of wireStart(brand)) response.write(part);
  await writeUntilClosed(response, wirePiece(brand, "and again ".repeat(100)));
}

async function writeUntilClosed(response: Parameters<Answer>[0], piece: string): Promise<void> {
  while (!response.destroyed) {
    if (!response.write(piece)) {
      await Promise.race([
        new Promise((resolve) => response.once("drain", resolve)),
        new Promise((resolve) => response.once("close", resolve)),
      ]);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 2_000;
  while (!condition() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(condition());
}
