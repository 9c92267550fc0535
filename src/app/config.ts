/**
 * Where a workspace is and how it is set: environment over file over defaults, into one frozen value.
 * Secrets come from the environment or from `secrets.json` (0600), never from the settings file.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { ProductError } from "../kernel/base/errors.ts";
import { isJsonObject, type Json } from "../kernel/base/json.ts";
import { nameOf, toInputProblems } from "../kernel/operation/input-problems.ts";
import { parseJson } from "../kernel/base/safe-json.ts";
import { encryptedAddress } from "./database-address.ts";

export const CONFIG_FILE = "config.json";
export const SECRETS_FILE = "secrets.json";

const providerSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("openai-compatible"),
    baseUrl: z.url(),
    keyVariable: z.string().optional(),
    models: z.array(z.string()).default([]),
    /** Said by the person: plain http beyond this machine is meant. */
    inTheClear: z.boolean().default(false),
  }),
  z.strictObject({
    kind: z.enum(["anthropic", "openai", "google"]),
    baseUrl: z.url().optional(),
    keyVariable: z.string(),
    models: z.array(z.string()).default([]),
    inTheClear: z.boolean().default(false),
  }),
  z.strictObject({
    kind: z.literal("command"),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    passVariables: z.array(z.string()).default([]),
  }),
  z.strictObject({
    kind: z.literal("rehearsal"),
    seed: z.string().optional(),
    script: z.string().optional(),
    latencyMs: z.int().nonnegative().optional(),
  }),
]);

export type ProviderConfig = z.output<typeof providerSchema>;

const fileSchema = z.strictObject({
  database: z.string().optional(),
  schema: z.string().default("throughline"),
  host: z.string().default("127.0.0.1"),
  port: z.int().min(0).max(65_535).default(7420),
  /** Files with the certificate and its key, from this folder; without them the server speaks plain http. */
  tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
  /** The address people use where it is not this machine's own: `https://work.example.org`. */
  publicOrigin: z.string().optional(),
  /** Addresses of proxies in front of the server, whose word on where a request comes from counts. */
  proxies: z.array(z.union([z.ipv4(), z.ipv6()])).default([]),
  concurrency: z.int().min(1).max(5000).default(32),
  defaultModel: z.string().optional(),
  /** How often one token or login may ask the server; 0 a second is no limit. */
  rateLimit: z
    .strictObject({
      perSecond: z.number().min(0).default(50),
      burst: z.int().min(1).default(200),
    })
    .prefault({}),
  providers: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,30}$/), providerSchema).default({}),
});

export type ConfigFile = z.output<typeof fileSchema>;

export interface Config extends ConfigFile {
  /** The `.throughline` folder. */
  readonly folder: string;
  /** The folder it lies in: where commands work and projects are. */
  readonly home: string;
  readonly secrets: Readonly<Record<string, string | undefined>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(folder: string, environment: Environment): Config {
  const file = readJsonFile(path.join(folder, CONFIG_FILE)) ?? {};
  if (!isJsonObject(file)) {
    throw new ProductError(
      "config_invalid",
      `The settings in ${path.join(folder, CONFIG_FILE)} are not one JSON object.`,
      { hint: "Write them between { and }." },
    );
  }
  const settings = file;
  const rate = toNumber(environment["THROUGHLINE_RATE_LIMIT"]);
  const overrides = {
    ...given("database", environment["THROUGHLINE_DATABASE_URL"]),
    ...given("host", environment["THROUGHLINE_HOST"]),
    ...given("port", toNumber(environment["THROUGHLINE_PORT"])),
    ...given("concurrency", toNumber(environment["THROUGHLINE_CONCURRENCY"])),
    ...given("defaultModel", environment["THROUGHLINE_MODEL"]),
    ...given(
      "rateLimit",
      rate === undefined ? undefined : { ...asObject(settings["rateLimit"]), perSecond: rate },
    ),
  };
  const parsed = fileSchema.safeParse({ ...settings, ...overrides });
  if (!parsed.success) {
    throw new ProductError(
      "config_invalid",
      `The settings in ${path.join(folder, CONFIG_FILE)} cannot be used.`,
      {
        hint: toInputProblems(parsed.error, Object.keys(fileSchema.shape))
          .map(({ pointer, message }) => `${nameOf(pointer)}: ${message}`)
          .join("; "),
      },
    );
  }
  const secrets = { ...readSecrets(path.join(folder, SECRETS_FILE)), ...environment };
  const { database } = parsed.data;
  return Object.freeze({
    ...parsed.data,
    database: database && encryptedAddress(database),
    folder,
    home: path.dirname(folder),
    secrets,
  });
}

/** The settings as they are now: the same object while neither file has changed. */
export function watchConfig(folder: string, environment: Environment): () => Config {
  let stamp = "";
  let config: Config | undefined;
  return () => {
    const now = [CONFIG_FILE, SECRETS_FILE]
      .map((name) => stampOf(path.join(folder, name)))
      .join(" ");
    if (config === undefined || now !== stamp) config = readConfig(folder, environment);
    stamp = now;
    return config;
  };
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "-" : `${stats.mtimeMs}:${stats.size}`;
}

function readSecrets(file: string): Record<string, string> {
  if (!existsSync(file)) return {};
  const mode = statSync(file).mode & 0o077;
  if (mode !== 0 && process.platform !== "win32") {
    throw new ProductError("secrets_exposed", `Others on this machine can read ${file}.`, {
      kind: "not_allowed",
      hint: `Close it first: chmod 600 ${file}`,
    });
  }
  return z.record(z.string(), z.string()).parse(readJsonFile(file));
}

function readJsonFile(file: string): Json | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return parseJson(readFileSync(file, "utf8"));
  } catch (error) {
    const place =
      error instanceof ProductError ? `${error.message} ${error.hint ?? ""}` : String(error);
    throw new ProductError("config_invalid", `${file} is not valid JSON.`, {
      hint: place.trim(),
      cause: error,
    });
  }
}

function asObject(value: Json | undefined): object {
  return isJsonObject(value) ? value : {};
}

function given(key: string, value: unknown): object {
  return value === undefined || value === "" ? {} : { [key]: value };
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}
