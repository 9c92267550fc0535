/** Subjects on a terminal. */

import type { z } from "zod";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { blocks, clip, count, section, table } from "../../kernel/operation/terminal-text.ts";
import type { alignedSubjects, subjectList } from "./session-shape.ts";

export function renderSubjects({ subjects }: z.output<typeof subjectList>): string {
  if (subjects.length === 0) {
    return "No subjects yet. A session's report makes the first, or register one: subject set NAME";
  }
  const columns = [
    { title: "SUBJECT", width: 40 },
    { title: "ALSO CALLED", width: 50 },
    { title: "REPORTS", align: "right" as const },
    { title: "" },
  ];
  const rows = subjects.map(({ name, aliases, reports, lacks, isRegistered }) => [
    name,
    aliases.join(", "),
    String(reports),
    lacks === undefined ? (isRegistered ? "" : "not registered") : `! has no ${lacks}`,
  ]);
  const isLone = subjects.some(({ lacks }) => lacks !== undefined);
  return blocks(
    table(columns, rows),
    isLone ? "Make what is missing: throughline subject align --write" : undefined,
  );
}

export function renderAligned({
  files,
  lone,
  isWritten,
}: z.output<typeof alignedSubjects>): string {
  if (files.length === 0) return doneLine("Reports and strategies are in step.");
  const paths = files.map((path) => clip(path, 120)).join("\n");
  return isWritten
    ? blocks(doneLine(`Wrote ${count(files.length, "file")} into the working copy.`), paths)
    : blocks(
        section("Stand on one side only", lone.join("\n")),
        section("Would be written", paths),
        "Write them: throughline subject align --write",
      );
}
