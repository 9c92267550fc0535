/**
 * Reports and strategies of a subject lie in folders of the same name; where one is, the other must be. What is
 * missing is made, what lists the others is written anew, what people write is never touched.
 */

import { REPORTS, STRATEGIES, subjectFolder } from "../../kernel/vcs/repository-path.ts";
import type { NewFile } from "../../kernel/vcs/vcs.ts";

export interface ToldFiles {
  /** Paths below `Reports` and `Strategies`, the new report among them. */
  readonly paths: readonly string[];
  /** Other names of subjects, by folder. */
  readonly aliases: ReadonlyMap<string, readonly string[]>;
  /** What a strategy that nobody has written yet says. */
  readonly scaffold: (subject: string) => string;
}

/** The files that bring both sides into step. `subject` is the one a report was just written for, if any was. */
export function bringIntoStep(
  { paths, aliases, scaffold }: ToldFiles,
  subject?: string,
): readonly NewFile[] {
  const has = new Set(paths);
  const current = subject === undefined ? undefined : subjectFolder(subject);
  const files: NewFile[] = [];
  for (const folder of listSubjectFolders(paths)) {
    const strategy = `${STRATEGIES}/${folder}/STRATEGY.md`;
    if (!has.has(strategy)) {
      files.push({
        path: strategy,
        text: withAliases(scaffold(folder), aliases.get(folder) ?? []),
      });
    }
    const reports = listReports(paths, folder);
    const readme = { path: `${REPORTS}/${folder}/README.md`, text: readmeOf(folder, reports) };
    const link = { path: `${STRATEGIES}/${folder}/REPORT.md`, text: linkOf(folder, reports) };
    for (const file of [readme, link]) {
      if (folder === current || !has.has(file.path)) files.push(file);
    }
  }
  return files;
}

export function listSubjectFolders(paths: readonly string[]): readonly string[] {
  const folders = paths.flatMap((path) => {
    const [top = "", folder, ...rest] = path.split("/");
    const isIn = (top === REPORTS || top === STRATEGIES) && rest.length > 0;
    return isIn && folder !== undefined ? [folder] : [];
  });
  return [...new Set(folders)].toSorted();
}

/** Which subjects stand on one side only. */
export function findLoneSubjects(paths: readonly string[]): readonly string[] {
  return listSubjectFolders(paths).filter((folder) => {
    const isUnder = (top: string) => paths.some((path) => path.startsWith(`${top}/${folder}/`));
    return !isUnder(REPORTS) || !isUnder(STRATEGIES);
  });
}

function listReports(paths: readonly string[], folder: string): readonly string[] {
  const start = `${REPORTS}/${folder}/`;
  return paths
    .filter((path) => path.startsWith(start) && path.endsWith(".md"))
    .map((path) => path.slice(start.length))
    .filter((name) => name !== "README.md" && !name.includes("/"))
    .toSorted();
}

function readmeOf(folder: string, reports: readonly string[]): string {
  const lines = reports.map((name) => `- [${titleOf(name)}](<${name}>)`);
  return [
    `# ${folder}: reports`,
    `What was asked and answered about ${folder}, oldest first. The strategy: [STRATEGY.md](<../../${STRATEGIES}/${folder}/STRATEGY.md>).`,
    lines.length === 0 ? "None yet." : lines.join("\n"),
  ]
    .join("\n\n")
    .concat("\n");
}

function linkOf(folder: string, reports: readonly string[]): string {
  const newest = reports.at(-1);
  return [
    `# ${folder}: where its reports are`,
    `All of them: [${REPORTS}/${folder}](<../../${REPORTS}/${folder}/README.md>).`,
    newest === undefined
      ? "There is none yet."
      : `The newest: [${titleOf(newest)}](<../../${REPORTS}/${folder}/${newest}>).`,
  ]
    .join("\n\n")
    .concat("\n");
}

/** `591912050447_answer_settings-read-once.md` → `settings read once (answer)` */
function titleOf(name: string): string {
  const [, kind, slug] = /^\d+_([a-z]+)_(.+)\.md$/.exec(name) ?? [];
  return kind === undefined || slug === undefined ? name : `${slug.replaceAll("-", " ")} (${kind})`;
}

/** In the head of the strategy, so that a clone knows them, too. */
function withAliases(text: string, aliases: readonly string[]): string {
  return aliases.length === 0 ? text : `---\naliases: ${JSON.stringify(aliases)}\n---\n\n${text}`;
}

export function parseAliases(strategy: string): readonly string[] {
  const list = /^---\n(?:[^]*?\n)?aliases: (\[.*\])\n[^]*?---\n/.exec(strategy)?.[1];
  if (list === undefined) return [];
  try {
    const names: unknown = JSON.parse(list);
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
