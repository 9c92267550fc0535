/** The tables of the kernel and of every method. In order, append-only: a workspace remembers which it has. */

import { engineTables } from "../kernel/store/engine-migration.ts";
import type { Migration } from "../kernel/store/migrate.ts";
import { nounTables } from "../kernel/store/noun-migration.ts";
import { searchTables } from "../kernel/store/search-migration.ts";
import { harvestTables } from "../methods/continuity/harvest/harvest-migration.ts";
import { importTables } from "../methods/continuity/import/import-migration.ts";
import { packetTables } from "../methods/continuity/packet/packet-migration.ts";
import { noticeTables } from "../methods/notice/notice-migration.ts";
import { dialecticTables } from "../methods/dialectic/running/dialectic-migration.ts";
import { workflowTables } from "../methods/pipeline/catalogue/workflow-migration.ts";
import { workflowRunTables } from "../methods/pipeline/running/run-migration.ts";
import { starterTables } from "../methods/pipeline/starters/starter-migration.ts";
import { sessionTables } from "../methods/session/session-migration.ts";
import { teamRunTables } from "../methods/team/state/team-migration.ts";

export const MIGRATIONS: readonly Migration[] = [
  engineTables,
  nounTables,
  searchTables,
  packetTables,
  importTables,
  workflowTables,
  workflowRunTables,
  starterTables,
  harvestTables,
  sessionTables,
  teamRunTables,
  noticeTables,
  dialecticTables,
];
