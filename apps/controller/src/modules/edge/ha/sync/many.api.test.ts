import { isFullTier } from '@flotilla/kit/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestFleet, type TestAgent, type TestFleet } from '../../../../testing/fleet.ts';
import { listPending } from './index.ts';
import { insertPair, readCommands, readOwed } from './testing/pairs.ts';

const WAIT = { timeout: 180_000, interval: 500 };
const SERVICES = isFullTier ? 500 : 60;
const IN_FLIGHT = 32;

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t?.close());

/** Reads once for any number of notes that arrive during a read, as a real stream does. */
function coalesce(agent: TestAgent): void {
  for (const name of ['readDesired', 'readCommands'] as const) {
    const read = agent[name].bind(agent);
    let isReading = false;
    let isStale = false;
    const readOnce = (): void => {
      isStale = true;
      if (isReading) return;
      isReading = true;
      isStale = false;
      read();
      void agent.settled().then(() => {
        isReading = false;
        if (isStale) readOnce();
      });
    };
    agent[name] = readOnce;
  }
}

/** Copies of a service that is deployed to the client, each with an address of its own. */
async function copyService(serviceId: string, clientId: string): Promise<void> {
  await sql`
    with copies as (
      insert into services (id, project_id, name, version, bootstrap, listeners, policies, shield_threads,
        shield_xff_trusted_hops, created_at, updated_at, updated_by)
      select gen_random_uuid(), project_id, name || '-' || n, version, bootstrap, listeners, policies, shield_threads,
        shield_xff_trusted_hops, now(), now(), 'test'
      from services, generate_series(2, ${SERVICES}::int) n where id = ${serviceId} returning id)
    insert into service_targets (service_id, client_id, position, addresses, deployed, generation)
    select id, ${clientId}, 0, array['10.1.' || (row_number() over () / 200) || '.' || (1 + row_number() over () % 200)], true,
      nextval('fleet_generation') from copies`.execute(t.database.db);
}

it('a member that joins catches up with all services, a bounded number at a time, and each gets one deployment', async () => {
  const [a, b] = [await t.createClient('a'), await t.createClient('b')];
  await t.connect(a);
  const agent = await t.connect(b);
  const service = await t.createService();
  const first = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, {
    type: 'DEPLOY',
    clients: [{ client_id: a, addresses: ['10.1.9.9'] }],
    command: { service_id: service.id },
  });
  expect(first.status).toBe(200);
  await copyService(service.id, a);
  coalesce(agent);
  const pair = await insertPair(t.database, { project: t.project, clients: [a, b] });
  expect((await listPending(t.database.db, [pair.id])).get(pair.id)).toHaveLength(SERVICES);
  await vi.waitFor(async () => {
    const { rows } = await sql<{ running: number }>`
      select count(*)::int as running from ha_sync where pair_id = ${pair.id} and command_id is not null`.execute(
      t.database.db,
    );
    expect(rows[0]?.running).toBeLessThanOrEqual(IN_FLIGHT);
    expect(await readOwed(t.database, pair.id)).toEqual([]);
  }, WAIT);
  const commands = await readCommands(t.database, b);
  expect(commands.filter(({ name }) => name === 'DATAPLANE_VERSION SET_VERSION')).toHaveLength(1);
  const deploys = commands.filter(({ name }) => name === 'DEPLOY');
  expect([deploys.length, new Set(deploys.map(({ service_id }) => service_id)).size]).toEqual([SERVICES, SERVICES]);
});
