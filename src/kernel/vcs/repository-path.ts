/** Paths inside a repository, from texts that may hold anything. */

import { ProductError } from "../base/errors.ts";
import { chronosStamp } from "./chronos.ts";

export const REPORTS = "Reports";
export const STRATEGIES = "Strategies";
/** What is told about the work lies here and does not count as work. */
export const TOLD_FOLDERS: readonly string[] = [REPORTS, STRATEGIES];

export function isTold(path: string): boolean {
  return TOLD_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
}

/** A path as people give it → as version control has it; what leads out of the repository is refused. */
export function requireRepositoryPath(given: string): string {
  const path = given.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  const parts = path.split("/");
  const isInside = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (isInside && !path.includes("\0") && !PRIVATE_FOLDER.test(path)) return path;
  throw new ProductError("path_outside", `${JSON.stringify(given)} is no path of the repository.`, {
    hint: "Give it relative to the repository's root, without `..`.",
  });
}

const PRIVATE_FOLDER = /^\.(?:git|jj|throughline)(?:\/|$)/i;

const LONGEST_NAME = 80;

/** The folder of a subject. Letters of every script stay; what a file system minds becomes a space. */
export function subjectFolder(subject: string): string {
  const name = subject
    .normalize("NFC")
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|\uFFFD]+/gu, " ")
    .replaceAll(/\s+/g, " ");
  const trimmed = cut(name, LONGEST_NAME).replaceAll(/^[ .]+|[ .]+$/g, "");
  return trimmed === "" || RESERVED.test(trimmed) ? `Subject ${trimmed}`.trim() : trimmed;
}

/** Names that Windows keeps for devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i;

/** By this two names are the same subject, however they are spelled. */
export function subjectKey(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

const LONGEST_SLUG = 60;

export function slugOf(title: string): string {
  const slug = title
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  return cut(slug, LONGEST_SLUG).replace(/-+$/, "") || "untitled";
}

/** Whole characters: half of one would be no text. */
function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : characters.slice(0, most).join("");
}

export interface ReportName {
  readonly at: number;
  readonly subject: string;
  readonly kind: string;
  readonly title: string;
}

/** Never one that is taken: a number is added instead. */
export function reportPath(
  { at, subject, kind, title }: ReportName,
  isTaken: (path: string) => boolean,
): string {
  const stem = `${REPORTS}/${subjectFolder(subject)}/${chronosStamp(at)}_${kind}_${slugOf(title)}`;
  for (let i = 0; ; i++) {
    const path = `${stem}${i === 0 ? "" : `_${i}`}.md`;
    if (!isTaken(path)) return path;
  }
}
