/**
 * The promises of `ModelProvider`, run by every provider's own test. A harness puts a real
 * counterpart behind the provider (a server, a process, a script) that behaves as the scenario says.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ModelError } from "./model-error.ts";
import type { ModelDelta, ModelFinish, ModelProvider, ModelRequest } from "./model-provider.ts";

type Scenario =
  | { readonly kind: "reply"; readonly pieces: readonly string[]; readonly finish?: "length" }
  /** The connection dies after the pieces. */
  | { readonly kind: "cut"; readonly pieces: readonly string[] }
  /** The counterpart says goodbye properly but never that the reply is whole. */
  | { readonly kind: "no_finish"; readonly pieces: readonly string[] }
  /** Sends the pieces, then nothing, for ever. */
  | { readonly kind: "stall"; readonly pieces: readonly string[] }
  | { readonly kind: "rate_limited"; readonly retryAfterSeconds: number }
  | { readonly kind: "broken" }
  | { readonly kind: "endless" };

interface OpenedProvider {
  readonly provider: ModelProvider;
  readonly model: string;
  /** Connections or processes the counterpart still holds for us. */
  openCalls(): number;
  close(): Promise<void>;
}

export interface ProviderHarness {
  readonly name: string;
  /** Opened with an idle limit of `idleMs` and an output limit of `maxOutputChars`. */
  open(scenario: Scenario, limits: SuiteLimits): Promise<OpenedProvider>;
  /** What this kind of counterpart cannot do or say; each is a named gap, not a skip by accident. */
  readonly cannot?: readonly (Scenario["kind"] | "length" | "usage")[];
}

interface SuiteLimits {
  readonly idleMs: number;
  readonly maxOutputChars: number;
}

const LIMITS: SuiteLimits = { idleMs: 300, maxOutputChars: 200_000 };

const PIECES = ["The import ", "takes 4 s — ", "fünf Tage, 五天, 🧪", " and is done."];

export function modelProviderSuite(harness: ProviderHarness): void {
  const can = (what: Scenario["kind"] | "length" | "usage") => !harness.cannot?.includes(what);

  describe(`${harness.name} keeps the promises of a model provider`, () => {
    test("streams the text in order and ends in exactly one finish", async () => {
      const heard = await listen(harness, { kind: "reply", pieces: PIECES });

      assert.equal(heard.error, undefined);
      assert.equal(heard.text, PIECES.join(""));
      assert.equal(heard.deltas.filter(({ type }) => type === "finish").length, 1);
      assert.equal(heard.finish?.reason, "stop");
      assert.equal(heard.deltas.at(-1), heard.finish);
      assert.ok(heard.deltas.every((delta) => delta.type === "finish" || delta.text !== ""));
    });

    if (can("length")) {
      test("says when the reply ended at its length limit", async () => {
        const heard = await listen(harness, { kind: "reply", pieces: PIECES, finish: "length" });

        assert.equal(heard.finish?.reason, "length");
        assert.ok(heard.finish.rawReason);
      });
    }

    test("tells usage as numbers or not at all", async () => {
      const { finish } = await listen(harness, { kind: "reply", pieces: PIECES });

      const { inputTokens, outputTokens } = finish?.usage ?? {};
      if (can("usage")) {
        assert.ok(Number.isInteger(inputTokens) && Number.isInteger(outputTokens));
      } else {
        assert.deepEqual(finish?.usage, {});
      }
    });

    if (can("cut")) {
      test("hands over what arrived before a cut, then throws, and never calls it whole", async () => {
        const heard = await listen(harness, { kind: "cut", pieces: PIECES.slice(0, 2) });

        assert.equal(heard.finish, undefined);
        assert.equal(heard.error?.failure, "cut");
        assert.equal(heard.error.retryable, true);
        assert.ok(PIECES.join("").startsWith(heard.text));
      });
    }

    if (can("no_finish")) {
      test("a stream that just ends is a cut", async () => {
        const heard = await listen(harness, { kind: "no_finish", pieces: PIECES.slice(0, 2) });

        assert.equal(heard.text, PIECES.slice(0, 2).join(""));
        assert.equal(heard.finish?.reason ?? heard.error?.failure, "cut");
      });
    }

    for (const pieces of [[], PIECES.slice(0, 1)]) {
      test(`a stall ${pieces.length === 0 ? "before the first word" : "in the middle"} ends in time`, async () => {
        const started = performance.now();

        const heard = await listen(harness, { kind: "stall", pieces });

        assert.equal(heard.error?.failure, "stalled");
        assert.equal(heard.error.retryable, true);
        assert.equal(heard.text, pieces.join(""));
        assert.ok(performance.now() - started < LIMITS.idleMs + 2_000);
        assert.equal(heard.openAfter, 0);
      });
    }

    test("an abort in the middle takes hold within two seconds and frees the connection", async () => {
      const heard = await listen(
        harness,
        { kind: "stall", pieces: PIECES.slice(0, 1) },
        { idleMs: 30_000, abortAfterFirstDelta: true },
      );

      assert.equal(heard.error?.failure, "aborted");
      assert.equal(heard.error.retryable, false);
      assert.ok(heard.msAfterAbort < 2_000, `${heard.msAfterAbort} ms`);
      assert.equal(heard.openAfter, 0);
    });

    test("an abort before the first word takes hold as well", async () => {
      const heard = await listen(
        harness,
        { kind: "stall", pieces: [] },
        { idleMs: 30_000, abortAfterMs: 50 },
      );

      assert.equal(heard.error?.failure, "aborted");
      assert.ok(heard.msAfterAbort < 2_000, `${heard.msAfterAbort} ms`);
      assert.equal(heard.openAfter, 0);
    });

    test("a call that is already aborted never leaves", async () => {
      const heard = await listen(harness, { kind: "reply", pieces: PIECES }, { aborted: true });

      assert.equal(heard.error?.failure, "aborted");
      assert.equal(heard.deltas.length, 0);
    });

    test("a listener that walks away frees the connection", async () => {
      const heard = await listen(
        harness,
        { kind: "stall", pieces: PIECES.slice(0, 1) },
        { idleMs: 30_000, leaveAfterFirstDelta: true },
      );

      assert.equal(heard.error, undefined);
      assert.equal(heard.openAfter, 0);
    });

    if (can("rate_limited")) {
      test("a rate limit says how long to wait", async () => {
        const { error } = await listen(harness, { kind: "rate_limited", retryAfterSeconds: 7 });

        assert.equal(error?.failure, "rate_limited");
        assert.equal(error.retryable, true);
        assert.equal(error.retryAfterMs, 7_000);
      });
    }

    test("a counterpart that fails is a provider error with a hint", async () => {
      const { error, finish } = await listen(harness, { kind: "broken" });

      assert.equal(finish, undefined);
      assert.equal(error?.kind, "provider");
      assert.ok(error.hint);
    });

    if (can("endless")) {
      test("an endless reply is stopped at the limit", async () => {
        const heard = await listen(harness, { kind: "endless" });

        assert.equal(heard.error?.failure, "too_large");
        assert.equal(heard.error.retryable, false);
        assert.ok(heard.text.length <= LIMITS.maxOutputChars);
        assert.equal(heard.openAfter, 0);
      });
    }
  });
}

interface Listening {
  readonly idleMs?: number;
  readonly aborted?: boolean;
  readonly abortAfterMs?: number;
  readonly abortAfterFirstDelta?: boolean;
  readonly leaveAfterFirstDelta?: boolean;
}

interface Heard {
  readonly deltas: readonly ModelDelta[];
  readonly text: string;
  readonly finish: ModelFinish | undefined;
  readonly error: ModelError | undefined;
  readonly msAfterAbort: number;
  readonly openAfter: number;
}

async function listen(
  harness: ProviderHarness,
  scenario: Scenario,
  listening: Listening = {},
): Promise<Heard> {
  const opened = await harness.open(scenario, {
    ...LIMITS,
    idleMs: listening.idleMs ?? LIMITS.idleMs,
  });
  const strays: unknown[] = [];
  const onStray = (reason: unknown) => strays.push(reason);
  process.on("unhandledRejection", onStray);
  try {
    const heard = await hear(opened, listening);
    const openAfter = await settled(opened);
    assert.deepEqual(strays, [], "no rejection may go unhandled");
    return { ...heard, openAfter };
  } finally {
    process.off("unhandledRejection", onStray);
    await opened.close();
  }
}

async function hear(
  { provider, model }: OpenedProvider,
  listening: Listening,
): Promise<Omit<Heard, "openAfter">> {
  const controller = new AbortController();
  let abortedAt = 0;
  const abort = () => {
    abortedAt = performance.now();
    controller.abort();
  };
  if (listening.aborted) abort();
  const timer = listening.abortAfterMs ? setTimeout(abort, listening.abortAfterMs) : undefined;

  const deltas: ModelDelta[] = [];
  let error: ModelError | undefined;
  try {
    for await (const delta of provider.call(suiteRequest(model), { signal: controller.signal })) {
      deltas.push(delta);
      if (listening.leaveAfterFirstDelta) break;
      if (listening.abortAfterFirstDelta && deltas.length === 1) setImmediate(abort);
    }
  } catch (thrown) {
    assert.ok(thrown instanceof ModelError, `expected a ModelError, got ${String(thrown)}`);
    error = thrown;
  } finally {
    clearTimeout(timer);
  }
  return {
    deltas,
    error,
    text: deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join(""),
    finish: deltas.find((delta) => delta.type === "finish"),
    msAfterAbort: abortedAt === 0 ? 0 : performance.now() - abortedAt,
  };
}

export function suiteRequest(model: string): ModelRequest {
  return {
    model,
    messages: [
      { role: "system", text: "Answer briefly." },
      { role: "user", text: "How long does the import take?" },
    ],
    maxOutputTokens: 1_000,
    labels: { step: "suite.ask", attempt: 1, continuation: 0 },
  };
}

/** Waits, at most two seconds, until the counterpart has held nothing for us for a moment. */
async function settled(opened: OpenedProvider): Promise<number> {
  const deadline = performance.now() + 2_000;
  // Node's fetch may knock once more, unasked, right after a connection was broken off.
  for (let quiet = 0; quiet < 4 && performance.now() < deadline; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    quiet = opened.openCalls() === 0 ? quiet + 1 : 0;
  }
  return opened.openCalls();
}
