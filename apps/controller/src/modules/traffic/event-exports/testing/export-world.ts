import { type EventBatch, type RequestEvent, spanOf, toProjectId } from '@flotilla/event-store';
import { createId } from '@flotilla/kit';
import { createEventWorld, type EventWorld } from '../../events/testing/event-world.ts';
import { noteArrivals } from '../arrival-store.ts';

export const EXPORTS = '/api/v3/inventory/exports';
export const SIGNING_SECRET = 'signs-what-is-sent-to-receivers';

export interface ExportWorld extends EventWorld {
  /** Stores events and notes their arrival, as the collector does. Returns their ids. */
  arrive(events: readonly RequestEvent[], project?: string): Promise<string[]>;
  /** Adds findings of filters. Returns their ids. */
  find(
    count: number,
    more?: { readonly project?: string; readonly host?: string; readonly verdict?: string },
  ): Promise<string[]>;
  create(name: string, values: Record<string, unknown>, project?: string): Promise<string>;
  read(id: string, project?: string): Promise<Record<string, unknown>>;
}

/** A controller that may send to loopback, with an event store that a test fills. */
export async function createExportWorld(): Promise<ExportWorld> {
  const world = await createEventWorld();
  const { t, store } = world;
  await t.owner.call('PUT', '/api/v3/setting/documents/outgoing', { allowed_networks: ['127.0.0.0/8', '::1/128'] });
  let sequence = 0;
  return {
    ...world,
    arrive: async (events, project = t.project) => {
      sequence += 1;
      const batch: EventBatch = { sender: 'exported', epoch: '1', sequence, events };
      await store.append(toProjectId(project), batch);
      const span = spanOf(project, batch, { nowMs: Date.now(), isRepeated: false });
      await t.database.db.transaction().execute((tx) => noteArrivals(tx, [{ projectId: project, span }]));
      const { events: stored } = await store.forward(toProjectId(project), {
        batches: [span.batch],
        from: span.fromMs,
        to: span.toMs,
        cursor: null,
        limit: 50_000,
      });
      return stored.map(({ timeMs, id }) => `${timeMs}.${id}`);
    },
    find: async (count, { project = t.project, host = 'api.example.com', verdict = 'blocked' } = {}) => {
      const rows = Array.from({ length: count }, () => ({
        id: createId(),
        project_id: project,
        time: new Date(),
        service_id: world.service.id,
        client_id: world.client,
        request_id: '',
        method: 'GET',
        host,
        path: '/accounts/4711/secret-of-a-person',
        policy: 'guard',
        route: '/v1',
        engine: 'api_key',
        reason: 'apikey.missing',
        severity: 'high' as const,
        verdict: verdict as 'blocked',
        status: 403,
        subject: 'anna@example.com',
        source_ip: '203.0.113.7',
        digest: 'a'.repeat(64),
        detail: '',
      }));
      await t.database.db.insertInto('shield_events').values(rows).execute();
      return rows.map(({ id }) => id).toSorted();
    },
    create: async (name, values, project = t.project) => {
      const { status, body } = await t.owner.call('POST', `${EXPORTS}?project=${project}`, { name, ...values });
      if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
      return body.id;
    },
    read: async (id, project = t.project) => {
      const { body } = await t.owner.call('GET', `${EXPORTS}/${id}?project=${project}`);
      return body;
    },
  };
}
