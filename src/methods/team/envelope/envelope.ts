/**
 * The envelope: the state a call is made from, built before it, hashed, kept and shown. The prompt is a rendering of
 * it and of nothing else. It holds no clock, no run and no account, so the same work gives the same envelope.
 */

import type { Mission, Reflection, Step } from "../state/team-records.ts";
import type { Allowed } from "../rules/allowed.ts";
import type {
  CollabView,
  DirectiveView,
  MemberView,
  ProductExtra,
  ProductFull,
  ProductMinimal,
} from "./product-views.ts";

export interface Envelope {
  readonly round: number;
  readonly step: Step;
  readonly memberId: string;
  readonly target: string | null;
  readonly team: {
    readonly name: string;
    readonly description: string;
    readonly members: readonly MemberView[];
  };
  readonly member: {
    readonly name: string;
    readonly role: string;
    readonly teamRole: string;
    readonly persona: string | null;
    readonly motivation: string | null;
    readonly skills: readonly string[];
    readonly characteristics: readonly string[];
  };
  readonly session: {
    readonly status: string;
    readonly currentRound: number;
    readonly roundsLeft: number | null;
    readonly deadline: string | null;
  };
  readonly mission: Omit<Mission, "setBy" | "round"> | null;
  readonly tree: readonly ProductMinimal[];
  /** Decision nodes with what followed from them. */
  readonly decisions: readonly { readonly productId: string; readonly deltas: readonly string[] }[];
  readonly lastNote: string | null;
  readonly lastChairPersonalNote: string | null;
  readonly payload: Payload;
  readonly validIds: Allowed;
  /** Candidates that were not offered, and why. */
  readonly heldBack: readonly HeldBack[];
}

export interface HeldBack {
  readonly id: string;
  readonly why: string;
}

export interface Payload {
  /** The raw words of the person, where the step begins from them. */
  readonly userPrompt?: string;
  readonly startingProducts?: readonly ProductMinimal[];
  /** What the person said since, newest first. */
  readonly userMessages?: readonly {
    readonly id: string;
    readonly content: string;
    readonly answers: string | null;
  }[];
  /** Written by this member lately, newest first. */
  readonly recentCollabs?: readonly CollabView[];
  readonly products?: readonly ProductFull[];
  readonly directive?: DirectiveView;
  readonly reflections?: readonly ReflectionView[];
  readonly openCollabs?: readonly CollabView[];
  readonly readiness?: readonly {
    readonly productId: string;
    readonly obstacles: readonly string[];
  }[];
  readonly relevant?: readonly ProductMinimal[];
  readonly highlyRelevant?: readonly ProductExtra[];
  readonly referenced?: readonly ProductExtra[];
  readonly considerations?: readonly string[];
  readonly deltas?: readonly { readonly id: string; readonly line: string }[];
  /** A line a round, newest first; the oldest ones together in one. */
  readonly history?: readonly string[];
}

export type ReflectionView = Omit<Reflection, "exchangeId" | "trace" | "round">;
