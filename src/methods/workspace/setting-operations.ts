/** Settings of the workspace (for admins), of a project (for who may edit it) and of oneself. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { authorise } from "../../kernel/operation/authorise.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  asOfField,
  expectedVersionField,
  jsonValue,
  projectField,
} from "../../kernel/operation/operation-fields.ts";
import { requireRight } from "../../kernel/operation/project-rights.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveProject } from "../../kernel/operation/resolve-names.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { blocks, table } from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import {
  deleteSetting,
  findSetting,
  listSettings,
  putSetting,
  type SettingPlace,
} from "../../kernel/store/settings.ts";
import { checkValue, findKind, isOfKind, type SettingKind } from "./setting-kinds.ts";

const placeFields = {
  scope: z
    .enum(["workspace", "project", "user"])
    .default("workspace")
    .describe("Whose setting; `user` is you."),
  project: projectField.optional().describe("The project, with --scope project."),
};

const keyField = z
  .string()
  .regex(/^[a-z][\w.-]{0,100}$/i, "must be letters, digits, dots and dashes")
  .describe("The setting's key.");

const settingShape = z.object({
  key: z.string(),
  value: jsonValue,
  version: z.number(),
  updatedAt: z.number(),
});

const settingList = z.object({
  items: z.array(settingShape),
  known: z
    .array(
      z.object({ key: z.string(), summary: z.string(), scopes: z.array(z.string()).readonly() }),
    )
    .describe("What can be set."),
  asOf: asOfField,
});

const unsetShape = z.object({ key: z.string(), wasSet: z.boolean() });

export function settingOperations(kinds: readonly SettingKind[]): readonly Operation[] {
  const list = defineOperation({
    name: "setting.list",
    summary: "Lists what is set, and what could be.",
    effect: "reads",
    permission: "read",
    input: z.object(placeFields),
    output: settingList,
    surfaces: { cli: { render: rendering(settingList, renderSettings) }, mcp: "none" },
    run: ({ kernel, caller }, input) =>
      kernel.store.read(function* () {
        const items = yield* listSettings(yield* findPlace(input, caller));
        return {
          items: items.filter(({ key }) => kinds.some((kind) => isOfKind(key, kind))),
          known: kinds
            .filter(({ scopes }) => scopes.includes(input.scope))
            .map(({ key, summary, scopes }) => ({ key, summary, scopes })),
          asOf: kernel.clock.now(),
        };
      }),
  });

  const get = defineOperation({
    name: "setting.get",
    summary: "Shows one setting.",
    effect: "reads",
    permission: "read",
    input: z.object({ key: keyField, ...placeFields }),
    output: settingShape,
    surfaces: {
      cli: {
        positionals: ["key"],
        render: rendering(settingShape, ({ value }) => JSON.stringify(value, null, 2)),
      },
      mcp: "none",
    },
    run: ({ kernel, caller }, { key, ...input }) =>
      kernel.store.read(function* () {
        findKind(kinds, key, input.scope);
        const setting = yield* findSetting(yield* findPlace(input, caller), key);
        if (setting === undefined) throw notSet(key);
        return setting;
      }),
  });

  const set = defineOperation({
    name: "setting.set",
    summary: "Sets a setting. The workspace's need an admin, a project's the right to edit it.",
    effect: "writes",
    permission: "read",
    input: z.object({
      key: keyField,
      value: jsonValue.describe("The value, as JSON."),
      ...placeFields,
      expectedVersion: expectedVersionField,
    }),
    output: settingShape,
    surfaces: {
      cli: {
        positionals: ["key", "value"],
        examples: [`setting set workspace.name '"Tidepool lab"'`],
        render: rendering(settingShape, ({ key, value }) =>
          doneLine(`${key} is ${JSON.stringify(value)}.`),
        ),
      },
      mcp: "none",
    },
    run: (context, { key, value, expectedVersion, ...input }) =>
      change(context, function* (act) {
        const place = yield* findPlaceToChange(input, context.caller);
        const checked = checkValue(findKind(kinds, key, input.scope), value);
        return yield* putSetting(place, { key, value: checked, expectedVersion }, act);
      }),
  });

  const unset = defineOperation({
    name: "setting.unset",
    summary: "Takes a setting back to its default.",
    effect: "writes",
    permission: "read",
    input: z.object({ key: keyField, ...placeFields }),
    output: unsetShape,
    surfaces: {
      cli: {
        positionals: ["key"],
        render: rendering(unsetShape, ({ key, wasSet }) =>
          wasSet ? doneLine(`${key} is back at its default.`) : `${key} was not set.`,
        ),
      },
      mcp: "none",
    },
    run: (context, { key, ...input }) =>
      change(context, function* (act) {
        const place = yield* findPlaceToChange(input, context.caller);
        findKind(kinds, key, input.scope);
        return { key, wasSet: yield* deleteSetting(place, key, act) };
      }),
  });

  return [list, get, set, unset];
}

type PlaceInput = z.output<z.ZodObject<typeof placeFields>>;

function* findPlace({ scope, project }: PlaceInput, caller: Caller): DatabaseWork<SettingPlace> {
  if (scope === "user") return { scope, userId: caller.userId };
  if (scope === "workspace") return { scope };
  if (project === undefined) {
    throw new ProductError("setting_project_missing", "Say which project.", {
      hint: "Add --project NAME.",
    });
  }
  return { scope, projectId: yield* resolveProject(project, caller) };
}

function* findPlaceToChange(input: PlaceInput, caller: Caller): DatabaseWork<SettingPlace> {
  const name = `setting.set --scope ${input.scope}`;
  // What a caller does not see is not there, before it is forbidden.
  const place = yield* findPlace(input, caller);
  if (place.scope === "workspace") authorise(caller, { name, permission: "administer" });
  if (place.scope === "user") refuseNarrowToken(caller);
  if (place.scope === "project") {
    authorise(caller, { name, permission: "edit" });
    yield* requireRight(caller, place.projectId, "edit");
  }
  return place;
}

/** Any role may set what is its own, but a token made for reading must not. */
function refuseNarrowToken({ scopes }: Caller): void {
  if (scopes === undefined || scopes.includes("edit") || scopes.includes("administer")) return;
  throw new ProductError("scope_missing", "This token may not change settings.", {
    kind: "not_allowed",
    hint: 'Use a token without scopes, or with the scope "edit".',
  });
}

function notSet(key: string): ProductError {
  return new ProductError("setting_not_set", `"${key}" is not set; its default holds.`, {
    kind: "not_found",
    hint: "`setting list` shows what is set.",
  });
}

function renderSettings({ items, known, asOf }: z.output<typeof settingList>): string {
  const rows = items.map(({ key, value, updatedAt }) => [
    key,
    JSON.stringify(value),
    timeAgo(updatedAt, asOf),
  ]);
  const set = table(
    [{ title: "KEY", width: 50 }, { title: "VALUE", width: 70 }, { title: "SET" }],
    rows,
  );
  const possible = table(
    [
      { title: "COULD BE SET", width: 50 },
      { title: "", width: 90 },
    ],
    known.map(({ key, summary }) => [key, summary]),
  );
  return blocks(
    items.length === 0 ? "Nothing is set here." : set,
    known.length === 0 ? "" : possible,
  );
}
