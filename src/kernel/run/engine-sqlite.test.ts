import { engineSuite } from "./engine.suite.ts";
import { localQueue } from "./local-queue.ts";

engineSuite("SQLite with its own queue", {
  dialect: "sqlite",
  openQueue: async () => ({ queue: localQueue, close: async () => {} }),
});
