/** Opens the repository a folder lies in: jj where there is one, else git. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { holdLock } from "../adapters/programs/hold-lock.ts";
import { programRunner } from "../adapters/programs/run-program.ts";
import { writeFiles } from "../adapters/programs/write-files.ts";
import { systemClock } from "../kernel/base/clock.ts";
import { ProductError } from "../kernel/base/errors.ts";
import type { Vcs } from "../kernel/vcs/vcs.ts";
import type { VcsTools } from "../kernel/vcs/vcs-tools.ts";

const LOCK_PATIENCE_MS = 30_000;

export function vcsTools(environment: VcsTools["environment"]): VcsTools {
  return {
    run: programRunner(),
    write: writeFiles,
    environment,
    random: (count) => new Uint8Array(randomBytes(count)),
    lock: (file, work) =>
      holdLock(
        file,
        {
          sleep: (ms) => systemClock.sleep(ms),
          elapsed: () => systemClock.elapsed(),
          patienceMs: LOCK_PATIENCE_MS,
        },
        work,
      ),
  };
}

export async function openVcs(
  folder: string,
  tools: VcsTools = vcsTools(process.env),
): Promise<Vcs> {
  const root = await findRoot(folder);
  if (existsSync(path.join(root, ".jj"))) {
    const { openJj } = await import("../adapters/jj/open-jj.ts");
    return openJj(root, tools);
  }
  const { openGit } = await import("../adapters/git/open-git.ts");
  return openGit(root, tools);
}

async function findRoot(folder: string): Promise<string> {
  const start = await realpath(folder).catch(() => undefined);
  for (let place = start; place !== undefined; place = above(place)) {
    if (existsSync(path.join(place, ".jj")) || existsSync(path.join(place, ".git"))) return place;
  }
  throw new ProductError("vcs_none", `${folder} is in no jj or git repository.`, {
    kind: "conflict",
    hint: "Make one there first: jj git init, or git init.",
  });
}

function above(place: string): string | undefined {
  const parent = path.dirname(place);
  return parent === place ? undefined : parent;
}
