import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMmdb } from '../../modules/security/geoip/testing/mmdb.ts';
import type { Answer } from '../../testing/controller.ts';
import { createTestFleet, type TestFleet } from '../../testing/fleet.ts';
import { recordQueries } from '../../testing/queries.ts';
import { fillProject, WORK } from '../../testing/tenancy/tenant.ts';
import { uploadFile } from '../../testing/upload.ts';
import { AnswerCaps } from './idempotency.ts';
import { deleteOldAnswers } from './idempotency-store.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
  t.controller.jobs.register(WORK);
}, 120_000);
afterAll(() => t?.close());

interface Sent {
  readonly url: string;
  readonly body: unknown;
  readonly key: string;
  readonly answer: Answer;
}

/** Waits for a client's answer, which is stored with the command and not with the key. */
const ASKS_CLIENTS = '/api/op/clients';

/** This route's answer has no Location. */
const HOLDS = '/api/v3/audit/holds';

const upload = (url: string, file: Buffer, key: string) =>
  uploadFile(t, t.owner, { url, file, headers: { 'idempotency-key': key } });

describe('a request with an idempotency key', () => {
  it('creates its record once, and is answered alike, even with a value that is shown only once', async () => {
    const sent: Sent[] = [];
    const owner: TestFleet['owner'] = {
      ...t.owner,
      async call(method, url, body, headers) {
        const key = `every-${sent.length}`;
        const isKept = method === 'POST' && url !== ASKS_CLIENTS;
        const answer = await t.owner.call(method, url, body, { ...headers, ...(isKept && { 'idempotency-key': key }) });
        if (isKept && answer.status < 300) sent.push({ url, body, key, answer });
        return answer;
      },
    };
    const { ids } = await fillProject({ ...t, owner }, t.project, 'marker');
    const own = `project=${t.project}`;
    const cloud = {
      auth: { auth_url: 'https://k.example/v3', application_credential_id: 'i', application_credential_secret: 's' },
      region_name: 'n',
    };
    for (const [url, body] of [
      ['/api/v3/setting/projects', { name: 'more' }],
      [`/api/v3/setting/users?${own}`, { username: 'once', memberships: [{ project: t.project, role: 'viewer' }] }],
      [`/api/v3/setting/memberships?${own}`, { username: t.owner.username, role: 'viewer' }],
      [
        `/api/v3/setting/permissions?${own}`,
        { subject: { kind: 'group', id: ids.group_id }, resource: { kind: 'client', id: null }, level: 'view' },
      ],
      [`/api/v3/setting/clouds/os?${own}`, cloud],
      [`/api/v3/setting/tokens/${ids.token_id}/rotate?${own}`, { overlap_s: 0 }],
      [`/api/v3/setting/discovery-token/generate?${own}`, {}],
      [`/api/v3/setting/zone-secrets/www/rotate?${own}`, { overlap_s: 0 }],
      [`/api/v3/setting/enrolment-tokens/${ids.enrolment}/rotate?${own}`, { overlap_s: 0 }],
      [`/api/v3/setting/maintenance/backup/export?${own}`, { secret_free: true }],
      [HOLDS, { project: t.project, reason: 'a case' }],
      [`/api/v3/xds/secrets/www/restore?${own}&version=1.40.0`, { revision: 1 }],
    ] as const) {
      const { status, body: said } = await owner.call('POST', url, body);
      expect(status, `${url} ${JSON.stringify(said)}`).toBeLessThan(300);
    }
    expect(sent.length).toBeGreaterThan(18);
    const rows = await t.database.db.selectFrom('idempotency_keys').select(['key', 'answer']).execute();
    expect(rows.map(({ key }) => key).toSorted()).toEqual(sent.map(({ key }) => key).toSorted());
    for (const { url, body, key, answer } of sent) {
      const again = await t.owner.call('POST', url, body, { 'idempotency-key': key });
      expect([again.status, again.body], url).toEqual([answer.status, answer.body]);
      expect(again.headers.location, url).toBe(answer.headers.location);
      if (answer.status === 201) expect(answer.headers.location, url).toMatch(/^\/api\//);
      for (const secret of [answer.body.token, answer.body.secret].filter((one) => typeof one === 'string'))
        for (const row of rows) expect(row.answer.includes(secret), url).toBe(false);
    }
  }, 120_000);

  it('repeats an upload only with the same file', async () => {
    const url = '/api/v3/setting/threat-intel/upload?name=once';
    const first = await upload(url, Buffer.from('192.0.2.1\n'), 'file-1');
    const again = await upload(url, Buffer.from('192.0.2.1\n'), 'file-1');
    expect(again).toEqual(first);
    const { body } = await upload(url, Buffer.from('192.0.2.2\n'), 'file-1');
    expect(body.code).toBe('idempotency.mismatch');
    const { body: feed } = await t.owner.call('GET', '/api/v3/setting/threat-intel/once');
    expect(feed.entries).toEqual(['192.0.2.1/32']);
    const [city, asn] = [createMmdb('GeoLite2-City'), createMmdb('GeoLite2-City', { nodes: 9 })];
    expect((await upload('/api/v3/setting/geoip/upload?kind=city', city, 'file-2')).status).toBe(200);
    const other = await upload('/api/v3/setting/geoip/upload?kind=city', asn, 'file-2');
    expect(other.body.code).toBe('idempotency.mismatch');
  });

  it('is refused if the key is invalid or too long to be stored completely', async () => {
    for (const key of ['', 'k'.repeat(256), 'ä']) {
      const answer = await t.owner.call(
        'POST',
        '/api/v3/setting/projects',
        { name: 'never' },
        { 'idempotency-key': key },
      );
      expect(answer.body, key).toMatchObject({ code: 'request.invalid' });
    }
    const [one, other] = ['a', 'b'].map((end) => 'k'.repeat(254) + end);
    const made = await t.owner.call(
      'POST',
      '/api/v3/setting/projects',
      { name: 'k1' },
      { 'idempotency-key': one ?? '' },
    );
    const more = await t.owner.call(
      'POST',
      '/api/v3/setting/projects',
      { name: 'k2' },
      { 'idempotency-key': other ?? '' },
    );
    expect([made.status, more.status]).toEqual([201, 201]);
  });

  it('in another project is another request', async () => {
    const other = await t.createProject('other');
    const make = (project: string) =>
      t.owner.call(
        'POST',
        `/api/v3/setting/groups?project=${project}`,
        { name: 'same' },
        { 'idempotency-key': 'both' },
      );
    expect((await make(t.project)).status).toBe(201);
    const { body } = await make(other);
    expect(body.code).toBe('idempotency.mismatch');
    const { items } = (await t.owner.call('GET', `/api/v3/setting/groups?project=${other}`)).body;
    expect(items).toEqual([]);
  });
});

it('the number of stored answers per caller is limited: the oldest are deleted, and those of others stay', async () => {
  const { db } = t.database;
  await db.deleteFrom('idempotency_keys').execute();
  const made = await t.owner.call('POST', '/api/v3/setting/projects', { name: 'kept' }, { 'idempotency-key': 'one' });
  expect(made.status).toBe(201);
  const {
    actor: _,
    key: __,
    created_at: at,
    ...row
  } = await db.selectFrom('idempotency_keys').selectAll().executeTakeFirstOrThrow();
  const values = (actor: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...row, actor, key: `k${n}`, created_at: new Date(at.getTime() + n) }));
  await db
    .insertInto('idempotency_keys')
    .values([...values('token:busy', 12), ...values('token:quiet', 3)])
    .execute();
  const keysOf = async (actor: string) => {
    const rows = await db.selectFrom('idempotency_keys').select('key').where('actor', '=', actor).execute();
    return rows.map(({ key }) => key).toSorted();
  };
  await deleteOldAnswers(db, new Date(), { answers: 5, bytes: 1e9 });
  expect(await keysOf('token:busy')).toEqual(['k10', 'k11', 'k7', 'k8', 'k9']);
  expect(await keysOf('token:quiet')).toHaveLength(3);
  await deleteOldAnswers(db, new Date(), { answers: 5, bytes: row.answer.length * 2 });
  expect(await keysOf('token:busy')).toEqual(['k10', 'k11']);
  expect(await keysOf('token:quiet')).toEqual(['k1', 'k2']);
});

it('the limit also holds between two runs of housekeeping, and callers within it are hardly ever counted', async () => {
  const { db } = t.database;
  await db.deleteFrom('idempotency_keys').execute();
  const [one, other] = ['user:busy', 'user:other'];
  const made = await t.owner.call('POST', '/api/v3/setting/projects', { name: 'caps' }, { 'idempotency-key': 'caps' });
  expect(made.status).toBe(201);
  const { answer, body_digest } = await db.selectFrom('idempotency_keys').selectAll().executeTakeFirstOrThrow();
  const large = Buffer.concat([answer, Buffer.alloc(5000)]);
  const max = { answers: 200, bytes: 100 * large.length };
  const caps = new AnswerCaps(max);
  let counted = 0;
  const add = async (actor: string, key: number, sealed: Buffer) => {
    const row = { actor, key: `${key}`, route: '', body_digest, answer: sealed, created_at: new Date(key) };
    await db.insertInto('idempotency_keys').values(row).execute();
    const asked = await recordQueries(db, () => caps.noteStored(db, actor, sealed.length));
    counted += asked.filter(({ sql: text }) => text.includes('over newest_first')).length;
    const { rows } = await sql<{ count: number; bytes: number }>`select count(*)::int as count,
      coalesce(sum(octet_length(answer)), 0)::int as bytes from idempotency_keys where actor = ${actor}`.execute(db);
    return rows[0];
  };
  await add(other, 0, large);
  for (let i = 0; i < 150; i += 1) expect((await add(one, i, large))?.bytes).toBeLessThanOrEqual(max.bytes);
  counted = 0;
  for (let i = 150; i < 500; i += 1) expect((await add(one, i, answer))?.count).toBeLessThanOrEqual(202);
  expect(counted).toBe(175);
  expect(await db.selectFrom('idempotency_keys').select('key').where('actor', '=', other).execute()).toHaveLength(1);
});

it('the limit applies to every request with a key', async () => {
  const { db } = t.database;
  await db.deleteFrom('idempotency_keys').execute();
  const kept = vi.spyOn(AnswerCaps.prototype, 'noteStored');
  onTestFinished(() => kept.mockRestore());
  const ask = (headers?: Record<string, string>) =>
    t.owner.call('POST', '/api/v3/setting/projects', { name: createId() }, headers);
  expect((await ask()).status).toBe(201);
  expect(kept).not.toHaveBeenCalled();
  expect((await ask({ 'idempotency-key': 'capped' })).status).toBe(201);
  expect(kept).toHaveBeenCalledExactlyOnceWith(expect.anything(), `user:${t.owner.userId}`, expect.any(Number));
});
