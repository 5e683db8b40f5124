import { createHash } from 'node:crypto';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
let viewer: TestCaller;
let service: { id: string };

const KEY = 'the-key-of-a-partner';
const policyText = (name: string, host: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec:
  domains:
    - hosts: [${host}]
      policy:
        engines:
          api_key: { keys: [{ sha256: ${createHash('sha256').update(KEY).digest('hex')}, subject: partner }] }
      routes:
        - match: { path_prefix: /open }
          policy:
            engines:
              api_key: null
              rate_limit: { key: ip, requests_per_second: 5 }
`;
const get = (url: string, more: object = {}) => ({ method: 'GET', url, ...more });
const tryIt = (policies: object, request: object, caller: TestCaller = viewer, project = t.project) =>
  caller.call('POST', `/api/v3/shield/try?project=${project}`, { policies, request });

beforeAll(async () => {
  t = await createTestFleet();
  viewer = await t.createMember('viewer');
  for (const [name, host] of [
    ['guard', 'a.example.com'],
    ['second', 'b.example.com'],
  ] as const) {
    const made = await t.owner.call('POST', `/api/v3/shield/policies?project=${t.project}`, {
      name,
      text: policyText(name, host),
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  service = await t.createService({ policies: ['guard', 'second'], shield: { threads: 1, xff_trusted_hops: 1 } });
});
afterAll(() => t.close());

describe('trying a request', () => {
  it('shows the result of a stored policy, and why', async () => {
    const blocked = await tryIt({ policy: 'guard' }, get('https://a.example.com/v1?x=secret'));
    expect(blocked.status, JSON.stringify(blocked.body)).toBe(200);
    expect(blocked.body).toMatchObject({
      verdict: 'blocked',
      decisive: { policy: 'guard', engine: 'api_key', reason: 'apikey.missing', status: 403 },
      answer: { status: 403 },
      request: { host: 'a.example.com', path: '/v1', has_query: true },
      match: { domain: { policy: 'guard', entry: 'a.example.com', kind: 'exact' } },
      engines: [{ engine: 'api_key', verdict: 'block', effect: 'blocked' }],
      body: { state: 'none' },
    });
    const headers = [['X-Api-Key', KEY]];
    const allowed = await tryIt({ policy: 'guard' }, get('/v1', { host: 'a.example.com', headers }));
    expect(allowed.body).toMatchObject({ verdict: 'allowed', decisive: null, engines: [{ subject: 'partner' }] });
    // Credentials of the request never appear in the answer.
    for (const { body } of [blocked, allowed]) {
      expect(JSON.stringify(body)).not.toContain(KEY);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
    expect((await tryIt({ policy: 'guard' }, get('https://b.example.com/'))).body).toMatchObject({
      verdict: 'allowed',
      match: { domain: null },
    });
  });

  it('shows the result of a draft, given as text or as an object, and its problems', async () => {
    const text = policyText('anything', 'c.example.com');
    const open = await tryIt({ draft: { text } }, get('https://c.example.com/open/door', { source_ip: '203.0.113.9' }));
    expect(open.body).toMatchObject({
      verdict: 'allowed',
      engines: [{ engine: 'rate_limit', route: '/open', limiter: { key: 'ip', value: '203.0.113.9', burst: 5 } }],
    });
    const document = {
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'object' },
      spec: { domains: [{ hosts: ['o.example.com'], policy: { engines: { api_key: { keys: [{ key: KEY }] } } } }] },
    };
    const made = await tryIt({ draft: { document } }, get('https://o.example.com/'));
    expect(made.body).toMatchObject({ verdict: 'blocked', match: { domain: { policy: 'object' } } });
    const odd = text.replace('key: ip,', 'key: ip, header: X-User,');
    const warned = await tryIt({ draft: { text: odd } }, get('https://c.example.com/'));
    expect(warned.body.warnings).toMatchObject([{ file: 'draft.yaml', line: 15 }]);
    const bad = await tryIt({ draft: { text: text.replace('second: 5', 'second: 0') } }, get('https://c.example.com/'));
    expect(bad.status).toBe(400);
    expect(bad.body).toMatchObject({
      code: 'policy.invalid',
      problems: [{ file: 'draft.yaml', line: 15, rule: expect.any(String) }],
    });
    const pathless = await tryIt({ draft: { document } }, get('o.example.com/v1'));
    expect(pathless.status).toBe(400);
    expect(pathless.body).toMatchObject({
      code: 'request.invalid',
      details: [{ path: 'request', message: expect.stringMatching(/^url needs a scheme or a leading slash: /) }],
    });
    for (const draft of [{}, { text, document }]) {
      const refused = await tryIt({ draft }, get('https://c.example.com/'));
      expect(refused.body).toMatchObject({ code: 'request.invalid', details: [{ path: 'draft' }] });
    }
  });

  it('shows the result of all policies of a service together, with its trusted hops', async () => {
    const headers = [['x-forwarded-for', '198.51.100.1, 198.51.100.2']];
    const answer = await tryIt({ service_id: service.id }, get('https://b.example.com/open', { headers }));
    expect(answer.body).toMatchObject({
      match: { domain: { policy: 'second' } },
      request: { source_ip: '198.51.100.1', source_ip_from: 'x-forwarded-for' },
    });
    const own = await tryIt({ service_id: service.id }, get('https://b.example.com/', { headers, trusted_hops: 0 }));
    expect(own.body.request.source_ip).toBe('198.51.100.2');
  });

  it('refuses an invalid request with the field, and unknown sources', async () => {
    for (const [request, path] of [
      [{ method: 'G E T', url: '/' }, 'request'],
      [{ method: 'GET', url: '/', source_ip: 'nowhere' }, 'request'],
      [{ method: 'GET', url: '/', body: 'x', body_base64: 'eA==' }, 'request'],
      [{ method: 'GET' }, 'request.url'],
      [{ method: 'GET', url: '/', more: 1 }, 'request.more'],
    ] as const) {
      const refused = await tryIt({ policy: 'guard' }, request);
      expect(refused.status).toBe(400);
      expect(refused.body.details[0].path).toBe(path);
    }
    expect((await tryIt({ policy: 'none' }, get('/'))).status).toBe(404);
    expect((await tryIt({ service_id: createId() }, get('/'))).status).toBe(404);
    expect((await tryIt({ policy: 'guard', service_id: service.id }, get('/'))).status).toBe(400);
  });

  it('finds no policy or service of another project', async () => {
    const other = await t.createProject(`other-${createId()}`);
    const outsider = await t.createMember('owner', other);
    expect((await tryIt({ policy: 'guard' }, get('/'), outsider, other)).status).toBe(404);
    expect((await tryIt({ service_id: service.id }, get('/'), outsider, other)).status).toBe(404);
    expect((await tryIt({ policy: 'guard' }, get('/'), outsider)).status).toBe(403);
  });

  it('leaves nothing behind: no audit entry, no revision, no finding', async () => {
    const { db } = t.database;
    const rows = db.fn.countAll().as('rows');
    const count = async () => [
      // Filtered by the caller: the controller's own actions are recorded too.
      await db.selectFrom('audit_log').select(rows).where('actor_id', '=', viewer.userId).executeTakeFirst(),
      await db.selectFrom('policy_revisions').select(rows).executeTakeFirst(),
      await db.selectFrom('shield_events').select(rows).executeTakeFirst(),
    ];
    const before = await count();
    await tryIt({ draft: { text: policyText('x', 'x.example.com') } }, get('https://x.example.com/'));
    expect(await count()).toEqual(before);
  });
});

describe('replaying requests', () => {
  const replay = (body: object, caller: TestCaller = viewer, project = t.project) =>
    caller.call('POST', `/api/v3/shield/replay?project=${project}`, body);
  const line = (path: string, more: object = {}) =>
    JSON.stringify({ method: 'GET', url: `https://a.example.com${path}`, headers: [], status: 200, ...more });
  const text = (...lines: string[]) => ({ source: 'text', text: lines.join('\n') });

  it('shows which verdicts differ from the original answers', async () => {
    const time = '2026-03-01T12:00:00.000Z';
    const records = text(
      line('/v1', { time, source_ip: '203.0.113.9' }),
      line('/open', { time }),
      line('/v1', { time, status: 403, headers: [['x-api-key', KEY]] }),
      'no record at all',
    );
    const { status, body } = await replay({ candidate: { policy: 'guard' }, records });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      baseline: { kind: 'recorded', digest: null },
      totals: { requests: 3, bad_records: 1, flips: 2, allow_to_block: 1, block_to_allow: 1 },
      from: time,
      bad_records: [{ line: 4 }],
    });
    expect(body.samples).toContainEqual(
      expect.objectContaining({
        flip: 'allow_to_block',
        path: '/v1',
        source_ip: '203.0.113.9',
        candidate: expect.objectContaining({ verdict: 'blocked', reason: 'apikey.missing', policy: 'guard' }),
      }),
    );
    expect(JSON.stringify(body)).not.toContain(KEY);
  });

  it('compares a draft with a stored policy', async () => {
    const draft = { text: policyText('guard', 'a.example.com').replace('/open', '/elsewhere') };
    const records = { ...text(line('/open')), format: 'jsonl', name: 'today.log' };
    const { body } = await replay({ candidate: { draft }, baseline: { policy: 'guard' }, records });
    expect(body).toMatchObject({
      baseline: { kind: 'policy' },
      totals: { requests: 1, allow_to_block: 1 },
      samples: [{ file: 'today.log', line: 1, baseline: { verdict: 'allowed' } }],
    });
    expect(body.baseline.digest).not.toBe(body.candidate.digest);
  });

  it('uses the findings of the project, each request once, and no others', async () => {
    const other = await t.createProject(`other-${createId()}`);
    const event = (project: string, more: object) => ({
      id: createId(),
      project_id: project,
      time: new Date(),
      service_id: service.id,
      client_id: createId(),
      request_id: '',
      method: 'GET',
      host: 'a.example.com',
      path: '/v1',
      policy: 'guard',
      route: '',
      engine: 'api_key',
      reason: 'apikey.missing',
      severity: 'high' as const,
      verdict: 'blocked' as const,
      status: 403,
      subject: '',
      source_ip: '203.0.113.9',
      digest: '',
      detail: '',
      ...more,
    });
    const client_id = createId();
    const twice = { request_id: 'same', client_id, time: new Date('2026-11-20T10:00:00.500Z') };
    await t.database.db
      .insertInto('shield_events')
      .values([
        event(t.project, twice),
        event(t.project, { ...twice, engine: 'rate_limit', reason: 'ratelimit.exceeded', verdict: 'detected' }),
        event(t.project, { path: '/open', service_id: createId() }),
        event(other, { path: '/foreign', service_id: createId() }),
      ])
      .execute();
    const { body } = await replay({ candidate: { policy: 'guard' }, records: { source: 'events' } });
    expect(body.totals).toMatchObject({ requests: 2, bad_records: 0 });
    expect(body.by_host.groups).toMatchObject([{ name: 'a.example.com', requests: 2 }]);
    const narrow = { source: 'events', service_id: service.id };
    expect((await replay({ candidate: { policy: 'guard' }, records: narrow })).body.totals.requests).toBe(1);
    const before = { source: 'events', to: '2020-01-01T00:00:00.000Z' };
    expect((await replay({ candidate: { policy: 'guard' }, records: before })).body.totals.requests).toBe(0);
    const foreign = await replay(
      { candidate: { draft: { text: policyText('x', 'a.example.com') } }, records: narrow },
      t.owner,
      other,
    );
    expect(foreign.body.totals.requests).toBe(0);
  });

  it('refuses invalid policies on either side, and invalid records', async () => {
    const draft = { text: 'kind: nothing' };
    const records = text(line('/'));
    for (const sides of [{ candidate: { draft } }, { candidate: { policy: 'guard' }, baseline: { draft } }])
      expect((await replay({ ...sides, records })).body.code).toBe('policy.invalid');
    const candidate = { policy: 'guard' };
    expect((await replay({ candidate, baseline: { policy: 'none' }, records })).status).toBe(404);
    expect((await replay({ candidate, records: { source: 'text', text: '' } })).status).toBe(400);
    expect((await replay({ candidate, records: { source: 'disk', path: '/etc/passwd' } })).status).toBe(400);
  });

  it('neither blocks nor crashes the controller, whatever the records are', async () => {
    const hostile = [
      '{'.repeat(100_000),
      '"'.repeat(100_000),
      `[${'['.repeat(50_000)}`,
      '\u2028',
      '{"url":1,"method":{}}',
    ];
    const { status, body } = await replay({ candidate: { policy: 'guard' }, records: text(...hostile) });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.totals.requests).toBe(0);
    expect((await viewer.call('GET', `/api/v3/shield/policies?project=${t.project}`)).status).toBe(200);
  });
});
