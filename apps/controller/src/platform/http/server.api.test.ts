import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const PROJECTS = '/api/v3/setting/projects';
const USERS = '/api/v3/setting/users';

function raw(options: {
  url: string;
  method?: 'GET' | 'POST' | 'PUT';
  payload?: string | Buffer;
  headers?: Record<string, string>;
}) {
  return t.app.inject({
    method: 'POST',
    ...options,
    headers: { authorization: `Bearer ${t.owner.token}`, 'content-type': 'application/json', ...options.headers },
  });
}

describe('Idempotency-Key', () => {
  const create = (name: string, key: string) => t.owner.call('POST', PROJECTS, { name }, { 'idempotency-key': key });
  const countOf = async (name: string) =>
    (await t.database.db.selectFrom('projects').select('id').where('name', '=', name).execute()).length;

  it('returns the same answer to the same request, with status, ETag and Location', async () => {
    const first = await create('idem', 'key-0001');
    const second = await create('idem', 'key-0001');
    expect(first.status).toBe(201);
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers.location).toBe(first.headers.location);
    expect(second.headers.etag).toBe(first.headers.etag);
    const records = await t.owner.call('GET', `/api/v3/audit/logs?action=project.create&q=idem`);
    expect(records.body.items).toHaveLength(1);
  });

  it('is refused for another body or another route', async () => {
    await create('idem-a', 'key-0002');
    expect((await create('idem-b', 'key-0002')).body.code).toBe('idempotency.mismatch');
    const other = await t.owner.call('POST', USERS, { username: 'x' }, { 'idempotency-key': 'key-0002' });
    expect(other.body.code).toBe('idempotency.mismatch');
    expect(await countOf('idem-b')).toBe(0);
  });

  it('stores nothing that reveals whether a guessed body is right', async () => {
    await create('idem-sealed', 'key-sealed-1');
    await create('idem-sealed', 'key-sealed-2');
    const rows = await t.database.db
      .selectFrom('idempotency_keys')
      .select('body_digest')
      .where('key', 'like', 'key-sealed-%')
      .execute();
    const plain = createHash('sha256')
      .update(JSON.stringify({ name: 'idem-sealed' }))
      .digest();
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row.body_digest.includes(plain)).toBe(false);
  });

  it('makes concurrent requests have one effect', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => create('idem-race', 'key-0003')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await countOf('idem-race')).toBe(1);
  });

  it('belongs to its caller: the same key of somebody else is another key', async () => {
    const admin = await t.createMember('admin');
    const url = `/api/v3/setting/tokens?project=${t.project}`;
    const headers = { 'idempotency-key': 'key-0004' };
    const mine = await t.owner.call('POST', url, { name: 'mine', role: 'viewer' }, headers);
    const theirs = await admin.call('POST', url, { name: 'theirs', role: 'viewer' }, headers);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
  });

  it('does not store refusals: a failed request may be retried', async () => {
    const weak = { username: 'retry', password: 'short' };
    const headers = { 'idempotency-key': 'key-0005' };
    expect((await t.owner.call('POST', USERS, weak, headers)).status).toBe(400);
    expect((await t.owner.call('POST', USERS, { ...weak, password: 'wL9v2nTq0xYbEoHj' }, headers)).status).toBe(201);
  });

  it('is forgotten after a day', async () => {
    await create('idem-day', 'key-0006');
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await t.database.db
      .updateTable('idempotency_keys')
      .set({ created_at: yesterday })
      .where('key', '=', 'key-0006')
      .execute();
    expect((await create('idem-day-2', 'key-0006')).status).toBe(201);
  });
});

describe('dry_run', () => {
  it('runs every check and changes nothing, not even the audit log', async () => {
    const count = async () => {
      const { n } = await t.database.db
        .selectFrom('audit_log')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('outcome', '=', 'done')
        .executeTakeFirstOrThrow();
      return n;
    };
    const before = await count();
    const dry = await t.owner.call(
      'POST',
      `${PROJECTS}?dry_run=true`,
      { name: 'dry' },
      { 'idempotency-key': 'key-dry' },
    );
    expect(dry).toMatchObject({ status: 200, body: { name: 'dry', dry_run: true } });
    expect((await t.owner.call('POST', `${PROJECTS}?dry_run=true`, { name: 'default' })).body.code).toBe(
      'record.exists',
    );
    expect(await count()).toBe(before);
    expect((await t.owner.call('POST', PROJECTS, { name: 'dry' }, { 'idempotency-key': 'key-dry' })).status).toBe(201);
  });

  it('must be true or false, once', async () => {
    for (const query of ['dry_run=1', 'dry_run=TRUE', 'dry_run=true&dry_run=true', 'dry_run=']) {
      const answer = await t.owner.call('POST', `${PROJECTS}?${query}`, { name: 'never' });
      expect(answer.status, query).toBe(400);
    }
  });
});

describe('every request', () => {
  it('has a well-formed id of the caller, or a generated one', async () => {
    const given = await raw({ url: '/api/v3/profile', method: 'GET', headers: { 'x-request-id': 'trace-12345678' } });
    expect(given.headers['x-request-id']).toBe('trace-12345678');
    for (const bad of ['short', 'with space here', 'x'.repeat(129), '<script>alert(1)</script>']) {
      const answer = await raw({ url: '/nowhere', method: 'GET', headers: { 'x-request-id': bad } });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.json().request_id).toBe(answer.headers['x-request-id']);
    }
  });

  it('is refused before it is read if it is too large, with the limit', async () => {
    const payload = `{"name": "${'x'.repeat(70_000)}"}`;
    const answer = await raw({ url: PROJECTS, payload });
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toMatchObject({ code: 'request.too_large', message: expect.stringContaining('65536') });
    const unparsable = await raw({ url: PROJECTS, payload: '{'.repeat(70_000) });
    expect(unparsable.statusCode).toBe(413);
  });

  it.each([
    ['{"name": "a", "__proto__": {"is_owner": true}}', '__proto__'],
    ['{"name": "a", "x": {"__proto__": 1}}', '__proto__'],
    ['{"name": "a\\u0000b"}', 'NUL'],
    ['{"name": "a\\ud800"}', 'surrogate'],
    ['{"name": ', 'JSON'],
    [`{"name": ${'['.repeat(30_000)}`, ''],
    [`{"name": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'nested too deeply'],
    [Buffer.from('{"name": "caf\xe9"}', 'latin1'), 'UTF-8'],
    [Buffer.from('{"name": "a"}', 'utf16le'), ''],
  ])('is malformed if no record could store it: %.40s', async (payload, word) => {
    const answer = await raw({ url: PROJECTS, payload });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().code).toBe('request.malformed');
    expect(answer.json().message).toContain(word);
  });

  it('is refused with the names of unknown members and parameters', async () => {
    const polluting = await raw({ url: PROJECTS, payload: '{"name": "a", "constructor": {"prototype": {}}}' });
    expect(polluting.json().details).toEqual([{ path: 'constructor', rule: 'unknown', message: 'is not known here' }]);
    const query = await t.owner.call('GET', `${PROJECTS}?limt=5`);
    expect(query.body).toMatchObject({ code: 'request.invalid', details: [{ path: 'limt' }] });
    const none = await t.owner.call('GET', '/api/v3/profile?verbose=true');
    expect(none.body.details).toMatchObject([{ path: 'verbose', rule: 'unknown' }]);
    const body = await t.owner.call('DELETE', `/api/v3/setting/project/${t.project}`, { force: true });
    expect(body.body.details).toMatchObject([{ path: 'force', rule: 'unknown' }]);
  });

  it('is refused with at most two hundred problems', async () => {
    const body = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`k${n}`, 1]));
    const refused = await t.owner.call('POST', '/api/v3/schema/check', { project: t.project, ...body });
    expect(refused.status).toBe(400);
    expect(refused.body.details).toHaveLength(200);
    const query = Object.keys(body).slice(0, 1000).join('=1&');
    expect((await t.owner.call('GET', `${PROJECTS}?${query}`)).body.details).toHaveLength(200);
  });

  it('is refused with another media type', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
      const answer = await raw({ url: PROJECTS, payload: 'name=a', headers: { 'content-type': type } });
      expect(answer.json().code, type).toBe('request.media_type');
    }
    const utf8 = { 'content-type': 'application/json; charset=utf-8' };
    expect((await raw({ url: PROJECTS, payload: '{"name": "charset"}', headers: utf8 })).statusCode).toBe(201);
  });

  it('for something unknown is refused with the standard error body', async () => {
    const answer = await t.owner.call('GET', '/api/v3/nothing');
    expect(answer).toMatchObject({ status: 404, body: { code: 'request.not_found' } });
  });

  it('reveals no internals if it fails', async () => {
    const answer = await t.owner.call('GET', `${USERS}?sort=password_hash`);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toMatch(/select|postgres|at .*\.ts/i);
  });
});

describe('rate limits', () => {
  it('are sent with every answer, and callers above them learn when to retry', async () => {
    const limited = await createTestController({}, { rateFactor: 0.1 });
    try {
      const read = () => limited.owner.call('GET', '/api/v3/profile');
      const answers = [await read()];
      // Sent at once: the refill during this time is far smaller than the number of requests.
      answers.push(...(await Promise.all(Array.from({ length: 600 }, read))));
      expect(answers[0]?.headers['ratelimit-policy']).toBe('"read";q=300;w=60');
      expect(String(answers[0]?.headers.ratelimit)).toMatch(/^"read";r=299;t=\d+$/);
      const refused = answers.find(({ status }) => status !== 200);
      expect(refused).toMatchObject({ status: 429, body: { code: 'request.too_many' } });
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
      // Another caller is not affected.
      const other = await limited.app.inject({ url: '/readyz' });
      expect(other.statusCode).toBe(200);
    } finally {
      await limited.close();
    }
  });

  it('apply to a network that one host owns: another of its addresses is the same caller', async () => {
    const limited = await createTestController({}, { rateFactor: 1 });
    try {
      const signIn = (remoteAddress: string) =>
        limited.app.inject({ method: 'POST', url: '/auth/login', remoteAddress, payload: {} });
      const read = (remoteAddress: string) =>
        limited.app.inject({ url: '/api/v3/profile', remoteAddress, headers: { authorization: 'Bearer x' } });
      const all = async (ask: typeof read, site: string) => {
        const answers = await Promise.all(Array.from({ length: 120 }, (_, i) => ask(`2001:db8:7:${site}::${i + 1}`)));
        return answers.filter(({ statusCode }) => statusCode === 429).length;
      };
      expect(await all(signIn, '1')).toBeGreaterThan(0);
      expect((await signIn('2001:db8:7:3::1')).statusCode).toBe(400);
      expect(await all(read, '2')).toBeGreaterThan(0);
      expect((await read('2001:db8:7:3::1')).statusCode).toBe(401);
    } finally {
      await limited.close();
    }
  });

  it('keep a flood of refused tokens out of the audit log, which counts them', async () => {
    const limited = await createTestController({}, { rateFactor: 1 });
    try {
      const statuses: number[] = [];
      for (let i = 0; i < 100; i += 1) {
        const answer = await limited.app.inject({ url: '/api/v3/profile', headers: { authorization: 'Bearer x' } });
        statuses.push(answer.statusCode);
      }
      expect(statuses.at(0)).toBe(401);
      expect(statuses.at(-1)).toBe(429);
      const rows = (action: string) =>
        limited.database.db.selectFrom('audit_log').select('changes').where('action', '=', action).execute();
      await expect.poll(() => rows('audit.gap')).toHaveLength(1);
      const [gap] = await rows('audit.gap');
      const recorded = await rows('getProfile');
      expect(recorded.length).toBeLessThan(70);
      expect(gap?.changes).toMatchObject({
        dropped: 100 - recorded.length,
        by_code: { 'request.too_many': 100 - recorded.length },
      });
      expect((await limited.owner.call('GET', '/api/v3/profile')).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe('the address of a caller', () => {
  const addressOf = async (of: TestController, forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded };
    await of.app.inject({
      method: 'POST',
      url: '/auth/login',
      headers,
      payload: { username: 'x', password: forwarded },
    });
    const { body } = await of.owner.call('GET', '/api/v3/audit/logs?action=session.login&outcome=denied&limit=1');
    return body.items[0].request.client_ip;
  };

  it('is that of the connection: a header is not trusted', async () => {
    expect(await addressOf(t, '203.0.113.9')).toBe('127.0.0.1');
  });

  it('is that given by the trusted proxies, whatever a caller puts before it', async () => {
    const behind = await createTestController({ SVC_TRUSTED_PROXIES: '1' });
    try {
      expect(await addressOf(behind, '198.51.100.66, 203.0.113.9')).toBe('203.0.113.9');
    } finally {
      await behind.close();
    }
  });
});

describe('the project of a request', () => {
  it('is an id: a name is refused with a hint (fault L7)', async () => {
    const answer = await t.owner.call('GET', '/api/v3/xds/clusters?project=default');
    expect(answer).toMatchObject({ status: 403, body: { code: 'project.forbidden' } });
    expect(answer.body.details).toEqual([
      { path: 'project', rule: 'id', message: expect.stringContaining('is not an id') },
    ]);
  });

  it('may be in the query instead of the body, and must be the same in both (fault L2)', async () => {
    const body = { version: '1.40.0', collection: 'clusters', name: 'c', resource: { type: 'STATIC' } };
    const check = (query: string, more: object = {}) =>
      t.owner.call('POST', `/api/v3/schema/check${query}`, { ...body, ...more });
    expect((await check(`?project=${t.project}`)).status).toBe(200);
    expect((await check('', { project: t.project })).status).toBe(200);
    expect((await check(`?project=${t.project}`, { project: t.project })).status).toBe(200);
    const other = await check(`?project=${t.project}`, { project: '00000000-0000-7000-8000-000000000000' });
    expect(other).toMatchObject({ status: 400, body: { details: [{ path: 'project', rule: 'conflict' }] } });
    expect((await check('')).body.code).toBe('project.missing');
  });
});
