import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a local port. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Listening> {
  const server = createServer((request, response) => {
    answer(request, response);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(0, '127.0.0.1', resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
