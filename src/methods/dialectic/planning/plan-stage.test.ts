/** Planning: exact counts, exact inputs, barriers, nothing planned twice. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtInLibrary } from "../../../../tests/scratch/scratch-kernel.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import { builtInFiles, fixtureLibrary, type JsonFile } from "../dialectic-fixture.suite.ts";
import { compileDomain } from "../recipe/compile-domain.ts";
import { type CompiledDomain, type CompiledStage, stepOf } from "../recipe/compiled-domain.ts";
import { identityKey } from "./identity.ts";
import { type ArtifactFact, type PlannedJob, planStage, type StageFacts } from "./plan-stage.ts";
import { dependantsOf } from "./staleness.ts";
import { reviewersOf, type Topology } from "./topology.ts";

const software = compileDomain(builtInLibrary(), "software").domain as CompiledDomain;

interface Played {
  readonly artifacts: ArtifactFact[];
  readonly jobs: readonly PlannedJob[];
}

function factsOf(
  stage: CompiledStage,
  topology: Topology,
  artifacts: readonly ArtifactFact[],
  more: Partial<StageFacts> = {},
): StageFacts {
  return {
    topology,
    iteration: 1,
    artifacts,
    feedback: [],
    seed: { id: `seed:${stage.key}`, hash: "seed" },
    request: { id: "request", hash: "request" },
    refreshes: false,
    ...more,
  };
}

let made = 0;
function artifactOf(domain: CompiledDomain, job: PlannedJob, iteration = 1): ArtifactFact {
  const { documentKey } = stepOf(domain, job.identity.stage, job.identity.step);
  made += 1;
  const id = `a${made}`;
  const { identity, inputs } = job;
  return { ...identity, id, documentKey, iteration, hash: hashText(id), state: "complete", inputs };
}

/** Does what is planned, one job at a time, in an order that `pick` chooses. */
function play(
  domain: CompiledDomain,
  topology: Topology,
  pick: (jobs: readonly PlannedJob[]) => PlannedJob | undefined = (jobs) => jobs[0],
): Played {
  const artifacts: ArtifactFact[] = [];
  const jobs: PlannedJob[] = [];
  for (const stage of domain.stages) {
    for (;;) {
      const plan = planStage(stage, factsOf(stage, topology, artifacts));
      assert.deepEqual(plan.problems, []);
      const job = pick(plan.jobs);
      if (job === undefined) {
        assert.deepEqual(plan.waiting, [], stage.key);
        break;
      }
      jobs.push(job);
      artifacts.push(artifactOf(domain, job));
    }
  }
  return { artifacts, jobs };
}

describe("a full pass", () => {
  for (const [slots, turns] of [
    [1, 33],
    [2, 104],
    [3, 237],
  ] as const) {
    test(`of ${slots} slots takes ${turns} jobs, in whatever order they finish`, () => {
      const forward = play(software, { slots });
      const backward = play(software, { slots }, (jobs) => jobs.at(-1));

      assert.equal(forward.jobs.length, turns);
      const keys = (played: Played) =>
        played.jobs.map((job) => identityKey(job.identity)).toSorted();
      assert.equal(new Set(keys(forward)).size, turns);
      assert.deepEqual(keys(backward), keys(forward));
    });
  }

  test("reads exactly what each job means: own slot, that lineage, that reviewer", () => {
    const { artifacts, jobs } = play(software, { slots: 3 });
    const byId = new Map(artifacts.map((each) => [each.id, each]));
    for (const { identity, inputs } of jobs) {
      for (const { id, documentKey, type } of inputs) {
        const read = byId.get(id);
        if (read === undefined) continue;
        const step = stepOf(software, identity.stage, identity.step);
        const rule = step.inputs.find(
          (each) => each.documentKey === documentKey && each.type === type,
        );
        if (rule?.multiple !== false) continue;
        if (type === "header_context") assert.equal(read.slot, identity.slot);
        if (identity.stage === "antithesis" && type === "document")
          assert.equal(read.slot, identity.lineage);
        if (identity.match !== null && read.stage === "thesis")
          assert.equal(read.slot, identity.lineage);
        if (identity.match !== null && read.stage === "antithesis") {
          assert.deepEqual([read.lineage, read.slot], [identity.lineage, identity.match]);
        }
      }
    }
    const consolidated = jobs.find(({ identity }) =>
      identity.step.startsWith("synthesis_document_"),
    );
    assert.equal(consolidated?.inputs.length, 27, "all pairs of all slots");
    const advice = jobs.find(({ identity }) => identity.step.includes("advisor"));
    const plans = advice?.inputs.filter(({ documentKey }) => documentKey === "updated_master_plan");
    assert.equal(plans?.length, 3, "the plans of all slots");
  });

  test("a barrier holds until the last of all slots is there", () => {
    const seen = new Set<string>();
    play(software, { slots: 2 }, (jobs) => {
      const job = jobs.at(-1);
      if (job?.identity.step === "synthesis_document_business_case") {
        const pairs = [...seen].filter((key) => key.includes("synthesis_pairwise_business_case"));
        assert.equal(pairs.length, 8);
      }
      if (job) seen.add(identityKey(job.identity));
      return job;
    });
  });
});

describe("planning", () => {
  const [thesis, antithesis] = software.stages as [CompiledStage, CompiledStage];

  test("twice gives the same jobs under the same keys", () => {
    const plan = () => planStage(thesis, factsOf(thesis, { slots: 3 }, []));

    assert.deepEqual(plan(), plan());
    assert.equal(new Set(plan().jobs.map(({ key }) => key)).size, 3);
  });

  test("is all or nothing: one proposal without a document stops the stage", () => {
    const { artifacts } = play({ ...software, stages: [thesis] }, { slots: 2 });
    const less = artifacts.filter(
      ({ slot, documentKey }) => !(slot === 2 && documentKey === "feature_spec"),
    );

    const plan = planStage(antithesis, factsOf(antithesis, { slots: 2 }, less));

    assert.deepEqual(plan.jobs, []);
    assert.match(
      plan.problems[0]?.message ?? "",
      /needs exactly one document thesis\/feature_spec; there are 0/,
    );
  });

  test("with k reviewers gives every proposal k, in a round", () => {
    assert.deepEqual(
      [1, 2, 3].map((lineage) => reviewersOf(lineage, { slots: 3, reviewers: 1 })),
      [[2], [3], [1]],
    );
    const { jobs } = play(software, { slots: 3, reviewers: 2 });
    assert.equal(jobs.length, 15 + 42 + (72 + 27) + 24);
  });

  test("a step for each group reads its lineage of all slots, once", () => {
    const files = builtInFiles();
    const path = "recipes/software/antithesis.json";
    const recipe = JSON.parse(files[path] ?? "") as JsonFile;
    const last = recipe.steps.at(-1);
    const input = { type: "document", stage: "antithesis", documentKey: "risk_register" };
    recipe.steps.push({
      ...last,
      key: "gather",
      name: "gather",
      documentKey: "business_case_critique_of_all",
      schema: "business_case_critique",
      granularity: "per_source_group",
      inputsRequired: [{ ...input, multiple: true }],
      inputsRelevance: [{ documentKey: "risk_register", relevance: 1 }],
      outputType: "RenderedDocument",
    });
    const { domain, problems } = compileDomain(
      fixtureLibrary({ ...files, [path]: recipe }),
      "software",
    );
    assert.ok(domain, JSON.stringify(problems));

    const { jobs } = play(domain, { slots: 3 });

    const gathered = jobs.filter(({ identity }) => identity.step === "gather");
    assert.deepEqual(
      gathered.map(({ identity, inputs }) => [identity.lineage, inputs.length]),
      [
        [1, 3],
        [2, 3],
        [3, 3],
      ],
    );
  });
});

describe("what was built on a changed document", () => {
  test("is stale, and only that is made again", () => {
    const { artifacts } = play(software, { slots: 2 });
    const changed = artifacts.find(
      ({ stage, documentKey, slot }) =>
        stage === "thesis" && documentKey === "business_case" && slot === 1,
    ) as ArtifactFact;
    const stale = new Set(dependantsOf(artifacts, [changed.id]));
    const inAntithesis = artifacts.filter(
      ({ id, stage }) => stage === "antithesis" && stale.has(id),
    );

    assert.equal(inAntithesis.length, 14, "both reviewers' header and six reviews of proposal 1");
    assert.ok(inAntithesis.every(({ lineage }) => lineage === 1));
    assert.ok(!artifacts.some(({ id, stage }) => stage === "thesis" && stale.has(id)));

    const edited = { ...changed, id: "edited", hash: "edited" };
    const now = artifacts
      .filter(({ id }) => id !== changed.id)
      .map((each) => (stale.has(each.id) ? { ...each, state: "stale" as const } : each))
      .concat(edited);
    const redone: string[] = [];
    for (const stage of software.stages) {
      for (;;) {
        const [job] = planStage(stage, factsOf(stage, { slots: 2 }, now, { refreshes: true })).jobs;
        if (job === undefined) break;
        redone.push(identityKey(job.identity));
        const key = identityKey(job.identity);
        now.splice(
          now.findIndex((each) => identityKey(each) === key),
          1,
          artifactOf(software, job),
        );
      }
    }
    const expected = artifacts.filter(({ id }) => stale.has(id)).map(identityKey);
    assert.deepEqual(redone.toSorted(), expected.toSorted());
  });

  test("the next iteration takes over what has not changed", () => {
    const { artifacts } = play(software, { slots: 1 });
    const [thesis] = software.stages as [CompiledStage];
    const open = {
      ...(artifacts.find(({ documentKey }) => documentKey === "business_case") as ArtifactFact),
      id: "f1",
      hash: "f1",
    };
    const plan = (stage: CompiledStage, feedback: StageFacts["feedback"]) =>
      planStage(stage, factsOf(stage, { slots: 1 }, artifacts, { iteration: 2, feedback }));

    assert.deepEqual(plan(thesis, []).jobs, []);
    const review = plan(software.stages[1] as CompiledStage, [open]);
    assert.deepEqual(
      review.jobs.map(({ identity, because }) => [identity.step, because]),
      [["antithesis_prepare_proposal_review_plan", "changed"]],
    );
    assert.equal(review.waiting.length, 6);
  });
});
