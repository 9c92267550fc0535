import { randomBytes } from "node:crypto";
import { findPostgres } from "../../../tests/scratch/postgres-server.ts";
import { engineSuite } from "../../kernel/run/engine.suite.ts";
import { executeSql } from "../../kernel/store/database-work.ts";
import { sqlText } from "../../kernel/store/sql-text.ts";
import { openPgBossQueue } from "./pg-boss-queue.ts";

engineSuite("PostgreSQL with pg-boss", {
  dialect: "postgres",
  openQueue: async (store) => {
    const schema = `q_${randomBytes(6).toString("hex")}`;
    const connectionString = await findPostgres();
    const queue = await openPgBossQueue({ connectionString, schema, onTrouble: () => undefined });
    return {
      queue,
      close: async () => {
        await queue.close();
        await store.write(() => executeSql(sqlText(`drop schema if exists ${schema} cascade`), []));
      },
    };
  },
});
