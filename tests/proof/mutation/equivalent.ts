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
];
