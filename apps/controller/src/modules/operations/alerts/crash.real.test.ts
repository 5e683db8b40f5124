import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ControllerProcess, OWNER_PASSWORD } from '../../../platform/presence/testing/process.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { type Manner, Receiver } from './testing/receiver.ts';

const WAIT = { timeout: 90_000, interval: 200 };

let database: TestDatabase;
let receiver: Receiver;
let manner: Manner = 'hang';
const processes: ControllerProcess[] = [];
beforeAll(async () => {
  database = await createControllerDatabase();
  receiver = await Receiver.open(() => manner);
});
afterAll(async () => {
  for (const each of processes) await each.close();
  await receiver?.close();
  await database?.close();
});

async function start(): Promise<ControllerProcess> {
  const controller = await ControllerProcess.start(database);
  processes.push(controller);
  return controller;
}

it('kill -9 between a delivery and its record repeats the message with its id, and fires the alert once', async () => {
  const one = await start();
  const { body: login } = await one.call('POST', '/auth/login', {
    body: { username: 'admin', password: OWNER_PASSWORD },
  });
  const token: string = login.access_token;
  const { rows } = await sql<{ id: string }>`select id from projects`.execute(database.db);
  const project = rows[0]?.id ?? '';
  const send = async (method: string, path: string, body: object) => {
    const answer = await one.call(method, path, { token, body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  await send('PUT', '/api/v3/setting/documents/outgoing', { allowed_networks: ['127.0.0.0/8'] });
  const target = { kind: 'webhook', url: receiver.url, secret: 'a-secret-of-sixteen-and-more' };
  const channel = await vi.waitFor(
    () => send('POST', `/api/v3/alert-channels?project=${project}`, { name: 'hook', target }),
    WAIT,
  );
  const condition = { kind: 'client_offline' };
  const rule = { name: 'lost', condition, for_s: 0, channels: [channel.id] };
  await send('POST', `/api/v3/alert-rules?project=${project}`, rule);
  await sql`
    insert into clients (id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, cores,
      memory_bytes, runtime_dir, data_dir, connect_time, disconnect_time, created_at, updated_at)
    select gen_random_uuid(), ${project}, 'edge-' || i, 'host', 'linux', 'amd64', '6', '1', 'other', '{}', 4, 1, '/r',
      '/d', now(), now(), now(), now() from generate_series(1, 100) i`.execute(database.db);
  // The receiver has the message and has not answered: the outcome is not recorded.
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), WAIT);
  one.signal('SIGKILL');
  await one.exit;
  manner = { status: 200 };
  await start();
  // The lease of the killed controller is over.
  await sql`update alert_deliveries set leased_until = now() - interval '1 s' where status = 'sending'`.execute(
    database.db,
  );
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), WAIT);
  const [first, second] = receiver.received.map(({ headers, body }) => ({ id: headers['x-flotilla-delivery'], body }));
  expect(second).toEqual(first);
  expect(JSON.parse(first?.body ?? '')).toMatchObject({ firing: { count: 100 } });
  const delivered = () =>
    database.db.selectFrom('alert_deliveries').select(['status', 'attempts']).where('kind', '=', 'alerts').execute();
  await vi.waitFor(async () => expect(await delivered()).toEqual([{ status: 'delivered', attempts: 2 }]), WAIT);
  const { rows: alerts } = await sql<{
    count: number;
    fires: number;
  }>`select count(*)::int as count, max(fires) as fires
    from alerts where rule_name = 'lost'`.execute(database.db);
  expect(alerts).toEqual([{ count: 100, fires: 1 }]);
});

it('two controllers evaluate the rules as one', async () => {
  await start();
  await sql`delete from alert_deliveries`.execute(database.db);
  await sql`update alerts set notified_at = null where rule_name = 'lost'`.execute(database.db);
  const before = receiver.received.length;
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(before), WAIT);
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from alert_deliveries
    where kind = 'alerts'`.execute(database.db);
  expect(rows).toEqual([{ count: 1 }]);
  const { rows: twice } = await sql<{ id: string }>`select rule_id as id from alerts where state <> 'resolved'
    group by rule_id, fingerprint having count(*) > 1`.execute(database.db);
  expect(twice).toEqual([]);
});
