/** What a fresh workspace holds, so that the first minute shows something true. */

import { existsSync } from "node:fs";
import { seedSample } from "../methods/workspace/seed-sample.ts";
import { findAdmin } from "./first-user.ts";
import { databaseFile, openWorkspace } from "./open-workspace.ts";
import { makeFolder } from "./workspace-folder.ts";

export interface MadeWorkspace {
  readonly folder: string;
  readonly isNew: boolean;
}

/** Does nothing to a workspace that is there already, not even open it: somebody may have it in hand. */
export async function initWorkspace(
  home: string,
  { hasSample }: { readonly hasSample: boolean },
): Promise<MadeWorkspace> {
  const folder = makeFolder(home);
  if (existsSync(databaseFile(folder))) return { folder, isNew: false };
  const workspace = await openWorkspace(folder);
  try {
    const admin = await findAdmin(workspace.kernel);
    if (hasSample) await seedSample(workspace.kernel, admin.id);
  } finally {
    await workspace.close();
  }
  return { folder, isNew: true };
}
