/** What can be done with the shared nouns, whatever method works on them. Nothing is loaded before it is asked for. */

import type { IndexedNoun } from "../../kernel/operation/noun-index.ts";
import type { Operation } from "../../kernel/operation/operation.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import type { SampleContribution } from "./clear-sample.ts";
import type { DoctorCheck, ProgramFinder } from "./doctor-check.ts";
import type { ModelSettings } from "./model-operations.ts";
import type { SettingKind } from "./setting-kinds.ts";

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

export function workspaceNouns(ports: () => Promise<WorkspacePorts>): readonly IndexedNoun[] {
  return [
    {
      name: "inbox",
      summary: "What runs need from people.",
      group: "Work",
      load: async () => (await import("./inbox-operations.ts")).inboxOperations,
    },
    {
      name: "run",
      summary: "Work under way and done, of every method.",
      group: "Work",
      load: async () => (await import("./run-operations.ts")).runOperations,
    },
    {
      name: "task",
      summary: "Things to do, for people and agents.",
      group: "Work",
      load: async () => (await import("./task-operations.ts")).taskOperations,
    },
    {
      name: "view",
      summary: "Saved selections of tasks.",
      group: "Work",
      load: async () => (await import("./view-operations.ts")).viewOperations,
    },
    {
      name: "project",
      summary: "What the work is about.",
      group: "Think",
      load: async () => (await import("./project-operations.ts")).projectOperations,
    },
    {
      name: "decision",
      summary: "What was settled, and why.",
      group: "Think",
      load: async () => (await import("./decision-operations.ts")).decisionOperations,
    },
    {
      name: "highlight",
      summary: "Passages worth keeping.",
      group: "Think",
      load: async () => (await import("./highlight-operations.ts")).highlightOperations,
    },
    {
      name: "conversation",
      summary: "Where thinking comes from.",
      group: "Think",
      load: async () => (await import("./conversation-operations.ts")).conversationOperations,
    },
    {
      name: "message",
      summary: "What was said in conversations.",
      group: "Think",
      load: async () => (await import("./conversation-operations.ts")).conversationOperations,
    },
    {
      name: "thinking",
      summary: "All of it, by its words.",
      group: "Think",
      words: {
        search:
          "Finds conversations, messages, highlights, tasks, decisions and artifacts by their words.",
      },
      load: async () => (await import("./search-operations.ts")).searchOperations,
    },
    {
      name: "exchange",
      summary: "Prompts as sent, replies as they came.",
      group: "Prove",
      load: async () => (await import("./exchange-operations.ts")).exchangeOperations,
    },
    {
      name: "artifact",
      summary: "What runs left behind.",
      group: "Prove",
      load: async () => (await import("./artifact-operations.ts")).artifactOperations,
    },
    {
      name: "event",
      summary: "Who did what, when.",
      group: "Prove",
      load: async () => (await import("./event-operations.ts")).eventOperations,
    },
    {
      name: "user",
      summary: "The people here.",
      group: "Set up",
      words: {
        user: "The people here.",
        whoami: "Says who you are here and what you may do.",
      },
      load: async () => (await import("./user-operations.ts")).userOperations,
    },
    {
      name: "agent",
      summary: "Users that are programs with a prompt.",
      group: "Set up",
      load: async () => (await import("./agent-operations.ts")).agentOperations,
    },
    {
      name: "token",
      summary: "Keys for programs that act for somebody.",
      group: "Set up",
      load: async () => (await import("./token-operations.ts")).tokenOperations,
    },
    {
      name: "model",
      summary: "Models that answer.",
      group: "Set up",
      load: async () => {
        const { modelOperations } = await import("./model-operations.ts");
        return modelOperations((await ports()).models);
      },
    },
    {
      name: "lane",
      summary: "How many calls at once, and how fast.",
      group: "Set up",
      load: async () => (await import("./lane-operations.ts")).laneOperations,
    },
    {
      name: "budget",
      summary: "What may be spent, and what was.",
      group: "Set up",
      load: async () => (await import("./budget-operations.ts")).budgetOperations,
    },
    {
      name: "setting",
      summary: "Settings of the workspace, a project, yourself.",
      group: "Set up",
      load: async () => {
        const { settingOperations } = await import("./setting-operations.ts");
        const { OWN_SETTINGS } = await import("./setting-kinds.ts");
        return settingOperations([...OWN_SETTINGS, ...((await ports()).settings ?? [])]);
      },
    },
    {
      name: "backup",
      summary: "Copies of the whole store.",
      group: "Set up",
      load: async () => {
        const { backupOperations } = await import("./backup-operations.ts");
        return backupOperations((await ports()).migrations);
      },
    },
    {
      name: "workspace",
      summary: "This place as a whole.",
      group: "Set up",
      words: {
        status:
          "Shows where things stand: what needs you, what runs, what failed, what was spent today.",
        prune:
          "Lets go of the words of old work: prompts, replies, event data. Hashes stay, so every chain still verifies.",
        export:
          "Writes everything into a folder, without redacted words: JSON Lines, artifacts as files, the library. `init --from` makes the same workspace of it.",
        disk: "Shows how much room the store takes, table by table.",
        doctor:
          "Checks the workspace: every row, text and event chain, room, backups, work, models, library, programs.",
        workspace: "This place as a whole.",
      },
      load: async () => loadWhole(await ports()),
    },
  ];
}

async function loadWhole(ports: WorkspacePorts): Promise<readonly Operation[]> {
  const { migrations, programs, checks = [], sample = [] } = ports;
  const [status, prune, doctor, clear, whole] = await Promise.all([
    import("./status-operation.ts"),
    import("./prune-operations.ts"),
    import("./doctor-operation.ts"),
    import("./sample-operation.ts"),
    import("./export-operation.ts"),
  ]);
  return [
    status.statusOperation,
    ...prune.pruneOperations(migrations),
    doctor.doctorOperation({ migrations, programs, more: checks }),
    clear.sampleOperation(sample),
    whole.exportOperation,
  ];
}
