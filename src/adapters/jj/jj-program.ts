/** jj as a program that asks nobody, colours nothing and runs nothing a repository's settings name. */

import path from "node:path";
import { decode, type GitProgram, openGitProgram } from "../../kernel/vcs/git-program.ts";
import { gitEnvironment } from "../../kernel/vcs/git-settings.ts";
import type { ProgramResult } from "../../kernel/vcs/program.ts";
import type { Hand } from "../../kernel/vcs/vcs.ts";
import { vcsFailed } from "../../kernel/vcs/vcs-errors.ts";
import type { VcsTools } from "../../kernel/vcs/vcs-tools.ts";

export interface JjProgram {
  /** Looks without touching: the working copy is taken as it was last recorded. */
  read(args: readonly string[]): Promise<string>;
  /** The same after recording what the working copy holds now. */
  look(args: readonly string[]): Promise<string>;
  /** Changes something; gives what jj says about it. */
  change(hand: Hand, args: readonly string[], input?: string): Promise<string>;
  attempt(hand: Hand, args: readonly string[], input?: string): Promise<ProgramResult>;
  /** The same history as git objects. */
  readonly git: GitProgram;
  readonly gitFolder: string;
}

/**
 * On top of the repository's settings and the person's. Older versions know some of these by other names; a name
 * that a version does not know does nothing.
 */
const ALWAYS: Readonly<Record<string, unknown>> = {
  "ui.paginate": "never",
  "ui.pager": ":builtin",
  "ui.editor": "false",
  "ui.diff-editor": ":builtin",
  "ui.merge-editor": ":builtin",
  "ui.diff-formatter": ":git",
  "ui.color": "never",
  "ui.progress-indicator": false,
  "fsmonitor.backend": "none",
  "core.fsmonitor": "none",
  "signing.behavior": "drop",
  "signing.backend": "none",
  "git.sign-on-push": false,
  "git.executable-path": "git",
  "git.write-change-id-header": true,
  "git.push-new-bookmarks": true,
  // Nothing new is left out, however large; what is to be left out stands in .gitignore.
  "snapshot.auto-track": "all()",
  "snapshot.max-new-file-size": 9_007_199_254_740_991,
  // How commits are named in what jj says about its work.
  "templates.commit_summary": 'commit_id ++ " " ++ change_id',
};

export async function openJjProgram(root: string, tools: VcsTools): Promise<JjProgram> {
  const { run, environment: ours } = tools;
  const gitFolder = await findGitFolder(root, tools);
  const git = await openGitProgram(run, { folder: root, gitFolder }, ours);
  const call = (args: readonly string[], input?: string) =>
    run({
      program: "jj",
      args: [...settingArgs(ALWAYS), ...args],
      folder: root,
      environment: git.environment,
      ...(input === undefined ? {} : { input }),
    });
  const attempt = (hand: Hand, args: readonly string[], input?: string) =>
    call([...settingArgs(settingsOf(hand)), ...args], input);
  const succeed = async (what: string, result: Promise<ProgramResult>) => {
    const { exitCode, output, errors } = await result;
    if (exitCode !== 0) throw vcsFailed(`jj ${what}`, errors);
    return { output: decode(output), errors };
  };
  return {
    read: async (args) =>
      (await succeed(args[0] ?? "", call(["--ignore-working-copy", ...args]))).output,
    look: async (args) => (await succeed(args[0] ?? "", call(args))).output,
    change: async (hand, args, input) =>
      (await succeed(args[0] ?? "", attempt(hand, args, input))).errors,
    attempt,
    git,
    gitFolder,
  };
}

async function findGitFolder(root: string, { run, environment }: VcsTools): Promise<string> {
  const { exitCode, output, errors } = await run({
    program: "jj",
    args: [...settingArgs(ALWAYS), "--ignore-working-copy", "git", "root"],
    folder: root,
    environment: gitEnvironment(environment, []),
  });
  if (exitCode !== 0) throw vcsFailed("jj git root", errors);
  return path.resolve(root, decode(output).replace(/\r?\n$/, ""));
}

function settingsOf({ author, at, tag }: Hand): Readonly<Record<string, unknown>> {
  return {
    "user.name": author.name,
    "user.email": author.email,
    "operation.username": OPERATION_USER,
    "operation.hostname": tag,
    "debug.commit-timestamp": new Date(at).toISOString().replace("Z", "+00:00"),
  };
}

/** Operations of ours are found by this name, and those of one hand by its tag. */
export const OPERATION_USER = "throughline";

function settingArgs(settings: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    "--no-pager",
    "--color=never",
    ...Object.entries(settings).map(([key, value]) => `--config=${key}=${JSON.stringify(value)}`),
  ];
}

/** A text inside a revset, fileset or template. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\\p{Cc}]/gu, escaped)}"`;
}

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
