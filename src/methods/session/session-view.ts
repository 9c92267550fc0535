/** Sessions on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  manyLines,
  oneLine,
  section,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { momentText, timeAgo } from "../../kernel/operation/terminal-time.ts";
import type {
  changedSession,
  finishedSession,
  recordedIntent,
  sessionDetail,
  sessionHead,
  sessionList,
  sessionLog,
  startedSession,
  writtenReport,
} from "./session-shape.ts";

type Head = z.output<typeof sessionHead>;
type Detail = z.output<typeof sessionDetail>;

const STATE_MARKS: Readonly<Record<Head["state"], string>> = {
  open: "● open",
  finishing: "! finishing",
  synthesised: "! not pushed",
  finished: "✓ finished",
  abandoned: "– abandoned",
};

/** A change id is told by its beginning. */
function shortChange(id: string): string {
  return id.slice(0, 12);
}

export function renderStarted({
  session,
  base,
  existing,
}: z.output<typeof startedSession>): string {
  return blocks(
    doneLine(`Session ${shortId(session.id)} is open on ${shortChange(base)}.`),
    section(
      "Recorded first",
      existing.map(({ changeId, what }) => `${shortChange(changeId)}  ${oneLine(what)}`).join("\n"),
    ),
    [
      'Record each change:  throughline session intent "…"',
      'When it is done:     throughline session finish "…" --answer-file answer.md',
    ].join("\n"),
  );
}

export function renderIntent({ what, changeId }: z.output<typeof recordedIntent>): string {
  return doneLine(`${shortChange(changeId)}  ${oneLine(what)}`);
}

export function renderFinished({ session, squashed }: z.output<typeof finishedSession>): string {
  const { state, bookmark = "", changeId = "" } = session;
  return blocks(
    state === "finished"
      ? doneLine(`Session ${shortId(session.id)}: ${oneLine(session.title)}`)
      : `! Session ${shortId(session.id)} has its commit, but was not pushed: ${oneLine(session.pushReason ?? "")}`,
    fieldLines([
      ["commit", `${shortChange(changeId)} on ${oneLine(bookmark)}`],
      ["mode", modeLine(session, squashed.length)],
      ["scope", session.scope],
      ["report", oneLine(session.reportPath ?? "")],
      ["push", pushLine(session)],
    ]),
    state === "finished"
      ? undefined
      : "Try again when the remote can be reached: throughline session finish",
  );
}

function modeLine({ mode, intents }: Head, squashed: number): string {
  if (mode === "multi")
    return `${count(intents, "intent")} squashed, ${count(squashed, "id")} listed`;
  return mode === "single" ? "one intent, rewritten in place" : "no intents";
}

function pushLine({ push, pushReason }: Head): string {
  switch (push) {
    case "pushed":
      return "pushed, and seen at the remote";
    case "off":
      return "left out, as asked or set";
    case "none":
      return "there is no remote";
    case "failed":
      return `failed: ${oneLine(pushReason ?? "")}`;
    default:
      return "not yet";
  }
}

export function renderWritten({ path, files }: z.output<typeof writtenReport>): string {
  const others = files.filter((file) => file !== path).map((file) => oneLine(file));
  return blocks(
    doneLine(`Wrote ${oneLine(path)}`),
    section("And in step with it", others.join("\n")),
    "It goes along when the session is finished.",
  );
}

export function renderReliance({ session }: z.output<typeof changedSession>): string {
  return doneLine(`Session ${shortId(session.id)} relies on that change as it is now.`);
}

export function renderAbandoned({ session }: z.output<typeof changedSession>): string {
  return doneLine(`Session ${shortId(session.id)} is given up. Its commits stay where they are.`);
}

export function renderBound({ session }: z.output<typeof changedSession>): string {
  return doneLine(
    `The run is bound to session ${shortId(session.id)}: what it changes becomes intents, its end finishes the session.`,
  );
}

export function renderSessionList({
  items,
  nextCursor,
  asOf,
}: z.output<typeof sessionList>): string {
  if (items.length === 0)
    return 'No sessions yet. Begin one: throughline session start - --interpretation "…" < prompt.md';
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "STATE" },
    { title: "ABOUT", width: 60 },
    { title: "INTENTS", align: "right" as const, isSpare: true },
    { title: "CHANGE" },
    { title: "PROJECT", width: 20, isSpare: true },
    { title: "BEGUN" },
  ];
  const rows = items.map((each) => [
    short(each.id),
    STATE_MARKS[each.state],
    each.title,
    String(each.intents),
    shortChange(each.changeId ?? ""),
    each.projectName,
    timeAgo(each.createdAt, asOf),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderSession({ session, intents, entries, runs, report, asOf }: Detail): string {
  return blocks(
    `${clip(session.title, 100)}  ${STATE_MARKS[session.state]}`,
    fieldLines([
      ["id", session.id],
      ["repository", `${oneLine(session.repository)} (${session.vcs})`],
      ["project", session.projectName],
      ["begun", `${timeAgo(session.createdAt, asOf)} on ${shortChange(session.base.changeId)}`],
      ["relies on", session.reliesOn && shortChange(session.reliesOn.changeId)],
      ["commit", session.changeId && `${session.changeId} on ${oneLine(session.bookmark ?? "")}`],
      ["kept by", session.kept],
      ["report", session.reportPath && oneLine(session.reportPath)],
      ["scope", session.scope],
      ["push", session.changeId === undefined ? undefined : pushLine(session)],
    ]),
    section("Prompt", manyLines(session.prompt).trimEnd()),
    section("Interpretation", manyLines(session.interpretation)),
    section("Strategy", manyLines(session.strategy)),
    section("Constraints", session.constraints.map((each) => `- ${oneLine(each)}`).join("\n")),
    section("Intents", intentLines(intents)),
    section(
      "Runs",
      runs
        .map(({ runId, title, state, failure }) =>
          oneLine([shortId(runId), state, title, failure].filter(Boolean).join("  ")),
        )
        .join("\n"),
    ),
    section(
      "What happened",
      entries
        .map(
          ({ kind, at, actorName, actor, data }) =>
            `${momentText(at)}  ${oneLine(actorName ?? actor)}  ${kind.replaceAll("_", " ")}${entryWords(data)}`,
        )
        .join("\n"),
    ),
    section("Report", report === undefined ? undefined : manyLines(report)),
  );
}

/** What an entry is about, in the words or the name it keeps. */
function entryWords(data: Detail["entries"][number]["data"]): string {
  const fields = new Map(Object.entries(data ?? {}));
  const first = (...names: readonly string[]) =>
    names.map((name) => fields.get(name)).find((value) => typeof value === "string");
  const words = first("reason", "because", "what", "message", "report", "remote");
  if (typeof words === "string") return `: ${oneLine(words)}`;
  const id = first("change", "base", "run");
  return typeof id === "string" ? `: ${shortChange(id)}` : "";
}

function intentLines(intents: Detail["intents"]): string {
  return intents
    .map(({ changeId, what, source, duplicateId }) => {
      const kept = duplicateId === undefined ? "" : `  squashed as ${shortChange(duplicateId)}`;
      const how = source === "recorded" ? "" : `  (${source === "run" ? "by a run" : "found"})`;
      return `${shortChange(changeId)}  ${oneLine(what)}${how}${kept}`;
    })
    .join("\n");
}

export function renderLog({ commits, isMore, asOf }: z.output<typeof sessionLog>): string {
  if (commits.length === 0) return "The history holds no session yet.";
  const lines = commits.map((commit) => {
    const mark = commit.kind === "session" ? "◆" : "○";
    const head = `${mark} ${shortChange(commit.changeId)}  ${oneLine(commit.title)}`;
    const facts = [
      commit.chronos,
      commit.author,
      timeAgo(commit.at, asOf),
      commit.squashed && `${count(commit.squashed.length, "id")} squashed`,
    ].filter(Boolean);
    const changes = (commit.changes ?? []).map((change) => `    - ${oneLine(change)}`);
    return [head, `  ${oneLine(facts.join(" · "))}`, ...changes].join("\n");
  });
  return blocks(lines.join("\n"), isMore ? "There are older ones: --limit" : undefined);
}
