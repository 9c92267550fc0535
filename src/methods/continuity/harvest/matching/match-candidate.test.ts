import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { library } from "../../packet/packet-world.suite.ts";
import { readGroupWords } from "../reading/group-words.ts";
import { readMatchingWords } from "./content-tokens.ts";
import {
  type Existing,
  type MatchedCandidate,
  matchCandidate,
  prepareThought,
} from "./match-candidate.ts";
import { type MatchKind } from "./match-kinds.ts";

const context = { words: readMatchingWords(library), groups: readGroupWords(library) };

const EXISTING: readonly Existing[] = [
  thought("task", "t-measure", "Measure tide length on 2G"),
  thought("task", "t-importer", "Ship the importer", "For staff first.", "in_progress"),
  thought("task", "t-tests", "Write tests for import"),
  thought("task", "t-replace", "Replace the sync lock with a lease", "The first half is in."),
  thought("task", "t-changelog", "Tidy the changelog", "", "completed"),
  thought("decision", "d-leases", "Leases, not locks", "A lock outlives its owner."),
  thought("decision", "d-strays", "Strays are kept for thirty days", "Long enough for a holiday."),
  thought("decision", "d-files", "Plain files are the truth"),
  thought("decision", "d-postgres", "Postgres only for the relay"),
  thought("decision", "d-accounts", "No accounts in version one"),
  thought("decision", "d-public", "Keep the relay public"),
  thought("highlight", "h-lock", "", "A lock outlives its owner"),
  thought("highlight", "h-jp", "", "ロックは所有者より長く生き残る。"),
];

function thought(
  type: Existing["type"],
  id: string,
  title: string,
  text = "",
  status?: string,
): Existing {
  return { type, id, title, text, status: type === "task" ? (status ?? "pending") : undefined };
}

const prepared = (thoughts: readonly Existing[]) =>
  thoughts.map((each) => prepareThought(each, context.words));

const match = (
  type: MatchedCandidate["type"],
  title: string | undefined,
  text = "",
  replaces?: string,
) => matchCandidate({ type, title, text, replaces }, prepared(EXISTING), context);

describe("matching a candidate with what the project has", () => {
  const cases: readonly (readonly [
    MatchedCandidate["type"],
    string | undefined,
    string,
    MatchKind,
    string | undefined,
  ])[] = [
    ["task", "Measure tide length on 2G", "", "duplicate", "t-measure"],
    ["task", "Please measure the tide length on 2G", "", "duplicate", "t-measure"],
    ["task", "Measure tide length on 2G and with real devices", "", "update", "t-measure"],
    ["task", "Measure tide length on 2G", "Three devices, a week each.", "update", "t-measure"],
    ["task", "Measure tide length on 3G", "", "new", "t-measure"],
    ["task", "Write tests for export", "", "new", "t-tests"],
    ["task", "Tidy up the changelog", "", "duplicate", "t-changelog"],
    ["task", "Ship the importer", "For staff first.", "duplicate", "t-importer"],
    ["task", "Hire a designer", "", "new", undefined],
    ["decision", "Leases, not locks", "A lock outlives its owner.", "duplicate", "d-leases"],
    ["decision", "Locks, not leases", "", "contradicts", "d-leases"],
    ["decision", "Use locks for leases", "", "contradicts", "d-leases"],
    ["decision", "Keep strays for ninety days", "", "contradicts", "d-strays"],
    ["decision", "Strays are kept for 30 days", "", "duplicate", "d-strays"],
    ["decision", "Plain files are not the truth", "", "contradicts", "d-files"],
    ["decision", "Accounts in version one", "", "contradicts", "d-accounts"],
    ["decision", "Keep the relay private", "", "contradicts", "d-public"],
    ["decision", "Encrypt strays at rest", "", "new", undefined],
    [
      "decision",
      "Let the people who run it judge whether “Postgres only for the relay” costs too much",
      "",
      "new",
      undefined,
    ],
    ["task", "Drop the old lock files", "", "new", undefined],
    ["task", "Do not ship the importer", "", "new", "t-importer"],
    ["task", "Explain why locks fail", "", "new", undefined],
    ["task", "Replace the sync lock with a lease", "", "duplicate", "t-replace"],
    ["task", "Replace every lock by a lease", "", "new", "t-replace"],
    ["decision", "Locks instead of leases", "", "contradicts", "d-leases"],
    ["highlight", undefined, "A lock outlives its owner.", "duplicate", "h-lock"],
    [
      "highlight",
      undefined,
      "A lock outlives its owner by hours when a device sleeps",
      "update",
      "h-lock",
    ],
    ["highlight", undefined, "A lock outlives its owner, always", "update", "h-lock"],
    ["highlight", undefined, "ロックは所有者より長く生き残る", "duplicate", "h-jp"],
  ];
  for (const [type, title, text, kind, id] of cases) {
    const said = [title, text].filter(Boolean).join(" / ");
    test(`${type} "${said}" is ${kind}${id === undefined ? "" : ` beside ${id}`}`, () => {
      const found = match(type, title, text);

      assert.deepEqual([found.kind, found.with?.id], [kind, id], found.reason);
      assert.match(found.reason, /^\S.*\.$/s);
    });
  }

  test("what the answer says that it replaces is believed, whatever the words", () => {
    const named = match(
      "decision",
      "Postgres also for the index",
      "",
      "Postgres only for the relay",
    );
    const inWords = match(
      "decision",
      "SQLite everywhere",
      "This supersedes “Postgres only for the relay”.",
    );

    assert.deepEqual([named.kind, named.with?.id], ["contradicts", "d-postgres"]);
    assert.deepEqual([inWords.kind, inWords.with?.id], ["contradicts", "d-postgres"]);
    assert.match(named.reason, /The answer itself says/);
  });

  test("an update keeps the old words unless the new ones hold them", () => {
    const beside = match("task", "Ship the importer", "Write the release note.");
    const instead = match("task", "Ship the importer", "For staff first, then for everybody else.");

    assert.equal(beside.changes?.text, "For staff first.\n\nWrite the release note.");
    assert.equal(instead.changes?.text, "For staff first, then for everybody else.");
  });

  test("says of a number which one it is", () => {
    assert.equal(
      match("decision", "Keep strays for ninety days").reason,
      "It says 90 where the decision says 30.",
    );
  });
});

describe("any candidate", () => {
  const words = fc
    .array(
      fc.constantFrom(
        "lease",
        "lock",
        "not",
        "stray",
        "relay",
        "30",
        "keep",
        "drop",
        "ü",
        "日本",
        "replace",
        "instead of",
      ),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    .map((list) => list.join(" "));

  test("is there already once it is there, and again gets the same verdict", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("task", "decision", "highlight" as const),
        words,
        words,
        (type, title, text) => {
          const candidate: MatchedCandidate = { type, title, text };
          const kept: Existing = { type, id: "kept", title, text, status: undefined };
          const found = matchCandidate(candidate, prepared(prepared([...EXISTING, kept])), context);

          assert.equal(found.kind, "duplicate", found.reason);
          assert.deepEqual(
            matchCandidate(candidate, prepared(prepared([...EXISTING, kept])), context),
            found,
          );
        },
      ),
    );
  });

  test("becomes a duplicate when what its update would change is changed", () => {
    fc.assert(
      fc.property(words, words, words, (title, text, old) => {
        const thought: Existing = { type: "task", id: "t", title, text: old, status: "pending" };
        const first = matchCandidate({ type: "task", title, text }, prepared([thought]), context);
        const after = { ...thought, ...first.changes };

        assert.notEqual(first.kind, "new");
        assert.equal(
          matchCandidate({ type: "task", title, text }, prepared([after]), context).kind,
          "duplicate",
        );
      }),
      { numRuns: 2000, examples: [["not", "drop", "lease"]] },
    );
  });
});
