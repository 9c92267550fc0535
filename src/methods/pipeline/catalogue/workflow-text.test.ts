import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { z } from "zod";
import {
  ADMIN,
  type CatalogueWorld,
  OPERATOR,
  openCatalogue,
  refusal,
} from "./catalogue-world.suite.ts";
import type { pathList, workflowGraph } from "./workflow-shape.ts";

type Graph = z.output<typeof workflowGraph>;
type Paths = z.output<typeof pathList>;

const SOURCE = `graph TD
  A[Rate] --> B(Look)
  B --> C[[Each: file]] --> D[Join all]
%% === WORKFLOW_CONFIG ===
%% workflow: { "name": "Rating", "inputSchema": { "type": "object", "properties": { "subject": { "type": "string" } } } }
%% @A: {
%%   "promt": "Rate {{run.input.subject}}.",
%%   "outputSchema": {
%%     "type": "object",
%%     "properties": { "score": { "type": "number" }, "files": { "type": "array", "items": { "type": "string" } } },
%%     "additionalProperties": false
%%   }
%% }
%% @B: { "execution": "manual", "prompt": "It is {{ output.scor }}." }
%% @C: { "stepType": "foreach", "itemsPath": "steps.A.output.files", "itemVariable": "file", "prompt": "See {{file}}." }
%% @D: { "stepType": "join" }
%% === END_CONFIG ===
`;

describe("the text of a workflow, for whoever edits it", () => {
  let world: CatalogueWorld;
  before(async () => {
    world = await openCatalogue();
  });
  after(() => world.remove());

  test("it is read as a graph, with the lines where each step stands", async () => {
    const graph = await world.as<Graph>(OPERATOR, "workflow.graph", { source: SOURCE });

    assert.equal(graph.name, "Rating");
    assert.deepEqual(
      graph.edges.map(({ source, target, line }) => `${source}${target}:${line}`),
      ["AB:2", "BC:3", "CD:3"],
    );
    const place = (id: string) => graph.places.find((each) => each.id === id);
    assert.deepEqual(place("A"), {
      id: "A",
      drawnAt: [{ from: 2, to: 2 }],
      settingsAt: { from: 6, to: 13 },
    });
    assert.deepEqual(
      place("B")?.drawnAt.map(({ from }) => from),
      [2, 3],
    );
    assert.deepEqual(
      graph.steps.map(({ stepType, execution }) => execution ?? stepType),
      ["automated", "manual", "foreach", "join"],
    );
  });

  test("what was probably meant can be put in its place, and then nothing is wrong any more", async () => {
    let source = SOURCE;
    let { problems } = await world.as<Graph>(OPERATOR, "workflow.graph", { source });
    assert.deepEqual(
      problems.flatMap(({ fix }) => fix?.label ?? []),
      ["Use prompt", "Use output.score"],
    );

    for (const { fix } of problems.toReversed())
      if (fix !== undefined) source = source.slice(0, fix.start) + fix.text + source.slice(fix.end);
    ({ problems } = await world.as<Graph>(OPERATOR, "workflow.graph", { source }));

    assert.match(source, /"prompt": "Rate/);
    assert.match(source, /\{\{ output\.score \}\}/);
    assert.deepEqual(
      problems.filter(({ severity }) => severity === "error"),
      [],
    );
  });

  test("what a prompt may name is listed by what schemas promise, nearest first", async () => {
    const { id } = await world.as<{ id: string }>(OPERATOR, "workflow.create", {
      source: SOURCE,
      draft: true,
    });
    const pathsOf = async (stageId: string, source?: string) => {
      const { paths } = await world.as<Paths>(ADMIN, "workflow.paths", {
        workflowId: id,
        stageId,
        ...(source === undefined ? {} : { source }),
      });
      return paths;
    };

    const names = (await pathsOf("B")).map(({ path }) => path);
    const inLoop = await pathsOf("C");

    assert.deepEqual(names.slice(0, 3), ["output", "output.score", "output.files"]);
    assert.ok(names.includes("run.input.subject") && names.includes("steps.A.output.score"));
    assert.ok(!names.some((name) => name.startsWith("file")));
    assert.deepEqual(
      inLoop.slice(0, 2).map(({ path, from }) => [path, from]),
      [
        ["file", "Each: file"],
        ["item", "Each: file"],
      ],
    );
    const unsaved = await pathsOf("B", SOURCE.replace('"score"', '"mark"'));
    assert.ok(unsaved.some(({ path, kind }) => path === "output.mark" && kind === "number"));
    assert.equal((await refusal(() => pathsOf("X"))).code, "step_not_found");
  });
});
