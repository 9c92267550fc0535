/** The settings of one step, with the places of their values in the source. */

import type { ConfigEntry } from "./config-entries.ts";
import { locateValue, membersAt, offsetInString } from "./json-text.ts";
import { checkStepConfig, type StepConfig } from "./step-config.ts";
import type { Finding } from "./workflow-problem.ts";

export interface StepSettings {
  readonly config: StepConfig;
  readonly entry: ConfigEntry | undefined;
}

export const NO_SETTINGS: StepSettings = { config: {}, entry: undefined };

/** Where a value stands; inside a string, where one of its characters does. */
export type Locate = (path: readonly PropertyKey[], character?: number) => number;

/** `otherwise` is the place for what the settings do not say. */
export function locateIn({ entry }: StepSettings, otherwise: number): Locate {
  if (entry === undefined) return () => otherwise;
  return (path, character) => {
    const { start } = locateValue(entry.text, path);
    if (start === 0 && path.length > 0) return otherwise;
    const isInside = character !== undefined && entry.text.charAt(start) === '"';
    return entry.json.start + (isInside ? offsetInString(entry.text, start, character) : start);
  };
}

/** Where the conditions of `branches` stand: the items themselves, and a character of each. */
export function locateBranches({ entry }: StepSettings, otherwise: number): BranchPlace[] {
  if (entry?.value?.["branches"] === undefined) return [];
  const { text, json } = entry;
  const array = locateValue(text, ["branches"]).start;
  return membersAt(text, array).map(({ valueSpan }) => ({
    offset: json.start + valueSpan.start,
    offsetOf: (character) => {
      const members = membersAt(text, valueSpan.start);
      const start = members.find(({ key }) => key === "condition")?.valueSpan.start;
      return start === undefined ? otherwise : json.start + offsetInString(text, start, character);
    },
  }));
}

export interface BranchPlace {
  readonly offset: number;
  readonly offsetOf: (character: number) => number;
}

/** By step. Of two entries for one step the first counts. Where drawing is missing, none is unknown. */
export function collectSettings(
  entries: readonly ConfigEntry[],
  drawn: { readonly stepIds: ReadonlySet<string>; readonly isWhole: boolean },
  findings: Finding[],
): ReadonlyMap<string, StepSettings> {
  const settings = new Map<string, StepSettings>();
  for (const entry of entries) {
    const { stepId } = entry;
    if (stepId === undefined) continue;
    if (!drawn.stepIds.has(stepId)) {
      if (drawn.isWhole) findings.push(unknownStep(entry, stepId));
      continue;
    }
    if (settings.has(stepId)) {
      findings.push(secondEntry(entry, stepId));
      continue;
    }
    const checked = checkStepConfig(entry);
    findings.push(...checked.findings);
    settings.set(stepId, { config: checked.config, entry });
  }
  return settings;
}

function unknownStep(entry: ConfigEntry, stepId: string): Finding {
  return {
    code: "config_unknown_step",
    severity: "error",
    message: `The diagram draws no "${stepId}" that these settings could be for.`,
    hint: "Ids are exact, upper and lower case included.",
    offset: entry.name.start,
  };
}

function secondEntry(entry: ConfigEntry, stepId: string): Finding {
  return {
    code: "config_duplicate",
    severity: "error",
    message: `"${stepId}" has settings already, further up.`,
    hint: "Put them together in one place.",
    stepId,
    offset: entry.name.start,
  };
}
