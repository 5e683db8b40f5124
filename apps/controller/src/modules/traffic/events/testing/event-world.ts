import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, openDuckDbStore, type RequestEvent, toProjectId } from '@flotilla/event-store';
import { createEvent } from '@flotilla/event-store/testing/events';
import { RISK_FLAGS, type RiskFlag, toMarkBits } from '@flotilla/inventory';
import type { Answer, TestCaller } from '../../../../testing/controller.ts';
import { createTestFleet, type TestFleet } from '../../../../testing/fleet.ts';
import type { EventSource } from '../source.ts';

export const PATH = '/api/v3/inventory';
export const HOUR_MS = 3_600_000;

type Query = Readonly<Record<string, string | readonly string[]>>;

/** A controller with a DuckDB store of its own, which a test fills by code. */
export interface EventWorld {
  readonly t: TestFleet;
  readonly store: EventStore;
  /** Members may be replaced: what a route asks for changes at once. */
  readonly access: { store: EventStore | undefined; reason: string | undefined };
  /** The service and the client of the events. */
  readonly service: { readonly id: string; readonly name: string };
  readonly client: string;
  /** The time of the newest events. */
  readonly nowMs: number;
  event(changes?: Partial<RequestEvent>): RequestEvent;
  append(events: readonly RequestEvent[], project?: string): Promise<void>;
  call(path: string, query?: Query, by?: { caller?: TestCaller; project?: string }): Promise<Answer>;
  /** The body of an answer with status 200. */
  get(path: string, query?: Query, by?: { caller?: TestCaller; project?: string }): Promise<Answer['body']>;
  close(): Promise<void>;
}

/** Two keys of each project, as during a rotation; the newest first. */
export function hashOf(projectId: string, value: string, keyId = 'key-2'): string {
  return createHmac('sha256', `${projectId} ${keyId}`).update(value).digest('hex').slice(0, 16);
}

export const hashFor: EventSource['hashFor'] = async (projectId, _kind, value) =>
  ['key-2', 'key-1'].map((keyId) => ({ keyId, hash: hashOf(projectId, value, keyId) }));

export const flagBits = (...flags: RiskFlag[]) => flags.map((flag) => RISK_FLAGS[flag].bit);

/** `makeFleet` may open a controller of another kind on the same events. */
export async function createEventWorld(
  makeFleet: (options: { eventSource: EventSource }) => Promise<TestFleet> = createTestFleet,
): Promise<EventWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-events-'));
  const store = await openDuckDbStore({ path: join(folder, 'events.duckdb') });
  const access: EventWorld['access'] = { store, reason: undefined };
  const t = await makeFleet({ eventSource: { access, hashFor } });
  const client = await t.createClient('edge-of-events');
  const service = await t.createService({ name: 'shop-of-events', clients: [{ client_id: client }] });
  const nowMs = Date.now() - 1000;
  let sequence = 0;
  const call: EventWorld['call'] = (path, query = {}, { caller = t.owner, project = t.project } = {}) => {
    const search = new URLSearchParams({ project });
    for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) search.append(name, one);
    return caller.call('GET', `${PATH}${path}?${search}`);
  };
  return {
    t,
    store,
    access,
    service,
    client,
    nowMs,
    event: (changes = {}) =>
      createEvent({
        timeMs: nowMs,
        service: service.id,
        client,
        agentKind: 'sdk',
        authScheme: 'jwt',
        tlsVersion: 'TLSv1_3',
        marks: toMarkBits(['confirmed', 'authenticated', 'externalSource']),
        ...changes,
      }),
    append: async (events, project = t.project) => {
      sequence += 1;
      await store.append(toProjectId(project), { sender: 'test', epoch: '1', sequence, events });
    },
    call,
    get: async (...args) => {
      const { status, body } = await call(...args);
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
      return body;
    },
    close: async () => {
      await t.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
