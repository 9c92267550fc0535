import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import * as z from "zod";
import { type Clock, systemClock } from "../base/clock.ts";
import { continuationPrompt } from "../contract/continuation-prompt.ts";
import { defineContract } from "../contract/contract.ts";
import { joinContinuation } from "../contract/join-continuation.ts";
import { readReply } from "../contract/read-reply.ts";
import { ModelError } from "./model-error.ts";
import { modelProviderSuite } from "./model-provider.suite.ts";
import type { JsonSchema, ModelDelta, ModelFinish, ModelRequest } from "./model-provider.ts";
import { MISBEHAVIOUR_KINDS, type Misbehaviour } from "./rehearsal-misbehaviour.ts";
import { createRehearsalModel, type RehearsalOptions } from "./rehearsal-model.ts";
import { parseRehearsalScript } from "./rehearsal-script.ts";

const schema = z.strictObject({
  status: z.enum(["SUCCESS", "FAILED"]),
  summary: z.string(),
  steps: z
    .array(
      z.strictObject({
        id: z.enum(["p3", "p4", "p5"]),
        title: z.string(),
        confidence: z.number().min(0).max(1),
      }),
    )
    .min(2),
});
const contract = defineContract({ name: "plan", schema });
const outputSchema = z.toJSONSchema(schema) as JsonSchema;

const request = (change: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "rehearsal",
  messages: [
    { role: "system", text: "You plan work." },
    {
      role: "user",
      text: "Project: Throughline\n\n## Import of exports\n- p3: Streaming reader\n- p4: Progress bar\n\nPlan the next steps.",
    },
  ],
  outputSchema,
  labels: { step: "plan.make", attempt: 1, continuation: 0 },
  ...change,
});

modelProviderSuite({
  name: "rehearsal",
  cannot: ["endless"],
  async open(scenario, { idleMs }) {
    const reply = "pieces" in scenario ? scenario.pieces.join("") : "The import is done.";
    const kinds: Readonly<Record<typeof scenario.kind, Misbehaviour | undefined>> = {
      reply: "finish" in scenario ? { kind: "truncate", at: reply.length - 5 } : undefined,
      cut: { kind: "cut", at: reply.length },
      no_finish: { kind: "fall_silent", at: reply.length },
      stall: { kind: "stall", at: reply.length },
      rate_limited: { kind: "rate_limit", retryAfterMs: 7_000 },
      broken: { kind: "server_error", status: 500 },
      endless: undefined,
    };
    const misbehave = kinds[scenario.kind];
    const script = {
      replies: [{ reply, continuation: 0 as const, ...(misbehave ? { misbehave } : {}) }],
    };
    return {
      provider: createRehearsalModel(systemClock, { script, idleMs }),
      model: "rehearsal",
      openCalls: () => 0,
      close: async () => {},
    };
  },
});

describe("a model that behaves", () => {
  test("meets the contract, plainly, and tells usage", async () => {
    const { text, finish } = await hear({}, request());

    const reading = readReply(contract, text, { finish: "stop" });
    assert.ok(reading.ok && reading.loss === "none" && reading.repairs.length === 0);
    assert.equal(finish?.reason, "stop");
    assert.ok(finish.usage.inputTokens! > 10 && finish.usage.outputTokens! > 10);
  });

  test("says the same again for the same seed, labels and prompt, in every run", async () => {
    const first = await hear({ seed: "a" }, request());
    const inAnotherRun = await hear(
      { seed: "a" },
      request({ labels: { ...request().labels, run: "0198" } }),
    );

    assert.equal(inAnotherRun.text, first.text);
  });

  test("says something else for another seed, attempt, item, model or prompt", async () => {
    const { labels, messages } = request();
    const others = await Promise.all([
      hear({ seed: "a" }, request()),
      hear({ seed: "b" }, request()),
      hear({ seed: "a" }, request({ labels: { ...labels, attempt: 2 } })),
      hear({ seed: "a" }, request({ labels: { ...labels, item: "7" } })),
      hear({ seed: "a" }, request({ labels: { ...labels, seed: "own" } })),
      hear({ seed: "a" }, request({ model: "other" })),
      hear(
        { seed: "a" },
        request({ messages: [...messages, { role: "user", text: "Also think of costs." }] }),
      ),
    ]);

    assert.equal(new Set(others.map(({ text }) => text)).size, others.length);
  });

  test("answers in sections when asked to, and the contract reads the same value from them", async () => {
    const sectioned = defineContract({
      name: "task",
      schema: z.object({
        status: z.enum(["SUCCESS", "FAILED"]),
        summary: z.string(),
        output: z.record(z.string(), z.unknown()),
        nextAction: z.enum(["COMPLETE", "CONTINUE"]),
        nextDescription: z.string().optional(),
        tags: z.array(z.string()),
        metadata: z.object({ confidence: z.number().min(0).max(1) }),
      }),
      sections: [
        { heading: "Status", field: "status", read: "word" },
        { heading: "Summary", field: "summary", read: "text" },
        { heading: "Output", field: "output", read: "json" },
        { heading: "Next Action", field: "nextAction", read: "word", rest: "nextDescription" },
        { heading: "Tags", field: "tags", read: "list" },
        { heading: "Metadata", field: "metadata", read: "pairs" },
      ],
    });
    const wanted = z.toJSONSchema(sectioned.schema) as JsonSchema;

    const asJson = await hear({}, request({ outputSchema: wanted }));
    const asSections = await hear(
      {},
      request({ outputSchema: wanted, syntax: { kind: "sections", sections: sectioned.sections } }),
    );

    assert.match(asSections.text, /^## Status\nSUCCESS\n\n## Summary\n/);
    const reading = readReply(sectioned, asSections.text, { finish: "stop" });
    assert.ok(reading.ok, JSON.stringify(reading));
    assert.deepEqual(reading.value, JSON.parse(asJson.text));
  });

  test("without a contract it answers in readable prose about the request", async () => {
    const { outputSchema: _none, ...plain } = request();

    const { text } = await hear({}, plain);

    assert.match(text, /Throughline|Import of exports|Streaming reader/);
    assert.match(text, /\n- /);
  });

  test("stops at the output limit it is given and says so", async () => {
    const whole = await hear({}, request());
    const short = await hear({}, request({ maxOutputTokens: 20 }));

    assert.equal(short.finish?.reason, "length");
    assert.ok(whole.text.startsWith(short.text) && short.text.length < whole.text.length);
    assert.ok(short.finish.usage.outputTokens! <= 24);
  });

  test("yields a small reply at once, a large one in a few pieces", async () => {
    const large = request({
      outputSchema: {
        type: "object",
        required: ["content"],
        properties: { content: { type: "string", minLength: 20_000 } },
      },
    });

    assert.equal((await hear({}, request())).deltas.length, 2);
    assert.ok((await hear({}, large)).deltas.length < 12);
  });

  test("with latency the reply is spread over it, and time is the clock's", async () => {
    const slept: number[] = [];
    const clock: Clock = { ...systemClock, sleep: async (ms) => void slept.push(ms) };

    const { deltas } = await hear({ latencyMs: 900 }, request(), clock);

    assert.ok(deltas.length > 8);
    assert.ok(Math.abs(slept.reduce((sum, ms) => sum + ms, 0) - 900) < 1);
  });

  test("thousands of waiting calls fit in one process", async () => {
    const model = createRehearsalModel(systemClock, { latencyMs: 120 });
    const { signal } = new AbortController();
    const call = async (item: string) => {
      let text = "";
      for await (const delta of model.call(request({ labels: { ...request().labels, item } }), {
        signal,
      })) {
        if (delta.type === "text") text += delta.text;
      }
      return text.length;
    };
    const started = performance.now();

    const lengths = await Promise.all(
      Array.from({ length: 3_000 }, (_, index) => call(String(index))),
    );

    assert.ok(lengths.every((length) => length > 0));
    // One after another they would take six minutes.
    assert.ok(performance.now() - started < 60_000);
  });
});

describe("misbehaviour on request", () => {
  const misbehaving = (misbehave: Misbehaviour, change: Partial<ModelRequest> = {}) =>
    hear({ script: { replies: [{ misbehave, continuation: 0 }] } }, request(change));
  const clean = () => hear({}, request());
  const read = (text: string, finish = "stop") => readReply(contract, text, { finish });

  test("truncation at any place ends in length", async () => {
    const whole = (await clean()).text;

    for (const at of [0, 1, 40, whole.length - 1]) {
      const { text, finish } = await misbehaving({ kind: "truncate", at });
      assert.deepEqual(
        [text, finish?.reason, finish?.rawReason],
        [whole.slice(0, at), "length", "max_tokens"],
      );
    }
  });

  test("a place counted in bytes never tears a character apart", async () => {
    const reply = "ü五🧪.";
    for (let at = 0; at <= Buffer.byteLength(reply); at += 1) {
      const { text } = await hear(
        {
          script: {
            replies: [
              { reply, continuation: 0, misbehave: { kind: "truncate", at, unit: "byte" } },
            ],
          },
        },
        request(),
      );
      assert.ok(reply.startsWith(text) && text.isWellFormed());
      assert.ok(Buffer.byteLength(text) <= at);
    }
  });

  test("fences and prose around the JSON are readable all the same", async () => {
    const fenced = await misbehaving({ kind: "fence" });
    const chatty = await misbehaving({ kind: "prose" });

    assert.match(fenced.text, /^```json\n\{[\s\S]*\}\n```$/);
    assert.match(chatty.text, /^Here is[\s\S]*\{[\s\S]*\}[\s\S]*Let me know/);
    assert.ok(read(fenced.text).ok && read(chatty.text).ok);
  });

  test("each way of breaking JSON really breaks it", async () => {
    for (const how of ["trailing_comma", "single_quotes", "unescaped_quote"] as const) {
      const { text } = await misbehaving({ kind: "break", how });
      assert.throws(() => JSON.parse(text), SyntaxError, how);
      const reading = read(text);
      assert.ok(!reading.ok || reading.repairs.length > 0, how);
    }
  });

  test("wandering off, repeating, inventing ids, refusing and falling empty look like the real thing", async () => {
    const wandered = await misbehaving({ kind: "wander" });
    const repeated = await misbehaving({ kind: "repeat" });
    const invented = await misbehaving({ kind: "invent_ids" });
    const refused = await misbehaving({ kind: "refuse" });
    const empty = await misbehaving({ kind: "empty" });

    assert.equal(read(wandered.text).ok, false);
    assert.equal(repeated.text, `${(await clean()).text}\n\n${(await clean()).text}`);
    assert.equal(read(invented.text).ok, false);
    assert.match(invented.text, /"id": "p9\d\d"/);
    assert.equal(refused.finish?.reason, "content_filter");
    assert.deepEqual([empty.text, empty.finish?.reason], ["", "length"]);
  });

  test("errors carry what real ones do", async () => {
    const limited = await misbehaving({ kind: "rate_limit", retryAfterMs: 1_234 });
    const busy = await misbehaving({ kind: "server_error", status: 529 });
    const down = await misbehaving({ kind: "server_error", status: 502 });
    const cut = await misbehaving({ kind: "cut", at: 10 });

    assert.deepEqual(
      [limited.error?.failure, limited.error?.retryAfterMs],
      ["rate_limited", 1_234],
    );
    assert.equal(busy.error?.failure, "overloaded");
    assert.equal(down.error?.failure, "unavailable");
    assert.deepEqual([cut.error?.failure, cut.text.length, cut.finish], ["cut", 10, undefined]);
  });

  test("rates are kept over many calls, and the same calls go wrong every time", async () => {
    const rates = { truncate: 0.1, fence: 0.05, rate_limit: 0.05 };
    const outcomes = async () => {
      const counts = { length: 0, fenced: 0, limited: 0, fine: 0 };
      for (let item = 0; item < 1_000; item += 1) {
        const { text, finish, error } = await hear(
          { rates },
          request({ labels: { ...request().labels, item: String(item) } }),
        );
        if (error) counts.limited += 1;
        else if (finish?.reason === "length") counts.length += 1;
        else if (text.startsWith("```")) counts.fenced += 1;
        else counts.fine += 1;
      }
      return counts;
    };

    const first = await outcomes();

    assert.deepEqual(await outcomes(), first);
    assert.ok(first.length > 70 && first.length < 130, JSON.stringify(first));
    assert.ok(first.fenced > 30 && first.fenced < 75, JSON.stringify(first));
    assert.ok(first.limited > 30 && first.limited < 75, JSON.stringify(first));
  });

  test("every kind can be had by rate", async () => {
    for (const kind of MISBEHAVIOUR_KINDS) {
      const heard = await hear({ rates: { [kind]: 1 }, idleMs: 1 }, request());
      const plain = await clean();
      assert.ok(heard.error || heard.finish?.reason !== "stop" || heard.text !== plain.text, kind);
    }
  });
});

describe("going on", () => {
  const goOn = (
    soFar: string,
    continuation: number,
    options: RehearsalOptions = {},
    base = request(),
  ) => {
    const follow = continuationPrompt({ contract, soFar });
    return hear(options, {
      ...base,
      messages: [...base.messages, { role: "user", text: follow }],
      labels: { ...base.labels, continuation },
      continuationOf: { text: soFar },
    });
  };

  test("from any place at which the first reply broke off, the joined text is the whole one", async () => {
    const whole = (await hear({}, request())).text;

    for (let at = 1; at < whole.length; at += 1) {
      const { text } = await goOn(whole.slice(0, at), 1);
      assert.equal(joinContinuation(whole.slice(0, at), text).text, whole, `cut at ${at}`);
    }
  });

  test("also when nothing asks for a mark: then it goes on bare", async () => {
    const whole = (await hear({}, request())).text;
    const base = request();

    const { text } = await hear(
      {},
      {
        ...base,
        messages: [...base.messages, { role: "user", text: "Please go on." }],
        labels: { ...base.labels, continuation: 1 },
        continuationOf: { text: whole.slice(0, 50) },
      },
    );

    assert.equal(text, whole.slice(50));
  });

  test("through as many continuations as the output limit makes necessary", async () => {
    const whole = (await hear({}, request())).text;
    const base = request({ maxOutputTokens: 45 });
    let heard = await hear({}, base);
    let text = heard.text;
    let rounds = 0;
    for (; heard.finish?.reason === "length" && rounds < 60; rounds += 1) {
      heard = await goOn(text, rounds + 1, {}, base);
      text = joinContinuation(text, heard.text).text;
    }

    assert.equal(text, whole);
    assert.ok(rounds > 2);
  });

  test("a fenced or chatty reply is gone on with as it was", async () => {
    for (const kind of ["fence", "prose"] as const) {
      const options = { script: { replies: [{ misbehave: { kind }, continuation: 0 as const }] } };
      const whole = (await hear(options, request())).text;
      const { text } = await goOn(whole.slice(0, 90), 1, options);
      assert.equal(joinContinuation(whole.slice(0, 90), text).text, whole);
    }
  });

  test("a broken reply that is to be corrected is answered anew and validly", async () => {
    const options = {
      script: { replies: [{ misbehave: { kind: "break" as const }, continuation: 0 as const }] },
    };
    const broken = (await hear(options, request())).text;

    const { text } = await goOn(broken, 1, options);

    assert.ok(readReply(contract, text, { finish: "stop" }).ok);
  });

  test("a repeating model begins with what it had said last", async () => {
    const options = parseRehearsalScript(
      '{"replies": [{"continuation": 1, "misbehave": {"kind": "repeat"}}]}',
    );
    const whole = (await hear({}, request())).text;
    const soFar = whole.slice(0, 200);

    const { text } = await goOn(soFar, 1, { script: options });

    assert.ok(text.startsWith(soFar.slice(-80)));
    assert.equal(joinContinuation(soFar, text).text, whole);
  });

  test("a pinned reply is gone on with too, and a pinned continuation is said as it is", async () => {
    const script = parseRehearsalScript(`{"replies": [
      {"step": "plan.*", "reply": "one two three four", "misbehave": {"kind": "truncate", "at": 7}},
      {"step": "plan.*", "continuation": 2, "reply": "something else"}
    ]}`);
    const first = await hear({ script }, request());

    assert.equal(first.text, "one two");
    assert.match((await goOn("one two", 1, { script })).text, / three four$/);
    assert.equal((await goOn("one two three", 2, { script })).text, "something else");
  });

  test("for any cut of any reply, whatever the seed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (seed, share) => {
          const whole = (await hear({ seed }, request())).text;
          const at = Math.floor(share * (whole.length - 1));
          const { text } = await goOn(whole.slice(0, at), 1, { seed });
          assert.equal(joinContinuation(whole.slice(0, at), text).text, whole);
        },
      ),
      { numRuns: 60 },
    );
  });
});

interface Heard {
  readonly deltas: readonly ModelDelta[];
  readonly text: string;
  readonly finish: ModelFinish | undefined;
  readonly error: ModelError | undefined;
}

async function hear(
  options: RehearsalOptions,
  asked: ModelRequest,
  clock = systemClock,
): Promise<Heard> {
  const deltas: ModelDelta[] = [];
  let error: ModelError | undefined;
  try {
    const { signal } = new AbortController();
    for await (const delta of createRehearsalModel(clock, options).call(asked, { signal }))
      deltas.push(delta);
  } catch (thrown) {
    assert.ok(thrown instanceof ModelError, String(thrown));
    error = thrown;
  }
  return {
    deltas,
    text: deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join(""),
    finish: deltas.find((delta) => delta.type === "finish"),
    error,
  };
}
