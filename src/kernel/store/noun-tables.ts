/** The rows of the shared nouns' tables, as the database holds them; `noun-migration.ts` makes them. */

export interface NounTables {}
