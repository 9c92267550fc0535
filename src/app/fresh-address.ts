/** Another way in for the person at this machine, when the first address was used or has run out. */

import { ProductError } from "../kernel/base/errors.ts";
import { findDaemonAddress } from "../surfaces/cli/daemon-address.ts";
import { findAdmin } from "./first-user.ts";
import { openWorkspace } from "./open-workspace.ts";
import { loginUrl } from "./serve.ts";
import { findWorkspace } from "./workspace-folder.ts";

export async function freshAddress(directory: string): Promise<string> {
  const folder = findWorkspace(directory);
  const address = await findDaemonAddress(folder);
  if (!address) {
    throw new ProductError("server_not_running", "No server runs for this workspace.", {
      kind: "not_found",
      hint: "Start it: throughline serve",
    });
  }
  const workspace = await openWorkspace(folder);
  try {
    const admin = await findAdmin(workspace.kernel);
    return await loginUrl(workspace.kernel, address.url, admin.id);
  } finally {
    await workspace.close();
  }
}
