/**
 * Role × operation × whose project it is, over the operations of all methods: whoever may not is refused, whoever does
 * not see a place is told that there is no such thing, and whoever is refused has changed nothing. Operations of the
 * workspace itself, exactly: `workspace-matrix.test.ts`.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { isAllowed } from "../../src/kernel/operation/authorise.ts";
import type { Caller } from "../../src/kernel/operation/caller.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import type { Operation } from "../../src/kernel/operation/operation.ts";
import {
  admitOthers,
  type Everything,
  type Furniture,
  furnish,
  inputOf,
  OPERATOR,
  openEverything,
  person,
  STRANGER,
  WAITING,
} from "./every-operation.ts";

const CALLERS: readonly (readonly [string, Caller])[] = [
  ["a viewer", person("viewer", "viewer")],
  ["a reviewer", person("reviewer", "reviewer")],
  ["an operator", OPERATOR],
  ["an agent", person("agent", "operator", true)],
  ["an operator's token for reading", { ...OPERATOR, scopes: ["read"] }],
];

/** Aimed at a thing in a project: who does not see the project does not see it. */
const AIMED = new Set([
  "project",
  "projectId",
  "taskId",
  "decisionId",
  "highlightId",
  "conversationId",
  "workflow",
  "workflowId",
  "runId",
  "scheduleId",
  "webhookId",
  "session",
  "packetId",
  "originId",
  "harvestId",
  "digestId",
  "redactionId",
  "exchangeId",
  "artifactId",
  "messageId",
  "waitId",
]);

describe("rights over every method", () => {
  let everything: Everything;
  let own: Furniture;
  let foreign: Furniture;
  before(async () => {
    everything = await openEverything();
    own = await furnish(everything, OPERATOR, "private");
    await admitOthers(everything, own["projectId"] ?? "");
    foreign = await furnish(everything, STRANGER, "private");
  });
  after(() => everything.kernel.remove());

  test("nobody does what the role does not allow, sees what lies in a foreign project, or leaves a trace when refused", async (t) => {
    const { registry } = everything;
    const wrong: string[] = [];
    let cells = 0;
    let unseen = 0;
    for (const operation of registry.operations) {
      for (const [title, who] of CALLERS) {
        for (const [place, furniture] of [
          ["foreign", foreign],
          ["own", own],
        ] as const) {
          const input = inputOf(operation, furniture, `${cells}`);
          const mayAtAll = isAllowed(who, operation.permission);
          const isAimed = Object.keys(input).some((field) => AIMED.has(field));
          // What would be done to one's own is the other matrix's matter; here it would spoil the furniture.
          if (place === "own" && (mayAtAll || WAITING.has(operation.name))) continue;
          if (place === "foreign" && mayAtAll && (!isAimed || WAITING.has(operation.name)))
            continue;
          cells += 1;
          const before = await everything.events();
          const came = await attempt(operation, who, input);
          const wanted = mayAtAll ? ["not_found"] : ["not_allowed"];
          const isRefused = wanted.includes(came) || (mayAtAll && isHarmless(operation, came));
          if (mayAtAll) unseen += 1;
          if (!isRefused) wrong.push(`${title}, ${place}: ${operation.name} ${came}`);
          if ((await everything.events()) !== before)
            wrong.push(`${title}, ${place}: ${operation.name} was refused and wrote`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(cells > 500 && unseen > 200, `${cells} cells, ${unseen} of them foreign`);
    t.diagnostic(
      `${registry.operations.length} operations, ${cells} cells (${unseen} foreign ones that the role would allow), 0 let through`,
    );
  });

  test("no list of others names anything of a foreign private project", async (t) => {
    const { registry } = everything;
    const ids = [...new Set(Object.values(foreign))].filter((id) => /^[0-9a-f-]{36}$/.test(id));
    const leaks: string[] = [];
    let looked = 0;
    for (const operation of registry.operations) {
      if (operation.effect !== "reads" || !operation.name.endsWith(".list")) continue;
      for (const [title, who] of CALLERS) {
        const shown = await everything.as(who, operation.name, {}).then(JSON.stringify, () => "");
        looked += 1;
        leaks.push(
          ...ids
            .filter((id) => shown.includes(id))
            .map((id) => `${title}: ${operation.name} ${id}`),
        );
      }
    }
    assert.deepEqual(leaks, []);
    t.diagnostic(`${looked} lists looked at`);
  });

  async function attempt(operation: Operation, who: Caller, input: object): Promise<string> {
    const { kernel, registry } = everything;
    const signal = AbortSignal.timeout(10_000);
    try {
      const answer = await invoke(kernel, registry, operation.name, who, input, { signal });
      const said = JSON.stringify(answer) ?? "";
      const isEmpty = !Object.values(foreign).some((id) => id.length === 36 && said.includes(id));
      return isEmpty ? "done, nothing of it shown" : "done";
    } catch (error) {
      if (error instanceof ProductError) return error.kind;
      throw error;
    }
  }
});

/** A look that finds nothing tells as little as one that is refused. */
function isHarmless(operation: Operation, came: string): boolean {
  if (operation.effect === "reads")
    return came === "done, nothing of it shown" || came === "invalid";
  return came === "invalid" || came === "not_allowed";
}
