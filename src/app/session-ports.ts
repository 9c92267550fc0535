/** What sessions need of this program: the repositories of this machine. */

import type { SessionPorts } from "../methods/session/session-desk.ts";
import { openVcs } from "./open-vcs.ts";

export const sessionPorts: SessionPorts = { openVcs: (folder) => openVcs(folder) };
