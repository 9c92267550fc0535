import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import { createRedactor } from "../../../kernel/prompt/redactor.ts";
import { type CompiledPacket, compilePacket, type PacketOptions } from "./compile-packet.ts";
import { INTENTS, type IntentInput } from "./intents.ts";
import { anyMaterial, anyProjectMaterial, HIDDEN, PASSAGES } from "./material-arbitraries.suite.ts";
import { sourceTextsOf } from "./material-texts.ts";
import type { PacketMaterial } from "./packet-material.ts";
import { optionsFor } from "./packet-world.suite.ts";

const anyIntent: fc.Arbitrary<IntentInput> = fc.oneof(
  fc.constantFrom(...INTENTS.filter((slug) => slug !== "custom")).map((intent) => ({ intent })),
  fc
    .string({ minLength: 1, maxLength: 60 })
    .filter((text) => text.trim() !== "")
    .map((text) => ({ intent: "custom", customIntent: `Please: ${text}` })),
);

/** The least budget under which it can be compiled: the refusal of a smaller one names it. */
function leastBudget(material: PacketMaterial, options: PacketOptions): number {
  const refusal = attempt(material, { ...options, budget: { characters: 500 } });
  if (!(refusal instanceof ProductError)) return 500;
  assert.equal(refusal.code, "packet_budget_too_small");
  assert.equal(refusal.kind, "invalid");
  return refusal.details["needs"] as number;
}

function attempt(material: PacketMaterial, options: PacketOptions): CompiledPacket | ProductError {
  try {
    return compilePacket(material, options);
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
}

/** More by `PACKET_RUNS=10000`. */
const RUNS = Number(process.env["PACKET_RUNS"] ?? 1200);

const squeezed = (text: string): string => text.replaceAll(/\s+/g, " ");

describe("for any state, any intent and any budget from the mandatory minimum on", () => {
  test("a packet keeps all its promises", () => {
    const seen = { cut: 0, whole: 0, least: 0, masked: 0, pinned: 0 };
    fc.assert(
      fc.property(anyMaterial, anyIntent, fc.nat(6000), (material, intent, more) => {
        const options = optionsFor(intent);
        const least = leastBudget(material, options);
        const characters = least + (more < 500 ? 0 : more);

        const packet = compilePacket(material, { ...options, budget: { characters } });

        const { prompt } = packet;
        if (characters === least) seen.least += 1;
        if (material.pins.size > 0) seen.pinned += 1;
        if (prompt.text.includes("[REDACTED]")) seen.masked += 1;
        seen[prompt.marker === "shown" ? "cut" : "whole"] += 1;
        assert.ok(prompt.text.length <= characters, `${prompt.text.length} > ${characters}`);
        assert.equal(prompt.hash, hashText(prompt.text));
        assertAskAndContractWhole(packet, options);
        assertMarkerTrue(packet);
        assertOffsetsExact(packet, material);
        assertInOrder(packet);
        assertNothingRedacted(packet);
        assertPinsIn(packet, material);
        assert.deepEqual(compilePacket(material, { ...options, budget: { characters } }), packet);
      }),
      { numRuns: RUNS },
    );
    assert.ok(Math.min(...Object.values(seen)) > RUNS / 25, JSON.stringify(seen));
  });

  test("one character less than the minimum is refused unless all fits whole, the minimum itself is not", () => {
    fc.assert(
      fc.property(anyMaterial, anyIntent, (material, intent) => {
        const options = optionsFor(intent);
        const least = leastBudget(material, options);
        if (least === 500) return;

        const below = attempt(material, { ...options, budget: { characters: least - 1 } });
        const at = attempt(material, { ...options, budget: { characters: least } });

        if (below instanceof ProductError) assert.equal(below.code, "packet_budget_too_small");
        else assert.equal(below.prompt.marker, "none");
        assert.ok(!(at instanceof ProductError));
      }),
      { numRuns: RUNS / 8 },
    );
  });
});

function assertAskAndContractWhole({ prompt, name }: CompiledPacket, options: PacketOptions): void {
  const { text } = options.words.returnContract(name);
  assert.ok(prompt.text.endsWith(text), "the contract is whole and last");
  for (const { importance, outcome, layer } of prompt.ledger) {
    if (importance === "required") assert.equal(outcome, "in", layer);
  }
  const asks = ["continuation", "request", "intent", "contract", "stance"];
  for (const { layer, truncated } of prompt.ledger) {
    if (asks.includes(layer)) assert.equal(truncated, undefined, layer);
  }
}

function assertMarkerTrue({ prompt }: CompiledPacket): void {
  const isCut = prompt.cuts.some(({ cause }) => cause === "budget");
  assert.equal(prompt.marker, isCut ? "shown" : "none");
  const markers = prompt.sourceMap.filter(
    ({ kind, part, start, end }) =>
      kind === "marker" &&
      part === undefined &&
      prompt.text.slice(start, end) === "[Prompt truncated to budget]",
  );
  assert.equal(markers.length, isCut ? 1 : 0);
  const [marker] = markers;
  if (marker === undefined) return;
  const next = prompt.sourceMap.find(
    ({ start, kind }) => start > marker.start && kind !== "separator",
  );
  assert.match(next?.layer ?? "", /^(?:continuation|intent)$/, "it ends the context");
}

/** What a range holds is what its source says, as far as it was not cut or hidden. */
function assertOffsetsExact(
  { prompt, contextRefs }: CompiledPacket,
  material: PacketMaterial,
): void {
  const sources = Map.groupBy(sourceTextsOf(material), ({ ref }) => `${ref.type}:${ref.id}`);
  const shown = new Set<string>();
  for (const { type, id, ranges } of contextRefs) {
    assert.ok(!shown.has(`${type}:${id}`), "each thing once");
    shown.add(`${type}:${id}`);
    const texts = (sources.get(`${type}:${id}`) ?? []).map(({ text }) => text.toWellFormed());
    for (const { start, end } of ranges) {
      const said = prompt.text.slice(start, end);
      const [beginning = ""] = said.split(/\[REDACTED|…/);
      assert.ok(
        texts.some((text) => text.startsWith(beginning.trimEnd())),
        `${type} ${JSON.stringify(said)}`,
      );
      if (!/\[REDACTED|…/.test(said)) assert.ok(texts.includes(said), JSON.stringify(said));
    }
  }
}

/** Nothing less important is in while something more important is out. */
function assertInOrder({ prompt }: CompiledPacket): void {
  const optional = prompt.ledger.filter(({ importance }) => typeof importance === "number");
  const kept = optional.filter(({ reason }) => reason === "included");
  const lost = optional.filter(({ reason }) => reason === "budget" || reason === "outranked");
  const lowestKept = Math.min(Infinity, ...kept.map(({ importance }) => Number(importance)));
  const highestLost = Math.max(-Infinity, ...lost.map(({ importance }) => Number(importance)));
  assert.ok(lowestKept > highestLost, `${lowestKept} is in, ${highestLost} is out`);
}

function assertNothingRedacted({ prompt, contextRefs, counts }: CompiledPacket): void {
  const { messages, ...rest } = prompt;
  const told = [
    prompt.text,
    ...messages.map(({ text }) => text),
    JSON.stringify([rest, contextRefs, counts]),
  ];
  for (const text of told) {
    const plain = squeezed(text.replaceAll("\\n", " "));
    for (const passage of PASSAGES) assert.ok(!plain.includes(passage), passage);
    assert.ok(!text.includes(HIDDEN), "what is hidden at its place is not told");
  }
  const hunter = createRedactor({ texts: PASSAGES, finders: [] });
  assert.deepEqual(hunter.find(prompt.text), []);
}

function assertPinsIn({ contextRefs }: CompiledPacket, { pins }: PacketMaterial): void {
  const shown = new Set(contextRefs.map(({ id }) => id));
  for (const pin of pins) assert.ok(shown.has(pin), "a pinned thought is in");
}

describe("a project packet", () => {
  test("leaves out sections with nothing to say", () => {
    const [sample] = fc.sample(anyProjectMaterial, { numRuns: 1, seed: 1 });
    const nothing = { ref: { type: "project", id: "p" }, text: "", hidden: [] };
    const none = { count: 0, isMore: false };
    const bare: PacketMaterial = {
      ...sample!,
      project: { id: "p", name: { ...nothing, text: "Bare" }, description: nothing },
      concepts: [],
      tasks: [],
      tensions: [],
      underWay: [],
      lastCompleted: undefined,
      decisions: [],
      newestDecision: undefined,
      highlights: [],
      conversations: [],
      totals: { tasks: none, decisions: none, highlights: none, conversations: none },
      pins: new Set(),
      withheld: [],
    };

    const { prompt } = compilePacket(bare, optionsFor({ intent: "generate_next_actions" }));

    assert.deepEqual(
      prompt.layers.map(({ layer }) => layer),
      ["intent", "snapshot", "continuation", "request", "contract"],
    );
    assert.match(
      prompt.text,
      /SNAPSHOT\nProject: Bare\nActive Tasks: 0\nKey Decisions: 0\nKey Highlights: 0\n\nEXPLICIT/,
    );
  });

  test("is refused without an intent", () => {
    const [material] = fc.sample(anyProjectMaterial, 1);

    const refusal = attempt(material!, optionsFor({}));

    assert.ok(refusal instanceof ProductError && refusal.code === "intent_missing");
  });

  test("says how many there are, and when there are more than were counted", () => {
    const [sample] = fc.sample(anyProjectMaterial, { numRuns: 1, seed: 5 });
    const material: PacketMaterial = {
      ...sample!,
      totals: { ...sample!.totals, decisions: { count: 1000, isMore: true } },
    };

    const { prompt, counts } = compilePacket(
      material,
      optionsFor({ intent: "custom", customIntent: "x" }, 20_000),
    );

    const { length } = sample!.decisions;
    assert.ok(prompt.text.includes(`Key Decisions: ${length} of 1,000+`));
    assert.deepEqual(counts["decisions"], { chosen: length, count: 1000, isMore: true });
  });

  test("fits a budget in tokens as well", () => {
    const [material] = fc.sample(anyProjectMaterial, { numRuns: 1, seed: 9 });
    const options = optionsFor({ intent: "generate_next_actions" });

    const { prompt } = compilePacket(material!, {
      ...options,
      budget: { characters: 20_000, tokens: 600 },
    });

    assert.ok((prompt.tokens ?? Infinity) <= 600);
    assert.equal(prompt.marker, "shown");
  });
});

describe("a long description", () => {
  test("gives way to what is around it down to its least, and takes what is left", () => {
    const [sample] = fc
      .sample(anyMaterial, { numRuns: 200, seed: 3 })
      .filter(({ origin }) => origin === "task");
    assert.ok(sample?.origin === "task");
    const { id } = sample.task;
    const said = (field: string, text: string) => ({
      ref: { type: "task", id, field },
      text,
      hidden: [],
    });
    const material: PacketMaterial = {
      ...sample,
      passages: [],
      pins: new Set(),
      task: {
        ...sample.task,
        title: said("title", "Long"),
        description: said("description", "word ".repeat(4000).trim()),
      },
      highlight: {
        id: "h",
        label: { ref: { type: "highlight", id: "h", field: "label" }, text: "", hidden: [] },
        content: {
          ref: { type: "highlight", id: "h", field: "content" },
          text: `${"evidence ".repeat(60).trim()}.`,
          hidden: [],
        },
        score: { value: 0.8 },
      },
    };

    const { prompt } = compilePacket(material, optionsFor({}));

    assert.ok(prompt.characters > 6990 && prompt.characters <= 7000);
    assert.match(prompt.text, /word…\n\n/);
    const shown = /Source Highlight:\n(.*)\n/.exec(prompt.text)?.[1] ?? "";
    assert.ok(shown.length <= 300 && shown.endsWith("evidence…"), shown);
    assert.match(prompt.text, /\n\n\[Prompt truncated to budget\]\n\nINTENT: Resolve/);
  });
});
