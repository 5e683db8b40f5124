import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { listenAsUpstream } from '@flotilla/testkit';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer to a request; hang: there is none. */
export type Manner = { readonly status: number; readonly location?: string } | 'hang';

/** A receiver of webhooks on loopback. */
export class Receiver {
  readonly received: Received[] = [];
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(mannerOf: (path: string) => Manner = () => ({ status: 200 })): Promise<Receiver> {
    const server = await listenAsUpstream(() => createServer());
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      const answer = (body: string) => {
        receiver.received.push({ path, headers: request.headers, body });
        const manner = mannerOf(path);
        if (manner === 'hang') return;
        response.writeHead(manner.status, manner.location === undefined ? {} : { location: manner.location }).end('ok');
      };
      void text(request).then(answer, () => undefined);
    });
    return receiver;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
