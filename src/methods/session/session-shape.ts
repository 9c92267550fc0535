/** Sessions as operations give them. */

import { z } from "zod";
import { asOfField, jsonValue, pageOf } from "../../kernel/operation/operation-fields.ts";
import { INVARIANT_CODES, VERDICTS } from "./check/invariant.ts";
import {
  CHANGE_SCOPES,
  INTENT_SOURCES,
  PUSH_STATES,
  REPORT_KINDS,
  SESSION_STATES,
  SYNTHESIS_MODES,
  VCS_KINDS,
} from "./session-tables.ts";

export const sessionHead = z.object({
  id: z.string(),
  state: z.enum(SESSION_STATES),
  title: z
    .string()
    .describe("What was achieved, or as long as that is not known the prompt's beginning."),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  repository: z.string().describe("The root of the working copy."),
  vcs: z.enum(VCS_KINDS),
  subject: z.string().optional(),
  kind: z.enum(REPORT_KINDS).optional(),
  scope: z.enum(CHANGE_SCOPES).optional(),
  mode: z.enum(SYNTHESIS_MODES).optional(),
  intents: z.number().describe("How many intents it has."),
  changeId: z.string().optional().describe("The change of its one commit."),
  bookmark: z.string().optional(),
  push: z.enum(PUSH_STATES).optional(),
  pushReason: z.string().optional(),
  reportPath: z.string().optional(),
  startedBy: z.string(),
  startedByName: z.string().optional(),
  createdAt: z.number(),
  finishedAt: z.number().optional(),
  version: z.number(),
});

export const sessionList = pageOf(sessionHead);

export const intentShape = z.object({
  changeId: z.string(),
  what: z.string(),
  source: z
    .enum(INTENT_SOURCES)
    .describe("`recorded` by command, `found` in the history, or made by a `run` bound to it."),
  runId: z.string().optional(),
  jobId: z.string().optional(),
  duplicateId: z.string().optional().describe("What it was duplicated as when it was squashed."),
  at: z.number(),
});

const entryShape = z.object({
  kind: z.string(),
  data: jsonValue,
  actor: z.string(),
  actorName: z.string().optional(),
  at: z.number(),
});

const boundRun = z.object({
  runId: z.string(),
  title: z.string().optional(),
  state: z.string().optional(),
  failure: z.string().optional().describe("Why the session could not be finished with the run."),
});

export const sessionDetail = z.object({
  session: sessionHead.extend({
    prompt: z.string().describe("Byte for byte as it was given."),
    promptHash: z.string(),
    interpretation: z.string(),
    strategy: z.string(),
    constraints: z.array(z.string()).readonly(),
    author: z.object({ name: z.string(), email: z.string() }),
    base: z.object({ changeId: z.string(), commitId: z.string(), operation: z.string() }),
    reliesOn: z.object({ changeId: z.string(), commitId: z.string() }).optional(),
    summary: z.string().optional(),
    answer: z.string().optional(),
    message: z.string().optional().describe("What its commit says."),
    kept: z.string().optional().describe("The bookmark that keeps originals and duplicates alive."),
  }),
  intents: z.array(intentShape),
  entries: z.array(entryShape).describe("What happened to it, in order."),
  runs: z.array(boundRun),
  report: z.string().optional().describe("What the report says, where it was asked for."),
  asOf: asOfField,
});

export const startedSession = z.object({
  session: sessionHead,
  base: z.string().describe("The change it began on."),
  existing: z
    .array(z.object({ changeId: z.string(), what: z.string() }))
    .describe("What was there before and was recorded first."),
});

export const recordedIntent = z.object({
  sessionId: z.string(),
  changeId: z.string(),
  commitId: z.string(),
  what: z.string(),
});

export const finishedSession = z.object({
  session: sessionHead,
  squashed: z.array(z.string()).describe("Ids of duplicates, in the order of the intents."),
  originals: z.array(z.string()),
});

export const changedSession = z.object({ session: sessionHead });

export const writtenReport = z.object({
  sessionId: z.string(),
  path: z.string(),
  subject: z.string(),
  files: z.array(z.string()).describe("Everything that was written, counterparts too."),
});

const verdict = z.object({
  code: z.enum(INVARIANT_CODES),
  verdict: z.enum(VERDICTS),
  says: z.string(),
});

export const checkedSessions = z.object({
  repository: z.string(),
  sessions: z.array(
    z.object({
      sessionId: z.string().optional().describe("Absent where only the history knows of it."),
      changeId: z.string().optional(),
      state: z.enum(SESSION_STATES).optional(),
      title: z.string(),
      invariants: z.array(verdict),
    }),
  ),
  breaches: z.number(),
});

export const sessionLog = z.object({
  repository: z.string(),
  vcs: z.enum(VCS_KINDS),
  commits: z.array(
    z.object({
      kind: z.enum(["session", "intent"]),
      changeId: z.string(),
      commitId: z.string(),
      title: z.string(),
      author: z.string(),
      at: z.number(),
      sessionId: z.string().optional(),
      chronos: z.string().optional(),
      changes: z.array(z.string()).optional(),
      squashed: z.array(z.string()).optional(),
    }),
  ),
  isMore: z.boolean().describe("Older ones were left out."),
  asOf: asOfField,
});

export const subjectList = z.object({
  repository: z.string(),
  subjects: z.array(
    z.object({
      name: z.string(),
      aliases: z.array(z.string()).readonly(),
      folder: z.string(),
      reports: z.number(),
      isRegistered: z.boolean(),
      lacks: z.enum(["reports", "strategy"]).optional().describe("Which counterpart is missing."),
    }),
  ),
});

export const alignedSubjects = z.object({
  repository: z.string(),
  lone: z.array(z.string()).describe("Subjects that stood on one side only."),
  files: z.array(z.string()).describe("What was written, or would be."),
  isWritten: z.boolean(),
});
