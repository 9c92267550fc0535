import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtInLibrary } from "../../../tests/scratch/scratch-kernel.ts";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import { listLibraryTeams } from "./catalogue/ready-teams.ts";
import { ROUND_STEPS } from "./state/team-records.ts";
import { auditTeam } from "./rules/team-audit.suite.ts";
import { teamShape } from "./state/team-shape.ts";
import { openTeamRig, ROUNDS, type TeamRig, teamOf } from "./team-rig.suite.ts";

const library = builtInLibrary();
const NAMES = ["lab", "start-up", "book", "legal", "debate"];

describe("ready teams", () => {
  let rig: TeamRig;
  before(async () => {
    rig = await openTeamRig();
  });
  after(() => rig.close());

  for (const name of NAMES) {
    test(`${name} works five rounds, and nothing it leaves behind breaks a rule`, async () => {
      const runId = await rig.play(name, { stop: ROUNDS(5) });
      const run = await rig.run(runId);
      const state = await rig.state(runId);

      assert.equal(run.state, "completed", JSON.stringify(await rig.waits(runId)));
      assert.equal(state.round, 5);
      assert.deepEqual(auditTeam(state), []);
      assert.ok(state.versions.length >= 5 && state.inspections.length >= 5);
      assert.ok(state.messages.length >= 5, "the envoy has something to say in every round");
      assert.ok(
        state.members.every(({ persona, motivation }) => persona !== null && motivation !== null),
      );
      for (let round = 1; round <= 5; round += 1) {
        const steps = state.steps.filter((step) => step.round === round).map(({ step }) => step);
        assert.deepEqual(steps, ROUND_STEPS);
      }
      for (const { note } of state.steps.filter((step) => step.state === "skipped"))
        assert.notEqual(note, "");
    });
  }

  test("every call has its envelope, kept once, within its budget", async () => {
    const envelopes = await rowsOf<{ calls: number; kept: number; over: number }>(
      rig.kernel.store,
      `select (select count(distinct job_id) from exchange) as calls, count(*) as kept,
         sum(case when characters > budget then 1 else 0 end) as over from team_envelope`,
    );
    const [row] = envelopes;

    assert.equal(row?.kept, row?.calls);
    assert.equal(row?.over, 0);
  });
});

test("base rules and step rules know no trade: no word of software is in them", () => {
  const software =
    /\b(?:software|code|coding|program(?:mer|ming)?|develop(?:er|ment)|deploy\w*|api|database|server|repository|commit|bug|debug\w*|function|frontend|backend|app|sprint|ticket|pull request|compile\w*|json schema|user stor(?:y|ies)|architecture|unit test\w*)\b/i;
  const prompts = library.list({ kind: "prompts", folder: "team/prompts" });
  const found = prompts.flatMap(({ path }) => {
    const { text } = library.read(path);
    const body = text.slice(text.indexOf("---", 3) + 3);
    return [...(software.exec(body) ?? [])].map((word) => `${path}: ${word}`);
  });

  assert.equal(prompts.length, 16);
  assert.deepEqual(found, []);
});

test("the five fields are all there, and a team that could not work is refused by its file", () => {
  const fields = listLibraryTeams(library).map(({ team }) => team.field);
  assert.deepEqual(fields.toSorted(), ["Books", "Debate", "Law", "New ventures", "Research"]);

  const lab = teamOf("lab");
  const faulty = (change: object) =>
    teamShape.safeParse({ ...lab, ...change }).error?.issues.map(({ message }) => message);
  assert.deepEqual(faulty({ members: lab.members.filter(({ role }) => role !== "watchdog") }), [
    "a team has exactly one watchdog",
  ]);
  assert.deepEqual(faulty({ products: [{ ...lab.products[0], owner: "Ines Marquardt" }] }), [
    "is no operative of this team",
  ]);
  assert.deepEqual(
    faulty({ products: [lab.products[1], { ...lab.products[0], parent: "Evidence review" }] }),
    ["content holds no products"],
  );
  assert.equal(faulty({}), undefined);
});
