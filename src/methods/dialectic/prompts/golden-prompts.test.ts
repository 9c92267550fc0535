/**
 * Every prompt of one full pass of `software` as it is sent, kept in `tests/golden/dialectic` to be read and
 * compared. `GOLDEN=write` writes the files anew; read the difference before it is committed.
 *
 * The model's words follow from the labels of its call alone, so a changed prompt changes its own file and no
 * other. What is the same in many prompts is kept once: the rules of turns and planners, and each stage's seed.
 * Of documents that are given to read only the name is kept; `full-pass.test.ts` shows that they are there whole.
 */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { builtInLibrary } from "../../../../tests/scratch/scratch-kernel.ts";
import { systemClock } from "../../../kernel/base/clock.ts";
import type { JsonObject } from "../../../kernel/base/json.ts";
import { estimateTokens } from "../../../kernel/model/estimate-tokens.ts";
import type {
  ModelMessage,
  ModelProvider,
  ModelRequest,
} from "../../../kernel/model/model-provider.ts";
import { createRehearsalModel } from "../../../kernel/model/rehearsal-model.ts";
import { parseRehearsalScript } from "../../../kernel/model/rehearsal-script.ts";
import { sliceOfHeader } from "../document/header-contract.ts";
import {
  type DialecticRig,
  openDialecticRig,
  REQUEST,
  type WholeArtifact,
} from "../dialectic-rig.suite.ts";
import { identityKey } from "../planning/identity.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { compileDomain } from "../recipe/compile-domain.ts";
import { stepOf } from "../recipe/compiled-domain.ts";
import { identityOf } from "../running/load-session.ts";

const FOLDER = path.join(import.meta.dirname, "../../../../tests/golden/dialectic");
const WRITES = process.env["GOLDEN"] === "write";
const CUT = "thesis_generate_business_case";
const BROKEN = "thesis_generate_feature_spec";
/** The first slot on the other's proposal: what is compared shows whose is whose. */
const ITEMS = ["s1", "s1.l2", "s1.l2.m2"];

/** Says the same whatever it is asked. */
function deafModel(): ModelProvider["call"] {
  const script = {
    replies: [
      { step: CUT, item: "s1", continuation: 0, misbehave: { kind: "truncate", at: 900 } },
      { step: BROKEN, item: "s1", continuation: 0, reply: '{"features": "to be written"}' },
    ],
  };
  const { call } = createRehearsalModel(systemClock, {
    script: parseRehearsalScript(JSON.stringify(script)),
  });
  const opening: ModelMessage = { role: "user", text: REQUEST };
  return (request, options) =>
    call({ ...request, messages: [opening, ...request.messages.slice(4)] }, options);
}

describe("the prompts of a full pass", () => {
  let rig: DialecticRig;
  let artifacts: readonly WholeArtifact[];
  let read = new Set<string>();

  before(async () => {
    rig = await openDialecticRig({ call: deafModel() });
    const model = ["rehearsal/rehearsal", "rehearsal/other"];
    const { runId } = await rig.invoke("dialectic.start", { request: REQUEST, model });
    await rig.idle();
    const document = "thesis/business_case/s2";
    const said = { session: runId, document, section: "market_opportunity" };
    await rig.invoke("dialectic.feedback", { ...said, text: "Count the customers of one shop." });
    await rig.invoke("dialectic.revise", { session: runId, document });
    await rig.idle();
    await rig.invoke("dialectic.feedback", { ...said, text: "Show the arithmetic." });
    await rig.invoke("dialectic.run", { session: runId, auto: true });
    await rig.idle();
    artifacts = await rig.artifacts(runId);
    if (WRITES) rmSync(FOLDER, { recursive: true, force: true });
  });
  after(() => rig.close());

  /** Compares with the file, or writes it. */
  function kept(name: string, text: string): void {
    const file = path.join(FOLDER, `${name}.md`);
    read = new Set([...read, `${name}.md`]);
    if (WRITES) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, `${text}\n`);
    } else assert.equal(`${text}\n`, readFileSync(file, "utf8"), `${name} reads otherwise`);
  }

  const first = (step: string, item: string) =>
    rig.asked.find(
      ({ labels }) => labels.step === step && labels.item === item && labels.continuation === 0,
    );

  test("seeds, one for each stage", () => {
    const seeds = artifacts.filter(({ kind }) => kind === "seed");

    assert.equal(seeds.length, 5);
    for (const { stage, body } of seeds) kept(`${stage}_seed`, body.trim());
  });

  test("planners and turns, one for each step", () => {
    const made = artifacts.filter(({ kind, version }) => kind !== "seed" && version === 1);
    const chosen = made.filter((row) => ITEMS.includes(itemOf(row)));

    assert.equal(new Set(chosen.map(({ stage, step }) => `${stage}/${step}`)).size, 33);
    const systems = new Map<string, string>();
    for (const row of chosen) {
      const request = first(row.step, itemOf(row)) ?? assert.fail(row.step);
      const { system, user } = partsOf(request);
      const name = row.kind === "header" ? "planner" : "turn";
      assert.equal(system, systems.get(name) ?? system, `${row.step} has the rules of all`);
      systems.set(name, system);
      const seed = artifacts.find(({ kind, stage }) => kind === "seed" && stage === row.stage);
      const body = user.replace(seed?.body.trim() ?? "", `(${row.stage}_seed.md)`);
      kept(`${row.stage}_${row.document_key}`, withoutMaterial(body));
    }
    for (const [name, system] of systems) kept(`${name}_system`, system);
  });

  test("continuations, explicit and corrective, and a revision", () => {
    const second = (step: string) =>
      rig.asked.find(
        ({ labels }) => labels.step === step && labels.item === "s1" && labels.continuation === 1,
      ) ?? assert.fail(step);
    for (const [name, step] of [
      ["continuation_explicit", CUT],
      ["continuation_corrective", BROKEN],
    ] as const) {
      const before = first(step, "s1")?.messages ?? [];
      const { messages } = second(step);
      assert.deepEqual(messages.slice(0, before.length), before, "the prompt itself comes first");
      const rest = messages.slice(before.length);
      kept(name, rest.map(({ role, text }) => `(${role})\n${text}`).join("\n\n"));
    }
    const revising = rig.asked.filter(
      ({ labels }) => labels.step === CUT && labels.item === "s2" && labels.continuation === 0,
    );
    assert.equal(revising.length, 2);
    kept("revision", withoutMaterial(partsOf(revising[1] ?? assert.fail()).user));
  });

  test("and nothing else is kept", () => {
    assert.deepEqual(readdirSync(FOLDER).toSorted(), [...read].toSorted());
  });

  test("no turn reads more than half of its header, nor a sibling's notes", () => {
    for (const [step, share] of sharesOf("software", rig, artifacts))
      assert.ok(share <= 0.5, `${step} ${share}`);
  });
});

test("in another domain no turn does either", async () => {
  const rig = await openDialecticRig({ call: deafModel() });
  const { runId } = await rig.invoke("dialectic.start", {
    request: "How do city trees lower the temperature of streets at night?",
    domain: "research",
    model: ["rehearsal/rehearsal"],
    auto: true,
  });
  await rig.idle();
  const shares = sharesOf("research", rig, await rig.artifacts(runId));
  await rig.close();

  assert.equal(shares.length, 22);
  for (const [step, share] of shares) assert.ok(share <= 0.5, `${step} ${share}`);
});

/** What each turn reads of its header, as a part of the whole, in tokens. */
function sharesOf(
  key: string,
  { asked }: DialecticRig,
  artifacts: readonly WholeArtifact[],
): readonly (readonly [string, number])[] {
  const { domain } = compileDomain(builtInLibrary(), key);
  assert.ok(domain);
  const byId = new Map(artifacts.map((row) => [row.id, row]));
  return artifacts.flatMap((row) => {
    const inputs = JSON.parse(row.inputs) as readonly InputRef[];
    const header = byId.get(inputs.find(({ type }) => type === "header_context")?.id ?? "");
    if (header === undefined) return [];
    const sent = asked.find(
      ({ labels }) => labels.step === row.step && labels.item === itemOf(row),
    );
    const text = sent?.messages.map((each) => each.text).join("\n") ?? "";
    const shared = between(text, "# The plan, shared part\n", "\n# ");
    const notes = between(text, "# The plan, notes for your document\n", "\n# ");
    const { special, own } = sliceOfHeader(
      stepOf(domain, header.stage, header.step).shape,
      JSON.parse(header.body) as JsonObject,
      stepOf(domain, row.stage, row.step).shape.key,
    );
    for (const note of Object.values(own).flat() as readonly string[]) {
      assert.ok(notes.includes(note.replaceAll("\n", "\n  ")), `${row.step}: ${note}`);
    }
    assert.equal(
      notes.split("\n").filter((line) => line.startsWith("- **")).length,
      Object.keys(special).length + Object.keys(own).length,
      `${row.step} reads its own notes and no others`,
    );
    const tokens = estimateTokens(shared) + estimateTokens(notes);
    return [[row.step, tokens / estimateTokens(header.body)]];
  });
}

function itemOf(row: WholeArtifact): string {
  return identityKey(identityOf(row)).split("/").at(-1) ?? "";
}

function partsOf({ messages }: ModelRequest): { readonly system: string; readonly user: string } {
  const said = (wanted: string) =>
    messages
      .filter(({ role }) => role === wanted)
      .map(({ text }) => text.trim())
      .join("\n\n");
  return { system: said("system"), user: said("user") };
}

function withoutMaterial(text: string): string {
  return text.replaceAll(/<untrusted-\w+ from="([^"]*)">[^]*?<\/untrusted-\w+>/g, "($1)");
}

function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from);
  if (start === -1) return "";
  const end = text.indexOf(to, start + from.length);
  return text.slice(start + from.length, end === -1 ? undefined : end);
}
