/**
 * Mutants that do the same as the original, whatever is asked of them: no test can notice. Each is tried all the same,
 * and one that a test does notice may not be listed.
 */

export interface Equivalent {
  readonly file: string;
  /** The line it is in, without its indent. */
  readonly line: string;
  readonly was: string;
  readonly becomes: string;
  readonly why: string;
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: "src/kernel/run/answer-form.ts",
    line: '.enum(["text", "longtext", "number", "confirm", "choice", "multiselect", "json", "list"])',
    was: '"text"',
    becomes: '""',
    why: "what is not in the list becomes text",
  },
  {
    file: "src/kernel/run/answer-form.ts",
    line: 'const word = typeof value === "string" ? value.trim().toLowerCase() : "";',
    was: '""',
    becomes: '"other"',
    why: "neither means yes or no",
  },
  {
    file: "src/kernel/run/turn-course.ts",
    line: "if ((course.stalled ?? 0) >= MAX_STALLED) {",
    was: "0",
    becomes: "1",
    why: "none and one are both fewer than what is too many",
  },
  {
    file: "src/kernel/prompt/find-secrets.ts",
    line: "const MORE_OF_IT = /(?:\\.?[A-Za-z0-9_-]+)*/y;",
    was: "/(?:\\.?[A-Za-z0-9_-]+)*/y",
    becomes: "/(?:\\.?[A-Za-z0-9_-])*/y",
    why: "the repetition around it takes the letters one by one",
  },
  {
    file: "src/kernel/base/template.ts",
    line: 'return source.replace(/^\\{\\{/, "").replace(/\\}\\}$/, "").trim();',
    was: "/^\\{\\{/",
    becomes: "/\\{\\{/",
    why: "the first braces of a place are those it begins with",
  },
  {
    file: "src/kernel/prompt/fence-untrusted.ts",
    line: 'const sample = fenceAround(severalLines ? "\\n" : "", provenance);',
    was: '""',
    becomes: '"other"',
    why: "the fence around any text of one line is as long",
  },
];
