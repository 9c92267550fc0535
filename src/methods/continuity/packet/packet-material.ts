/** Everything a packet may say, read from the store and chosen; from here on nothing is read any more. */

import type { Score } from "../../../kernel/prompt/part.ts";
import type { MessageRole, TaskStatus } from "../../../kernel/store/noun-tables.ts";
import type { SourceText } from "./source-text.ts";

export interface PacketProject {
  readonly id: string;
  readonly name: SourceText;
  readonly description: SourceText;
}

export interface PacketTask {
  readonly id: string;
  readonly status: TaskStatus;
  readonly isPressing: boolean;
  readonly hasBlocker: boolean;
  readonly hasOpenLoop: boolean;
  readonly title: SourceText;
  readonly description: SourceText;
  readonly holdReason: SourceText;
  readonly score: Score;
}

export interface PacketDecision {
  readonly id: string;
  readonly title: SourceText;
  readonly content: SourceText;
  readonly score: Score;
}

export interface PacketHighlight {
  readonly id: string;
  readonly label: SourceText;
  readonly content: SourceText;
  readonly score: Score;
}

export interface PacketConversation {
  readonly id: string;
  readonly title: SourceText;
  readonly startedAt: number;
}

export interface PacketMessage {
  readonly id: string;
  readonly role: MessageRole;
  readonly content: SourceText;
  /** 0 is the nearest to the decision. */
  readonly distance: number;
}

/** A thought that was considered and is not offered, with the word for why. */
export interface Withheld {
  readonly type: "task" | "decision" | "highlight";
  readonly id: string;
  readonly reason: "limit" | "banned" | "redacted";
  readonly title?: SourceText;
  readonly score?: Score;
}

/** How many there are; `isMore` when counting stopped there. */
export interface Total {
  readonly count: number;
  readonly isMore: boolean;
}

export interface Totals {
  readonly tasks: Total;
  readonly decisions: Total;
  readonly highlights: Total;
  readonly conversations: Total;
}

interface Gathered {
  /** Where the packet belongs; redactions of this project hold in it. */
  readonly projectId: string | undefined;
  /** Redacted passages, to be looked for in the finished text. */
  readonly passages: readonly string[];
  /** Thoughts that must be in. */
  readonly pins: ReadonlySet<string>;
  readonly withheld: readonly Withheld[];
}

export interface ProjectMaterial extends Gathered {
  readonly origin: "project";
  readonly project: PacketProject;
  readonly concepts: readonly { readonly term: SourceText; readonly meaning: SourceText }[];
  readonly tasks: readonly PacketTask[];
  readonly tensions: readonly PacketTask[];
  readonly underWay: readonly PacketTask[];
  readonly lastCompleted: PacketTask | undefined;
  readonly decisions: readonly PacketDecision[];
  readonly newestDecision: PacketDecision | undefined;
  readonly highlights: readonly PacketHighlight[];
  readonly conversations: readonly PacketConversation[];
  readonly totals: Totals;
}

export interface TaskMaterial extends Gathered {
  readonly origin: "task";
  readonly task: PacketTask;
  readonly project: PacketProject | undefined;
  readonly highlight: PacketHighlight | undefined;
}

export interface DecisionMaterial extends Gathered {
  readonly origin: "decision";
  readonly decision: PacketDecision;
  readonly project: PacketProject | undefined;
  readonly tasks: readonly PacketTask[];
  readonly decisions: readonly PacketDecision[];
  readonly highlights: readonly PacketHighlight[];
  readonly conversation:
    | {
        readonly id: string;
        readonly title: SourceText;
        readonly messages: readonly PacketMessage[];
      }
    | undefined;
}

export type PacketMaterial = ProjectMaterial | TaskMaterial | DecisionMaterial;
