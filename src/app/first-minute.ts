/** What a fresh workspace holds, so that the first minute shows something true. */

import { findAdmin } from "./first-user.ts";
import { openWorkspace } from "./open-workspace.ts";

/** Does nothing where there is a workspace already. */
export async function seedSample(folder: string): Promise<void> {
  const workspace = await openWorkspace(folder);
  await findAdmin(workspace.kernel);
  await workspace.close();
}
