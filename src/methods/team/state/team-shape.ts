/** A team as a file or a saved team says it, and the brief a run of it works from. */

import { z } from "zod";
import { PRODUCT_TYPES, ROLES } from "./team-records.ts";

const name = z.string().trim().min(1).max(120);
const line = z.string().trim().min(1).max(300);
const text = z.string().trim().min(1).max(4000);

const memberShape = z.strictObject({
  name,
  role: z.enum(ROLES),
  teamRole: line.describe("What this member is in the team's own world: Editor, Counsel."),
  skills: z.array(line).min(1).max(12),
  characteristics: z.array(line).min(1).max(12),
  user: line
    .optional()
    .describe(
      "The person or agent it stands for: id, e-mail address or name. None: the team's model.",
    ),
});

export type MemberShape = z.output<typeof memberShape>;

const startingProduct = z.strictObject({
  name,
  type: z.enum(PRODUCT_TYPES),
  /** The name of another product of this list; the mission itself unless given. */
  parent: name.optional(),
  owner: name.optional().describe("The name of an operative."),
  description: text,
  dod: z.array(line).min(1).max(8),
});

/** `any` is over when one is, `all` when every one is. */
export type StopCondition =
  | { readonly any: readonly StopCondition[] }
  | { readonly all: readonly StopCondition[] }
  | { readonly allAccepted: true }
  | { readonly rounds: number }
  | { readonly deadline: string }
  | { readonly tokens: number }
  | { readonly costUsd: number }
  | { readonly noProgress: number };

export const stopShape: z.ZodType<StopCondition> = z.lazy(() =>
  z.union([
    z.strictObject({ any: z.array(stopShape).min(1).max(8) }),
    z.strictObject({ all: z.array(stopShape).min(1).max(8) }),
    z.strictObject({ allAccepted: z.literal(true) }),
    z.strictObject({ rounds: z.int().min(1).max(100) }),
    z.strictObject({ deadline: z.iso.datetime({ offset: true }) }),
    z.strictObject({ tokens: z.int().min(1) }),
    z.strictObject({ costUsd: z.number().positive() }),
    z.strictObject({ noProgress: z.int().min(1).max(20) }),
  ]),
);

export const topologyShape = z.union([
  z.literal("ring"),
  z.literal("all"),
  z.strictObject({ k: z.int().min(1).max(8) }),
]);
export type Topology = z.output<typeof topologyShape>;

export const DEFAULT_STOP: StopCondition = {
  any: [{ allAccepted: true }, { rounds: 8 }, { noProgress: 3 }],
};
export const DEFAULT_BUDGET = 48_000;
export const DEFAULT_MOST_PRODUCTS = 40;

export const teamShape = z
  .strictObject({
    name,
    description: text,
    field: line.describe("The kind of work it is made for, in a few words."),
    example: text.describe("A prompt to try it with."),
    members: z.array(memberShape).min(3).max(24),
    products: z.array(startingProduct).max(60).default([]),
    rootName: name.optional().describe("What the whole is called in the tree."),
    rootDod: z.array(line).min(1).max(8).optional(),
    topology: topologyShape.default("ring"),
    stop: stopShape.default(DEFAULT_STOP),
  })
  .superRefine((team, context) => {
    for (const [path, message] of teamFaults(team))
      context.addIssue({ code: "custom", path: [...path], message });
  });

export type TeamShape = z.output<typeof teamShape>;

type Fault = readonly [path: readonly (string | number)[], message: string];

function teamFaults(team: {
  readonly members: readonly MemberShape[];
  readonly products: readonly z.output<typeof startingProduct>[];
}): readonly Fault[] {
  const faults: Fault[] = [];
  const count = (role: string) => team.members.filter((member) => member.role === role).length;
  for (const role of ["chair", "watchdog", "envoy"]) {
    if (count(role) !== 1) faults.push([["members"], `a team has exactly one ${role}`]);
  }
  if (count("operative") === 0) faults.push([["members"], "a team has at least one operative"]);
  const names = new Map<string, number>();
  team.members.forEach((member, place) => {
    if (names.has(member.name))
      faults.push([["members", place, "name"], "two members share this name"]);
    names.set(member.name, place);
  });
  const seen = new Map<string, string>();
  team.products.forEach((product, place) => {
    const { parent, owner } = product;
    if (seen.has(product.name))
      faults.push([["products", place, "name"], "two products share this name"]);
    if (parent !== undefined) {
      const above = seen.get(parent);
      if (above === undefined)
        faults.push([["products", place, "parent"], "is no product listed before it"]);
      else if (above === "content")
        faults.push([["products", place, "parent"], "content holds no products"]);
      else if (above === "collection" && product.type !== "content") {
        faults.push([["products", place, "type"], "a collection holds content only"]);
      }
    }
    const isOperative = team.members.some(
      ({ name: each, role }) => each === owner && role === "operative",
    );
    if (owner !== undefined && !isOperative)
      faults.push([["products", place, "owner"], "is no operative of this team"]);
    seen.set(product.name, product.type);
  });
  return faults;
}

/** What a run was started with. It never changes, except by adding rounds. */
export const briefShape = z.object({
  teamName: z.string(),
  teamDescription: z.string(),
  /** Where the team came from: `library:lab`, or the id of a saved one. */
  teamRef: z.string(),
  prompt: z.string(),
  model: z.string(),
  topology: topologyShape,
  stop: stopShape,
  budget: z.int(),
  mostProducts: z.int(),
});
export type Brief = z.output<typeof briefShape>;
