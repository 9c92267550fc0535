/** What is wrong with the list: numbers that are missing or doubled, evidence that is not there. */

import type { Chapter, Requirement } from "./requirement.ts";
import { NUMBERS_BY_LEVEL, numbersOf } from "./numbers.ts";

export type ReadFile = (file: string) => string | undefined;

export function faultsOf(chapters: readonly Chapter[], read: ReadFile): readonly string[] {
  const all = chapters.flatMap(({ requirements }) => requirements);
  return [
    ...chapters.flatMap(strayOf),
    ...([1, 2] as const).flatMap((level) =>
      numberFaultsOf(
        all.filter((requirement) => requirement.level === level),
        level,
      ),
    ),
    ...all.flatMap((requirement) => standingFaultsOf(requirement, read)),
  ];
}

function strayOf({ number, requirements }: Chapter): readonly string[] {
  return requirements
    .filter((requirement) => !requirement.number.startsWith(`${number}.`))
    .map((requirement) => `${requirement.number} stands in ${number}`);
}

function numberFaultsOf(requirements: readonly Requirement[], level: 1 | 2): readonly string[] {
  const wanted = numbersOf(NUMBERS_BY_LEVEL[level]);
  const given = requirements.map(({ number }) => number);
  return [
    ...wanted
      .filter((number) => !given.includes(number))
      .map((number) => `${number} of level ${level} is missing`),
    ...given
      .filter((number) => !wanted.includes(number))
      .map((number) => `${number} is no requirement of level ${level}`),
    ...given
      .filter((number, at) => given.indexOf(number) !== at)
      .map((number) => `${number} stands there twice`),
  ];
}

function standingFaultsOf(requirement: Requirement, read: ReadFile): readonly string[] {
  const { number, asks } = requirement;
  if (asks.trim() === "") return [`${number} says nothing`];
  if ("notApplicable" in requirement)
    return requirement.notApplicable.trim() === "" ? [`${number} gives no reason`] : [];
  if ("missing" in requirement)
    return requirement.missing.trim() === "" ? [`${number} gives no reason`] : [];
  if (requirement.met.length === 0) return [`${number} names no evidence`];
  return requirement.met.flatMap(([file, words]) => {
    const text = read(file);
    if (text === undefined) return [`${number}: there is no ${file}`];
    const names = file.endsWith(".md") ? headingsIn(text) : testNamesIn(text);
    return names.includes(words) ? [] : [`${number}: ${file} has no "${words}"`];
  });
}

function headingsIn(text: string): readonly string[] {
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading.trim());
}

/** Whole names; of a name with values in it also each piece between them. */
function testNamesIn(text: string): readonly string[] {
  const names = text.matchAll(/\btest\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g);
  return [...names].flatMap(([, plain, template = ""]) =>
    plain === undefined ? template.split(/\$\{[^}]*\}/).map((piece) => piece.trim()) : [plain],
  );
}
