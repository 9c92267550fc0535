/** Every kind of fault × every provider with `PROVIDER_FAULTS=all`; otherwise every kind once, with one of them. */

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { createAiSdkProvider } from "../../../src/adapters/ai-sdk/ai-sdk-provider.ts";
import {
  BRANDS,
  type Brand,
  configFor,
  startWireServer,
  TEST_KEY,
} from "../../../src/adapters/ai-sdk/wire-server.suite.ts";
import { createCommandProvider } from "../../../src/adapters/command/command-provider.ts";
import { systemClock } from "../../../src/kernel/base/clock.ts";
import { ModelError } from "../../../src/kernel/model/model-error.ts";
import { suiteRequest } from "../../../src/kernel/model/model-provider.suite.ts";
import type { ModelFinish, ModelProvider } from "../../../src/kernel/model/model-provider.ts";
import { ANSWER_FAULTS } from "./answer-faults.ts";
import { COMMAND_FAULTS } from "./command-faults.ts";
import { type Fault, TEXT } from "./fault.ts";
import { STREAM_FAULTS } from "./stream-faults.ts";

const FAULTS = [...STREAM_FAULTS, ...ANSWER_FAULTS];

/** Long for a server on the same machine, short for a test. */
const IDLE_MS = 700;
const WEDGED_MS = 15_000;
const ALL = process.env["PROVIDER_FAULTS"] === "all";
const LIMITS = { idleMs: IDLE_MS, totalMs: 5_000, maxOutputChars: 200_000, maxWireBytes: 600_000 };

interface Heard {
  readonly text: string;
  readonly finishes: readonly ModelFinish[];
  readonly error: ModelError | undefined;
  /** How it ended, in one word. */
  readonly ending: string;
}

describe("scripted faults of providers", { concurrency: !ALL }, () => {
  for (const [place, brand] of BRANDS.entries()) {
    const faults = FAULTS.filter((_, index) => ALL || index % BRANDS.length === place);
    test(`${brand}: each ends in time, as what it is, and none passes half a reply off as whole`, async (t) => {
      const wrong = (await inGroups(faults, 8, (fault) => tryFault(fault, brand))).flat();
      assert.deepEqual(wrong, []);
      t.diagnostic(`${faults.length} kinds of faults × ${brand}: 0 wedged, 0 half for whole`);
    });
  }

  test("a command: each ends in time, as what it is, and none passes half a reply off as whole", async (t) => {
    const faults = COMMAND_FAULTS.filter((_, index) => ALL || index % 4 === 0);
    const wrong = (await inGroups(faults, 8, tryCommand)).flat();
    assert.deepEqual(wrong, []);
    t.diagnostic(`${faults.length} kinds of faults × command: 0 wedged, 0 half for whole`);
  });

  test("there are sixty kinds and more, each once", () => {
    assert.ok(FAULTS.length >= 60, String(FAULTS.length));
    assert.equal(new Set(FAULTS.map(({ kind }) => kind)).size, FAULTS.length);
    assert.equal(new Set(COMMAND_FAULTS.map(({ kind }) => kind)).size, COMMAND_FAULTS.length);
  });
});

async function tryFault(fault: Fault, brand: Brand): Promise<string[]> {
  const server = await startWireServer((response) => fault.answer(response, brand));
  if (fault.address === "nobody") await server.close();
  const url = fault.address === "tls" ? server.url.replace("http:", "https:") : server.url;
  const heard = await hear(createAiSdkProvider(configFor(brand, url, LIMITS), systemClock));
  const wrong = judge(heard, fault);
  if (!(await freed(server.openSockets))) wrong.push("left its connection open");
  if (Object.hasOwn(Object.prototype, "polluted")) wrong.push("changed every object");
  const shown = JSON.stringify([heard.error?.message, heard.error?.details, heard.error?.stack]);
  if (shown.includes(TEST_KEY)) wrong.push("shows our key");
  if (fault.retryAfterMs !== undefined) {
    const wait = heard.error?.retryAfterMs;
    const [least, most] = fault.retryAfterMs === "none" ? [0, 0] : fault.retryAfterMs;
    if ((wait ?? 0) < least || (wait ?? 0) > most) wrong.push(`would wait ${wait} ms`);
  }
  if (fault.address !== "nobody") await server.close();
  return wrong.map((what) => `${brand}, ${fault.kind}: ${what}`);
}

async function tryCommand(fault: (typeof COMMAND_FAULTS)[number]): Promise<string[]> {
  const provider = createCommandProvider(
    {
      name: "program",
      command: "/bin/sh",
      args: ["-c", `cat >/dev/null; ${fault.script}`],
      cwd: tmpdir(),
      // Starting a process takes its time on a busy machine.
      limits: { ...LIMITS, idleMs: 2_000, graceMs: 150 },
    },
    process.env,
  );
  const wrong = judge(await hear(provider), fault);
  return wrong.map((what) => `command, ${fault.kind}: ${what}`);
}

function judge(heard: Heard, fault: Pick<Fault, "ends" | "text" | "retryable">): string[] {
  const wrong: string[] = [];
  const expected = fault.text ?? TEXT;
  if (!(fault.ends as readonly string[]).includes(heard.ending)) {
    wrong.push(`ended ${heard.ending} instead of ${fault.ends.join(" or ")}`);
  }
  if (heard.ending === "whole" && heard.text !== expected) {
    wrong.push(`passed ${JSON.stringify(heard.text.slice(0, 80))} off as whole`);
  }
  const repeated =
    fault.ends.includes("too_large") && expected.repeat(99).startsWith(heard.text.slice(0, 99));
  if (!expected.startsWith(heard.text) && !repeated) {
    wrong.push(`made up ${JSON.stringify(heard.text.slice(0, 80))}`);
  }
  if (heard.finishes.length > 1) wrong.push(`finished ${heard.finishes.length} times`);
  if (fault.retryable !== undefined && heard.error?.retryable !== fault.retryable) {
    wrong.push(`may be tried again: ${heard.error?.retryable}`);
  }
  return wrong;
}

async function hear(provider: ModelProvider): Promise<Heard> {
  let text = "";
  const finishes: ModelFinish[] = [];
  let error: ModelError | undefined;
  let untyped: string | undefined;
  const call = async () => {
    try {
      const { signal } = new AbortController();
      for await (const delta of provider.call(suiteRequest("test-model"), { signal })) {
        if (delta.type === "finish") finishes.push(delta);
        else if (delta.type === "text") text += delta.text;
      }
    } catch (thrown) {
      if (thrown instanceof ModelError) error = thrown;
      else untyped = inspect(thrown);
    }
    return "over";
  };
  const wedged = new Promise<string>((resolve) => {
    setTimeout(() => resolve("wedged"), WEDGED_MS).unref();
  });
  const outcome = await Promise.race([call(), wedged]);
  return { text, finishes, error, ending: endingOf() };

  function endingOf(): string {
    if (outcome === "wedged") return outcome;
    if (untyped !== undefined) return `with an error without a code: ${untyped}`;
    if (error !== undefined) return error.failure;
    const reason = finishes[0]?.reason;
    return reason === "stop" ? "whole" : (reason ?? "without a finish");
  }
}

async function freed(openSockets: () => number): Promise<boolean> {
  const deadline = performance.now() + 2_000;
  while (openSockets() > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return openSockets() === 0;
}

async function inGroups<Each, Result>(
  all: readonly Each[],
  size: number,
  of: (each: Each) => Promise<Result>,
): Promise<Result[]> {
  const waiting = [...all];
  const results: Result[] = [];
  const one = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      results.push(await of(each));
    }
  };
  await Promise.all(Array.from({ length: size }, one));
  return results;
}
