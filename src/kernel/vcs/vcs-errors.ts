/** What goes wrong with version control, in words that both adapters share. */

import { ProductError } from "../base/errors.ts";

/** Programs print whatever a repository holds; more of it than this helps nobody. */
const MOST_SHOWN = 2000;

export function vcsFailed(what: string, errors: string): ProductError {
  const said = errors.trim().slice(-MOST_SHOWN);
  return new ProductError("vcs_failed", `${what} failed${said === "" ? "." : `: ${said}`}`, {
    kind: "internal",
    hint: "Nothing was changed by this step. Look at the repository with its own tools, then try again.",
  });
}

export function vcsConflict(paths: readonly string[], what: string): ProductError {
  return new ProductError("vcs_conflict", `${what} do not go together: ${listed(paths)}.`, {
    kind: "conflict",
    hint: "Nothing was changed. Resolve it where both sides are in reach, record that as an intent, and try again.",
    details: { paths },
  });
}

export function nothingChanged(): ProductError {
  return new ProductError("vcs_nothing_changed", "There is no change to record.", {
    kind: "conflict",
    hint: "Change something first, or name the paths that did change.",
  });
}

export function unsafeConfig(keys: readonly string[]): ProductError {
  return new ProductError(
    "vcs_config_unsafe",
    `The repository's own settings name programs that would run: ${keys.join(", ")}.`,
    {
      kind: "not_allowed",
      hint: "They were not run. If you trust them, move them to your own settings (git config --global); else remove them.",
      details: { keys },
    },
  );
}

export function remoteUnreachable(remote: string, errors: string): ProductError {
  return new ProductError(
    "remote_unreachable",
    `The remote "${remote}" cannot be reached: ${errors.trim().slice(-MOST_SHOWN)}`,
    { kind: "unavailable", hint: "Check its address and your access, then try again." },
  );
}

export function pushRejected(remote: string, errors: string): ProductError {
  return new ProductError(
    "push_rejected",
    `"${remote}" did not take what was pushed: ${errors.trim().slice(-MOST_SHOWN)}`,
    { kind: "conflict", hint: "Fetch what is new there, bring it together, and try again." },
  );
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).join(", ");
  return paths.length > 10 ? `${shown} and ${paths.length - 10} more` : shown;
}
