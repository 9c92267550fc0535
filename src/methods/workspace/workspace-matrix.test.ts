/** Role × operation × own, foreign and workspace-visible project, over every operation of this unit. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../kernel/base/errors.ts";
import { isAllowed } from "../../kernel/operation/authorise.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import type { Operation } from "../../kernel/operation/operation.ts";
import { type Cell, MATRIX_CASES, type Outcome } from "./matrix-cases.suite.ts";
import {
  ADMIN,
  AGENT,
  caller,
  type Furniture,
  furnish,
  OPERATOR,
  openWorld,
  type PlaceKind,
  REVIEWER,
  VIEWER,
  type World,
} from "./workspace-world.suite.ts";

const CALLERS: readonly (readonly [string, Caller])[] = [
  ["a viewer", VIEWER],
  ["a reviewer", REVIEWER],
  ["an operator", OPERATOR],
  ["an admin", ADMIN],
  ["an agent", AGENT],
  ["an operator's token for reading", caller("operator", "operator", { scopes: ["read"] })],
  ["an operator's token for editing", caller("operator", "operator", { scopes: ["read", "edit"] })],
  ["an admin's token for reading", caller("admin", "admin", { scopes: ["read"] })],
  ["an admin's token for administering", caller("admin", "admin", { scopes: ["administer"] })],
];
const PLACES: readonly PlaceKind[] = ["own", "foreign", "workspace"];

describe("the authorisation matrix", () => {
  let world: World;
  const furnished = new Map<PlaceKind, Furniture>();

  before(async () => {
    world = await openWorld();
  });
  after(() => world.remove());

  /** Built anew after every change, so that each cell meets things as they were made. */
  async function furnitureOf(place: PlaceKind, operation: string): Promise<Furniture> {
    const content = /^(?:inbox|run|exchange|artifact)\./.test(operation) ? "all" : "thoughts";
    const known = furnished.get(place);
    const isEnough = known !== undefined && (content === "thoughts" || known.runId !== "none");
    const furniture = isEnough ? known : await furnish(world, place, content);
    furnished.set(place, furniture);
    return furniture;
  }

  test("has a case for every operation, and none besides", () => {
    const names = world.registry.operations.map(({ name }) => name);

    assert.deepEqual(Object.keys(MATRIX_CASES).toSorted(), names.toSorted());
  });

  for (const [name, { aim, input, outcome = done }] of Object.entries(MATRIX_CASES)) {
    test(`${name} answers every caller as role, scope and sight allow`, async () => {
      const operation = world.registry.get(name);
      const wrong: string[] = [];
      for (const place of aim === "free" ? (["own"] as const) : PLACES) {
        for (const [title, who] of CALLERS) {
          const cell = { world, who, place, furniture: await furnitureOf(place, name) };
          const wanted = expected(operation, aim, cell, outcome);
          const given = await input(cell);
          const eventsBefore = await world.events();
          const came = await attempt(cell, operation, given);
          if (came !== wanted) wrong.push(`${title}, ${place}: ${came} instead of ${wanted}`);
          if (came !== "done" && (await world.events()) !== eventsBefore)
            wrong.push(`${title}, ${place}: refused, but something was written`);
          if (came === "done" && operation.effect !== "reads") furnished.delete(place);
        }
      }

      assert.deepEqual(wrong, []);
    });
  }

  test("who is only a viewer of a project may look there and do nothing else, whatever the own role", async () => {
    const furniture = await furnish(world, "narrow");
    const cell = { world, who: OPERATOR, place: "narrow", furniture } as const;
    const wrong: string[] = [];
    let refused = 0;
    for (const [name, { aim, input }] of Object.entries(MATRIX_CASES)) {
      const operation = world.registry.get(name);
      if (aim === "free" || !isAllowed(OPERATOR, operation.permission)) continue;
      const isLooking = operation.permission === "read" && operation.effect === "reads";
      const given = await input(cell);
      const eventsBefore = await world.events();
      const came = await attempt(cell, operation, given);
      if (came !== (isLooking ? "done" : "not_allowed")) wrong.push(`${name}: ${came}`);
      if ((await world.events()) !== eventsBefore) wrong.push(`${name} wrote something`);
      refused += came === "not_allowed" ? 1 : 0;
    }

    assert.deepEqual(wrong, []);
    assert.ok(refused >= 45, `${refused} operations were refused`);
    const inbox = await world.as(OPERATOR, "inbox.list", { project: furniture.projectId });
    assert.equal((inbox as { total: number }).total, 0);
  });

  test("no list, search, log or status of others shows what lies in a foreign private project", async () => {
    const foreign = await furnish(world, "foreign");
    await world.as(ADMIN, "view.save", { name: "foreign", project: foreign.projectId });
    const secrets = Object.values(foreign);
    const reads = world.registry.operations.filter(({ effect }) => effect === "reads");
    const leaks: string[] = [];
    let looked = 0;
    for (const { name } of reads) {
      for (const who of [VIEWER, REVIEWER, OPERATOR, AGENT]) {
        const input = UNAIMED[name];
        if (input === undefined || !isAllowed(who, world.registry.get(name).permission)) continue;
        const shown = JSON.stringify(await world.as(who, name, input));
        looked += 1;
        leaks.push(...secrets.filter((id) => shown.includes(id)).map((id) => `${name}: ${id}`));
      }
    }

    assert.deepEqual(leaks, []);
    assert.ok(looked >= 60, `${looked} lists were looked at`);
  });
});

function done(): Outcome {
  return "done";
}

/** Everything that can be asked for without naming a thing. */
const UNAIMED: Readonly<Record<string, unknown>> = {
  "workspace.show": {},
  "inbox.list": { all: true, snoozed: "both", limit: 200 },
  "run.list": { limit: 200, archived: "both" },
  "artifact.list": { limit: 200, archived: "both" },
  "project.list": { limit: 200, archived: "both" },
  "task.list": { limit: 200, closed: true, archived: "both" },
  "task.next": {},
  "view.list": {},
  "decision.list": { limit: 200, archived: "both" },
  "highlight.list": { limit: 200, archived: "both" },
  "conversation.list": { limit: 200, archived: "both" },
  "thinking.search": { text: "leases", limit: 200 },
  "event.list": { limit: 200 },
  "budget.show": {},
  "setting.list": {},
  "user.list": { kind: "both", limit: 200 },
};

function expected(
  { permission }: Operation,
  aim: "placed" | "free",
  cell: Cell,
  outcome: (cell: Cell) => Outcome,
): Outcome {
  if (!isAllowed(cell.who, permission)) return "not_allowed";
  if (aim === "placed" && !sees(cell)) return "not_found";
  return outcome(cell);
}

/** Agents are no members of the private projects. */
function sees({ who, place }: Cell): boolean {
  if (who.role === "admin" || place === "workspace") return true;
  return place === "own" && !who.isAgent;
}

async function attempt(
  { world, who }: Cell,
  { name }: Operation,
  input: unknown,
): Promise<Outcome> {
  try {
    await world.as(who, name, input);
    return "done";
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    const { kind } = error;
    if (kind === "not_allowed" || kind === "not_found" || kind === "conflict") return kind;
    throw error;
  }
}
