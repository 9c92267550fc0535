/** git as a program that does what its arguments say and nothing that a repository's settings say. */

import path from "node:path";
import { ProductError } from "../base/errors.ts";
import {
  type GitSetting,
  gitEnvironment,
  parseGitSettings,
  programsAtRemotes,
  programsOverFiles,
  programsOverMerges,
} from "./git-settings.ts";
import type { Environment, ProgramResult, RunProgram } from "./program.ts";
import { unsafeConfig, vcsFailed } from "./vcs-errors.ts";

export interface GitProgram {
  /** Throws `vcs_failed` unless it exits with 0. */
  run(args: readonly string[], more?: GitCall): Promise<Uint8Array>;
  /** The same as text without the line break at its end. */
  text(args: readonly string[], more?: GitCall): Promise<string>;
  /** Whatever the exit code is. */
  attempt(args: readonly string[], more?: GitCall): Promise<ProgramResult>;
  /** Throws `vcs_config_unsafe` where the repository's settings would run programs there. */
  refusePrograms(where: "files" | "merges" | "remotes"): void;
  readonly settings: readonly GitSetting[];
  /** For other programs that start git. */
  readonly environment: Environment;
}

export interface GitCall {
  readonly input?: string | Uint8Array;
  readonly environment?: Environment;
}

export interface GitPlace {
  /** The working copy, or wherever git is to stand. */
  readonly folder: string;
  /** Where the repository itself is, if git cannot find it from there. */
  readonly gitFolder?: string;
}

export async function openGitProgram(
  runProgram: RunProgram,
  { folder, gitFolder }: GitPlace,
  ours: Readonly<Record<string, string | undefined>>,
): Promise<GitProgram> {
  const opening = gitFolder === undefined ? [] : [`--git-dir=${gitFolder}`];
  // What lies above the folder is another repository's business.
  const ceiling = { GIT_CEILING_DIRECTORIES: path.dirname(folder) };
  const call = (
    environment: Environment,
    args: readonly string[],
    { input, environment: extra }: GitCall = {},
  ) =>
    runProgram({
      program: "git",
      args: ["--no-pager", ...opening, ...args],
      folder,
      environment: { ...environment, ...extra },
      ...(input === undefined ? {} : { input }),
    });
  const listed = await call({ ...gitEnvironment(ours, []), ...ceiling }, [
    "config",
    "--list",
    "--show-scope",
    "--includes",
    "-z",
  ]);
  if (listed.exitCode !== 0) throw notReadable(folder, listed.errors);
  const settings = parseGitSettings(decode(listed.output));
  const environment = { ...gitEnvironment(ours, settings), ...ceiling };
  const attempt = (args: readonly string[], more?: GitCall) => call(environment, args, more);
  const run = async (args: readonly string[], more?: GitCall) => {
    const { exitCode, output, errors } = await attempt(args, more);
    if (exitCode !== 0) throw vcsFailed(`git ${args[0] ?? ""}`, errors);
    return output;
  };
  return {
    attempt,
    run,
    text: async (args, more) => decode(await run(args, more)).replace(/\n$/, ""),
    refusePrograms: (where) => {
      const keys = PROGRAMS[where](settings);
      if (keys.length > 0) throw unsafeConfig(keys);
    },
    settings,
    environment,
  };
}

export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

const PROGRAMS = {
  files: programsOverFiles,
  merges: programsOverMerges,
  remotes: programsAtRemotes,
};

function notReadable(folder: string, errors: string): ProductError {
  return new ProductError(
    "vcs_not_readable",
    `git cannot read the repository in ${folder}: ${errors.trim().slice(-1000)}`,
    {
      kind: "internal",
      hint: "Run `git status` there to see what is wrong, such as an owner that is not you.",
    },
  );
}
