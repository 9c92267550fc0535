/** Options that stand before or after any command. */

export interface GlobalOptions {
  readonly directory: string | undefined;
  readonly isJson: boolean;
  readonly isSure: boolean;
  readonly isQuiet: boolean;
  /** Never ask; fail instead. */
  readonly isBatch: boolean;
  readonly color: "auto" | "always" | "never";
  readonly wantsHelp: boolean;
  readonly wantsFollow: boolean;
}

export const GLOBAL_FLAGS = {
  directory: { type: "string", short: "C" },
  json: { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  quiet: { type: "boolean", short: "q" },
  "no-input": { type: "boolean" },
  color: { type: "string" },
  help: { type: "boolean", short: "h" },
  follow: { type: "boolean", short: "f" },
} as const;

export type GlobalFlag = keyof typeof GLOBAL_FLAGS;

/** For help: flag, what it does. `--follow` is shown by the commands that have it. */
export const GLOBAL_HELP: readonly (readonly [string, string])[] = [
  ["-C, --directory DIR", "Work in the workspace of this folder; -CDIR and -C=DIR are the same."],
  ["--json", "Print one JSON envelope {schemaVersion, kind, data}; errors as JSON on stderr."],
  ["-y, --yes", "Do not ask before destroying something."],
  ["--no-input", "Never ask; fail instead."],
  ["-q, --quiet", "No progress, no remarks."],
  ["--color auto|always|never", "Colours; NO_COLOR and FORCE_COLOR are honoured."],
  ["-h, --help", "This help, at every level."],
];
