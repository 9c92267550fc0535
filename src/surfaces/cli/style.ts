/** Colours, where they are wanted and where a terminal shows them. */

import { styleText } from "node:util";
import type { CliOutput } from "./cli-world.ts";

type Look = "bold" | "dim" | "red" | "yellow" | "cyan" | "green";
export type Style = (look: Look, text: string) => string;

export function createStyle(
  output: CliOutput,
  environment: Readonly<Record<string, string | undefined>>,
  wanted: "auto" | "always" | "never",
): Style {
  const isColoured = decide(output, environment, wanted);
  return (look, text) => (isColoured ? styleText(look, text, { validateStream: false }) : text);
}

function decide(
  { isTTY }: CliOutput,
  environment: Readonly<Record<string, string | undefined>>,
  wanted: "auto" | "always" | "never",
): boolean {
  if (wanted !== "auto") return wanted === "always";
  if (environment["NO_COLOR"]) return false;
  const forced = environment["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTTY && environment["TERM"] !== "dumb";
}
