import { engineSuite } from "./engine.suite.ts";
import { localQueue } from "./local-queue.ts";

engineSuite("PostgreSQL with its own queue", {
  dialect: "postgres",
  openQueue: async () => ({ queue: localQueue, close: async () => {} }),
});
