/** Who may do what with workflows: role, scope of the token, sight of the project and the role in it. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../../kernel/base/errors.ts";
import { isAllowed } from "../../../kernel/operation/authorise.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import {
  ADMIN,
  AGENT,
  addProject,
  type CatalogueWorld,
  OPERATOR,
  openCatalogue,
  REVIEWER,
  STRANGER,
  TWO_STEPS,
  VIEWER,
} from "./catalogue-world.suite.ts";

const CALLERS: readonly (readonly [string, Caller])[] = [
  ["a viewer", VIEWER],
  ["a reviewer", REVIEWER],
  ["an operator", OPERATOR],
  ["an admin", ADMIN],
  ["an agent", AGENT],
  ["a token for reading", { ...OPERATOR, scopes: ["read"] }],
];

const PLACES = ["nowhere", "own", "foreign", "workspace", "narrow"] as const;
type Place = (typeof PLACES)[number];

interface Aim {
  readonly workflowId: string;
  readonly project: object;
  readonly name: string;
}

const CASES: Readonly<Record<string, (aim: Aim) => object>> = {
  "workflow.list": ({ project }) => project,
  "workflow.show": ({ workflowId }) => ({ workflowId }),
  "workflow.step": ({ workflowId }) => ({ workflowId, stageId: "write" }),
  "workflow.versions": ({ workflowId }) => ({ workflowId }),
  "workflow.diff": ({ workflowId }) => ({ workflowId }),
  "workflow.check": ({ workflowId }) => ({ workflowId }),
  "workflow.graph": ({ workflowId }) => ({ workflowId }),
  "workflow.paths": ({ workflowId }) => ({ workflowId, stageId: "write" }),
  "workflow.export": ({ workflowId }) => ({ workflowId }),
  "workflow.create": ({ project, name }) => ({
    name: `${name} new`,
    source: TWO_STEPS,
    ...project,
  }),
  "workflow.import": ({ project, name }) => ({
    document: { workflow: { name: `${name} new`, mermaidSource: TWO_STEPS }, exportVersion: "2.0" },
    ...project,
  }),
  "workflow.save": ({ workflowId }) => ({ workflowId, source: `${TWO_STEPS}\n\n` }),
  "workflow.edit-step": ({ workflowId }) => ({ workflowId, stageId: "write", label: "Scribble" }),
  "workflow.update": ({ workflowId }) => ({ workflowId, description: "Changed" }),
  "workflow.copy": ({ workflowId, project, name }) => ({
    workflowId,
    name: `${name} copy`,
    ...project,
  }),
  "workflow.add-task": ({ workflowId }) => ({ workflowId, stageId: "write" }),
  "workflow.archive": ({ workflowId }) => ({ workflowId }),
  "workflow.restore": ({ workflowId }) => ({ workflowId }),
  "workflow.delete": ({ workflowId }) => ({ workflowId }),
};

describe("rights over workflows", () => {
  let world: CatalogueWorld;
  const projects = new Map<Place, string>();
  before(async () => {
    world = await openCatalogue();
    for (const place of PLACES) {
      if (place !== "nowhere") projects.set(place, await addProject(world, place));
    }
  });
  after(() => world.remove());

  let made = 0;
  async function aimAt(place: Place): Promise<Aim> {
    const id = projects.get(place);
    const project = id === undefined ? {} : { project: id };
    made += 1;
    const name = `Aim ${made}`;
    const owner = place === "own" || place === "nowhere" ? OPERATOR : STRANGER;
    const { id: workflowId } = await world.as<{ id: string }>(owner, "workflow.create", {
      name,
      source: TWO_STEPS,
      ...project,
    });
    await world.as(owner, "workflow.save", { workflowId, source: `${TWO_STEPS}\n` });
    return { workflowId, project, name };
  }

  test("have a case for every operation, and none besides", () => {
    const names = world.registry.operations.map(({ name }) => name);

    assert.deepEqual(Object.keys(CASES).toSorted(), names.toSorted());
  });

  for (const [name, input] of Object.entries(CASES)) {
    test(`${name} answers every caller as role, scope and sight allow`, async () => {
      const wrong: string[] = [];
      for (const place of PLACES) {
        for (const [title, who] of CALLERS) {
          const aim = await aimAt(place);
          const wanted = expected(name, place, who);
          const came = await attempt(() => world.as(who, name, input(aim)));
          if (came !== wanted) wrong.push(`${title}, ${place}: ${came} instead of ${wanted}`);
        }
      }

      assert.deepEqual(wrong, []);
    });
  }

  function expected(name: string, place: Place, who: Caller): string {
    const { permission } = world.registry.get(name);
    if (!isAllowed(who, permission)) return "not_allowed";
    if (!sees(place, who)) return "not_found";
    const isMemberOnly = place === "narrow" && who.userId === "operator";
    return isMemberOnly && permission !== "read" ? "not_allowed" : "done";
  }
});

function sees(place: Place, who: Caller): boolean {
  if (who.role === "admin" || place === "nowhere" || place === "workspace") return true;
  if (place === "narrow") return who.userId === "operator";
  return place === "own" && !who.isAgent;
}

async function attempt(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "done";
  } catch (error) {
    if (error instanceof ProductError) return error.kind;
    throw error;
  }
}
