/** Everything that can be done with the shared nouns, whatever method works on them. */

import type { Operation } from "../../kernel/operation/operation.ts";
import type { Noun } from "../../kernel/operation/operation-registry.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import { agentOperations } from "./agent-operations.ts";
import { artifactOperations } from "./artifact-operations.ts";
import { backupOperations } from "./backup-operations.ts";
import { budgetOperations } from "./budget-operations.ts";
import type { SampleContribution } from "./clear-sample.ts";
import { conversationOperations } from "./conversation-operations.ts";
import { decisionOperations } from "./decision-operations.ts";
import type { DoctorCheck, ProgramFinder } from "./doctor-check.ts";
import { doctorOperation } from "./doctor-operation.ts";
import { eventOperations } from "./event-operations.ts";
import { exchangeOperations } from "./exchange-operations.ts";
import { highlightOperations } from "./highlight-operations.ts";
import { inboxOperations } from "./inbox-operations.ts";
import { laneOperations } from "./lane-operations.ts";
import { type ModelSettings, modelOperations } from "./model-operations.ts";
import { projectOperations } from "./project-operations.ts";
import { pruneOperations } from "./prune-operations.ts";
import { runOperations } from "./run-operations.ts";
import { sampleOperation } from "./sample-operation.ts";
import { searchOperations } from "./search-operations.ts";
import { OWN_SETTINGS, type SettingKind } from "./setting-kinds.ts";
import { settingOperations } from "./setting-operations.ts";
import { statusOperation } from "./status-operation.ts";
import { taskOperations } from "./task-operations.ts";
import { tokenOperations } from "./token-operations.ts";
import { userOperations } from "./user-operations.ts";
import { viewOperations } from "./view-operations.ts";

/** What only the app can know. */
export interface WorkspacePorts {
  /** All tables the store should have, in order. */
  readonly migrations: readonly Migration[];
  readonly programs: ProgramFinder;
  /** Where models are configured; without it they can only be listed. */
  readonly models?: ModelSettings | undefined;
  /** Settings that methods and surfaces read. */
  readonly settings?: readonly SettingKind[] | undefined;
  /** More for `doctor` to look at. */
  readonly checks?: readonly DoctorCheck[] | undefined;
  /** What methods keep of their own in the sample project. */
  readonly sample?: readonly SampleContribution[] | undefined;
}

export function workspaceOperations(ports: WorkspacePorts): readonly Operation[] {
  const { migrations, programs, models, settings = [], checks = [], sample = [] } = ports;
  return [
    statusOperation,
    ...inboxOperations,
    ...runOperations,
    ...exchangeOperations,
    ...artifactOperations,
    ...projectOperations,
    ...taskOperations,
    ...viewOperations,
    ...decisionOperations,
    ...highlightOperations,
    ...conversationOperations,
    ...searchOperations,
    ...eventOperations,
    ...userOperations,
    ...agentOperations,
    ...tokenOperations,
    ...modelOperations(models),
    ...laneOperations,
    ...budgetOperations,
    ...settingOperations([...OWN_SETTINGS, ...settings]),
    ...backupOperations(migrations),
    ...pruneOperations,
    doctorOperation({ migrations, programs, more: checks }),
    sampleOperation(sample),
  ];
}

export const WORKSPACE_NOUNS: readonly Noun[] = [
  { name: "inbox", summary: "What runs need from people.", group: "Work" },
  { name: "run", summary: "Work under way and done, of every method.", group: "Work" },
  { name: "task", summary: "Things to do, for people and agents.", group: "Work" },
  { name: "view", summary: "Saved selections of tasks.", group: "Work" },
  { name: "project", summary: "What the work is about.", group: "Think" },
  { name: "decision", summary: "What was settled, and why.", group: "Think" },
  { name: "highlight", summary: "Passages worth keeping.", group: "Think" },
  { name: "conversation", summary: "Where thinking comes from.", group: "Think" },
  { name: "message", summary: "What was said in conversations.", group: "Think" },
  { name: "thinking", summary: "All of it, by its words.", group: "Think" },
  { name: "exchange", summary: "Prompts as sent, replies as they came.", group: "Prove" },
  { name: "artifact", summary: "What runs left behind.", group: "Prove" },
  { name: "event", summary: "Who did what, when.", group: "Prove" },
  { name: "user", summary: "The people here.", group: "Set up" },
  { name: "agent", summary: "Users that are programs with a prompt.", group: "Set up" },
  { name: "token", summary: "Keys for programs that act for somebody.", group: "Set up" },
  { name: "model", summary: "Models that answer.", group: "Set up" },
  { name: "lane", summary: "How many calls at once, and how fast.", group: "Set up" },
  { name: "budget", summary: "What may be spent, and what was.", group: "Set up" },
  { name: "setting", summary: "Settings of the workspace, a project, yourself.", group: "Set up" },
  { name: "backup", summary: "Copies of the whole store.", group: "Set up" },
  { name: "workspace", summary: "This place as a whole.", group: "Set up" },
];
