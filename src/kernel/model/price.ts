/**
 * What tokens cost. Prices are dated data; a model that is not in the tables has no price,
 * which is not the same as costing nothing. Money is whole micro-dollars.
 */

import { z } from "zod";
import { ProductError } from "../base/errors.ts";
import type { Usage } from "./model-provider.ts";

const dollarsPerMillion = z.number().nonnegative().max(100_000);
const day = z.iso.date();

const ratesSchema = z.strictObject({
  input: dollarsPerMillion,
  output: dollarsPerMillion,
  /** Absent: cached tokens cost what others do. */
  cached: dollarsPerMillion.optional(),
  /** Absent: writing the cache costs what reading the prompt does. */
  cacheWrite: dollarsPerMillion.optional(),
});

const priceSchema = z.strictObject({
  provider: z.string().min(1),
  /** `*` prices every model of the provider, for those that run on one's own machine. */
  model: z.string().min(1),
  ...ratesSchema.shape,
  /** Rates for the whole call once its input is longer than `aboveInputTokens`. */
  long: ratesSchema.extend({ aboveInputTokens: z.int().positive() }).optional(),
  /** The day these rates begin; of several entries the latest begun one counts. */
  from: day.optional(),
});

const priceTableSchema = z.strictObject({
  schemaVersion: z.literal(1),
  currency: z.literal("USD"),
  /** The day somebody last looked. */
  asOf: day,
  source: z.string().min(1),
  prices: z.array(priceSchema).min(1),
});

export type PriceTable = Readonly<z.infer<typeof priceTableSchema>>;
type Rates = Readonly<z.infer<typeof ratesSchema>>;

export interface Price extends Rates {
  readonly long?: Rates & { readonly aboveInputTokens: number };
  readonly asOf: string;
  readonly source: string;
}

export function parsePriceTable(value: unknown, name: string): PriceTable {
  const parsed = priceTableSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProductError(
    "price_table_invalid",
    `The price table "${name}" cannot be used: ${z.prettifyError(parsed.error)}`,
    { hint: "Compare it with library/prices in the package.", details: { name } },
  );
}

export interface PricedModel {
  readonly provider: string;
  readonly model: string;
  /** `YYYY-MM-DD`, because prices change on announced days. */
  readonly day: string;
}

/** Later tables override earlier ones, so a workspace's own prices come last. */
export function findPrice(tables: readonly PriceTable[], wanted: PricedModel): Price | undefined {
  for (const name of [wanted.model, undated(wanted.model), "*"]) {
    for (const table of tables.toReversed()) {
      const entry = table.prices
        .filter(({ provider, model }) => provider === wanted.provider && model === name)
        .filter(({ from }) => from === undefined || from <= wanted.day)
        .toSorted((a, b) => ((a.from ?? "") < (b.from ?? "") ? 1 : -1))[0];
      if (entry) return toPrice(entry, table);
    }
  }
  return undefined;
}

/** Micro-dollars, rounded up; unknown unless both price and counts are known. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (!price) return undefined;
  if (isFree(price)) return 0;
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const rates = price.long && inputTokens > price.long.aboveInputTokens ? price.long : price;
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const micros =
    fresh * microsPerMillion(rates.input) +
    cachedInputTokens * microsPerMillion(rates.cached ?? rates.input) +
    cacheWriteTokens * microsPerMillion(rates.cacheWrite ?? rates.input) +
    outputTokens * microsPerMillion(rates.output);
  return Math.ceil(micros / 1_000_000);
}

function isFree({ input, output, cached = 0, cacheWrite = 0 }: Rates): boolean {
  return input === 0 && output === 0 && cached === 0 && cacheWrite === 0;
}

/** Whole numbers from here on: 0.075 dollars for a million tokens are 75,000 micro-dollars. */
function microsPerMillion(dollars: number): number {
  return Math.round(dollars * 1_000_000);
}

/** `gpt-5.4-2026-03-05` and `claude-haiku-4-5-20251001` cost what the undated name does. */
function undated(model: string): string {
  return model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}

function toPrice(entry: PriceTable["prices"][number], table: PriceTable): Price {
  const { provider: _provider, model: _model, from: _from, long, ...rates } = entry;
  return { ...rates, ...(long ? { long } : {}), asOf: table.asOf, source: table.source };
}
