import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ContinuityWorld, MARA, openContinuityWorld } from "../continuity-world.suite.ts";
import { idOf } from "./packet-world.suite.ts";

const project = {
  originType: "project",
  originId: "Tidepool",
  intent: "generate_next_actions",
  targetTool: "claude",
};

describe("packets on a terminal", () => {
  let world: ContinuityWorld;

  before(async () => {
    world = await openContinuityWorld();
  });
  after(() => world.remove());

  const compiled = () => world.as<{ packetId: string }>(MARA, "packet.compile", project);

  test("compiling shows the size, what was cut, the text and the next step", async () => {
    const shown = await world.show(MARA, "packet.compile", { ...project, budget: 2500 });

    assert.match(shown, /^✓ Packet [0-9a-f-]{18}: Tidepool, Next actions, for Claude\.\n/);
    assert.match(
      shown,
      /\n2,\d{3} of 2,500 characters, \d{3} tokens: tasks 5 of 10, decisions 5 of 6/,
    );
    assert.match(shown, /\nCut to fit:\n {2}.*snapshot: .*\(\d+ characters\)/s);
    assert.match(shown, /\n── prompt, 2,\d{3} characters\nCONTINUITY INTENT\n/);
    assert.match(
      shown,
      /Copy it: throughline packet copy \S+ \| pbcopy {3}\(then https:\/\/claude\.ai\/new\)/,
    );
  });

  test("copying prints the text and nothing else", async () => {
    const { packetId } = await compiled();
    const { promptText } = await world.as<{ promptText: string }>(MARA, "packet.show", {
      packetId,
    });

    assert.equal(await world.show(MARA, "packet.copy", { packetId }), promptText);
  });

  test("a preview tells for each thought whether it is in and why", async () => {
    const shown = await world.show(MARA, "packet.preview", { ...project, budget: 2300 });

    assert.match(shown, /^A preview, not kept: Tidepool/);
    assert.match(
      shown,
      /\nin {3}tensions +Two workers see an expired lease at once +0\.50 {2}Included\./,
    );
    assert.match(shown, /\nout {2}snapshot .* Is less important than/);
    assert.match(
      shown,
      /\nout {2}snapshot +Measure tide length on 2G +0\.48 {2}Others matter more/,
    );
  });

  test("a list says where each packet stands, and what to do when there is none", async () => {
    const { packetId } = await compiled();
    await world.as(MARA, "packet.abandon", { packetId });

    const list = await world.show(MARA, "packet.list", { status: ["abandoned"] });
    const none = await world.show(MARA, "packet.list", { status: ["harvested"] });

    assert.match(list, /STATUS +FROM +INTENT +FOR +CHARACTERS +PROJECT +MADE/);
    assert.match(list, /– abandoned +project: Tidepool +generate next actions +claude/);
    assert.match(none, /^No packets yet\./);
  });

  test("an answer is shown as it came, and kept", async () => {
    const { packetId } = await compiled();

    const sent = await world.show(MARA, "packet.send", { packetId });
    const shown = await world.show(MARA, "packet.show", { packetId });

    assert.match(sent, /^## Answer\n[^]*✓ The answer is kept with packet/);
    assert.match(shown, /^● copied {2}project: Tidepool\n/);
    assert.match(shown, /\n── answer, [\d,]+ characters\n## Answer\n/);
  });

  test("a comparison shows what changed and little around it", async () => {
    const first = await compiled();
    const second = await world.as<{ packetId: string }>(MARA, "packet.compile", {
      ...project,
      ban: [idOf("t", 1)],
    });

    const shown = await world.show(MARA, "packet.diff", {
      before: first.packetId,
      after: second.packetId,
    });
    const same = await world.show(MARA, "packet.diff", {
      before: first.packetId,
      after: first.packetId,
    });

    assert.match(shown, /− tensions: Two workers see an expired lease at once/);
    assert.match(shown, /\n- 1\. \[blocker\] Two workers see an expired lease at once\n/);
    assert.match(shown, /\n {2}…\n/);
    assert.match(same, /They say the same\.$/);
  });

  test("redactions are told in sentences", async () => {
    const { packetId } = await compiled();
    const target = {
      project: "Tidepool",
      message: idOf("m", 4),
      text: "A lock outlives its owner",
    };

    const added = await world.show(MARA, "redaction.add", target);
    const held = await world.show(MARA, "redaction.held", { project: "Tidepool" });
    const purged = await world.show(MARA, "redaction.purge", { project: "Tidepool" });
    const gone = await world.show(MARA, "packet.show", { packetId });

    assert.match(
      added,
      /^✓ Redacted characters 0–25 of message [0-9a-f-]{18}\.\n\n\d+ things made before still hold it/,
    );
    assert.match(held, new RegExp(`packet +${packetId}`));
    assert.match(purged, /^✓ Forgot the words of \d+ packets and 1 exchange; their hashes stay\./);
    assert.match(gone, /The words were purged; the hash still proves what they were\./);
    assert.equal(
      await world.show(MARA, "redaction.purge", { project: "Tidepool" }),
      "Nothing kept holds what is redacted.",
    );
  });
});
