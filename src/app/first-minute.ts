/** What a fresh workspace holds, so that the first minute shows something true. */

import { existsSync } from "node:fs";
import path from "node:path";
import { seedSample } from "../methods/workspace/seed-sample.ts";
import { FOLDER_NAME } from "./config.ts";
import { findAdmin } from "./first-user.ts";
import { openWorkspace } from "./open-workspace.ts";
import { makeFolder } from "./workspace-folder.ts";

export interface MadeWorkspace {
  readonly folder: string;
  readonly isNew: boolean;
}

/** Does nothing to a workspace that is there already. */
export async function initWorkspace(
  home: string,
  { hasSample }: { readonly hasSample: boolean },
): Promise<MadeWorkspace> {
  const isNew = !existsSync(path.join(path.resolve(home), FOLDER_NAME, "workspace.db"));
  const folder = makeFolder(home);
  const workspace = await openWorkspace(folder);
  try {
    const admin = await findAdmin(workspace.kernel);
    if (isNew && hasSample) await seedSample(workspace.kernel, admin.id);
  } finally {
    await workspace.close();
  }
  return { folder, isNew };
}
