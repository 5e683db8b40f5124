import type { OperationDelta } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../../testing/controller.ts';
import { type ApplyOutcome, applyBatches, type BatchDeltas } from '../apply-store.ts';

const DAY_MS = 86_400_000;

export const SERVICE = createId();
export const CLIENT = createId();

/** One accepted request of a minute ago, without anything remarkable. */
export function createDelta(
  name: string,
  more: Partial<Omit<OperationDelta, 'key'>> & { readonly atMs?: number } = {},
): OperationDelta {
  const [method = 'GET', address = ''] = name.split(' ');
  const slash = address.indexOf('/');
  const [host, normalizedPath] = slash === -1 ? [address, '/'] : [address.slice(0, slash), address.slice(slash)];
  const { atMs = Date.now() - 60_000, ...rest } = more;
  return {
    key: { method: method as 'GET', host, normalizedPath, operation: '' },
    confirmed: true,
    seen: 1,
    firstMs: atMs,
    lastMs: atMs,
    statuses: { 200: rest.seen ?? 1 },
    latencyMaxMs: 12,
    latencyClasses: [0, rest.seen ?? 1, 0, 0, 0, 0],
    responseBytesTotal: 100,
    responseBytesMax: 100,
    requestBytesTotal: 10,
    threatMax: 0,
    exposureMax: 0,
    flags: {},
    pii: {},
    categories: [],
    schemes: {},
    authenticatedMs: 0,
    anonymousMs: 0,
    refusedMs: 0,
    blocked: 0,
    protocols: ['http/2'],
    grpcService: '',
    grpcMethod: '',
    services: [SERVICE],
    clients: [CLIENT],
    listeners: ['web'],
    clusters: [],
    routes: [],
    contentTypes: [],
    origins: [],
    queryNames: [],
    consumers: [],
    ...rest,
  };
}

export const daysAgo = (days: number) => Date.now() - days * DAY_MS;

export interface InventoryWorld {
  readonly t: TestController;
  readonly admin: TestCaller;
  readonly viewer: TestCaller;
  /** Applies deltas as the next batch of one sender. */
  apply(deltas: readonly OperationDelta[], more?: Partial<BatchDeltas>): Promise<ApplyOutcome | undefined>;
  /** A new project, whose batches `apply` gets with its id. */
  createProject(): Promise<string>;
  /** The body of an answer with status 200. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  read(path: string, project?: string): Promise<any>;
  /** Paths of the operations of a list, in its order. */
  names(path: string, project?: string): Promise<string[]>;
  /** Finds the id of an operation by method and address. */
  idOf(name: string, project?: string): Promise<string>;
}

export const ROOT = '/api/v3/inventory';

/** A controller for the tests of one file. */
export function useInventoryWorld(): InventoryWorld {
  const world = {} as { -readonly [K in keyof InventoryWorld]: InventoryWorld[K] };
  let sequence = 0;
  beforeAll(async () => {
    world.t = await createTestController();
    world.admin = await world.t.createMember('admin');
    world.viewer = await world.t.createMember('viewer');
  });
  afterAll(() => world.t?.close());

  world.apply = async (deltas, more = {}) => {
    sequence += 1;
    const batch = { projectId: world.t.project, clientId: CLIENT, serviceId: SERVICE, epoch: 'one', sequence };
    const [outcome] = await applyBatches(world.t.database.db, [{ ...batch, now: new Date(), deltas, ...more }]);
    return outcome;
  };
  world.createProject = () => world.t.createProject(`project-${createId().slice(-8)}`);
  world.read = async (path, project = world.t.project) => {
    const url = `${ROOT}${path}${path.includes('?') ? '&' : '?'}project=${project}`;
    const answer = await world.t.owner.call('GET', url);
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  world.names = async (path, project) => {
    const { items } = await world.read(path, project);
    return items.map((item: { method: string; host: string; normalized_path: string }) => nameOf(item));
  };
  world.idOf = async (name, project) => {
    for (const half of ['', '/attack-surface']) {
      const { items } = await world.read(`${half}?limit=1000`, project);
      const found = items.find((item: Parameters<typeof nameOf>[0]) => nameOf(item) === name);
      if (found) return found.id;
    }
    throw new Error(`no operation ${name}`);
  };
  return world;
}

function nameOf(item: { readonly method: string; readonly host: string; readonly normalized_path: string }): string {
  return `${item.method} ${item.host}${item.normalized_path}`;
}
