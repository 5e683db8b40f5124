import type { FindingDetail, FindingEntry, FindingView } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { OperationDelta } from '@flotilla/inventory';
import { createId, FakeClock } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import {
  type Answer,
  createTestController,
  type TestCaller,
  type TestController,
} from '../../../../testing/controller.ts';
import { applyBatches, createDelta } from '../../inventory/testing/index.ts';
import { runPass } from '../pass.ts';

export const DAY_MS = 86_400_000;
export const PATH = '/api/v3/inventory/findings';

/** A project of its own with a clock of the traffic that only the test moves. It starts at the time of the routes. */
export interface FindingProject {
  readonly id: string;
  readonly editor: TestCaller;
  readonly clock: FakeClock;
  /** Requests with these flags at the time of the clock. */
  see(name: string, more?: Partial<OperationDelta>): Promise<void>;
  pass(): Promise<void>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  list(query?: string): Promise<FindingView[]>;
  /** The only finding. */
  only(): Promise<FindingDetail>;
  history(id: string): Promise<FindingEntry[]>;
  decide(id: string, change: object): Promise<Answer>;
  addMember(role?: 'viewer' | 'editor' | 'admin'): Promise<TestCaller>;
}

export interface FindingWorld {
  readonly t: TestController;
  openProject(): Promise<FindingProject>;
}

/** A controller for the tests of one file. */
export function useFindingWorld(): FindingWorld {
  const world = {} as { -readonly [K in keyof FindingWorld]: FindingWorld[K] };
  beforeAll(async () => {
    world.t = await createTestController();
  });
  afterAll(() => world.t?.close());
  world.openProject = () => openFindingProject(world.t);
  return world;
}

export async function openFindingProject(t: TestController): Promise<FindingProject> {
  const { db } = t.database;
  const id = await t.createProject(`findings-${createId().slice(-8)}`);
  const editor = await t.createMember('editor', id);
  const clock = new FakeClock(Date.now());
  const sender = { projectId: id, clientId: createId(), serviceId: createId(), epoch: 'e' };
  let sequence = 0;
  const call: FindingProject['call'] = (method, path, body, headers) =>
    editor.call(method, `${PATH}${path}${path.includes('?') ? '&' : '?'}project=${id}`, body, headers);
  const list = async (query = '') => {
    const { status, body } = await call('GET', query);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.items as FindingView[];
  };
  return {
    id,
    editor,
    clock,
    async see(name, more = {}) {
      sequence += 1;
      const atMs = clock.now();
      const delta = createDelta(name, { atMs, ...more });
      await applyBatches(db, [{ ...sender, sequence, deltas: [delta], now: new Date(atMs) }]);
    },
    pass: () => runPass({ db, clock, write: (work) => db.transaction().execute(work) }),
    call,
    list,
    async only() {
      const [first, ...others] = await list();
      if (first === undefined || others.length > 0) throw new Error(`${others.length + (first ? 1 : 0)} findings`);
      return (await call('GET', `/${first.id}`)).body;
    },
    history: async (finding) => (await call('GET', `/${finding}/history`)).body.items,
    decide: (finding, change) => call('POST', `/${finding}/state`, change),
    addMember: (role = 'viewer') => t.createMember(role, id),
  };
}

/** Deletes an operation, as the clean-up does. */
export async function deleteOperation(t: TestController, project: string, operation: string): Promise<void> {
  await sql`delete from inventory_operations where project_id = ${project} and id = ${operation}`.execute(
    t.database.db,
  );
}

/** Adds copies of the only operation of the project, with other paths. */
export async function copyOperations(db: Db, project: string, count: number): Promise<void> {
  const copied =
    sql.raw(`first_seen, last_seen, seen, classes, error_rate, latency_max_ms, response_bytes, risk, posture_risk,
    active_risk, active_posture_risk, active_until, flags, active_flags, pii, active_pii, categories, schemes, protocols,
    auth_posture, services, clients, listeners`);
  const id = sql`lpad(to_hex(i), 16, '0')`;
  await sql`
    insert into inventory_operations (project_id, id, confirmed, is_other, method, host, path, operation, ${copied})
    select project_id, ${id}, confirmed, is_other, method, host, '/p' || i, operation, ${copied}
    from inventory_operations, generate_series(1, ${count}::int) i where project_id = ${project}`.execute(db);
  await sql`
    insert into inventory_details (project_id, operation_id, state)
    select project_id, ${id}, state
    from inventory_details, generate_series(1, ${count}::int) i where project_id = ${project}`.execute(db);
}
