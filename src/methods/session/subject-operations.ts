/** `subject`: what reports and strategies are about, by all its names, with both sides in step. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { projectField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import {
  REPORTS,
  STRATEGIES,
  subjectFolder,
  subjectKey,
} from "../../kernel/vcs/repository-path.ts";
import { strategyText } from "./compose-session.ts";
import { bringIntoStep, findLoneSubjects } from "./counterparts.ts";
import { type Desk, openDesk, type SessionPorts } from "./session-desk.ts";
import { alignedSubjects, subjectList } from "./session-shape.ts";
import { listSubjects, putSubject } from "./session-subjects.ts";
import { renderAligned, renderSubjects } from "./subject-view.ts";
import { findSubject, joinSubjects, type KnownSubject, requireSubjectName } from "./subjects.ts";
import { readToldFiles } from "./told-files.ts";

const project = projectField
  .optional()
  .describe("The project whose repository is meant; the workspace's own unless given.");
const nameField = z.string().trim().min(1).max(200);

export function subjectOperations(ports: SessionPorts): readonly Operation[] {
  const list = defineOperation({
    name: "subject.list",
    summary:
      "Lists the subjects of a repository with their other names, and which counterpart is missing.",
    effect: "reads",
    permission: "read",
    input: z.object({ project }),
    output: subjectList,
    surfaces: { cli: { render: rendering(subjectList, renderSubjects) }, mcp: "full" },
    run: async (context, { project: given }) => listKnown(await openDesk(ports, context, given)),
  });

  const set = defineOperation({
    name: "subject.set",
    summary: "Registers a subject, or says anew by which other names it is known.",
    effect: "writes",
    permission: "run",
    projectScope: { project: "project" },
    input: z.object({
      name: nameField.describe("What it is called; its folders are named after it."),
      aliases: z.array(nameField).max(50).default([]).describe("Other names for it; one each."),
      project,
    }),
    output: subjectList,
    surfaces: {
      cli: {
        positionals: ["name", "aliases"],
        examples: ['subject set Settings config "preferences file"'],
        render: rendering(subjectList, renderSubjects),
      },
      mcp: "full",
    },
    run: async (context, { name, aliases, project: given }) => {
      const desk = await openDesk(ports, context, given);
      const id = context.kernel.ids.next();
      await change(context, function* (act) {
        const known = yield* listSubjects(desk.vcs.root);
        const others = known.filter((each) => each.name !== name);
        refuseShared(name, aliases, others);
        requireSubjectName(name, others);
        yield* putSubject(desk.vcs.root, { name, aliases }, id, act);
      });
      return listKnown(desk);
    },
  });

  const align = defineOperation({
    name: "subject.align",
    summary:
      "Brings reports and strategies into step: makes the counterparts that are missing, in the working copy.",
    effect: "writes",
    permission: "run",
    projectScope: { project: "project" },
    input: z.object({
      write: z.boolean().default(false).describe("Write them; otherwise only say what is missing."),
      project,
    }),
    output: alignedSubjects,
    surfaces: {
      cli: {
        examples: ["subject align", "subject align --write"],
        render: rendering(alignedSubjects, renderAligned),
      },
      mcp: "full",
    },
    run: async (context, { write, project: given }) => {
      const desk = await openDesk(ports, context, given);
      return desk.vcs.lock(() => alignSubjects(desk, write));
    },
  });

  return [list, set, align];
}

async function readKnown({ kernel, vcs }: Desk) {
  const state = await vcs.workingCopy.look();
  const told = await readToldFiles(vcs, [state.parent], state);
  const registered = await kernel.store.read(() => listSubjects(vcs.root));
  return { told, registered, subjects: joinSubjects(registered, told.folders) };
}

async function listKnown(desk: Desk): Promise<z.input<typeof subjectList>> {
  const { told, registered, subjects } = await readKnown(desk);
  const names = new Set(registered.map(({ name }) => name));
  const isUnder = (top: string, folder: string) =>
    told.paths.some((path) => path.startsWith(`${top}/${folder}/`));
  return {
    repository: desk.vcs.root,
    subjects: subjects
      .map(({ name, aliases }) => {
        const folder = subjectFolder(name);
        const [hasReports, hasStrategy] = [isUnder(REPORTS, folder), isUnder(STRATEGIES, folder)];
        const lacks: "reports" | "strategy" | undefined =
          hasReports && !hasStrategy
            ? "strategy"
            : hasStrategy && !hasReports
              ? "reports"
              : undefined;
        return {
          name,
          aliases,
          folder,
          reports: told.paths.filter(
            (path) => path.startsWith(`${REPORTS}/${folder}/`) && !path.endsWith("/README.md"),
          ).length,
          isRegistered: names.has(name),
          ...(lacks === undefined ? {} : { lacks }),
        };
      })
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  };
}

async function alignSubjects(
  desk: Desk,
  wantsWrite: boolean,
): Promise<z.input<typeof alignedSubjects>> {
  const { told, subjects } = await readKnown(desk);
  const lone = findLoneSubjects(told.paths);
  const aliases = new Map(subjects.map((each) => [subjectFolder(each.name), each.aliases]));
  const scaffold = (name: string) => strategyText(desk.kernel.library, name);
  const files = bringIntoStep({ paths: told.paths, aliases, scaffold });
  if (wantsWrite) await desk.vcs.workingCopy.write(files);
  return {
    repository: desk.vcs.root,
    lone: [...lone],
    files: files.map(({ path }) => path),
    isWritten: wantsWrite,
  };
}

/** A name must lead to one subject. */
function refuseShared(
  name: string,
  aliases: readonly string[],
  others: readonly KnownSubject[],
): void {
  for (const each of [name, ...aliases]) {
    const clash = findSubject(each, others);
    if (clash === undefined) continue;
    throw new ProductError(
      "subject_clashes",
      `"${each}" is a name of the subject "${clash}" already.`,
      {
        kind: "conflict",
        hint: "Use that subject, or take the name from it first: subject set",
        details: { name: each, subject: clash, key: subjectKey(each) },
      },
    );
  }
}
