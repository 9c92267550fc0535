/** The recipe compiler: the built-in domains are sound, and each planted fault is found at its place. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtInLibrary } from "../../../../tests/scratch/scratch-kernel.ts";
import {
  builtInFiles,
  fixtureLibrary,
  type JsonFile,
  withEdited,
} from "../dialectic-fixture.suite.ts";
import { countAllTurns, countTurns } from "../planning/topology.ts";
import { compileDomain } from "./compile-domain.ts";
import { stepOf } from "./compiled-domain.ts";
import type { RecipeProblemCode } from "./recipe-problem.ts";

const THESIS = "recipes/software/thesis.json";
const PARENTHESIS = "recipes/software/parenthesis.json";
const HEADER = "documents/software/thesis_header_context.json";
const RISKS = "documents/software/risk_register.json";

describe("the built-in domains", () => {
  for (const key of ["software", "research"]) {
    test(`${key} has no problem`, () => {
      assert.deepEqual(compileDomain(builtInLibrary(), key).problems, []);
    });
  }

  test("software takes 33, 104 and 237 turns with 1, 2 and 3 slots", () => {
    const { domain } = compileDomain(builtInLibrary(), "software");
    assert.ok(domain);
    const counts = [1, 2, 3].map((slots) =>
      domain.stages.map((each) => countTurns(each, { slots })),
    );

    assert.deepEqual(counts, [
      [5, 7, 13, 4, 4],
      [10, 28, 50, 8, 8],
      [15, 63, 135, 12, 12],
    ]);
    assert.deepEqual(
      [1, 2, 3].map((slots) => countAllTurns(domain, { slots })),
      [33, 104, 237],
    );
    // k reviewers of each proposal: 5n + 7nk + 4nnk + 9n + 8n.
    assert.equal(countAllTurns(domain, { slots: 3, reviewers: 1 }), 15 + 21 + 36 + 27 + 24);
  });

  test("order and partitions follow from inputs", () => {
    const { domain } = compileDomain(builtInLibrary(), "software");
    assert.ok(domain);

    assert.equal(
      stepOf(domain, "antithesis", "antithesis_generate_risk_register").partition,
      "lineage",
    );
    assert.equal(stepOf(domain, "synthesis", "synthesis_pairwise_business_case").partition, "pair");
    const plan = domain.stages[3]?.steps.map(({ documentKey }) => documentKey);
    assert.deepEqual(plan, [
      "header_context",
      "technical_requirements",
      "master_plan",
      "milestone_schema",
    ]);
  });
});

interface Fault {
  readonly what: string;
  readonly code: RecipeProblemCode;
  /** Where it is told. */
  readonly path: string;
  /** Where it is planted, if that is another file. */
  readonly from?: string;
  plant(content: JsonFile): void;
  /** What the line that is pointed at says. */
  readonly line: RegExp;
}

const faults: readonly Fault[] = [
  {
    what: "a cycle",
    code: "cycle",
    path: PARENTHESIS,
    plant: ({ steps }) => {
      for (const input of steps[0].inputsRequired) delete input.from;
    },
    line: /inputsRequired/,
  },
  {
    what: "an input that nothing produces",
    code: "unknown_producer",
    path: PARENTHESIS,
    plant: ({ steps }) => {
      steps[0].inputsRequired[1].documentKey = "product_requirement";
      steps[0].inputsRelevance[1].documentKey = "product_requirement";
    },
    line: /"documentKey": "product_requirement"/,
  },
  {
    what: "an input of a later stage",
    code: "unknown_producer",
    path: THESIS,
    plant: ({ steps }) => {
      const input = { type: "document", stage: "synthesis", documentKey: "tech_stack" };
      steps[1].inputsRequired.push(input);
      steps[1].inputsRelevance.push({ documentKey: "tech_stack", relevance: 0.5 });
    },
    line: /"stage": "synthesis"/,
  },
  {
    what: "an unknown granularity",
    code: "unknown_granularity",
    path: THESIS,
    plant: ({ steps }) => {
      steps[1].granularity = "per_document";
    },
    line: /per_document/,
  },
  {
    what: "missing relevance",
    code: "missing_relevance",
    path: THESIS,
    plant: ({ steps }) => {
      steps[0].inputsRelevance = [];
    },
    line: /\{/,
  },
  {
    what: "two steps that produce one key",
    code: "duplicate_key",
    path: THESIS,
    plant: ({ steps }) => {
      steps[2].documentKey = steps[1].documentKey;
    },
    line: /"documentKey": "business_case"/,
  },
  {
    what: "a field that the layout leaves out",
    code: "field_not_rendered",
    path: RISKS,
    plant: (content) => {
      content.layout = [content.fields[0].key];
    },
    line: /layout|\[/,
  },
  {
    what: "a field that is no column",
    code: "field_not_rendered",
    path: RISKS,
    plant: ({ fields }) => {
      const list = fields.find((field: JsonFile) => field.kind === "list");
      list.as = "table";
      delete list.heading;
      list.columns = [list.identity];
      list.fields = list.fields.filter((field: JsonFile) => field.kind !== "list");
    },
    line: /\{/,
  },
  {
    what: "something still to be determined",
    code: "not_filled_in",
    path: THESIS,
    plant: ({ steps }) => {
      steps[3].objective = "<TBD>";
    },
    line: /<TBD>/,
  },
  {
    what: "a field that is there twice",
    code: "duplicate_key",
    path: RISKS,
    plant: ({ fields }) => {
      fields.push({ ...fields[0] });
    },
    line: /\{/,
  },
  {
    what: "notes for a field that is not there",
    code: "unknown_field",
    path: "documents/software/business_case.json",
    plant: ({ planned }) => {
      planned.push("weather");
    },
    line: /weather/,
  },
  {
    what: "readers of something that a header does not have",
    code: "unknown_field",
    path: HEADER,
    plant: ({ readBy }) => {
      readBy.weather = ["feature_spec"];
    },
    line: /weather/,
  },
  {
    what: "a reader that is not written from the header",
    code: "header_shape",
    path: THESIS,
    from: HEADER,
    plant: ({ readBy }) => {
      readBy.diversity_rubric = ["risk_register"];
    },
    line: /thesis_header_context/,
  },
  {
    what: "readers of a part of what is no header",
    code: "header_shape",
    path: "recipes/software/antithesis.json",
    from: RISKS,
    plant: (content) => {
      content.readBy = { overview: [] };
    },
    line: /risk_register/,
  },
  {
    what: "a header without what all documents share",
    code: "header_shape",
    path: THESIS,
    from: HEADER,
    plant: (content) => {
      delete content.readBy;
      content.fields[0].key = "shared_materials";
    },
    line: /thesis_header_context/,
  },
  {
    what: "a list whose items cannot be told apart",
    code: "unknown_field",
    path: RISKS,
    plant: ({ fields }) => {
      fields.find((field: JsonFile) => field.kind === "list").identity = "weather";
    },
    line: /weather/,
  },
  {
    what: "fields of a document that is not there",
    code: "unknown_include",
    path: "documents/software/updated_master_plan.json",
    plant: (content) => {
      content.fields = [{ include: "weather" }];
    },
    line: /weather/,
  },
  {
    what: "a planner that writes a document",
    code: "wrong_type",
    path: THESIS,
    plant: ({ steps }) => {
      steps[0].outputType = "RenderedDocument";
    },
    line: /RenderedDocument/,
  },
  {
    what: "a weight that belongs to no input",
    code: "unmatched_relevance",
    path: THESIS,
    plant: ({ steps }) => {
      steps[1].inputsRelevance.push({ documentKey: "weather", relevance: 0.5 });
    },
    line: /\{/,
  },
  {
    what: "a weight that belongs to two inputs",
    code: "ambiguous_relevance",
    path: THESIS,
    plant: ({ steps }) => {
      steps[1].inputsRelevance.push({ ...steps[1].inputsRelevance[0] });
    },
    line: /\{/,
  },
  {
    what: "a recipe for another stage",
    code: "name_mismatch",
    path: THESIS,
    plant: (content) => {
      content.stage = "weather";
    },
    line: /weather/,
  },
  {
    what: "a name that a path could not hold",
    code: "reserved_name",
    path: THESIS,
    plant: ({ steps }) => {
      steps[1].name = "continuation_1";
    },
    line: /continuation_1/,
  },
  {
    what: "a prompt that is not there",
    code: "file_missing",
    path: THESIS,
    plant: ({ steps }) => {
      steps[3].promptTemplate = "nobody_wrote_it";
    },
    line: /nobody_wrote_it/,
  },
];

describe("the check finds", () => {
  for (const { what, code, path, from = path, plant, line } of faults) {
    test(what, () => {
      const library = withEdited(from, plant);

      const { domain, problems } = compileDomain(library, "software");

      assert.equal(domain, undefined);
      const found = problems.filter((problem) => problem.code === code);
      assert.ok(found.length > 0, JSON.stringify(problems, null, 1));
      const [first] = found;
      assert.equal(first?.path, `dialectic/${path}`);
      const text = library.read(`dialectic/${path}`).text.split("\n")[(first?.line ?? 0) - 1];
      assert.match(text ?? "", line);
    });
  }

  test("nothing else when only one thing is wrong", () => {
    const library = withEdited(THESIS, ({ steps }) => {
      steps[3].objective = "<TBD>";
    });

    assert.deepEqual(
      compileDomain(library, "software").problems.map(({ code }) => code),
      ["not_filled_in"],
    );
  });

  test("an unknown key, with its line", () => {
    const files = builtInFiles();
    const library = fixtureLibrary({
      ...files,
      [THESIS]: (files[THESIS] ?? "").replace('"objective"', '"objektive"'),
    });

    const { problems } = compileDomain(library, "software");

    assert.ok(problems.length > 0 && problems.every(({ code }) => code === "file_invalid"));
  });
});
