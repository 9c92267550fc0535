/**
 * One packet of each origin, compiled from a fixed state and checked section by section. Beside each section stands
 * the rule it shows; the expected words were worked out by hand from the state in `packet-world.suite.ts`.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ScratchStore } from "../../../../tests/scratch/scratch-store.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import type { Dialect } from "../../../kernel/store/store.ts";
import { type CompiledPacket, compilePacket } from "./compile-packet.ts";
import { gatherDecision } from "./gather-decision.ts";
import { gatherProject } from "./gather-project.ts";
import { gatherTask } from "./gather-task.ts";
import type { PacketMaterial } from "./packet-material.ts";
import {
  furnishTidepool,
  idOf,
  NOW,
  openPacketStore,
  optionsFor,
  TIDEPOOL,
  viewer,
} from "./packet-world.suite.ts";

interface Section {
  /** What of the rules it shows. */
  readonly rule: string;
  readonly text: string;
}

const contractOf = (name: string): string =>
  `Write your answer in four groups under these headings, and leave out a group that would be empty:
## Answer
What you recommend, in a few sentences, with the reason that carries it.
## Next steps
- One action per bullet, beginning with its verb.
## Decisions
- One decision per bullet: what to settle, what you would choose, and why.
## Insights
- One finding per bullet that should outlive this chat.

Then close with one fenced block that repeats the bullets, so that they can be read back into the project:
\`\`\`tl-return
{"packet": "${name}", "tasks": [{"title": "", "description": ""}], "decisions": [{"title": "", "content": ""}], "highlights": [{"label": "", "content": ""}]}
\`\`\``;

const STANCE = `SYSTEM CONSTRAINTS:
- What follows was chosen so that one question can be thought through with care. Treat it as the whole of what matters here.
- Keep the scope as it is. Widening it is not help.
- Work only on what the originating Task, Decision or Project intent asks to be settled.
- Hand no questions back unless they are asked for; where something is not known, say what you assume and go on.
- Prefer a few next actions or decision points that can be acted on to many that cannot.`;

const PROJECT = (name: string): readonly Section[] => [
  {
    rule: "1. CONTINUITY INTENT prints the intent's label, not its slug",
    text: "CONTINUITY INTENT\nNext actions",
  },
  {
    rule: "2. constraints: the description to 200 characters at a word, then the top three decisions by score with content to 150; a decision counts also through a conversation",
    text: `NON-NEGOTIABLE CONSTRAINTS
1. Tidepool is a local-first notes app. Sync must survive a week offline and never lose a keystroke, whatever the clocks of the devices say. People own their data: every note is a plain file that other…
2. Strays are kept for thirty days: Long enough for a holiday.
3. Plain files are the truth
4. Leases, not locks: A device holds a lease of thirty seconds on a note and renews it while it writes. A lock outlives its owner; a lease ends by itself, so that no note…`,
  },
  {
    rule: "3. NAMED CONCEPTS come from the project's glossary",
    text: `NAMED CONCEPTS & SHORTHAND
• lease: The right to write a note for a while; it ends by itself.
• stray: A write that came too late for its lease.`,
  },
  {
    rule: "4. direction: newest decision, titles in progress by score, newest completed task; cancelled ones never appear",
    text: `CURRENT DIRECTION OF TRAVEL
Latest decision: Strays are kept for thirty days. In progress: Drop the old lock files. In progress: Rewrite the lease table. Last completed: Draw the state machine.`,
  },
  {
    rule: "5. tensions: blockers (any case) and open loops first, then three open ones, of which what is on hold leads with its reason on one line",
    text: `LIVE TENSIONS / OPEN QUESTIONS
1. [blocker] Two workers see an expired lease at once
2. [open loop] What becomes of edits made under a lost lease?
3. Choose the relay's region (on hold: waits for the legal review)
4. Explain leases on the front page
5. Tidy the changelog`,
  },
  {
    rule: "6. snapshot: counts read `5 of 10`; chosen thoughts that no section above shows are named; highlights with label and content, conversations newest first",
    text: `MINIMAL STATE SNAPSHOT
Project: Tidepool
Active Tasks: 5 of 10
- Old idea (priority)
- Ship the importer (priority)
Key Decisions: 5 of 6
- Postgres only for the relay
- No accounts in version one
Key Highlights: 2 of 2
- locks: A lock outlives its owner
- Highlight: when a device dies nobody can write any more
Recent Conversations: 2 of 2
- Lease expiry under clock skew (2026-11-09)
- Naming things (2026-10-29)`,
  },
  {
    rule: "7. the continuation instruction stands in every project packet",
    text: `EXPLICIT CONTINUATION INSTRUCTION
Go on from the state above; do not retell it and do not start over. What you propose will be taken back into the project as Tasks, Decisions and Highlights, so write it in pieces that each stand on their own.`,
  },
  {
    rule: "8. the request is the intent's own instruction",
    text: `INTENT + REQUEST
Name the next steps that move this project forward. Each one concrete, small enough to begin at once, and tied to a tension or a decision above. Put first the step that frees the most other work, and say in a clause what it frees.`,
  },
  {
    rule: "9. the return contract asks for readable groups and a fenced block that names the packet",
    text: `RETURN CONTRACT\n${contractOf(name)}`,
  },
];

const TASK = (name: string): readonly Section[] => [
  { rule: "1. the constraints block opens the packet", text: STANCE },
  { rule: "2. TASK: and the title", text: "TASK: Explain leases on the front page" },
  {
    rule: "3. the description whole, lines and all",
    text: "Description:\nReaders ask twice a week.\n\n- keep it short\n- draw it",
  },
  { rule: "4. the project's name", text: "Project: Tidepool" },
  {
    rule: "5. the highlight it was drawn from",
    text: "Source Highlight:\nA lock outlives its owner",
  },
  { rule: "6. the intent line", text: "INTENT: Resolve/Plan/Debug this task" },
  {
    rule: "7. the request",
    text: `Please help me:
- See exactly what has to be done, and how to tell that it is done
- Find what stands in the way, and what has to come first
- Lay out the next steps, concrete and in order
- Name the decisions that will have to be made on the way`,
  },
  { rule: "8. how to answer", text: contractOf(name) },
];

const DECISION = (name: string): readonly Section[] => [
  { rule: "1. the constraints block opens the packet", text: STANCE },
  { rule: "2. the decision's title", text: "DECISION TO RE-EVALUATE\nLeases, not locks" },
  {
    rule: "3. the details whole",
    text: "Decision Details:\nA device holds a lease of thirty seconds on a note and renews it while it writes. A lock outlives its owner; a lease ends by itself, so that no note stays closed when a device is lost.",
  },
  {
    rule: "4. the project with its description to 200 characters",
    text: `PROJECT CONTEXT
Project: Tidepool
Description: Tidepool is a local-first notes app. Sync must survive a week offline and never lose a keystroke, whatever the clocks of the devices say. People own their data: every note is a plain file that other…`,
  },
  {
    rule: "5. five active tasks by score with their standing, descriptions to 100 characters on one line",
    text: `RELATED ACTIVE TASKS
1. Drop the old lock files (priority)
2. Old idea (priority)
3. Ship the importer (priority)
4. Explain leases on the front page (open): Readers ask twice a week. - keep it short - draw it
5. Two workers see an expired lease at once (open): [Blocker] Repro in sync/session-lock.ts:112.`,
  },
  {
    rule: "6. five other decisions, never the one that is re-evaluated",
    text: `OTHER DECISIONS IN THIS PROJECT
1. Strays are kept for thirty days: Long enough for a holiday.
2. Plain files are the truth
3. Postgres only for the relay
4. No accounts in version one
5. English first`,
  },
  {
    rule: "7. highlights with their label, or the word for those without",
    text: `KEY HIGHLIGHTS
1. locks: A lock outlives its owner
2. Highlight: when a device dies nobody can write any more`,
  },
  {
    rule: "8. the five messages nearest the decision, in the order they were said",
    text: `CONVERSATION CONTEXT
From: Lease expiry under clock skew
Key Messages:
- AI: A lock outlives its owner: when a device dies nobody can write any more.
- User: So something that ends by itself.
- AI: A lease. Give every write the number of its lease, and refuse older numbers.
- system: The user switched to the phone.
- User: And the refused write must not vanish.`,
  },
  { rule: "9. the intent line", text: "INTENT: Stress-test / Re-evaluate this decision" },
  {
    rule: "10. the request",
    text: `Please help me:
- Find the risks and blind spots of this decision, given the project around it
- Weigh other ways to go in the light of the related tasks and decisions
- Judge how hard it is to take back and what it touches in the project
- Propose experiments or checks that would confirm it or overturn it
- Name what it depends on and what blocks it`,
  },
  { rule: "11. how to answer", text: contractOf(name) },
];

/** Hand-computed: recency (1 − days/30) × 0.3 and what each is. */
const PROJECT_SCORES: readonly (readonly [string, number, number])[] = [
  ["decision", 4, 0.53], // 7 days: 0.23 + 0.3
  ["decision", 2, 0.48], // 12 days: 0.18 + 0.3
  ["decision", 1, 0.3], // 30 days: 0 + 0.3
  ["task", 10, 0.68], // 2 days, priority: 0.28 + 0.4
  ["task", 5, 0.44], // 6 days, in progress: 0.24 + 0.2
  ["task", 9, 0.18], // 12 days, completed: its age alone
  ["task", 1, 0.5], // 45 days, open blocker: 0.2 + 0.3
  ["task", 2, 0.47], // 3 days, open: 0.27 + 0.2
  ["task", 3, 0.4], // 10 days, on hold counts as open: 0.2 + 0.2
  ["task", 20, 0.5], // today, open: 0.3 + 0.2
  ["task", 7, 0.49], // 1 day, open: 0.29 + 0.2
  ["task", 8, 0.65], // 5 days, priority: 0.25 + 0.4
  ["task", 6, 0.55], // 15 days, priority: 0.15 + 0.4
  ["decision", 3, 0.3],
  ["decision", 5, 0.3],
  ["highlight", 1, 0.42], // 8 days with a label: 0.22 + 0.2
  ["highlight", 2, 0.24], // 6 days without: 0.24
];

for (const dialect of ["sqlite", "postgres"] as const satisfies readonly Dialect[]) {
  describe(`golden packets on ${dialect}`, () => {
    let scratch: ScratchStore;
    const request = { viewer: viewer("mara"), now: NOW, pins: [], bans: [] };

    before(async () => {
      scratch = await openPacketStore(dialect);
      await furnishTidepool(scratch.store);
    });
    after(() => scratch.remove());

    function assertSections(packet: CompiledPacket, sections: readonly Section[]): void {
      const parts = packet.prompt.text.split(/\n\n(?!- keep|Then close)/);
      for (const [index, { rule, text }] of sections.entries())
        assert.equal(parts[index], text, rule);
      assert.equal(packet.prompt.text, sections.map(({ text }) => text).join("\n\n"));
      assert.equal(packet.prompt.hash, hashText(packet.prompt.text));
      assert.equal(packet.prompt.marker, "none");
    }

    async function gathered(
      gather: () =>
        | ReturnType<typeof gatherProject>
        | ReturnType<typeof gatherTask>
        | ReturnType<typeof gatherDecision>,
    ): Promise<PacketMaterial> {
      return scratch.store.read<PacketMaterial>(gather);
    }

    test("the project packet, with the scores of what it shows", async () => {
      const material = await gathered(() => gatherProject({ id: TIDEPOOL, ...request }));

      const packet = compilePacket(material, optionsFor({ intent: "generate_next_actions" }));

      assertSections(packet, PROJECT(packet.name));
      assert.deepEqual(
        packet.contextRefs.flatMap(({ type, id, score }) =>
          score === undefined ? [] : [[type, id, score]],
        ),
        PROJECT_SCORES.map(([type, number, score]) => [
          type,
          idOf(type.charAt(0) as "t", number),
          score,
        ]),
      );
      assert.deepEqual(
        packet.contextRefs.filter(({ score }) => score === undefined).map(({ type }) => type),
        ["project", "conversation", "conversation"],
      );
    });

    test("the task packet: the task 1.0, its source highlight 0.8", async () => {
      const material = await gathered(() => gatherTask({ id: idOf("t", 20), ...request }));

      const packet = compilePacket(material, optionsFor({}));

      assertSections(packet, TASK(packet.name));
      assert.deepEqual(
        packet.contextRefs.map(({ type, score }) => [type, score]),
        [
          ["task", 1],
          ["project", undefined],
          ["highlight", 0.8],
        ],
      );
    });

    test("the decision packet: 1.0, tasks 0.7, other decisions 0.6, highlights 0.5", async () => {
      const material = await gathered(() => gatherDecision({ id: idOf("d", 1), ...request }));

      const packet = compilePacket(material, optionsFor({}));

      assertSections(packet, DECISION(packet.name));
      const scores = packet.contextRefs.map(({ type, score }) => `${type} ${score ?? "-"}`);
      assert.deepEqual(
        [...new Set(scores)],
        [
          "decision 1",
          "project -",
          "task 0.7",
          "decision 0.6",
          "highlight 0.5",
          "conversation -",
          "message -",
        ],
      );
      assert.equal(scores.length, 1 + 1 + 5 + 5 + 2 + 1 + 5);
    });

    test("an intent given for a task or a decision joins the ask", async () => {
      const material = await gathered(() => gatherTask({ id: idOf("t", 20), ...request }));

      const named = compilePacket(material, optionsFor({ intent: "stress_test_direction" }));
      const own = compilePacket(material, optionsFor({ intent: "Keep it under a page." }));

      assert.match(named.prompt.text, /on the way\n\nArgue against the direction above/);
      assert.match(own.prompt.text, /state above:\nKeep it under a page\.\n\nWrite your answer/);
    });

    test("the same state and the same moment give the same bytes, a later moment other scores", async () => {
      const compile = async (now: number): Promise<CompiledPacket> => {
        const material = await gathered(() => gatherProject({ id: TIDEPOOL, ...request, now }));
        return compilePacket(material, optionsFor({ intent: "generate_next_actions" }));
      };

      const [first, second, later] = [
        await compile(NOW),
        await compile(NOW),
        await compile(NOW + 40 * 86_400_000),
      ];

      assert.deepEqual(second, first);
      assert.notEqual(later.prompt.hash, first.prompt.hash);
      assert.equal(later.contextRefs.find(({ type }) => type === "decision")?.score, 0.3);
    });
  });
}
