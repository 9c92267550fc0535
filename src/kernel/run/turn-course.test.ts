import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type FailureKind, type Reading, refused } from "../contract/reading.ts";
import { ModelError, type ModelFailure } from "../model/model-error.ts";
import { type CallResult, type NextStep, nextStep, type TurnCourse } from "./turn-course.ts";

const FAILURES: readonly ModelFailure[] = [
  "rate_limited",
  "overloaded",
  "unavailable",
  "timeout",
  "stalled",
  "cut",
  "auth",
  "invalid_request",
  "too_large",
  "refused",
  "aborted",
];
const KINDS: readonly FailureKind[] = ["no_payload", "invalid", "truncated", "empty"];
const accepted: Reading<unknown> = { ok: true, value: 42, repairs: [], loss: "none" };

const anyCall: fc.Arbitrary<CallResult> = fc.record({
  text: fc.constantFrom("", "text"),
  reading: fc.oneof(
    fc.constant(accepted),
    fc.constantFrom(...KINDS).map((kind): Reading<unknown> => refused(kind, [])),
  ),
  error: fc.option(
    fc.constantFrom(...FAILURES).map((failure) => new ModelError(failure, "It went wrong.")),
    { nil: undefined },
  ),
});
const anyBounds = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 8 }),
  maxContinuations: fc.nat({ max: 8 }),
});

/** Follows the course as `performTurn` does, until it ends; every retry is a new attempt. */
function followCourse(
  bounds: Pick<TurnCourse, "maxAttempts" | "maxContinuations">,
  calls: readonly CallResult[],
): { readonly end: NextStep; readonly made: number } {
  const fresh = { continuations: 0, corrections: 0, enlargements: 0 };
  let course: TurnCourse = { ...bounds, ...fresh, attempt: 1 };
  for (let made = 1; ; made += 1) {
    const step = nextStep(course, calls[made % calls.length]!, 0.5);
    if (step.kind === "accept" || step.kind === "give_up") return { end: step, made };
    course = advance(course, step, fresh);
  }
}

function advance(
  course: TurnCourse,
  step: NextStep,
  fresh: Pick<TurnCourse, "continuations" | "corrections" | "enlargements">,
): TurnCourse {
  switch (step.kind) {
    case "continue":
      return { ...course, continuations: course.continuations + 1 };
    case "correct":
      return { ...course, corrections: course.corrections + 1 };
    case "enlarge":
      return { ...course, enlargements: course.enlargements + 1 };
    default:
      return { ...course, ...fresh, attempt: course.attempt + 1 };
  }
}

describe("nextStep", () => {
  test("ends every turn after a bounded number of calls, whatever comes back", () => {
    fc.assert(
      fc.property(anyBounds, fc.array(anyCall, { minLength: 1, maxLength: 6 }), (bounds, calls) => {
        const { made } = followCourse(bounds, calls);
        const most = bounds.maxAttempts * (bounds.maxContinuations + 3);
        assert.ok(made <= most, `${made} calls, at most ${most} were allowed`);
      }),
      { numRuns: 500 },
    );
  });

  test("accepts only what the contract accepted, and never beside an error that says otherwise", () => {
    fc.assert(
      fc.property(anyBounds, anyCall, (bounds, call) => {
        const course = { ...bounds, attempt: 1, continuations: 0, corrections: 0, enlargements: 0 };
        const step = nextStep(course, call, 0);
        if (step.kind === "accept") assert.ok(call.reading.ok);
        if (call.error !== undefined && !["cut", "stalled", "timeout"].includes(call.error.failure))
          assert.ok(step.kind === "retry" || step.kind === "give_up");
      }),
    );
  });

  test("gives up at once on what no retry cures, and says why in the provider's words", () => {
    for (const failure of ["auth", "invalid_request", "too_large", "refused"] as const) {
      const error = new ModelError(failure, "No.");
      const { end, made } = followCourse({ maxAttempts: 5, maxContinuations: 5 }, [
        { text: "", reading: refused("empty", []), error },
      ]);
      assert.equal(made, 1);
      assert.deepEqual(end, {
        kind: "give_up",
        reason: { code: `model_${failure}`, message: "No.", hint: error.hint },
      });
    }
  });

  test("tries five times when the provider is down, then gives up", () => {
    for (const failure of ["rate_limited", "overloaded", "unavailable", "timeout"] as const) {
      const call = { text: "", reading: refused("empty", []), error: new ModelError(failure, "…") };
      const { end, made } = followCourse({ maxAttempts: 5, maxContinuations: 5 }, [call]);
      assert.equal(made, 5);
      assert.equal(end.kind, "give_up");
    }
  });

  test("goes on from what arrived when the connection broke, but not from nothing", () => {
    const course = {
      attempt: 1,
      maxAttempts: 5,
      continuations: 0,
      maxContinuations: 5,
      corrections: 0,
      enlargements: 0,
    };
    for (const failure of ["cut", "stalled", "timeout"] as const) {
      const error = new ModelError(failure, "…");
      const half = { text: '{"a":', reading: refused("truncated", []), error };
      const nothing = { text: "", reading: refused("empty", []), error };
      assert.equal(nextStep(course, half, 0).kind, "continue");
      assert.equal(nextStep(course, nothing, 0).kind, "retry");
    }
  });

  test("waits as long as the provider asked", () => {
    const error = new ModelError("rate_limited", "…", { retryAfterMs: 77_000 });
    const course = {
      attempt: 1,
      maxAttempts: 5,
      continuations: 0,
      maxContinuations: 5,
      corrections: 0,
      enlargements: 0,
    };
    const step = nextStep(course, { text: "", reading: refused("empty", []), error }, 1);
    assert.deepEqual(step.kind === "retry" ? step.delayMs : undefined, 77_000);
  });

  test("names the problems it gave up over, at most three, and says how many more there are", () => {
    const problems = [1, 2, 3, 4, 5].map((number) => ({
      code: "missing" as const,
      path: `field${number}`,
      message: `Field ${number} is missing.`,
    }));
    const { end } = followCourse({ maxAttempts: 5, maxContinuations: 5 }, [
      { text: "{}", reading: refused("invalid", problems), error: undefined },
    ]);
    assert.equal(end.kind, "give_up");
    assert.match(
      end.kind === "give_up" ? end.reason.message : "",
      /Field 1 is missing\. Field 2 is missing\. Field 3 is missing\. and 2 more\./,
    );
  });

  const first: TurnCourse = {
    attempt: 1,
    maxAttempts: 5,
    continuations: 0,
    maxContinuations: 5,
    corrections: 0,
    enlargements: 0,
  };
  const cameBack = (kind: FailureKind, text = "text"): CallResult => ({
    text,
    reading: refused(kind, []),
    error: undefined,
  });

  test("accepts what was read with its value, also when the connection broke behind it", () => {
    const cut = new ModelError("cut", "…");

    for (const error of [undefined, cut]) {
      assert.deepEqual(nextStep(first, { text: "42", reading: accepted, error }, 0), {
        kind: "accept",
        value: 42,
      });
    }
  });

  test("each failure has its own step, as often as it may be taken, and then its own reason", () => {
    const stuck = { ...first, stalled: 2 };
    const told = "everything received is kept.";
    const reasons: [CallResult, TurnCourse, string, string, string][] = [
      [
        cameBack("truncated"),
        stuck,
        "reply_stuck",
        "2 continuations in a row brought nothing new.",
        `Choose another model or ask for less; ${told}`,
      ],
      [
        cameBack("truncated"),
        { ...first, continuations: 5, stalled: 1 },
        "reply_unfinished",
        "The reply was still unfinished after 5 continuations.",
        `Raise the number of continuations or ask for less; ${told}`,
      ],
      [
        cameBack("empty", ""),
        { ...first, enlargements: 1 },
        "reply_empty",
        "The model gave no text.",
        "Allow more output or choose another model.",
      ],
      [
        cameBack("invalid"),
        { ...first, corrections: 1 },
        "reply_unreadable",
        "The reply does not meet its contract: ",
        "Try again, choose another model, or make the prompt say more plainly what is wanted.",
      ],
    ];

    assert.deepEqual(nextStep({ ...first, stalled: 1 }, cameBack("truncated"), 0), {
      kind: "continue",
    });
    assert.deepEqual(nextStep({ ...first, continuations: 4 }, cameBack("truncated"), 0), {
      kind: "continue",
    });
    assert.deepEqual(nextStep(first, cameBack("empty", ""), 0), { kind: "enlarge" });
    for (const kind of ["invalid", "no_payload"] as const) {
      const reading = refused(kind, []);
      const result = { text: "text", reading, error: undefined };
      assert.deepEqual(nextStep(first, result, 0), { kind: "correct", reading });
      const none = nextStep({ ...first, maxCorrections: 0 }, result, 0);
      assert.equal(none.kind, "give_up");
      const more = nextStep({ ...first, corrections: 1, maxCorrections: 2 }, result, 0);
      assert.equal(more.kind, "correct");
    }
    for (const [result, course, code, message, hint] of reasons) {
      assert.deepEqual(nextStep(course, result, 0), {
        kind: "give_up",
        reason: { code, message, hint },
      });
    }
  });

  test("a provider's failure is tried again with its reason, and given up with it after the last attempt", () => {
    const error = new ModelError("unavailable", "Down.");
    const result = { text: "", reading: refused("empty", []), error };
    const reason = { code: "model_unavailable", message: "Down.", hint: error.hint };

    assert.deepEqual(nextStep({ ...first, attempt: 4 }, result, 1), {
      kind: "retry",
      delayMs: 8000,
      reason,
    });
    assert.deepEqual(nextStep({ ...first, attempt: 5 }, result, 1), { kind: "give_up", reason });
    assert.deepEqual(nextStep({ ...first, maxAttempts: 1 }, result, 1), {
      kind: "give_up",
      reason,
    });
  });

  test("three problems are named without a count of the rest", () => {
    const problems = [1, 2, 3].map((number) => ({
      code: "missing" as const,
      path: `field${number}`,
      message: `Field ${number} is missing.`,
    }));
    const reading = refused("invalid", problems);
    const step = nextStep(
      { ...first, corrections: 1 },
      { text: "{}", reading, error: undefined },
      0,
    );

    assert.equal(
      step.kind === "give_up" ? step.reason.message : "",
      "The reply does not meet its contract: Field 1 is missing. Field 2 is missing. Field 3 is missing.",
    );
  });
});
