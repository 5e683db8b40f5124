import type { Socket } from 'node:net';
import { fail } from '@flotilla/contract';
import type { FastifyInstance } from 'fastify';

/** Refuses new requests on open connections while the server waits for running answers. */
export function refuseWhenClosing(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  const refusal = { reason: 'This controller is being stopped.' };
  app.addHook('onRequest', (_request, _reply, done) => {
    done(isClosing ? fail('service.unavailable', refusal, { extra: { retry_after: 1 } }) : undefined);
  });
}

/**
 * Closes connections without a running request, including those that Node considers busy: without any request, with
 * half a request, or with an answer that had started before. Running requests keep their time.
 */
export function endIdleWhenClosing(app: FastifyInstance): void {
  const underWay = new Map<Socket, number>();
  let isClosing = false;
  const count = (socket: Socket, change: number) => {
    const requests = underWay.get(socket);
    if (requests === undefined) return;
    underWay.set(socket, requests + change);
    if (isClosing && requests + change === 0) socket.destroySoon();
  };
  app.server.on('connection', (socket) => {
    if (isClosing) {
      socket.destroy();
      return;
    }
    underWay.set(socket, 0);
    socket.once('close', () => underWay.delete(socket));
  });
  app.server.on('request', ({ socket }, answer) => {
    count(socket, 1);
    answer.once('close', () => count(socket, -1));
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const [socket, requests] of underWay) if (requests === 0) socket.destroy();
  });
}
