/** The workspace's models: what is configured, what the environment has keys for, and always the rehearsal model. */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../kernel/base/clock.ts";
import { ProductError } from "../kernel/base/errors.ts";
import { nearMatches } from "../kernel/contract/near-match.ts";
import type { Library } from "../kernel/library/library.ts";
import type { ModelProvider } from "../kernel/model/model-provider.ts";
import { costOf, findPrice, type PriceTable, parsePriceTable } from "../kernel/model/price.ts";
import type {
  ConfiguredModel,
  ModelDescription,
  ModelDirectory,
} from "../kernel/run/model-directory.ts";
import { isInTheClear, modelInTheClear } from "./clear-address.ts";
import type { Config, ProviderConfig } from "./config.ts";

/** Reached as soon as their key is in the environment; `model` is what a plan gets that names none. */
const WELL_KNOWN = {
  anthropic: { keyVariable: "ANTHROPIC_API_KEY", model: "claude-sonnet-5-5" },
  openai: { keyVariable: "OPENAI_API_KEY", model: "gpt-6.1-sol" },
  google: { keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY", model: "gemini-4-argon" },
} as const;

export const REHEARSAL = "rehearsal/rehearsal";

/** Settings and price files are read again when they change, so a new model needs no restart. */
export function openModels(
  readSettings: () => Config,
  library: Library,
  clock: Clock,
  given: Readonly<Record<string, ModelProvider>> = {},
): ModelDirectory {
  const providers = new Map<string, Promise<ModelProvider>>();
  let config = readSettings();
  let settings = providerSettings(config);
  const refresh = () => {
    const latest = readSettings();
    if (latest === config) return;
    config = latest;
    settings = providerSettings(config);
    providers.clear();
  };
  let tables: readonly PriceTable[] | undefined;
  const prices = () => {
    tables ??= library
      .list({ kind: "prices" })
      .map(({ path: file }) => parsePriceTable(JSON.parse(library.read(file).text), file));
    return tables;
  };
  const priceOf = (provider: string, model: string) => {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    const own = findPrice(prices(), { provider, model, day });
    // A rehearsal is free under any name.
    if (own !== undefined || settings.get(provider)?.kind !== "rehearsal") return own;
    return findPrice(prices(), { provider: "rehearsal", model, day });
  };

  const providerOf = async (name: string): Promise<ModelProvider> => {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    const known = own ?? providers.get(name);
    if (known) return known;
    const setting = settings.get(name);
    if (!setting) throw unknownModel(name, [...settings.keys()]);
    const made = createProvider(name, setting, config, clock);
    providers.set(name, made);
    made.catch(() => providers.delete(name));
    return made;
  };

  return {
    costOf: (full, usage) => {
      const [provider, model] = splitName(full);
      return costOf(usage, priceOf(provider, model));
    },
    find: async (full): Promise<ConfiguredModel> => {
      refresh();
      const [provider, model] = splitName(full);
      return {
        name: model,
        provider: await providerOf(provider),
        worksOnFiles: settings.get(provider)?.kind === "command",
        costOf: (usage) => costOf(usage, priceOf(provider, model)),
      };
    },
    list: async () => {
      refresh();
      const configured = [...settings].filter(([provider]) => !Object.hasOwn(given, provider));
      return [
        ...Object.keys(given).map((provider) => describeGiven(provider)),
        ...configured.flatMap(([provider, setting]) =>
          modelsOf(provider, setting, prices()).map((model) =>
            describe(provider, model, setting, config, priceOf(provider, model)),
          ),
        ),
      ];
    },
    defaultModel: async () => {
      refresh();
      if (config.defaultModel !== undefined) return config.defaultModel;
      for (const [provider, { keyVariable, model }] of Object.entries(WELL_KNOWN)) {
        if (config.secrets[keyVariable]) return `${provider}/${model}`;
      }
      return REHEARSAL;
    },
  };
}

function providerSettings(config: Config): Map<string, ProviderConfig> {
  const known = Object.entries(WELL_KNOWN).map(
    ([kind, { keyVariable }]): [string, ProviderConfig] => [
      kind,
      { kind: kind as "anthropic", keyVariable, models: [], inTheClear: false },
    ],
  );
  return new Map<string, ProviderConfig>([
    ["rehearsal", { kind: "rehearsal" }],
    ...known,
    ...Object.entries(config.providers),
  ]);
}

/** A provider's own code is loaded when the first model of it is asked for. */
async function createProvider(
  name: string,
  setting: ProviderConfig,
  config: Config,
  clock: Clock,
): Promise<ModelProvider> {
  if (isRefusedWay(setting)) throw modelInTheClear(name);
  switch (setting.kind) {
    case "rehearsal": {
      const { createRehearsalModel } = await import("../kernel/model/rehearsal-model.ts");
      return createRehearsalModel(clock, {
        ...(setting.seed === undefined ? {} : { seed: setting.seed }),
        ...(setting.latencyMs === undefined ? {} : { latencyMs: setting.latencyMs }),
        ...(setting.script === undefined
          ? {}
          : { script: await readScript(config, setting.script) }),
      });
    }
    case "command": {
      const { createCommandProvider } = await import("../adapters/command/command-provider.ts");
      return createCommandProvider({ name, ...setting, cwd: config.home }, config.secrets);
    }
    case "openai-compatible": {
      const { createAiSdkProvider } = await import("../adapters/ai-sdk/ai-sdk-provider.ts");
      const key =
        setting.keyVariable === undefined ? undefined : keyOf(name, setting.keyVariable, config);
      const { baseUrl } = setting;
      return createAiSdkProvider(
        {
          brand: "openai-compatible",
          name,
          baseUrl,
          ...(key === undefined ? {} : { apiKey: key }),
        },
        clock,
      );
    }
    default: {
      const { createAiSdkProvider } = await import("../adapters/ai-sdk/ai-sdk-provider.ts");
      const apiKey = keyOf(name, setting.keyVariable, config);
      const base = setting.baseUrl === undefined ? {} : { baseUrl: setting.baseUrl };
      return createAiSdkProvider({ brand: setting.kind, apiKey, ...base }, clock);
    }
  }
}

function keyOf(provider: string, variable: string, config: Config): string {
  const key = config.secrets[variable];
  if (key) return key;
  throw new ProductError("model_key_missing", `There is no key for "${provider}".`, {
    kind: "provider",
    hint: `Set ${variable} in the environment or in ${path.join(config.folder, "secrets.json")} (mode 600).`,
  });
}

async function readScript(config: Config, file: string) {
  const place = path.resolve(config.home, file);
  if (!existsSync(place)) {
    throw new ProductError("rehearsal_script_missing", `There is no rehearsal script at ${place}.`);
  }
  const { parseRehearsalScript } = await import("../kernel/model/rehearsal-script.ts");
  return parseRehearsalScript(readFileSync(place, "utf8"));
}

function splitName(full: string): [provider: string, model: string] {
  const slash = full.indexOf("/");
  if (slash > 0 && slash < full.length - 1) return [full.slice(0, slash), full.slice(slash + 1)];
  throw new ProductError("model_unknown", `"${full}" does not name a model.`, {
    kind: "not_found",
    hint: "Write it as provider/model; `model list` shows what there is.",
  });
}

function unknownModel(provider: string, known: readonly string[]): ProductError {
  const near = nearMatches(provider, known);
  return new ProductError("model_unknown", `No provider here is called "${provider}".`, {
    kind: "not_found",
    hint:
      near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are: ${known.join(", ")}.`,
  });
}

function modelsOf(
  provider: string,
  setting: ProviderConfig,
  tables: readonly PriceTable[],
): readonly string[] {
  if (setting.kind === "rehearsal") return ["rehearsal"];
  if (setting.kind === "command") return ["default"];
  const priced = tables
    .flatMap(({ prices }) => prices)
    .filter((price) => price.provider === provider && price.model !== "*")
    .map(({ model }) => model);
  return [...new Set([...setting.models, ...priced])];
}

function describe(
  provider: string,
  model: string,
  setting: ProviderConfig,
  config: Config,
  price: ReturnType<typeof findPrice>,
): ModelDescription {
  const missing = missingFor(setting, config);
  return {
    name: `${provider}/${model}`,
    provider,
    isUsable: missing === undefined,
    note: missing === undefined ? noteOf(setting) : `needs ${missing}`,
    ...(price ? { price: { input: price.input, output: price.output, asOf: price.asOf } } : {}),
  };
}

/** It knows its models itself; one name stands for all of them. */
function describeGiven(provider: string): ModelDescription {
  const note = "registered by the program that opened the workspace";
  return { name: `${provider}/default`, provider, isUsable: true, note };
}

function missingFor(setting: ProviderConfig, config: Config): string | undefined {
  if (setting.kind === "command") {
    const { command } = setting;
    return hasProgram(command, config) ? undefined : `the program ${command}`;
  }
  if (isRefusedWay(setting)) return "https";
  const variable = "keyVariable" in setting ? setting.keyVariable : undefined;
  return variable === undefined || config.secrets[variable] ? undefined : variable;
}

function isRefusedWay(setting: ProviderConfig): boolean {
  if (!("baseUrl" in setting) || setting.baseUrl === undefined) return false;
  return !setting.inTheClear && isInTheClear(setting.baseUrl);
}

/** Looked for as it will be started: in the workspace's home if it is a path, else in the folders of PATH. */
function hasProgram(command: string, { home, secrets }: Config): boolean {
  const folders = command.includes(path.sep)
    ? [home]
    : (secrets["PATH"] ?? "").split(path.delimiter);
  const endings = process.platform === "win32" ? ["", ".exe", ".cmd"] : [""];
  return folders.some((folder) =>
    endings.some((ending) => existsSync(path.resolve(folder, command + ending))),
  );
}

function noteOf(setting: ProviderConfig): string {
  switch (setting.kind) {
    case "rehearsal":
      return "offline, answers any contract, costs nothing";
    case "command":
      return `runs ${[setting.command, ...setting.args].join(" ")}`;
    case "openai-compatible":
      return setting.baseUrl;
    default:
      return "ready";
  }
}
