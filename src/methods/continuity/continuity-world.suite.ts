/** A workspace with continuity's operations and the Tidepool project, for tests of its operations. */

import {
  type ScratchKernel,
  type ScratchKernelOptions,
  scratchKernel,
} from "../../../tests/scratch/scratch-kernel.ts";
import { createIdSource } from "../../kernel/base/ids.ts";
import { createRehearsalModel } from "../../kernel/model/rehearsal-model.ts";
import { parseRehearsalScript } from "../../kernel/model/rehearsal-script.ts";
import { layOutView } from "../../kernel/operation/lay-out-view.ts";
import type { Caller, Permission } from "../../kernel/operation/caller.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import {
  createOperationRegistry,
  type OperationRegistry,
} from "../../kernel/operation/operation-registry.ts";
import { startEngine } from "../../kernel/run/engine.ts";
import { createHandlerRegistry } from "../../kernel/run/handler.ts";
import type { ModelDirectory } from "../../kernel/run/model-directory.ts";
import type { UserRole } from "../../kernel/store/noun-tables.ts";
import { putProjectMember } from "../../kernel/store/project-members.ts";
import type { Store } from "../../kernel/store/store.ts";
import { insertUser } from "../../kernel/store/users.ts";
import { continuityEffects, continuityHandlers } from "./continuity-parts.ts";
import { conversionOperations } from "./conversion/convert-operation.ts";
import { digestOperations } from "./digest/digest-operations.ts";
import { distillOperations } from "./distill/distill-operations.ts";
import { harvestTables } from "./harvest/harvest-migration.ts";
import { harvestOperations } from "./harvest/harvest-operations.ts";
import { packetTables } from "./packet/packet-migration.ts";
import { packetOperations } from "./packet/packet-operations.ts";
import { furnishTidepool, library, NOW, TIDEPOOL } from "./packet/packet-world.suite.ts";
import { redactionOperations } from "./redaction/redaction-operations.ts";

export const registry: OperationRegistry = createOperationRegistry([
  ...packetOperations,
  ...redactionOperations,
  ...harvestOperations,
  ...distillOperations,
  ...digestOperations,
  ...conversionOperations,
]);

/** Time stands still at the moment the golden packets are made for. */
export const stillClock = {
  now: () => NOW,
  elapsed: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

const ids = createIdSource(stillClock);

export const worldOptions: ScratchKernelOptions = {
  clock: stillClock,
  migrations: [packetTables, harvestTables],
  handlers: createHandlerRegistry(
    continuityHandlers(library, () => ids.next()),
    continuityEffects(library),
  ),
};

export function caller(
  userId: string,
  role: UserRole = "operator",
  more: { isAgent?: boolean; scopes?: readonly Permission[] } = {},
): Caller {
  return { userId, name: userId, role, isAgent: more.isAgent ?? false, scopes: more.scopes };
}

/** Mara owns the project, vera may look, otto does not see it. */
export const MARA = caller("mara");
export const VERA = caller("vera");
export const OTTO = caller("otto");
export const ADMIN = caller("admin", "admin");

export async function furnishWorld(store: Store): Promise<void> {
  await store.write(function* () {
    for (const id of ["mara", "otto", "vera"]) {
      yield* insertUser({ id, displayName: id, role: "operator" }, { actor: "test", now: NOW });
    }
  });
  await furnishTidepool(store);
  await store.write(() =>
    putProjectMember(
      { projectId: TIDEPOOL, userId: "vera", role: "viewer" },
      { actor: "mara", now: NOW },
    ),
  );
}

function scripted({ models, clock }: ScratchKernel, says: object): ModelDirectory {
  const script = parseRehearsalScript(JSON.stringify(says));
  const provider = createRehearsalModel(clock, { script });
  return { ...models, find: async (name) => ({ name, provider, costOf: () => 0 }) };
}

export interface ContinuityWorld {
  readonly kernel: ScratchKernel;
  as<Output = Record<string, never>>(who: Caller, name: string, input?: object): Promise<Output>;
  /** How the command line would show it. */
  show(who: Caller, name: string, input?: object): Promise<string>;
  remove(): Promise<void>;
}

/** `says` scripts the rehearsal model. */
export async function openContinuityWorld({
  says,
  ...options
}: ScratchKernelOptions & { readonly says?: object } = {}): Promise<ContinuityWorld> {
  const scratch = await scratchKernel({ ...worldOptions, ...options });
  const kernel = says === undefined ? scratch : { ...scratch, models: scripted(scratch, says) };
  await furnishWorld(kernel.store);
  const engine = startEngine({
    ...kernel.engine,
    store: kernel.store,
    clock: kernel.clock,
    models: kernel.models,
    worker: "test",
    concurrency: 4,
    pollMs: 5,
    random: () => 0.5,
    onTrouble: (error) => {
      throw error;
    },
  });
  const awake = { ...kernel, wake: () => engine.wake() };
  const call = (who: Caller, name: string, input: object = {}) =>
    invoke(awake, registry, name, who, input);
  return {
    kernel: awake,
    as: async <Output>(who: Caller, name: string, input?: object) =>
      (await call(who, name, input)) as Output,
    show: async (who, name, input) => {
      const render = registry.get(name).surfaces?.cli?.render;
      if (render === undefined) throw new Error(`${name} has no view`);
      return layOutView(render(await call(who, name, input)));
    },
    remove: async () => {
      await engine.stop();
      await kernel.remove();
    },
  };
}
