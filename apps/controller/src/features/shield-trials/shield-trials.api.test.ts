import { createHash } from 'node:crypto';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../test-controller.ts';
import { createTestFleet, type TestFleet } from '../../test-fleet.ts';

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
  it('tells what a stored policy makes of it, and why', async () => {
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
    // Nobody reads in an answer what they sent as a credential.
    for (const { body } of [blocked, allowed]) {
      expect(JSON.stringify(body)).not.toContain(KEY);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
    expect((await tryIt({ policy: 'guard' }, get('https://b.example.com/'))).body).toMatchObject({
      verdict: 'allowed',
      match: { domain: null },
    });
  });

  it('tells what a draft would make of it, given as text or as an object, and what is wrong with a draft', async () => {
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
    const bad = await tryIt({ draft: { text: text.replace('second: 5', 'second: 0') } }, get('https://c.example.com/'));
    expect(bad.status).toBe(400);
    expect(bad.body).toMatchObject({
      code: 'policy.invalid',
      problems: [{ file: 'draft.yaml', line: 15, rule: expect.any(String) }],
    });
    for (const draft of [{}, { text, document }]) {
      const refused = await tryIt({ draft }, get('https://c.example.com/'));
      expect(refused.body).toMatchObject({ code: 'request.invalid', details: [{ path: 'draft' }] });
    }
  });

  it('tells what all policies of a service together make of it, with the hops that the service trusts', async () => {
    const headers = [['x-forwarded-for', '198.51.100.1, 198.51.100.2']];
    const answer = await tryIt({ service_id: service.id }, get('https://b.example.com/open', { headers }));
    expect(answer.body).toMatchObject({
      match: { domain: { policy: 'second' } },
      request: { source_ip: '198.51.100.1', source_ip_from: 'x-forwarded-for' },
    });
    const own = await tryIt({ service_id: service.id }, get('https://b.example.com/', { headers, trusted_hops: 0 }));
    expect(own.body.request.source_ip).toBe('198.51.100.2');
  });

  it('refuses what is no request, with the field, and what is not there', async () => {
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

  it('of another project finds no policy and no service of this one', async () => {
    const other = await t.createProject(`other-${createId()}`);
    const outsider = await t.createMember('owner', other);
    expect((await tryIt({ policy: 'guard' }, get('/'), outsider, other)).status).toBe(404);
    expect((await tryIt({ service_id: service.id }, get('/'), outsider, other)).status).toBe(404);
    expect((await tryIt({ policy: 'guard' }, get('/'), outsider)).status).toBe(403);
  });

  it('leaves nothing behind: no audit record, no revision, no event', async () => {
    const count = async () => {
      const { db } = t.database;
      const tables = ['audit_log', 'policy_revisions', 'outbox', 'shield_events'] as const;
      const rows = tables.map((table) =>
        db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll().as('n'))
          .executeTakeFirst(),
      );
      return Promise.all(rows);
    };
    const before = await count();
    await tryIt({ draft: { text: policyText('x', 'x.example.com') } }, get('https://x.example.com/'));
    expect(await count()).toEqual(before);
  });
});
