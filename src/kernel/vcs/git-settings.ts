/**
 * Keeps git from running what a repository's own settings name. The person's settings (system, global) are trusted,
 * those that came with the repository are not: for each of its keys that names a program, another value is put on
 * top, or the work is refused where no value would do.
 */

import type { Environment } from "./program.ts";

export interface GitSetting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** Reads `git config --list --show-scope -z`: scope NUL key LF value NUL. */
export function parseGitSettings(output: string): readonly GitSetting[] {
  const parts = output.split("\0");
  const settings: GitSetting[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const entry = parts[i + 1] ?? "";
    const end = entry.indexOf("\n");
    // A key without a value means true.
    const [key, value] = end === -1 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    settings.push({ scope: parts[i] ?? "", key, value });
  }
  return settings;
}

/** Keys of the repository whose programs would run over file contents. There is no harmless value for them. */
export function programsOverFiles(settings: readonly GitSetting[]): readonly string[] {
  return keysMatching(settings, /^filter\..*\.(?:clean|smudge|process)$/i);
}

export function programsOverMerges(settings: readonly GitSetting[]): readonly string[] {
  return keysMatching(settings, /^merge\..*\.driver$/i);
}

/** Of several values git takes the first, so the repository's would win over ours. */
export function programsAtRemotes(settings: readonly GitSetting[]): readonly string[] {
  return keysMatching(settings, /^remote\..*\.(?:uploadpack|receivepack)$/i);
}

function keysMatching(settings: readonly GitSetting[], pattern: RegExp): readonly string[] {
  const found = settings.filter(
    ({ scope, key, value }) => isOfRepository(scope) && pattern.test(key) && value !== "",
  );
  return [...new Set(found.map(({ key }) => key))];
}

function isOfRepository(scope: string): boolean {
  return scope === "local" || scope === "worktree";
}

const ALWAYS: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.editor", ":"],
  ["core.askPass", ""],
  ["core.quotePath", "false"],
  ["color.ui", "false"],
  ["commit.gpgSign", "false"],
  ["push.gpgSign", "false"],
  ["push.recurseSubmodules", "no"],
  ["fetch.recurseSubmodules", "no"],
  ["submodule.recurse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["i18n.commitEncoding", "UTF-8"],
  ["i18n.logOutputEncoding", "UTF-8"],
  ["log.showSignature", "false"],
  ["safe.bareRepository", "explicit"],
];

/** On top of everything the repository says, in the order in which git reads it. */
function overrides(settings: readonly GitSetting[]): readonly (readonly [string, string])[] {
  const trusted = settings.filter(({ scope }) => !isOfRepository(scope));
  const helpers = trusted
    .filter(({ key }) => /^credential\.(?:.*\.)?helper$/i.test(key))
    .map(({ key, value }): [string, string] => [key, value]);
  // An empty helper forgets all helpers that were named before it.
  return [...ALWAYS, ["credential.helper", ""], ...helpers];
}

/** Of our environment only what finds programs, the person's settings and their access to remotes. */
const PASSED = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "TZ",
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "JJ_CONFIG",
  "JJ_USER",
  "JJ_EMAIL",
  "SSH_AUTH_SOCK",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "http_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
  "no_proxy",
  "NO_PROXY",
  "SYSTEMROOT",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "TEMP",
];

/** `settings` are those found with an environment made of none. */
export function gitEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  settings: readonly GitSetting[],
): Environment {
  const passed = PASSED.flatMap((name): [string, string][] => {
    const value = ours[name];
    return value === undefined ? [] : [[name, value]];
  });
  const ssh = settings.findLast(
    ({ scope, key }) => !isOfRepository(scope) && key === "core.sshcommand",
  );
  const pairs = overrides(settings);
  return {
    ...Object.fromEntries(passed),
    LC_ALL: "C.UTF-8",
    PAGER: "cat",
    GIT_PAGER: "cat",
    EDITOR: ":",
    VISUAL: ":",
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
    GIT_TERMINAL_PROMPT: "0",
    // Set and empty: neither git nor ssh asks a program for passwords.
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_SSH_COMMAND: ssh?.value ?? "ssh -oBatchMode=yes",
    GIT_ALLOW_PROTOCOL: "file:http:https:ssh",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_COUNT: String(pairs.length),
    ...Object.fromEntries(
      pairs.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };
}
