/**
 * The tables of teams at work: one for each noun, keyed by the run and the short id. Columns are said once, here; the
 * migration, reading and writing follow from it.
 */

import { tablesOf } from "../../../kernel/store/query-builder.ts";
import {
  ACTIONS,
  COLLAB_KINDS,
  COLLAB_STATES,
  type Noun,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  ROLES,
  STEPS,
  type TeamRecords,
  VERDICTS,
} from "./team-records.ts";

/** A list of words is a text that may be nothing else. */
export type ColumnKind = "text" | "int" | "real" | "truth" | "json" | readonly string[];

export interface Column {
  readonly kind: ColumnKind;
  readonly isNullable?: true;
}

type Columns<Record> = { readonly [Key in Exclude<keyof Record, "id">]: Column };

const text: Column = { kind: "text" };
const optional: Column = { kind: "text", isNullable: true };
const int: Column = { kind: "int" };
const json: Column = { kind: "json" };
const oneOf = (words: readonly string[]): Column => ({ kind: words });

export const COLUMNS: { readonly [Name in Noun]: Columns<TeamRecords[Name]> } = {
  members: {
    name: text,
    role: oneOf(ROLES),
    teamRole: text,
    skills: json,
    characteristics: json,
    persona: optional,
    motivation: optional,
    personaRound: { kind: "int", isNullable: true },
    userId: optional,
    isPerson: { kind: "truth" },
    model: optional,
    lastNote: optional,
    chairNote: optional,
  },
  missions: {
    round: int,
    statement: text,
    charter: text,
    objectives: json,
    constraints: json,
    missingDetails: json,
    setBy: text,
  },
  userMessages: { round: int, content: text, answers: optional },
  products: {
    round: int,
    parentId: optional,
    name: text,
    type: oneOf(PRODUCT_TYPES),
    ownerId: optional,
    description: text,
    dod: json,
    summary: text,
    selectedVersionId: optional,
    status: oneOf(PRODUCT_STATUSES),
  },
  versions: {
    round: int,
    productId: text,
    number: int,
    authorId: text,
    content: optional,
    changeSummary: text,
    lastDirectiveId: optional,
    reflectionNote: text,
    addressed: json,
    trace: json,
    hash: text,
    exchangeId: optional,
  },
  collabs: {
    round: int,
    authorId: text,
    to: json,
    productId: text,
    versionId: optional,
    content: text,
    kind: oneOf(COLLAB_KINDS),
    importance: int,
    respondsTo: json,
    state: oneOf(COLLAB_STATES),
    age: int,
    answer: optional,
    trace: json,
    exchangeId: optional,
  },
  directives: {
    round: int,
    productId: text,
    operativeId: text,
    importance: int,
    objective: text,
    motivationNote: text,
    dueRound: int,
    operativeNote: json,
    relevantProductIds: json,
    highlyRelevantProductIds: json,
    referencedProductIds: json,
    state: oneOf(["open", "written", "fulfilled", "partial", "unfulfilled"]),
    evidence: optional,
    age: int,
    trace: json,
    exchangeId: optional,
  },
  reflections: {
    round: int,
    productId: text,
    versionId: optional,
    authorId: text,
    note: text,
    nextVersionDelta: text,
    parts: json,
    structuralRequests: json,
    criteria: json,
    confidence: { kind: "real" },
    trace: json,
    exchangeId: optional,
  },
  actions: {
    round: int,
    action: oneOf(ACTIONS),
    productId: text,
    versionId: optional,
    parentId: optional,
    changes: json,
    reason: text,
    decisionId: optional,
    byId: text,
    trace: json,
    exchangeId: optional,
  },
  inspections: {
    round: int,
    productId: text,
    versionId: text,
    byId: text,
    summary: text,
    dod: json,
    findings: json,
    verdict: oneOf(VERDICTS),
    trace: json,
    exchangeId: optional,
  },
  messages: { round: int, speakerId: text, text, deltaIds: json, exchangeId: optional },
  refusals: {
    round: int,
    step: oneOf(STEPS),
    memberId: text,
    code: text,
    message: text,
    place: text,
    item: json,
    exchangeId: optional,
  },
  steps: {
    round: int,
    step: oneOf(STEPS),
    state: oneOf(["running", "done", "skipped", "halted"]),
    note: text,
    calls: int,
  },
  halts: {
    round: int,
    step: oneOf(STEPS),
    reason: oneOf(["question", "done", "missing_details"]),
    message: text,
    options: json,
    state: oneOf(["open", "answered"]),
    answer: optional,
  },
};

export const TABLES: Readonly<Record<Noun, string>> = {
  members: "team_member",
  missions: "team_mission",
  userMessages: "team_user_message",
  products: "team_product",
  versions: "team_version",
  collabs: "team_collab",
  directives: "team_directive",
  reflections: "team_reflection",
  actions: "team_action",
  inspections: "team_inspection",
  messages: "team_message",
  refusals: "team_refusal",
  steps: "team_step",
  halts: "team_halt",
};

/** `to` and `text` are words of SQL: they are called otherwise in the table. */
const RENAMED: Readonly<Record<string, string>> = {
  to: "addressees",
  text: "said",
  kind: "kind_of",
  action: "act",
};

/** `selectedVersionId` is `selected_version_id` in the table. */
export function columnName(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = RENAMED[key] ?? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  names.set(key, name);
  return name;
}

const names = new Map<string, string>();

interface TeamRunTable {
  run_id: string;
  /** What the run was started with, as JSON. */
  brief: string;
  round: number;
  /** Why it ended, in words. */
  stop_code: string | null;
  stop_message: string | null;
}

export interface TeamEnvelopeTable {
  run_id: string;
  job_key: string;
  artifact_id: string;
  round: number;
  step: string;
  member_id: string;
  target: string | null;
  hash: string;
  prompt_hash: string;
  characters: number;
  budget: number;
  /** What did not fit, as JSON. */
  dropped: string;
}

interface TeamTables {
  team_run: TeamRunTable;
  team_envelope: TeamEnvelopeTable;
}

export const teamTables = tablesOf<TeamTables>();
