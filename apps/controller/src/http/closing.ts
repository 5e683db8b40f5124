import type { Socket } from 'node:net';
import { fail } from '@flotilla/contract';
import type { FastifyInstance } from 'fastify';

/** Requests on connections that are still open while the answers of others are waited for. */
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
 * Ends connections on which no request is being answered, those too that Node takes for busy: one that never sent a request,
 * or half of one, and one whose answer had begun before. Requests under way keep their time.
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
