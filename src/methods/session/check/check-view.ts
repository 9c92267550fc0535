/** What a check found, on a terminal: breaches in words, the rest in a line each. */

import type { z } from "zod";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { checkMark, doneLine } from "../../../kernel/operation/state-marks.ts";
import { blocks, clip, count, indent, oneLine } from "../../../kernel/operation/terminal-text.ts";
import type { checkedSessions } from "../session-shape.ts";
import { INVARIANTS } from "./invariant.ts";

type Checked = z.output<typeof checkedSessions>;
type CheckedSession = Checked["sessions"][number];

export function renderChecked({ sessions, breaches }: Checked): string {
  const all = sessions.flatMap(({ invariants }) => invariants);
  const held = all.filter(({ verdict }) => verdict === "holds").length;
  const other = all.length - held;
  const about = `${count(sessions.length, "session")}, ${count(all.length, "invariant")}`;
  return blocks(
    ...sessions.map(renderOne),
    breaches === 0
      ? doneLine(`${about}: ${held} hold, ${other} ${other === 1 ? "does" : "do"} not apply.`)
      : `${checkMark("bad")} ${about}: ${count(breaches, "breach", "breaches")}.`,
  );
}

function renderOne({ sessionId, changeId, title, state, invariants }: CheckedSession): string {
  const name =
    sessionId === undefined
      ? `change ${(changeId ?? "").slice(0, 12)}`
      : `session ${shortId(sessionId)}`;
  const head = `${clip(title, 80)}  (${name}${state === undefined ? "" : `, ${state}`})`;
  const width = Math.max(...invariants.map(({ code }) => code.length));
  const lines = invariants.map(({ code, verdict, says }) => {
    const mark =
      verdict === "holds" ? checkMark("ok") : verdict === "breach" ? checkMark("bad") : "–";
    const line = `${mark} ${code.padEnd(width)}  ${oneLine(says)}`;
    return verdict === "breach"
      ? `${line}\n  ${"".padEnd(width)}  must hold: ${INVARIANTS[code]}`
      : line;
  });
  return `${head}\n${indent(lines.join("\n"))}`;
}
