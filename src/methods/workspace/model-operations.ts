/** The models of the workspace: which there are, which can be used, and which one plans get that name none. */

import { z } from "zod";
import type { Json } from "../../kernel/base/json.ts";
import { inputInvalid } from "../../kernel/operation/input-problems.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../kernel/operation/operation.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../kernel/store/events.ts";
import { change } from "./change-work.ts";
import { rendering } from "./rendering.ts";
import { doneLine } from "./state-marks.ts";
import { blocks, table } from "./terminal-text.ts";

/** A provider as it is written into the workspace's settings file. Keys stay in the environment. */
export interface NewProvider {
  readonly kind: "anthropic" | "openai" | "google" | "openai-compatible";
  readonly baseUrl?: string | undefined;
  readonly keyVariable?: string | undefined;
  readonly models: readonly string[];
}

/** Where models are configured; given by the app. Takes hold for calls that start afterwards. */
export interface ModelSettings {
  addProvider(name: string, provider: NewProvider): Promise<void>;
  /** False when there was none of that name. */
  removeProvider(name: string): Promise<boolean>;
  setDefault(model: string): Promise<void>;
}

const modelShape = z.object({
  name: z.string(),
  provider: z.string(),
  isUsable: z.boolean(),
  isDefault: z.boolean(),
  note: z.string(),
  price: z
    .object({ input: z.number(), output: z.number(), asOf: z.string() })
    .optional()
    .describe("Dollars for a million tokens; absent when it is not known."),
});

const modelList = z.object({ items: z.array(modelShape), defaultModel: z.string() });

const list = defineOperation({
  name: "model.list",
  summary: "Lists models, what is missing for those that cannot be used, and what they cost.",
  effect: "reads",
  permission: "read",
  input: z.object({
    usable: z.boolean().default(false).describe("Only those that can be used right now."),
  }),
  output: modelList,
  surfaces: {
    cli: { examples: ["model list --usable"], render: rendering(modelList, renderModels) },
    mcp: "full",
  },
  run: async ({ kernel }, { usable }) => {
    const defaultModel = await kernel.models.defaultModel();
    const models = await kernel.models.list();
    return {
      items: models
        .filter(({ isUsable }) => isUsable || !usable)
        .map((model) => ({ ...model, isDefault: model.name === defaultModel })),
      defaultModel,
    };
  },
});

const providerName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, "must be small letters, digits and dashes")
  .describe("What the provider is called here; models are then `name/model`.");

export function modelOperations(settings: ModelSettings | undefined): readonly Operation[] {
  return settings === undefined ? [list] : [list, ...configuring(settings)];
}

const removedShape = z.object({ name: z.string(), wasThere: z.boolean() });
const chosenShape = z.object({ defaultModel: z.string() });

function configuring(settings: ModelSettings): readonly Operation[] {
  const add = defineOperation({
    name: "model.add",
    summary:
      "Adds a provider of models. Keys are named, never given: they stay in the environment or in secrets.json.",
    effect: "writes",
    permission: "administer",
    input: z.object({
      name: providerName,
      kind: z
        .enum(["anthropic", "openai", "google", "openai-compatible"])
        .default("openai-compatible")
        .describe("How it is spoken to."),
      baseUrl: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe("Where it is."),
      keyVariable: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]{0,100}$/, "must be the name of a variable, such as MY_API_KEY")
        .optional()
        .describe("The variable that holds its key."),
      models: z
        .array(z.string().min(1).max(200))
        .max(200)
        .default([])
        .describe("The models to list; others can be named as well."),
    }),
    output: z.object({ name: z.string() }),
    surfaces: {
      cli: {
        positionals: ["name"],
        examples: [
          "model add ollama --base-url http://127.0.0.1:11434/v1 --models llama4",
          "model add work --kind anthropic --key-variable WORK_ANTHROPIC_KEY",
        ],
        render: rendering(z.object({ name: z.string() }), ({ name }) =>
          doneLine(`Added provider "${name}". See its models with \`model list\`.`),
        ),
      },
      mcp: "none",
    },
    run: async (context, { name, ...provider }) => {
      requireAddress(provider);
      await settings.addProvider(name, provider);
      await tell(context, "model.added", { name, ...toJson(provider) });
      return { name };
    },
  });

  const remove = defineOperation({
    name: "model.remove",
    summary: "Removes a provider that was added here; runs that name its models are held.",
    effect: "writes",
    permission: "administer",
    input: z.object({ name: providerName }),
    output: removedShape,
    surfaces: {
      cli: {
        positionals: ["name"],
        render: rendering(removedShape, ({ name, wasThere }) =>
          wasThere ? doneLine(`Removed provider "${name}".`) : `No provider "${name}" was added.`,
        ),
      },
      mcp: "none",
    },
    run: async (context, { name }) => {
      const wasThere = await settings.removeProvider(name);
      if (wasThere) await tell(context, "model.removed", { name });
      return { name, wasThere };
    },
  });

  const use = defineOperation({
    name: "model.use",
    summary: "Chooses the model that plans get which name none.",
    effect: "writes",
    permission: "administer",
    input: z.object({ model: z.string().min(1).max(200).describe("`provider/model`.") }),
    output: chosenShape,
    surfaces: {
      cli: {
        positionals: ["model"],
        examples: ["model use anthropic/claude-sonnet-5-5"],
        render: rendering(chosenShape, ({ defaultModel }) =>
          doneLine(`Plans that name no model get ${defaultModel}.`),
        ),
      },
      mcp: "none",
    },
    run: async (context, { model }) => {
      await context.kernel.models.find(model);
      await settings.setDefault(model);
      await tell(context, "model.chosen", { model });
      return { defaultModel: model };
    },
  });

  return [add, remove, use];
}

function requireAddress({ kind, baseUrl, keyVariable }: NewProvider): void {
  if (kind === "openai-compatible" ? baseUrl !== undefined : keyVariable !== undefined) return;
  const missing = kind === "openai-compatible" ? "baseUrl" : "keyVariable";
  throw inputInvalid([{ pointer: `/${missing}`, message: `is needed for ${kind}` }]);
}

function tell(context: OperationContext, type: string, data: Json): Promise<void> {
  return change(context, ({ actor, now }) =>
    appendEvents([{ stream: WORKSPACE_STREAM, type, projectId: null, actor, data }], now),
  );
}

function toJson(provider: NewProvider): Readonly<Record<string, Json>> {
  return JSON.parse(JSON.stringify(provider)) as Readonly<Record<string, Json>>;
}

function renderModels({ items, defaultModel }: z.output<typeof modelList>): string {
  const columns = [
    { title: "", width: 1 },
    { title: "MODEL", width: 50 },
    { title: "IN $/M", align: "right" as const },
    { title: "OUT $/M", align: "right" as const },
    { title: "", width: 70 },
  ];
  const rows = items.map((model) => [
    model.isUsable ? "✓" : "–",
    model.name,
    model.price === undefined ? "unknown" : String(model.price.input),
    model.price === undefined ? "unknown" : String(model.price.output),
    model.isDefault ? `default. ${model.note}` : model.note,
  ]);
  return blocks(
    items.length === 0 ? "No model fits." : table(columns, rows),
    `Plans that name no model get ${defaultModel}.`,
  );
}
