/** Completion: the shells ask the program itself what may come next, so it never goes stale. */

import type { CommandSource } from "./command.ts";
import { findCommand } from "./find-command.ts";
import { flagOf } from "./flag-name.ts";
import { usageError } from "./usage-error.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
/** What the scripts call; the words typed so far follow it. */
export const COMPLETE_WORD = "__complete";

export function completionScript(shell: string, program: string): string {
  const name = program.replaceAll(/\W/g, "_");
  switch (shell) {
    case "bash":
      return `_${name}() {
  local IFS=$'\\n'
  COMPREPLY=($(${program} ${COMPLETE_WORD} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _${name} ${program}`;
    case "zsh":
      return `#compdef ${program}
_${name}() {
  local -a found
  found=("\${(@f)$(${program} ${COMPLETE_WORD} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  (( \${#found} )) && compadd -- $found || _files
}
compdef _${name} ${program}`;
    case "fish":
      return `function _${name}
  set -l found (${program} ${COMPLETE_WORD} (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c ${program} -f -a '(_${name})'`;
    default:
      throw usageError(
        "shell_unknown",
        `There is no completion for "${shell}".`,
        `Known: ${SHELLS.join(", ")}.`,
      );
  }
}

export function completionHelp(program: string): string {
  return `Prints a script that makes the Tab key complete in your shell.

Usage
  ${program} completion ${SHELLS.join("|")}

In every shell from now on
  bash  echo 'source <(${program} completion bash)' >> ~/.bashrc
  zsh   echo 'source <(${program} completion zsh)' >> ~/.zshrc    below compinit
  fish  ${program} completion fish > ~/.config/fish/completions/${program}.fish`;
}

/** What may stand in the place of the last word. */
export async function completeWords(
  source: CommandSource,
  words: readonly string[],
): Promise<readonly string[]> {
  const [first, ...rest] = words;
  if (first === "completion" && rest.length === 1) return startingWith(SHELLS, rest[0]);
  const typed = first === "help" && rest.length > 0 ? rest : words;
  const { before, last, prefix } = splitAtEquals(typed);
  const candidates = await candidatesAfter(source, before, last);
  return startingWith(candidates, last).map((candidate) => `${prefix}${candidate}`);
}

function startingWith(candidates: readonly string[], text = ""): readonly string[] {
  return candidates.filter((candidate) => candidate.startsWith(text)).toSorted();
}

/** `--urgency=hi` is one word to zsh and fish, three to bash; the value is what is completed. */
function splitAtEquals(words: readonly string[]) {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const [, flag, value = ""] = /^(--[a-z-]+)=(.*)$/.exec(last) ?? [];
  if (flag !== undefined) return { before: [...before, flag], last: value, prefix: `${flag}=` };
  if (last === "=") return { before, last: "", prefix: "" };
  if (before.at(-1) === "=") return { before: before.slice(0, -1), last, prefix: "" };
  return { before, last, prefix: "" };
}

async function candidatesAfter(
  source: CommandSource,
  before: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const found = await findCommand(source, "", before).catch(() => undefined);
  if (found === undefined) return [];
  if (found.kind === "root")
    return last.startsWith("-")
      ? EVERYWHERE
      : [...source.groups.map(({ word }) => word), "completion", "help"];
  if (found.kind === "group") return found.commands.flatMap(({ words: [, verb] }) => verb ?? []);
  const { command } = found;
  const { fields } = command;
  const previous = before.at(-1) ?? "";
  const asked = previous.startsWith("--")
    ? fields.find(({ name }) => `--${flagOf(name)}` === previous)
    : undefined;
  if (asked?.choices !== undefined) return asked.choices;
  if (last.startsWith("-")) {
    const follow = command.hints.follow === undefined ? [] : ["--follow"];
    return [...fields.map(({ name }) => `--${flagOf(name)}`), ...follow, ...EVERYWHERE];
  }
  const [place] = command.hints.positionals ?? [];
  return fields.find(({ name }) => name === place)?.choices ?? [];
}

const EVERYWHERE = ["--directory", "--json", "--yes", "--no-input", "--quiet", "--color", "--help"];
