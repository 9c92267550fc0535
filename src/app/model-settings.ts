/** Changes the models of a workspace in its settings file, whole or not at all. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import type { JsonObject } from "../kernel/base/json.ts";
import { parseJson } from "../kernel/base/safe-json.ts";
import type { ModelSettings } from "../methods/workspace/model-operations.ts";
import { CONFIG_FILE, readConfig } from "./config.ts";

export function modelSettings(findFolder: () => string): ModelSettings {
  return {
    addProvider: async (name, provider) => {
      // As JSON, in which fields that were left out are not there.
      const setting = JSON.parse(JSON.stringify(provider)) as JsonObject;
      changeConfig(findFolder(), (config) => ({
        ...config,
        providers: { ...(config["providers"] as JsonObject | undefined), [name]: setting },
      }));
    },
    removeProvider: async (name) => {
      let wasThere = false;
      changeConfig(findFolder(), (config) => {
        const { [name]: removed, ...providers } = (config["providers"] ?? {}) as JsonObject;
        wasThere = removed !== undefined;
        return { ...config, providers };
      });
      return wasThere;
    },
    setDefault: async (model) => {
      changeConfig(findFolder(), (config) => ({ ...config, defaultModel: model }));
    },
  };
}

function changeConfig(folder: string, change: (config: JsonObject) => JsonObject): void {
  const file = path.join(folder, CONFIG_FILE);
  const before = existsSync(file) ? (parseJson(readFileSync(file, "utf8")) as JsonObject) : {};
  const temporary = `${file}.new`;
  const handle = openSync(temporary, "w", 0o600);
  writeSync(handle, `${JSON.stringify(change(before), null, 2)}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(temporary, file);
  // What was written must be what can be read: a mistake shows now, not at the next start.
  readConfig(folder, {});
}
