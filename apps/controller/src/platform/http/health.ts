import type { Db } from '@flotilla/db';
import { withDeadline } from '@flotilla/kit';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { pingDatabase } from '../database/ping-store.ts';

const READY_DEADLINE_MS = 2000;

/** Probes for load balancers and orchestrators. They need no sign-in and reveal nothing. */
export function addHealthRoutes(app: FastifyInstance, deps: { db: Db; metrics: Registry }): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await withDeadline(pingDatabase(deps.db), READY_DEADLINE_MS, 'the database does not answer');
      return { status: 'ready' };
    } catch {
      return reply
        .code(503)
        .header('retry-after', '1')
        .send({ status: 'not ready', reason: 'The database does not answer.' });
    }
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(deps.metrics.contentType).send(await deps.metrics.metrics()),
  );
}
