/** Names of branches and bookmarks, by git's rules: both systems push them to git remotes. */

import { ProductError } from "../base/errors.ts";

/** A leading `-` is fine: names are never given to a program where it expects an option. */
export function isBookmarkName(name: string): boolean {
  if (name === "" || name === "@" || name.length > 200 || !name.isWellFormed()) return false;
  if (/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/u.test(name)) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

export function requireBookmarkName(name: string): string {
  if (isBookmarkName(name)) return name;
  throw new ProductError(
    "bookmark_name_invalid",
    `${JSON.stringify(name)} cannot be the name of a branch.`,
    {
      hint: "Leave out spaces, control characters and any of ~ ^ : ? * [ \\, and do not end it with a dot or a slash.",
    },
  );
}
