/** Commits as jj prints them. */

import { z } from "zod";
import { parseJson } from "../../kernel/base/safe-json.ts";
import type { Commit } from "../../kernel/vcs/vcs.ts";

export interface JjCommit extends Commit {
  readonly isEmpty: boolean;
  readonly isWorkingCopy: boolean;
  readonly bookmarks: readonly string[];
}

/** A line for each: tabs and line breaks inside of JSON are escaped. */
const TEMPLATE =
  'json(self) ++ "\\t" ++ conflict ++ "\\t" ++ empty ++ "\\t" ++ current_working_copy ++ "\\t" ++ local_bookmarks.map(|each| json(each.name())).join(" ") ++ "\\n"';

export function logArgs(revset: string): readonly string[] {
  return ["log", "--no-graph", "--reversed", `--revisions=${revset}`, `--template=${TEMPLATE}`];
}

const record = z.object({
  commit_id: z.string(),
  parents: z.array(z.string()),
  change_id: z.string(),
  description: z.string(),
  author: z.object({ name: z.string(), email: z.string() }),
  committer: z.object({ timestamp: z.string() }),
});

export function parseCommits(output: string): readonly JjCommit[] {
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [json = "", conflict, empty, workingCopy, bookmarks = ""] = line.split("\t");
      const { commit_id, parents, change_id, description, author, committer } = record.parse(
        parseJson(json),
      );
      return {
        changeId: change_id,
        commitId: commit_id,
        parents,
        message: description,
        author: { name: author.name, email: author.email },
        at: Date.parse(committer.timestamp),
        isConflicted: conflict === "true",
        isEmpty: empty === "true",
        isWorkingCopy: workingCopy === "true",
        bookmarks:
          bookmarks === ""
            ? []
            : (parseJson(`[${bookmarks.replaceAll('" "', '","')}]`) as string[]),
      };
    });
}

/** What jj says of commits it made: by the template of summaries, commit id and change id. */
export function parseSummaries(said: string): readonly SummaryIds[] {
  return [...said.matchAll(/\b([0-9a-f]{40,64}) ([k-z]{32})\b/g)].map(
    ([, commitId = "", changeId = ""]) => ({ commitId, changeId }),
  );
}

export interface SummaryIds {
  readonly commitId: string;
  readonly changeId: string;
}
