/** Projects as operations take and give them. */

import path from "node:path";
import { z } from "zod";
import { asOfField, pageOf } from "../../kernel/operation/operation-fields.ts";
import { USER_ROLES } from "../../kernel/store/noun-tables.ts";

export const glossaryEntry = z.object({
  term: z.string().trim().min(1).max(200),
  meaning: z.string().trim().min(1).max(2000),
});

export const projectShape = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  glossary: z.array(glossaryEntry).readonly(),
  ownerId: z.string(),
  visibility: z.enum(["private", "workspace"]),
  repository: z.string().optional(),
  isArchived: z.boolean(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const projectList = pageOf(
  projectShape.extend({
    ownerName: z.string().optional(),
    openTasks: z.number().describe("Tasks that are neither finished nor cancelled."),
  }),
);

export const memberShape = z.object({
  userId: z.string(),
  name: z.string().optional(),
  role: z.enum(USER_ROLES),
});

export const projectDetail = z.object({
  project: projectShape,
  ownerName: z.string().optional(),
  members: z.array(memberShape).readonly(),
  counts: z.object({
    tasks: z.record(z.string(), z.number()).describe("Active tasks by status."),
    decisions: z.number(),
    highlights: z.number(),
    conversations: z.number(),
    runs: z.number(),
  }),
  asOf: asOfField,
});

export const visibilityField = z
  .enum(["private", "workspace"])
  .describe("private: owner and members see it; workspace: everybody here does.");

export const repositoryField = z
  .string()
  .max(4000)
  .refine((folder) => path.isAbsolute(folder), "must be an absolute path")
  .describe("The folder command agents work in, on the machine that runs them.");
