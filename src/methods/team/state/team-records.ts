/**
 * What a team's run is made of. Ids are short names that are unique within the run (`p3`, `v12`, `c7`), so that
 * prompts, replies, the store and people all call a thing by the same name.
 */

export const ROLES = ["chair", "operative", "watchdog", "envoy"] as const;
export type Role = (typeof ROLES)[number];

export const STEPS = [
  "bootstrap",
  "reflect",
  "plan_assign",
  "write",
  "peer_review",
  "inspect",
  "envoy",
] as const;
export type Step = (typeof STEPS)[number];
export const ROUND_STEPS = STEPS.slice(1) as readonly Step[];

export const PRODUCT_TYPES = ["content", "decision", "collection", "orchestration"] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

export const PRODUCT_STATUSES = ["pending", "accepted", "rejected", "removed"] as const;
export const COLLAB_KINDS = ["feedback", "question", "suggestion", "agreement", "concern"] as const;
export const COLLAB_STATES = ["open", "accepted", "deferred", "rejected", "resolved"] as const;
export const ACTIONS = [
  "add",
  "remove",
  "reparent",
  "change_param",
  "accept",
  "reject",
  "select_version",
] as const;
export const VERDICTS = ["approved", "needs_revision", "blocked"] as const;
export const ON_TRACK = ["ahead", "on_track", "at_risk", "off_track"] as const;
export const FINDING_CATEGORIES = [
  "completeness",
  "order",
  "dod",
  "coherence",
  "security",
  "quality",
  "duplicate",
] as const;

export type Verdict = (typeof VERDICTS)[number];
export type CollabState = (typeof COLLAB_STATES)[number];
export type ActionKind = (typeof ACTIONS)[number];

/** The person the team works for: an author like any member, and never assigned anything. */
export const USER = "user";

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly teamRole: string;
  readonly skills: readonly string[];
  readonly characteristics: readonly string[];
  /** Written by the chair, for this mission. */
  readonly persona: string | null;
  readonly motivation: string | null;
  readonly personaRound: number | null;
  /** The person or agent it stands for. */
  readonly userId: string | null;
  readonly isPerson: boolean;
  /** `provider/model` of the agent it stands for; the team's own unless there is one. */
  readonly model: string | null;
  /** What it told itself to remember, last. */
  readonly lastNote: string | null;
  /** What the chair told it personally, last. */
  readonly chairNote: string | null;
}

export interface MissingDetail {
  readonly question: string;
  readonly blocking: boolean;
  readonly options: readonly string[];
  readonly answer: string | null;
}

/** Every change is another version; the newest counts. */
export interface Mission {
  readonly id: string;
  readonly round: number;
  readonly statement: string;
  readonly charter: string;
  readonly objectives: readonly string[];
  readonly constraints: readonly string[];
  readonly missingDetails: readonly MissingDetail[];
  readonly setBy: string;
}

/** What people said to the team: the first is the prompt that everything goes back to. */
export interface UserMessage {
  readonly id: string;
  readonly round: number;
  readonly content: string;
  /** The question it answers, where there was one. */
  readonly answers: string | null;
}

export interface Product {
  readonly id: string;
  readonly round: number;
  readonly parentId: string | null;
  readonly name: string;
  readonly type: ProductType;
  readonly ownerId: string | null;
  readonly description: string;
  readonly dod: readonly string[];
  readonly summary: string;
  readonly selectedVersionId: string | null;
  readonly status: (typeof PRODUCT_STATUSES)[number];
}

export interface Addressed {
  readonly collabId: string;
  readonly how: string;
}

export interface Version {
  readonly id: string;
  readonly round: number;
  readonly productId: string;
  readonly number: number;
  readonly authorId: string;
  /** Null where it was pruned. */
  readonly content: string | null;
  readonly changeSummary: string;
  readonly lastDirectiveId: string | null;
  readonly reflectionNote: string;
  readonly addressed: readonly Addressed[];
  readonly trace: readonly string[];
  readonly hash: string;
  readonly exchangeId: string | null;
}

export interface Collab {
  readonly id: string;
  readonly round: number;
  readonly authorId: string;
  readonly to: readonly string[];
  readonly productId: string;
  readonly versionId: string | null;
  readonly content: string;
  readonly kind: (typeof COLLAB_KINDS)[number];
  /** As written; `age` is added to it as long as nobody answers. */
  readonly importance: number;
  readonly respondsTo: readonly string[];
  readonly state: CollabState;
  /** Rounds it was shown to somebody who did not answer it. */
  readonly age: number;
  readonly answer: string | null;
  readonly trace: readonly string[];
  readonly exchangeId: string | null;
}

export interface OperativeNote {
  readonly specialties: readonly string[];
  readonly whatIsLeft: readonly string[];
  readonly onTrack: (typeof ON_TRACK)[number];
  readonly satisfaction: { readonly level: number; readonly because: string };
  readonly biggerPicture: string;
  readonly componentImportance: string;
}

/** An assignment and its directive are one thing: nobody is given work without being told why. */
export interface Directive {
  readonly id: string;
  readonly round: number;
  readonly productId: string;
  readonly operativeId: string;
  readonly importance: number;
  readonly objective: string;
  readonly motivationNote: string;
  readonly dueRound: number;
  readonly operativeNote: OperativeNote;
  readonly relevantProductIds: readonly string[];
  readonly highlyRelevantProductIds: readonly string[];
  readonly referencedProductIds: readonly string[];
  readonly state: "open" | "written" | "fulfilled" | "partial" | "unfulfilled";
  readonly evidence: string | null;
  readonly age: number;
  readonly trace: readonly string[];
  readonly exchangeId: string | null;
}

export interface WorkPart {
  readonly name: string;
  readonly status: "done" | "in_progress" | "blocked";
  readonly next: string;
}

export interface Reflection {
  readonly id: string;
  readonly round: number;
  readonly productId: string;
  readonly versionId: string | null;
  readonly authorId: string;
  readonly note: string;
  readonly nextVersionDelta: string;
  readonly parts: readonly WorkPart[];
  readonly structuralRequests: readonly string[];
  readonly criteria: readonly { criterion: string; status: string; evidence: string }[];
  readonly confidence: number;
  readonly trace: readonly string[];
  readonly exchangeId: string | null;
}

export interface StructuralAction {
  readonly id: string;
  readonly round: number;
  readonly action: ActionKind;
  readonly productId: string;
  readonly versionId: string | null;
  readonly parentId: string | null;
  /** What it changed, by name: before and after. */
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  readonly reason: string;
  /** The decision that caused it. */
  readonly decisionId: string | null;
  readonly byId: string;
  readonly trace: readonly string[];
  readonly exchangeId: string | null;
}

export interface Finding {
  readonly category: (typeof FINDING_CATEGORIES)[number];
  readonly severity: number;
  readonly issue: string;
  readonly recommendation: string;
  readonly criterion: string | null;
}

export interface Inspection {
  readonly id: string;
  readonly round: number;
  readonly productId: string;
  readonly versionId: string;
  readonly byId: string;
  readonly summary: string;
  readonly dod: readonly { criterion: string; passes: boolean; evidence: string }[];
  readonly findings: readonly Finding[];
  /** From the highest severity; no reply can say otherwise. */
  readonly verdict: Verdict;
  readonly trace: readonly string[];
  readonly exchangeId: string | null;
}

/** What the envoy told the people outside. */
export interface EnvoyMessage {
  readonly id: string;
  readonly round: number;
  readonly speakerId: string;
  readonly text: string;
  readonly deltaIds: readonly string[];
  readonly exchangeId: string | null;
}

/** What a gate turned away: a part of a reply that never reached the team. */
export interface Refusal {
  readonly id: string;
  readonly round: number;
  readonly step: Step;
  readonly memberId: string;
  readonly code: string;
  readonly message: string;
  /** Where in the reply, such as `actions[1]`. */
  readonly place: string;
  readonly item: unknown;
  readonly exchangeId: string | null;
}

export type StepState = "running" | "done" | "skipped" | "halted";

export interface StepRecord {
  readonly id: string;
  readonly round: number;
  readonly step: Step;
  readonly state: StepState;
  /** Why it was skipped, or what came of it. */
  readonly note: string;
  readonly calls: number;
}

export interface Halt {
  readonly id: string;
  readonly round: number;
  readonly step: Step;
  readonly reason: "question" | "done" | "missing_details";
  readonly message: string;
  readonly options: readonly string[];
  readonly state: "open" | "answered";
  readonly answer: string | null;
}

/** The nouns by the name of their list in the state. */
export interface TeamRecords {
  readonly members: Member;
  readonly missions: Mission;
  readonly userMessages: UserMessage;
  readonly products: Product;
  readonly versions: Version;
  readonly collabs: Collab;
  readonly directives: Directive;
  readonly reflections: Reflection;
  readonly actions: StructuralAction;
  readonly inspections: Inspection;
  readonly messages: EnvoyMessage;
  readonly refusals: Refusal;
  readonly steps: StepRecord;
  readonly halts: Halt;
}

export type Noun = keyof TeamRecords;
