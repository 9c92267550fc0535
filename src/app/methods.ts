/** What can be done with this program, by noun. A line per method; none of them is loaded here. */

import { type IndexedNoun, withAdditions } from "../kernel/operation/noun-index.ts";
import { ASK_NOUNS } from "../methods/ask/ask-nouns.ts";
import { CONTINUITY_ADDITIONS, CONTINUITY_NOUNS } from "../methods/continuity/continuity-nouns.ts";
import { noticeNoun } from "../methods/notice/notice-nouns.ts";
import { DIALECTIC_NOUNS } from "../methods/dialectic/dialectic-nouns.ts";
import {
  PIPELINE_ADDITIONS,
  PIPELINE_NOUNS,
  webhookNoun,
} from "../methods/pipeline/pipeline-nouns.ts";
import { sessionNouns } from "../methods/session/session-nouns.ts";
import { TEAM_NOUNS } from "../methods/team/team-nouns.ts";
import { workspaceNouns } from "../methods/workspace/workspace-nouns.ts";

/** `folder` is the workspace's; a command line that only shows help has none yet. */
export function listNouns(folder: () => string): readonly IndexedNoun[] {
  const nouns = [
    ...ASK_NOUNS,
    ...CONTINUITY_NOUNS,
    ...DIALECTIC_NOUNS,
    ...PIPELINE_NOUNS,
    ...TEAM_NOUNS,
    webhookNoun(async () => (await import("./webhook-key.ts")).webhookKey(folder())),
    noticeNoun(async () => (await import("./webhook-key.ts")).webhookKey(folder())),
    ...sessionNouns(async () => (await import("./session-ports.ts")).sessionPorts),
    ...workspaceNouns(async () => (await import("./workspace-ports.ts")).workspacePorts(folder)),
    LOGIN,
  ];
  return withAdditions(nouns, [...CONTINUITY_ADDITIONS, ...PIPELINE_ADDITIONS]);
}

const LOGIN: IndexedNoun = {
  name: "login",
  summary: "Browsers that are signed in.",
  group: "Set up",
  load: async () => (await import("../kernel/operation/login-operations.ts")).loginOperations,
};
