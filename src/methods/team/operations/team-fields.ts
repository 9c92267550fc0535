/** Input and output shapes of the team's operations. */

import { z } from "zod";
import { asOfField, idField } from "../../../kernel/operation/operation-fields.ts";
import {
  ACTIONS,
  COLLAB_KINDS,
  COLLAB_STATES,
  FINDING_CATEGORIES,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  ROLES,
  STEPS,
  VERDICTS,
} from "../state/team-records.ts";
import { TEAM_STATUSES } from "../reading/team-status.ts";

export const runField = idField("run");
export const productField = z
  .string()
  .regex(/^p\d{1,5}$/, "must be a product such as p3")
  .describe("The product, such as p3.");
export const teamField = z
  .string()
  .min(1)
  .max(200)
  .describe("A team: `library:lab`, its name, or the id of a saved one.");

const list = z.array(z.string());
const link = z.string().nullable();

export const teamLine = z.object({
  ref: z.string(),
  name: z.string(),
  field: z.string(),
  description: z.string(),
  members: z.number(),
  example: z.string(),
});

const memberShape = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  teamRole: z.string(),
  ownedProductsCount: z.number(),
  ownedPendingProductsCount: z.number(),
  skills: list,
  characteristics: list,
  persona: link,
  motivation: link,
  isPerson: z.boolean(),
  model: z.string(),
  lastNote: link,
  chairNote: link,
});

const missionShape = z.object({
  id: z.string(),
  round: z.number(),
  statement: z.string(),
  charter: z.string(),
  objectives: list,
  constraints: list,
  missingDetails: z.array(
    z.object({ question: z.string(), blocking: z.boolean(), options: list, answer: link }),
  ),
  setBy: z.string(),
});

const stepShape = z.object({
  id: z.string(),
  round: z.number(),
  step: z.enum(STEPS),
  state: z.enum(["running", "done", "skipped", "halted"]),
  note: z.string(),
  calls: z.number(),
});

const waitShape = z.object({
  id: z.string(),
  key: z.string(),
  kind: z.string(),
  title: z.string(),
  reason: z.string(),
  answers: list,
  form: z.array(
    z.object({ name: z.string(), label: z.string().optional(), help: z.string().optional() }),
  ),
  assigneeId: link,
  version: z.number(),
});

const refusalShape = z.object({
  id: z.string(),
  round: z.number(),
  step: z.enum(STEPS),
  memberId: z.string(),
  code: z.string(),
  message: z.string(),
  place: z.string(),
  exchangeId: link,
});

export const statusShape = z.object({
  runId: z.string(),
  title: z.string(),
  runState: z.string(),
  reason: link,
  status: z.enum(TEAM_STATUSES),
  team: z.string(),
  teamRef: z.string(),
  prompt: z.string(),
  round: z.number(),
  roundsLeft: z.number().nullable(),
  deadline: link,
  topology: z.string(),
  stop: z.object({ code: z.string(), message: z.string() }).nullable(),
  mission: missionShape.nullable(),
  members: z.array(memberShape),
  steps: z.array(stepShape),
  halts: z.array(
    z.object({
      id: z.string(),
      round: z.number(),
      step: z.enum(STEPS),
      reason: z.string(),
      message: z.string(),
      options: list,
      state: z.string(),
      answer: link,
    }),
  ),
  waits: z.array(waitShape),
  messages: z.array(
    z.object({
      id: z.string(),
      round: z.number(),
      speakerId: z.string(),
      text: z.string(),
      deltaIds: list,
    }),
  ),
  refusals: z.array(refusalShape),
  counts: z.object({
    products: z.number(),
    accepted: z.number(),
    versions: z.number(),
    comments: z.number(),
    openComments: z.number(),
    refusals: z.number(),
  }),
  turns: z.number(),
  tokens: z.number(),
  costMicroUsd: z.number(),
  asOf: asOfField,
});
export type StatusShape = z.output<typeof statusShape>;

const coverageShape = z.object({
  total: z.number(),
  byRound: z.array(z.number()),
  criteria: z.array(
    z.object({ criterion: z.string(), passes: z.boolean().nullable(), evidence: z.string() }),
  ),
});

const treeProduct = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(PRODUCT_TYPES),
  status: z.enum(PRODUCT_STATUSES),
  parentId: link,
  depth: z.number(),
  ownerId: link,
  description: z.string(),
  dod: list,
  summary: z.string(),
  selectedVersionId: link,
  versionIds: list,
  collabCount: z.number(),
  coverage: coverageShape,
});

export const treeShape = z.object({
  runId: z.string(),
  round: z.number(),
  products: z.array(treeProduct),
  asOf: asOfField,
});
export type TreeShape = z.output<typeof treeShape>;

const noteShape = z.object({
  specialties: list,
  whatIsLeft: list,
  onTrack: z.string(),
  satisfaction: z.object({ level: z.number(), because: z.string() }),
  biggerPicture: z.string(),
  componentImportance: z.string(),
});

export const productShape = z.object({
  runId: z.string(),
  product: treeProduct,
  versions: z.array(
    z.object({
      id: z.string(),
      number: z.number(),
      round: z.number(),
      authorId: z.string(),
      content: z.string().nullable().describe("Null where it was pruned."),
      changeSummary: z.string(),
      lastDirectiveId: link,
      reflectionNote: z.string(),
      addressed: z.array(z.object({ collabId: z.string(), how: z.string() })),
      trace: list,
      hash: z.string(),
      exchangeId: link,
    }),
  ),
  collabs: z.array(
    z.object({
      id: z.string(),
      round: z.number(),
      authorId: z.string(),
      to: list,
      versionId: link,
      content: z.string(),
      kind: z.enum(COLLAB_KINDS),
      importance: z.number(),
      age: z.number(),
      respondsTo: list,
      state: z.enum(COLLAB_STATES),
      answer: link,
      trace: list,
    }),
  ),
  directives: z.array(
    z.object({
      id: z.string(),
      round: z.number(),
      operativeId: z.string(),
      importance: z.number(),
      objective: z.string(),
      motivationNote: z.string(),
      dueRound: z.number(),
      operativeNote: noteShape,
      relevantProductIds: list,
      highlyRelevantProductIds: list,
      referencedProductIds: list,
      state: z.string(),
      evidence: link,
      trace: list,
    }),
  ),
  reflections: z.array(
    z.object({
      id: z.string(),
      round: z.number(),
      authorId: z.string(),
      note: z.string(),
      nextVersionDelta: z.string(),
      parts: z.array(z.object({ name: z.string(), status: z.string(), next: z.string() })),
      structuralRequests: list,
      confidence: z.number(),
      trace: list,
    }),
  ),
  inspections: z.array(
    z.object({
      id: z.string(),
      round: z.number(),
      versionId: z.string(),
      summary: z.string(),
      verdict: z.enum(VERDICTS),
      findings: z.array(
        z.object({
          category: z.enum(FINDING_CATEGORIES),
          severity: z.number(),
          issue: z.string(),
          recommendation: z.string(),
          criterion: link,
        }),
      ),
    }),
  ),
  /** Shown with the seed's product view: what was done to it, and what followed from it where it is a decision. */
  actions: z.array(
    z.object({
      id: z.string(),
      round: z.number(),
      action: z.enum(ACTIONS),
      productId: z.string(),
      versionId: link,
      parentId: link,
      reason: z.string(),
      decisionId: link,
      byId: z.string(),
      changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
      trace: list,
    }),
  ),
  obstacles: list.describe("What stands between it and being accepted."),
  asOf: asOfField,
});
export type ProductShape = z.output<typeof productShape>;

export const envelopeLine = z.object({
  hash: z.string(),
  round: z.number(),
  step: z.enum(STEPS),
  memberId: z.string(),
  target: link,
  artifactId: z.string(),
  promptHash: z.string(),
  characters: z.number(),
  budget: z.number(),
  dropped: z.array(z.object({ slice: z.string(), why: z.string() })),
});

export const envelopesShape = z.object({
  runId: z.string(),
  envelopes: z.array(envelopeLine),
  /** The one that was asked for. */
  shown: z
    .object({
      line: envelopeLine,
      body: z.string(),
      exchangeId: link,
      against: envelopeLine.nullable(),
      diff: z.array(z.object({ change: z.enum(["same", "removed", "added"]), text: z.string() })),
    })
    .nullable(),
  asOf: asOfField,
});
export type EnvelopesShape = z.output<typeof envelopesShape>;

export const chainShape = z.object({
  runId: z.string(),
  productId: z.string(),
  sentence: z.string(),
  versionId: z.string(),
  versionNumber: z.number(),
  round: z.number(),
  added: list,
  isCutOff: z
    .boolean()
    .describe("The version before was pruned: it may have come in with that one, or earlier."),
  chain: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      round: z.number(),
      by: z.string(),
      text: z.string(),
      from: list,
      depth: z.number(),
    }),
  ),
});
export type ChainShape = z.output<typeof chainShape>;

export const reportShape = z.object({ runId: z.string(), markdown: z.string(), asOf: asOfField });
