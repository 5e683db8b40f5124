import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { listenAsUpstream } from '@flotilla/testkit';
import type { Identity } from './identity.ts';

export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks with TLS on loopback. */
export class HttpsReceiver {
  readonly received: ReceivedPost[] = [];
  readonly url: string;
  answer: { readonly status: number; readonly location?: string } = { status: 204 };
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `https://localhost:${(server.address() as AddressInfo).port}`;
  }

  static async open(identity: Identity): Promise<HttpsReceiver> {
    const server = await listenAsUpstream(() => createServer(identity));
    const receiver = new HttpsReceiver(server as unknown as Server);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        receiver.received.push({ path: request.url ?? '', headers: request.headers, body });
        const { status, location } = receiver.answer;
        response.writeHead(status, location === undefined ? {} : { location }).end();
      });
    });
    return receiver;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
