/** Projects on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortIds } from "../../kernel/operation/short-ids.ts";
import {
  blocks,
  count,
  fieldLines,
  manyLines,
  section,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { projectDetail, projectList } from "./project-shape.ts";

export function renderProjectList({
  items,
  nextCursor,
  asOf,
}: z.output<typeof projectList>): string {
  if (items.length === 0)
    return "No projects yet. Make one with `project add NAME`, or look at archived ones with `--archived only`.";
  const short = shortIds(items.map(({ id }) => id));
  const rows = items.map((project) => [
    short(project.id),
    project.name,
    project.visibility,
    project.ownerName ?? project.ownerId,
    String(project.openTasks),
    timeAgo(project.updatedAt, asOf),
    project.isArchived ? "archived" : "",
  ]);
  const columns = [
    { title: "ID", width: 36 },
    { title: "NAME", width: 40 },
    { title: "SEEN BY", isSpare: true },
    { title: "OWNER", width: 20, isSpare: true },
    { title: "OPEN", align: "right" as const },
    { title: "CHANGED" },
    { title: "" },
  ];
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderProject(detail: z.output<typeof projectDetail>): string {
  const { project, members, counts, asOf } = detail;
  const tasks = Object.entries(counts.tasks).map(
    ([status, n]) => `${n} ${status.replace("_", " ")}`,
  );
  return blocks(
    `${project.name}${project.isArchived ? " (archived)" : ""}`,
    fieldLines([
      ["id", project.id],
      ["owner", detail.ownerName ?? project.ownerId],
      ["seen by", project.visibility === "workspace" ? "the whole workspace" : "owner and members"],
      ["repository", project.repository],
      ["tasks", tasks.join(", ") || "none"],
      ["holds", thoughtsLine(counts)],
      ["changed", `${timeAgo(project.updatedAt, asOf)}, version ${project.version}`],
    ]),
    section("Description", manyLines(project.description)),
    section(
      "Named concepts",
      project.glossary.map(({ term, meaning }) => `${term}: ${manyLines(meaning)}`).join("\n"),
    ),
    section("Members", fieldLines(members.map(({ userId, name, role }) => [name ?? userId, role]))),
  );
}

function thoughtsLine(counts: z.output<typeof projectDetail>["counts"]): string {
  return [
    count(counts.decisions, "decision"),
    count(counts.highlights, "highlight"),
    count(counts.conversations, "conversation"),
    count(counts.runs, "run"),
  ].join(", ");
}
