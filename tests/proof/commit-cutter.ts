/**
 * Stands between a program and PostgreSQL, and now and then cuts a connection at the worst moment: the server has
 * committed, and its word never arrives.
 */

import { createServer, connect, type Socket } from "node:net";

export interface CommitCutter {
  readonly url: string;
  readonly cuts: number;
  /** One commit in so many is cut; 0 for none. */
  oneIn: number;
  close(): Promise<void>;
}

/** `CommandComplete` with the tag `COMMIT`, as the server sends it. */
const COMMITTED = Buffer.from("C\0\0\0\x0bCOMMIT\0", "latin1");

export async function startCommitCutter(targetPort: number): Promise<CommitCutter> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  let commits = 0;
  const cutter = { oneIn: 0 };
  const server = createServer((client) => {
    const database = connect(targetPort, "127.0.0.1");
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on("data", (bytes) => database.write(bytes));
    database.on("data", (bytes) => {
      const at = bytes.indexOf(COMMITTED);
      if (at >= 0 && cutter.oneIn > 0) {
        commits += 1;
        if (commits % cutter.oneIn === 0) {
          cuts += 1;
          // Everything up to the word, and then nothing more.
          client.write(bytes.subarray(0, at), () => client.destroy());
          return;
        }
      }
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/throughline`,
    get cuts() {
      return cuts;
    },
    get oneIn() {
      return cutter.oneIn;
    },
    set oneIn(value) {
      cutter.oneIn = value;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
