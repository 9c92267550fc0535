/** How dialectics go in a project or in the whole workspace. */

import { z } from "zod";
import { type DatabaseWork } from "../../kernel/store/database-work.ts";
import { findSetting, type SettingPlace } from "../../kernel/store/settings.ts";
import { type OverlayValues, overlayValues } from "./recipe/domain-file.ts";

const OVERLAYS = "dialectic.overlays";
const CONTINUATIONS = "dialectic.continuations";
const USUAL_CONTINUATIONS = 5;

const continuations = z.int().min(0).max(50);

/** For the app to join with the other settings. */
export const dialecticSettings = [
  {
    key: OVERLAYS,
    scopes: ["project"] as const,
    summary: "What every prompt of the project's dialectics is told: {name: {title, text}}.",
    value: overlayValues,
  },
  {
    key: CONTINUATIONS,
    scopes: ["workspace", "project"] as const,
    summary: `How often a document that was cut is gone on with; ${USUAL_CONTINUATIONS} times unless set.`,
    value: continuations,
  },
];

export function* projectOverlays(projectId: string): DatabaseWork<OverlayValues> {
  const setting = yield* findSetting({ scope: "project", projectId }, OVERLAYS);
  return setting === undefined ? {} : overlayValues.parse(setting.value);
}

export function* mostContinuations(projectId: string | null): DatabaseWork<number> {
  const places: readonly SettingPlace[] = [
    ...(projectId === null ? [] : [{ scope: "project", projectId } as const]),
    { scope: "workspace" },
  ];
  for (const place of places) {
    const setting = yield* findSetting(place, CONTINUATIONS);
    if (setting !== undefined) return continuations.parse(setting.value);
  }
  return USUAL_CONTINUATIONS;
}
