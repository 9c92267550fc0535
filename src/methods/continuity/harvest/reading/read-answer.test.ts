/** Answers as chat tools write them and people copy them. What each proposes was checked by hand against its file. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { library } from "../../packet/packet-world.suite.ts";
import { folded, readMatchingWords, tokensOf } from "../matching/content-tokens.ts";
import { readGroupWords } from "./group-words.ts";
import { type AnswerReading, readAnswer } from "./read-answer.ts";
import type { ReadCandidate } from "./read-candidate.ts";

const FIXTURES = path.join(import.meta.dirname, "fixtures");
const groups = readGroupWords(library);
const matching = readMatchingWords(library);
const read = (answer: string, packetText?: string): AnswerReading =>
  readAnswer(answer, { groups, matching, packetText, asked: "tasks" });
const fixture = (name: string): string => readFileSync(path.join(FIXTURES, name), "utf8");

/** `task? title | text`; `?` is an open loop, `!` a blocker. */
function shown({ type, title, text, isBlocker, isOpenLoop }: ReadCandidate): string {
  const flags = `${isBlocker ? "!" : ""}${isOpenLoop ? "?" : ""}`;
  const said = [title, text].filter(Boolean).join(" | ").replaceAll("\n", " ⏎ ");
  return `${type}${flags} ${said}`;
}

const EXPECTED: Readonly<Record<string, { by: AnswerReading["by"]; proposes: readonly string[] }>> =
  {
    "claude-contract.md": {
      by: "block",
      proposes: [
        "task Make taking a lease one conditional write | In sync/session-lock.ts:112, so that two workers cannot both win.",
        "task Write a test with two workers and one expired lease | It must fail before the fix and pass after it.",
        "task Measure tide length on 2G",
        "decision Fence every write with its lease number | Refuse older numbers at the store, because clocks of devices cannot be compared.",
        "decision Keep strays for ninety days | Thirty is too short for people who come back after a sabbatical.",
        "highlight A lease protects nobody unless the store checks its number at the moment of writing.",
        "highlight Clock skew | Only the order of leases can be trusted, never the time on a phone.",
      ],
    },
    "chatgpt-numbered.md": {
      by: "headings",
      proposes: [
        "task Close the lease race | Use a single `UPDATE … WHERE expires_at < now()` and check the number of changed rows.",
        "task Add a regression test | two workers, one expired lease.",
        "task Ship the importer | - feature flag on for staff first ⏎ - then everyone",
        "decision Relay region | choose Frankfurt; legal prefers EU hosting.",
        "task? Should strays be visible to other members of a note?",
        "highlight A lock outlives its owner; a lease does not.",
        "highlight Testing tip | a fake clock finds the race in milliseconds.",
      ],
    },
    "raw-json.txt": {
      by: "block",
      proposes: [
        "task Take leases with compare-and-set | One statement, no read before it. ⏎ priority: high",
        "task Delete the old lock files",
        "decision Refuse writes with an older lease number | rationale: The store is the only clock everybody shares. ⏎ alternatives: vector clocks; last writer wins",
        "highlight Only the order of leases counts.",
        "task? Who may read a stray?",
      ],
    },
    "fenced-json.md": {
      by: "block",
      proposes: [
        'task Fence the "stray" path too | A late write must not become ⏎ the newest version.',
        "task Document lease numbers | One page, with the state machine.",
        "decision Postgres also for the index",
      ],
    },
    "half.md": {
      by: "block",
      proposes: [
        "task Make taking a lease one conditional write | Single statement.",
        "task Write a test with two workers",
        "task Draw the state machine of a lease",
        "task Rehearse a week offline on three devices",
        "decision Lease length stays thirty seconds | long enough for a phone that sleeps.",
      ],
    },
    "chatter.md": {
      by: "headings",
      proposes: [
        "task Put the lease number into every write",
        "task Let the store refuse older numbers, and log who lost (the log is what support will ask for)",
        "decision Keep leases | The race is in our code, not in the idea.",
      ],
    },
    "german.md": {
      by: "headings",
      proposes: [
        "task Lease in einem Schritt nehmen | eine bedingte Anweisung statt Lesen und Schreiben.",
        "task Alte Sperrdateien löschen",
        "decision Server in Frankfurt | die Rechtsabteilung verlangt es.",
        "highlight Uhren von Geräten lassen sich nicht vergleichen.",
        "task? Wem gehört ein verspäteter Eintrag?",
      ],
    },
    "french.md": {
      by: "headings",
      proposes: [
        "task Prendre le bail en une seule instruction conditionnelle",
        "task Écrire un test avec deux travailleurs | il doit échouer avant la correction",
        "decision Hébergement à Francfort | le service juridique l'exige",
        "highlight Un verrou survit à son propriétaire ; un bail, non.",
      ],
    },
    "japanese.md": {
      by: "headings",
      proposes: [
        "task リースの取得を一つの条件付き更新にする",
        "task 二つのワーカーで期限切れリースのテストを書く | 修正前に失敗すること。",
        "decision 古いリース番号の書き込みを拒否する | 端末の時計は比較できないため",
        "highlight ロックは所有者より長く生き残る。",
      ],
    },
    "table.md": {
      by: "headings",
      proposes: [
        "task Take leases with compare-and-set | Owner: Mara ⏎ Effort: 1d",
        "task Remove the lock files | Effort: 0.5d",
        "decision Relay region | Proposal: Frankfurt ⏎ Why: Legal asks for EU hosting",
      ],
    },
    "nested.md": {
      by: "headings",
      proposes: [
        "task Close the lease race | - one conditional write ⏎ - count the changed rows",
        "task Tidy the changelog",
        "task Explain leases on the front page | - draw it ⏎ ```sql ⏎ -- not a task ⏎ select 1; ⏎ ```",
        "task Ask legal about the relay's region",
        "decision Strays belong to their author | Why: nobody else knows what was meant.",
      ],
    },
    "screen-copy.txt": {
      by: "headings",
      proposes: [
        "task Close the lease race with one conditional write",
        "task Add a test with two workers",
        "decision Keep leases and fence every write",
        "highlight A lease that nobody checks protects nobody",
      ],
    },
    "cursor-plan.md": {
      by: "headings",
      proposes: [
        "task Replace read-then-write with one statement | Edit `sync/session-lock.ts`: ⏎  ⏎ ```ts ⏎ - [ ] this is code, not a task ⏎ ``` ⏎  ⏎ The number of changed rows says who won.",
        "task Add a failing test | Two workers, one expired lease.",
        "task Run the suite",
        "highlight `takeLease` reads `expires_at` and writes later (line 112)",
        "highlight No test covers two workers",
      ],
    },
    "fragment.txt": {
      by: "list",
      proposes: [
        "task Make taking a lease one conditional write",
        "task Write a test with two workers and one expired lease",
        "task Draw the state machine",
      ],
    },
    "nothing.md": { by: "nothing", proposes: [] },
  };

describe("reading answers", () => {
  test("every answer there is has been read by hand", () => {
    assert.deepEqual(readdirSync(FIXTURES).toSorted(), Object.keys(EXPECTED).toSorted());
  });

  for (const [name, expected] of Object.entries(EXPECTED)) {
    test(`${name} proposes what its reader would write down`, () => {
      const reading = read(fixture(name));

      assert.deepEqual(reading.candidates.map(shown), expected.proposes);
      assert.equal(reading.by, expected.by);
    });

    test(`${name} has nothing in it that is not in the answer`, () => {
      const answer = fixture(name);

      assertNothingInvented(answer, read(answer));
    });
  }

  test("an answer says which packet it answers, what it recommends, and what it replaces", () => {
    const answer = fixture("claude-contract.md");
    const reading = read(answer);

    assert.equal(reading.packetName, "a1b2c3d4e5f6");
    const { start, end } = reading.answer ?? { start: 0, end: 0 };
    assert.match(answer.slice(start, end), /^Ship leases first.*one conditional write\.$/s);
    assert.deepEqual(
      read(fixture("fenced-json.md")).candidates.map(({ replaces }) => replaces),
      [undefined, undefined, "Postgres only for the relay"],
    );
  });

  test("what the closing block repeats is quoted from the bullet that people read", () => {
    const answer = fixture("claude-contract.md");
    const quotes = read(answer).candidates.map(({ quote }) => answer.slice(quote.start, quote.end));

    assert.equal(quotes[2], "Measure tide length on 2G");
    assert.ok(quotes.every((quote) => !quote.includes('{"title"')));
  });

  test("a block that breaks off is completed by the bullets, and the reader is told", () => {
    const { notes } = read(fixture("half.md"));

    assert.deepEqual(notes, [
      "The closing block breaks off; what was whole of it was read.",
      "3 bullets that the closing block does not repeat were read as well.",
    ]);
  });

  test("ticked items are done, and the reader is told that they were left out", () => {
    assert.deepEqual(read(fixture("nested.md")).notes, ["1 item ticked off as done was left out."]);
  });

  test("a prompt pasted along with its answer is not taken for the answer", () => {
    const packet = `RETURN CONTRACT
Write your answer in four groups under these headings, and leave out a group that would be empty:
## Answer
What you recommend, in a few sentences, with the reason that carries it.
## Next steps
- One action per bullet, beginning with its verb.
## Decisions
- One decision per bullet: what to settle, what you would choose, and why.
## Insights
- One finding per bullet that should outlive this chat.

Then close with one fenced block:
\`\`\`tl-return
{"packet": "a1b2c3d4e5f6", "tasks": [{"title": "", "description": ""}], "decisions": [], "highlights": []}
\`\`\``;
    const answer = fixture("chatter.md");

    const alone = read(packet, packet);
    const both = read(`You said:\n${packet}\n\nChatGPT said:\n${answer}`, packet);

    assert.equal(alone.by, "nothing");
    assert.deepEqual(both.candidates.map(shown), EXPECTED["chatter.md"]?.proposes);
  });

  test("an answer inside one fence, quoted, or with other line breaks is read like the same answer without", () => {
    const answer = fixture("german.md");
    const plain = read(answer).candidates.map(shown);
    const quoted = answer
      .split("\n")
      .map((line) => `> ${line}`)
      .join("\n");

    for (const form of [
      `\`\`\`markdown\n${answer}\n\`\`\`\n`,
      quoted,
      answer.replaceAll("\n", "\r\n"),
    ]) {
      assert.deepEqual(read(form).candidates.map(shown), plain);
      assertNothingInvented(form, read(form));
    }
  });

  test("badly written JSON is repaired where nothing has to be guessed", () => {
    const answer = "{'tasks': ['Close the race', 'Ship the importer'], 'decisions': []}";
    const { candidates } = read(answer);

    assert.deepEqual(candidates.map(shown), ["task Close the race", "task Ship the importer"]);
    assertNothingInvented(answer, read(answer));
  });

  test("an answer that proposes more than anybody can review is refused", () => {
    const answer = `## Next steps\n${Array.from({ length: 1001 }, (_, n) => `- Do ${n}`).join("\n")}`;

    assert.throws(() => read(answer), { code: "harvest_too_much" });
  });
});

describe("any answer", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "## Next steps",
      "**Decisions**",
      "Insights:",
      "# Something else",
      "### Step 1: do it",
      "- ",
      "  - nested",
      "1. **Bold** lead: rest",
      "| Task | Why |",
      "|---|---|",
      "| a | b |",
      "```",
      "```tl-return",
      '{"tasks": [{"title": "x", "description": "y"}], "decisions": ["d"]}',
      '{"tasks": ["cut off',
      "> quoted",
      "- [ ] box",
      "【次のステップ】",
      "・日本語",
      "",
    ),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.string({ maxLength: 40 }).map((text) => `- ${text}`),
  );
  const answers = fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n"));

  test("gives only what stands in it, at the place it says", () => {
    fc.assert(
      fc.property(answers, (answer) => assertNothingInvented(answer, read(answer))),
      { numRuns: 600 },
    );
  });

  test("is read in time that grows with its length and no faster", () => {
    const long = [
      `## Next steps\n- a${" ".repeat(200_000)}b`,
      `- ${"【a".repeat(100_000)}`,
      "**".repeat(100_000),
      '{"tasks":['.repeat(20_000),
      "- a\n".repeat(20_000),
    ];
    for (const answer of long) {
      const from = performance.now();
      read(answer);
      assert.ok(performance.now() - from < 30_000, answer.slice(0, 20));
    }
  });
});

function assertNothingInvented(answer: string, { candidates }: AnswerReading): void {
  const said = folded(decoded(answer));
  for (const { quote, title, text } of candidates) {
    assert.ok(quote.start >= 0 && quote.start < quote.end && quote.end <= answer.length);
    assert.equal(answer.slice(quote.start, quote.end).trim().length > 0, true);
    for (const token of tokensOf(`${title ?? ""} ${text}`, { numbers: new Map() })) {
      assert.ok(said.includes(token), `"${token}" is not in the answer`);
    }
  }
}

/** What JSON writes as escapes, and keys of several words, as they are read. */
function decoded(answer: string): string {
  return `${answer} ${answer.replaceAll(/\\[nt"]/g, " ")} ${answer.replaceAll("_", " ")}`;
}
