import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { TestCaller } from '../../../../testing/controller.ts';
import { createTestFleet, type TestAgent, type TestFleet } from '../../../../testing/fleet.ts';

export type EventInit = MessageInitShape<typeof fleet.ShieldEventSchema>;

/** A blocked request of `api.example.com`, as a filter reports it. */
export function finding(seq: number, more: EventInit = {}): EventInit {
  return {
    seq: BigInt(seq),
    timeMs: BigInt(Date.now()),
    requestId: `request-${seq}`,
    host: 'api.example.com',
    method: 'GET',
    path: '/v1/items',
    policy: 'guard',
    route: '/v1',
    engine: 'api_key',
    reason: 'apikey.missing',
    severity: 'high',
    verdict: fleet.ShieldVerdict.BLOCKED,
    status: 403,
    subject: '',
    sourceIp: '203.0.113.7',
    digest: 'a'.repeat(64),
    detail: '',
    ...more,
  };
}

/** Shared by the tests of one file: a service on one client whose agent reports findings. */
export interface FindingWorld {
  readonly t: TestFleet;
  readonly agent: TestAgent;
  readonly service: { readonly id: string; readonly name: string };
  message(events: readonly EventInit[], epoch?: string, serviceId?: string): fleet.ShieldEvents;
  /** Sends and flushes; resolves to the acknowledgement. */
  tell(report: fleet.ShieldEvents, from?: TestAgent): Promise<boolean>;
  get(
    path: string,
    query?: Record<string, string>,
    caller?: TestCaller,
    project?: string,
  ): ReturnType<TestCaller['call']>;
  list(query?: Record<string, string>): Promise<Awaited<ReturnType<TestCaller['call']>>['body']>;
  requestIds(query?: Record<string, string>): Promise<string[]>;
}

/** Created before the tests of the calling file; each of them starts without events. */
export function useFindingWorld(): FindingWorld {
  let made: Pick<FindingWorld, 't' | 'agent' | 'service'> | undefined;
  const world = () => {
    if (made === undefined) throw new Error('the fleet is there only within tests');
    return made;
  };
  beforeAll(async () => {
    const t = await createTestFleet();
    const client = await t.createClient();
    const service = await t.createService({ clients: [{ client_id: client }] });
    made = { t, service, agent: await t.connect(client) };
  });
  afterAll(() => world().t.close());
  beforeEach(async () => {
    const { t } = world();
    await t.controller.fleet.shieldEvents.flush();
    await t.database.db.deleteFrom('shield_events').execute();
  });
  const get: FindingWorld['get'] = (path, query = {}, caller = world().t.owner, project = world().t.project) =>
    caller.call('GET', `${path}?${new URLSearchParams({ project, ...query })}`);
  const list: FindingWorld['list'] = async (query = {}) => (await get('/api/v3/shield/events', query)).body;
  return {
    get t() {
      return world().t;
    },
    get agent() {
      return world().agent;
    },
    get service() {
      return world().service;
    },
    message: (events, epoch = createId(), serviceId = world().service.id) =>
      create(fleet.ShieldEventsSchema, { serviceId, epoch, events: [...events] }),
    async tell(report, from = world().agent) {
      const answer = from.session.shieldEvents(report);
      await world().t.controller.fleet.shieldEvents.flush();
      return answer;
    },
    get,
    list,
    requestIds: async (query = {}) => (await list(query)).items.map((item: { request_id: string }) => item.request_id),
  };
}
