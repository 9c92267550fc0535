/** What a turn of the dialectic was planned with. It is frozen: the turn reads exactly this. */

import * as z from "zod";
import type { Identity } from "../planning/identity.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { INPUT_TYPES } from "../recipe/recipe-file.ts";

export const TURN = "dialectic.turn";

const turnInput = z.object({
  identity: z.object({
    stage: z.string(),
    step: z.string(),
    slot: z.int(),
    lineage: z.int().nullable(),
    match: z.int().nullable(),
  }),
  iteration: z.int(),
  model: z.string(),
  inputs: z.array(
    z.object({
      type: z.enum(INPUT_TYPES),
      stage: z.string(),
      documentKey: z.string(),
      id: z.string(),
      hash: z.string(),
    }),
  ),
  /** Earlier jobs for the same thing that brought nothing that could be used. */
  jobs: z.array(z.string()),
  /** A version to revise, and the feedback that asks for it. */
  revision: z.object({ artifactId: z.string(), feedbackIds: z.array(z.string()) }).optional(),
});

export interface TurnInput {
  readonly identity: Identity;
  readonly iteration: number;
  readonly model: string;
  readonly inputs: readonly InputRef[];
  readonly jobs: readonly string[];
  readonly revision?:
    | { readonly artifactId: string; readonly feedbackIds: readonly string[] }
    | undefined;
}

export function parseTurnInput(input: unknown): TurnInput {
  return turnInput.parse(input);
}
