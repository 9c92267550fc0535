/** Another program on this machine that is sent something over HTTP. */

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Receiver {
  readonly url: string;
  close(): void;
}

/** `take` is given every body, and says with which status it is answered. */
export async function startReceiver(
  take: (body: string, headers: IncomingHttpHeaders) => number,
): Promise<Receiver> {
  const answer = async (request: IncomingMessage) => take(await text(request), request.headers);
  const server = createServer((request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
