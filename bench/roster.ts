/** Everyone who can take part, by name, and the file that brings them. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Subject } from "./subject.ts";

export interface RosterEntry {
  readonly name: string;
  readonly storage: Subject["storage"];
  readonly module: URL;
}

const OWN = "./subjects/throughline.ts";

const ROSTER: readonly RosterEntry[] = [
  entry("raw-sqlite", "sqlite", "./peers/raw-sqlite.ts"),
  entry("raw-sqlite-normal", "sqlite", "./peers/raw-sqlite.ts"),
  entry("langgraph", "sqlite", "./peers/langgraph.ts"),
  entry("mastra", "sqlite", "./peers/mastra.ts"),
  entry("openworkflow-sqlite", "sqlite", "./peers/openworkflow.ts"),
  entry("throughline-sqlite", "sqlite", OWN),
  entry("pg-boss", "postgres", "./peers/pg-boss.ts"),
  entry("dbos", "postgres", "./peers/dbos.ts"),
  entry("openworkflow-postgres", "postgres", "./peers/openworkflow.ts"),
  entry("throughline-postgres", "postgres", OWN),
];

/** Ourselves only once `subjects/throughline.ts` exists. */
export function presentSubjects(): RosterEntry[] {
  return ROSTER.filter(({ module }) => existsSync(fileURLToPath(module)));
}

export function findSubject(name: string): RosterEntry {
  const found = presentSubjects().find((entry) => entry.name === name);
  if (found === undefined) {
    const names = presentSubjects().map((entry) => entry.name);
    throw new Error(`There is no peer "${name}". There are: ${names.join(", ")}.`);
  }
  return found;
}

/** A subject file exports `subjects`; one of them bears the name of the entry. */
export async function loadSubject(entry: RosterEntry): Promise<Subject> {
  const module: unknown = await import(entry.module.href);
  const subject = subjectsOf(module).find(({ name }) => name === entry.name);
  if (subject === undefined || subject.storage !== entry.storage) {
    throw new Error(
      `${fileURLToPath(entry.module)} must export \`subjects\` with one named "${entry.name}" on ${entry.storage}.`,
    );
  }
  return subject;
}

function subjectsOf(module: unknown): readonly Subject[] {
  return typeof module === "object" && module !== null && "subjects" in module
    ? (module.subjects as readonly Subject[])
    : [];
}

function entry(name: string, storage: Subject["storage"], file: string): RosterEntry {
  return { name, storage, module: new URL(file, import.meta.url) };
}
