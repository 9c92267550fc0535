/** The models of the workspace: which there are, which can be used, and which one plans get that name none. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { inputInvalid } from "../../kernel/operation/input-problems.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../kernel/operation/operation.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { blocks, table } from "../../kernel/operation/terminal-text.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../kernel/store/events.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { testModel } from "./model-test-operation.ts";

/** A provider as it is written into the workspace's settings file. Keys stay in the environment. */
export type NewProvider =
  | {
      readonly kind: "anthropic" | "openai" | "google" | "openai-compatible";
      readonly baseUrl?: string | undefined;
      readonly keyVariable?: string | undefined;
      readonly models: readonly string[];
    }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly passVariables: readonly string[];
    };

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

const variableName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,100}$/, "must be the name of a variable, such as MY_API_KEY");

export function modelOperations(settings: ModelSettings | undefined): readonly Operation[] {
  return settings === undefined ? [list, testModel] : [list, testModel, ...configuring(settings)];
}

const removedShape = z.object({ name: z.string(), wasThere: z.boolean() });
const chosenShape = z.object({ defaultModel: z.string() });

function configuring(settings: ModelSettings): readonly Operation[] {
  const add = defineOperation({
    name: "model.add",
    summary:
      "Adds a provider of models, or a command that answers. Keys are named, never given: they stay in the environment or in secrets.json.",
    effect: "writes",
    permission: "administer",
    input: z.object({
      name: providerName,
      kind: z
        .enum(["anthropic", "openai", "google", "openai-compatible", "command"])
        .default("openai-compatible")
        .describe("How it is spoken to."),
      baseUrl: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe("Where it is."),
      keyVariable: variableName.optional().describe("The variable that holds its key."),
      models: z
        .array(z.string().min(1).max(200))
        .max(200)
        .default([])
        .describe("The models to list; others can be named as well."),
      command: z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .describe("With kind command: the program; it reads the prompt and prints the reply."),
      args: z
        .array(z.string().max(1000))
        .max(100)
        .default([])
        .describe("Its arguments, passed as they are, without a shell."),
      passVariables: z
        .array(variableName)
        .max(100)
        .default([])
        .describe("Variables it may see besides PATH, HOME, LANG and TZ."),
    }),
    output: z.object({ name: z.string() }),
    surfaces: {
      cli: {
        positionals: ["name"],
        examples: [
          "model add ollama --base-url http://127.0.0.1:11434/v1 --models llama4",
          "model add work --kind anthropic --key-variable WORK_ANTHROPIC_KEY",
          "model add claude --kind command --command claude --args=-p",
        ],
        render: rendering(z.object({ name: z.string() }), ({ name }) =>
          doneLine(`Added provider "${name}". See its models with \`model list\`.`),
        ),
      },
      mcp: "none",
    },
    run: async (context, { name, ...given }) => {
      const provider = toProvider(given);
      if (provider.kind === "command") await context.kernel.store.read(refuseCommandForOthers);
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

interface GivenProvider {
  readonly kind: NewProvider["kind"];
  readonly baseUrl?: string | undefined;
  readonly keyVariable?: string | undefined;
  readonly models: readonly string[];
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly passVariables: readonly string[];
}

/** Each kind takes its own fields: what would be ignored is refused. */
function toProvider(given: GivenProvider): NewProvider {
  const { kind, baseUrl, keyVariable, models, command, args, passVariables } = given;
  if (kind === "command") {
    refuseFields(kind, { baseUrl, keyVariable, models });
    if (command === undefined) throw fieldMissing("command", kind);
    return { kind, command, args, passVariables };
  }
  refuseFields(kind, { command, args, passVariables });
  if (kind === "openai-compatible" && baseUrl === undefined) throw fieldMissing("baseUrl", kind);
  if (kind !== "openai-compatible" && keyVariable === undefined)
    throw fieldMissing("keyVariable", kind);
  return { kind, baseUrl, keyVariable, models };
}

function refuseFields(
  kind: string,
  fields: Readonly<Record<string, string | readonly string[] | undefined>>,
): void {
  const given = Object.entries(fields).filter(([, value]) => (value?.length ?? 0) > 0);
  if (given.length === 0) return;
  throw inputInvalid(
    given.map(([name]) => ({ pointer: `/${name}`, message: `means nothing for ${kind}` })),
  );
}

function fieldMissing(name: string, kind: string): ProductError {
  return inputInvalid([{ pointer: `/${name}`, message: `is needed for ${kind}` }]);
}

/** Whoever names a command runs it on this machine: an admin's role is not meant to give that to people elsewhere. */
function* refuseCommandForOthers(): DatabaseWork<void> {
  const people = yield* query(
    db
      .selectFrom("user")
      .select("id")
      .where("is_agent", "=", 0)
      .where("is_active", "=", 1)
      .limit(2),
  );
  if (people.length < 2) return;
  throw new ProductError(
    "command_by_file",
    "Several people work here: commands are added on the machine itself.",
    {
      kind: "not_allowed",
      hint: "Write it into `providers` of .throughline/config.json; no restart is needed.",
    },
  );
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
    items.length === 0 ? "No models to show." : table(columns, rows),
    `Plans that name no model get ${defaultModel}.`,
  );
}
