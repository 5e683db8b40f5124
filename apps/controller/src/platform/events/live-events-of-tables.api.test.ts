import { LIVE_TOPIC } from '@flotilla/db';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';

const MANY = 1000;

let database: TestDatabase;
let project: string;
beforeAll(async () => {
  database = await createControllerDatabase();
  project = crypto.randomUUID();
  await sql`insert into projects (id, name, created_at, updated_at) values (${project}, 'p', now(), now())`.execute(
    database.db,
  );
  await sql`insert into clients (id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, cores,
      memory_bytes, runtime_dir, data_dir, created_at, updated_at)
    select gen_random_uuid(), ${project}, 'c' || n, 'h', 'linux', 'x', 'k', '1', 'o', '{}', 1, 1, '/r', '/d', now(), now()
    from generate_series(1, ${MANY}::int) n`.execute(database.db);
});
afterAll(() => database.close());
beforeEach(() => database.db.deleteFrom('outbox').execute());

async function news(): Promise<unknown[]> {
  const rows = await database.db.selectFrom('outbox').select('payload').where('topic', '=', LIVE_TOPIC).execute();
  return rows.map(({ payload }) => payload);
}
const commandAll = (count: number) => sql`
  insert into commands (id, project_id, client_id, client_name, type, sub_type, operation, fence, payload, status, timeout_ms,
    created_by, created_at)
  select gen_random_uuid(), project_id, id, name, 'DEPLOY', '', 'x', nextval('fleet_generation'), '{}', 'pending', 1, 'x', now()
  from clients limit ${count}`;

it('live events list each of a few commands, but for very many only say that there are some', async () => {
  await commandAll(3).execute(database.db);
  expect(await news()).toHaveLength(3);
  expect((await news())[0]).toMatchObject({ topic: 'command', project, command_id: expect.any(String) });
  await database.db.deleteFrom('outbox').execute();
  await commandAll(MANY).execute(database.db);
  expect(await news()).toEqual([{ topic: 'command', project }]);
});

it('live events report commands with a changed status or step, and no others', async () => {
  await sql`update commands set status = status, deadline_at = now()`.execute(database.db);
  expect(await news()).toEqual([]);
  await sql`update commands set step = 'on its way' where id = (select id from commands limit 1)`.execute(database.db);
  expect(await news()).toMatchObject([{ topic: 'command', project, status: 'pending' }]);
});

it('live events do not report queries', async () => {
  await sql`update commands set kind = 'query'`.execute(database.db);
  await sql`update commands set status = 'running'`.execute(database.db);
  expect(await news()).toEqual([]);
});

it('live events report equal changes of one statement once', async () => {
  const service = crypto.randomUUID();
  await sql`insert into config_errors (id, project_id, service_id, node_id, source, severity, resource_type, resource_name,
      message, raw_message, status, first_seen, last_seen, occurrences)
    select gen_random_uuid(), project_id, ${service}, id::text, 'node', 'error', 't', 'n', 'm', 'm', 'active', now(), now(), 1
    from clients`.execute(database.db);
  await sql`delete from config_errors`.execute(database.db);
  const expected = { topic: 'config_error', project, service_id: service };
  expect(await news()).toEqual([expected, expected]);
});

it('live events report every sample, many per notification, and store none', async () => {
  const payloads: string[] = [];
  const stop = await database.listen('client_samples', {
    onNotify: (payload) => payloads.push(payload),
    onGap: () => undefined,
  });
  const sample = sql`insert into client_stats (client_id, at, load_percent, memory_percent, stats)
    select id, now(), 1, 2, '{}' from clients on conflict (client_id) do update set at = excluded.at`;
  const ids = () => payloads.flatMap((payload) => payload.replace(`${project} `, '').split(','));
  await sample.execute(database.db);
  await vi.waitFor(() => expect(new Set(ids()).size).toBe(MANY));
  await sample.execute(database.db);
  await vi.waitFor(() => expect(ids()).toHaveLength(MANY * 2));
  expect(payloads.length).toBeLessThan(20);
  expect(await news()).toEqual([]);
  await stop();
});

it('live events report audit entries of one statement once per project', async () => {
  const write = (projects: readonly (string | null)[]) => sql`
    insert into audit_log (id, at, actor_kind, action, outcome, status, project_id)
    select gen_random_uuid(), now(), 'system', 'a', 'done', 200, unnest(${projects}::uuid[])`;
  await write([project, null, project, null, project]).execute(database.db);
  expect(await news()).toEqual(
    expect.arrayContaining([
      { topic: 'audit', project },
      { topic: 'audit', project: null },
    ]),
  );
  expect(await news()).toHaveLength(2);
  await write([]).execute(database.db);
  expect(await news()).toHaveLength(2);
});

it('live events report sessions that end, not those that are used, and for very many only say that there are some', async () => {
  await sql`insert into users (id, username, password_hash, password_changed_at, created_at, updated_at)
    select gen_random_uuid(), 'u' || n, 'x', now(), now(), now() from generate_series(1, ${MANY}::int) n`.execute(
    database.db,
  );
  await sql`insert into sessions (id, user_id, kind, created_at, expires_at, ip, device, refresh_hash)
    select gen_random_uuid(), id, 'bearer', now(), now() + interval '1 day', '192.0.2.1', 'd', sha256(id::text::bytea)
    from users`.execute(database.db);
  await database.db.deleteFrom('outbox').execute();
  await sql`update sessions set last_used_at = now()`.execute(database.db);
  expect(await news()).toEqual([]);
  const ended = await sql<{ user_id: string }>`update sessions set ended_at = now()
    where id in (select id from sessions limit 2) returning user_id`.execute(database.db);
  const expected = ended.rows.map(({ user_id }) => ({ topic: 'session', project: null, user_id }));
  expect(await news()).toEqual(expect.arrayContaining(expected));
  expect(await news()).toHaveLength(2);
  await database.db.deleteFrom('outbox').execute();
  await sql`update sessions set ended_at = now() where ended_at is null`.execute(database.db);
  expect(await news()).toEqual([{ topic: 'session', project: null }]);
});
