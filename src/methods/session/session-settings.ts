/** How sessions end in this workspace: what the call says, else the project, else the workspace, else our custom. */

import { z } from "zod";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { findSetting, type SettingPlace } from "../../kernel/store/settings.ts";
import { isBookmarkName } from "../../kernel/vcs/bookmark-name.ts";

const bookmark = z.string().refine(isBookmarkName, "cannot be the name of a branch");

export const SESSION_SETTINGS = {
  push: {
    key: "session.push",
    summary: "Whether a finished session is pushed.",
    value: z.boolean(),
    usual: true,
  },
  bookmark: {
    key: "session.bookmark",
    summary: "The branch or bookmark that finished sessions go to.",
    value: bookmark,
    usual: "dev",
  },
  releaseBookmark: {
    key: "session.release-bookmark",
    summary: "The branch or bookmark that releases go to.",
    value: bookmark,
    usual: "main",
  },
  remote: {
    key: "session.remote",
    summary: "The remote that finished sessions are pushed to; empty: `origin`, or the only one.",
    value: z.string().max(200),
    usual: "",
  },
  subject: {
    key: "session.subject",
    summary: "The subject of reports that name none.",
    value: z.string().trim().min(1).max(200),
    usual: "General",
  },
} as const;

/** For the app to join with the other settings. */
export const sessionSettings = Object.values(SESSION_SETTINGS).map(({ key, summary, value }) => ({
  key,
  summary,
  value,
  scopes: ["workspace", "project"] as const,
}));

type Settings = typeof SESSION_SETTINGS;
type Value<Name extends keyof Settings> = z.output<Settings[Name]["value"]>;

export function* resolveSetting<Name extends keyof Settings>(
  name: Name,
  projectId: string | undefined,
): DatabaseWork<Value<Name>> {
  const { key, value, usual } = SESSION_SETTINGS[name];
  const places: readonly SettingPlace[] = [
    ...(projectId === undefined ? [] : [{ scope: "project", projectId } as const]),
    { scope: "workspace" },
  ];
  for (const place of places) {
    const setting = yield* findSetting(place, key);
    if (setting !== undefined) return value.parse(setting.value) as Value<Name>;
  }
  return usual as Value<Name>;
}
