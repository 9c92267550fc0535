/** Every shared table. A method's own tables live in its folder and are joined by `tablesOf`. */

import type { EngineTables } from "./engine-tables.ts";
import type { NounTables } from "./noun-tables.ts";

export interface Tables extends EngineTables, NounTables {}
