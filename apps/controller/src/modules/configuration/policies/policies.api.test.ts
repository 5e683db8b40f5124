import { createHash } from 'node:crypto';
import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
});
afterAll(() => t.close());

const VERSION = TEST_ENVOY_VERSIONS.newest;
const RAW = 'a-raw-key-of-somebody-1234';
const list = () => `/api/v3/shield/policies?project=${t.project}`;
const item = (name: string) => `/api/v3/shield/policies/${name}?project=${t.project}`;
const limit = (host: string, name: string) => `# guards ${host}
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata:
  name: ${name}
spec:
  domains:
    - hosts: ["${host}"]
      policy:
        engines:
          rate_limit:
            key: ip
            requests_per_second: 10
            burst: 20
`;
const keyed = (name: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec:
  domains:
    - hosts: [${name}.example.com]
      policy:
        engines:
          api_key:
            name: x-api-key
            keys:
              - subject: somebody
                key: ${RAW} # to be replaced
`;

describe('policies', () => {
  it('are stored as written, with a digest, a history and ETags', async () => {
    const made = await t.owner.call('POST', list(), { name: 'limit', text: limit('www.example.com', 'limit') });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body).toMatchObject({
      name: 'limit',
      revision: 1,
      hosts: ['www.example.com'],
      text: limit('www.example.com', 'limit'),
    });
    expect(made.body.digest).toMatch(/^[0-9a-f]{64}$/);
    const stale = await t.owner.call(
      'PUT',
      item('limit'),
      { text: limit('a.example.com', 'limit') },
      { 'if-match': '"9"' },
    );
    expect(stale.status).toBe(412);
    const changed = await t.owner.call(
      'PUT',
      item('limit'),
      { text: limit('a.example.com', 'limit') },
      { 'if-match': '"1"' },
    );
    expect(changed.body.digest).not.toBe(made.body.digest);
    const dry = await t.owner.call('PUT', `${item('limit')}&dry_run=true`, { text: limit('b.example.com', 'limit') });
    expect(dry.body).toMatchObject({ dry_run: true, revision: 3, diff: [{ path: 'text', change: 'changed' }] });
    const restored = await t.owner.call('POST', item('limit').replace('?', '/restore?'), { revision: 1 });
    expect(restored.body).toMatchObject({ revision: 3, digest: made.body.digest });
    const history = await t.owner.call('GET', item('limit').replace('?', '/revisions?'));
    expect(history.body.items).toHaveLength(3);
    expect((await t.owner.call('GET', item('limit').replace('?', '/revisions/2?'))).body.text).toContain(
      'a.example.com',
    );
    expect((await t.owner.call('GET', list())).body.items).toEqual([expect.objectContaining({ name: 'limit' })]);
  });

  it('are listed with their exact number, and those that no service uses by a filter', async () => {
    const names = ['counted-a', 'counted-b', 'counted-c'];
    for (const name of names) await t.owner.call('POST', list(), { name, text: limit(`${name}.example.com`, name) });
    const bootstrap = { name: 'counted', version: VERSION, resource: {} };
    expect((await t.owner.call('POST', `/api/v3/xds/bootstrap?project=${t.project}`, bootstrap)).status).toBe(201);
    const service = { name: 'counted', version: VERSION, bootstrap: 'counted', policies: ['counted-b'] };
    const made = await t.owner.call('POST', `/api/op/services?project=${t.project}`, service);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const read = async (more: string) => (await t.owner.call('GET', `${list()}&q=counted-${more}`)).body;
    expect(await read('&with_total=true&limit=1')).toMatchObject({ items: [{ name: 'counted-a' }], total: 3 });
    const unused = await read('&with_total=true&state=unused');
    expect(unused.items.map(({ name }: { name: string }) => name)).toEqual(['counted-a', 'counted-c']);
    expect(unused.total).toBe(2);
    expect(await read('')).not.toHaveProperty('total');
    expect((await t.owner.call('GET', `${list()}&state=odd`)).status).toBe(400);
  });

  it('may be given as an object', async () => {
    const document = {
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'object' },
      spec: {
        domains: [
          { hosts: ['object.example.com'], policy: { engines: { rate_limit: { key: 'ip', requests_per_second: 1 } } } },
        ],
      },
    };
    const made = await t.owner.call('POST', list(), { name: 'object', document });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body.text).toContain('kind: SecurityPolicy');
    expect((await t.owner.call('POST', list(), { name: 'both', document, text: 'x' })).status).toBe(400);
    expect((await t.owner.call('POST', list(), { name: 'neither' })).status).toBe(400);
  });

  it('are refused with file, line and field if the filter would refuse them', async () => {
    const bad = limit('www.example.com', 'bad').replace('second: 10', 'second: 0');
    const answer = await t.owner.call('POST', list(), { name: 'bad', text: bad });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('policy.invalid');
    expect(answer.body.problems[0]).toMatchObject({
      file: 'bad.yaml',
      line: 13,
      field: 'spec.domains[0].policy.engines.rate_limit.requests_per_second',
    });
    expect(answer.body.details[0].path).toBe('spec.domains[0].policy.engines.rate_limit.requests_per_second');
    const unreadable = await t.owner.call('POST', list(), { name: 'bad', text: 'a: [' });
    expect(unreadable.body.problems[0].line).toBe(1);
    const other = await t.owner.call('POST', list(), { name: 'bad', text: limit('www.example.com', 'other') });
    const message = 'is "other" but the policy is named bad; make them equal';
    const place = { file: 'bad.yaml', line: 5, column: 9, field: 'metadata.name' };
    expect(other.body.problems).toEqual([{ ...place, rule: 'name', message }]);
    expect(other.body.details).toEqual([{ path: 'metadata.name', rule: 'name', message: `bad.yaml:5: ${message}` }]);
  });

  it('contain no raw key: it is replaced by its digest and never returned', async () => {
    const made = await t.owner.call('POST', list(), { name: 'keyed', text: keyed('keyed') });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body.replaced_keys).toBe(1);
    expect(made.body.text).toContain(createHash('sha256').update(RAW).digest('hex'));
    expect(made.body.text).toContain('# to be replaced');
    const everything = [
      made.body,
      (await t.owner.call('GET', item('keyed'))).body,
      await t.database.db.selectFrom('policies').selectAll().execute(),
      await t.database.db.selectFrom('policy_revisions').selectAll().execute(),
      await t.database.db.selectFrom('audit_log').selectAll().execute(),
      await t.database.db.selectFrom('outbox').selectAll().execute(),
    ];
    expect(JSON.stringify(everything)).not.toContain(RAW);
    const bad = await t.owner.call('POST', list(), {
      name: 'keyed2',
      text: keyed('keyed2').replace('hosts:', 'host:'),
    });
    expect(bad.status).toBe(400);
    expect(JSON.stringify(bad.body)).not.toContain(RAW);
  });

  it('are returned with warnings about likely mistakes when they are written, tried and read', async () => {
    const odd = limit('odd.example.com', 'odd').replace('key: ip', 'key: ip\n            header: X-User');
    const warnings = [
      expect.objectContaining({
        file: 'odd.yaml',
        line: 13,
        field: 'spec.domains[0].policy.engines.rate_limit.header',
        message: expect.any(String),
      }),
    ];
    const dry = await t.owner.call('POST', `${list()}&dry_run=true`, { name: 'odd', text: odd });
    expect(dry.body).toMatchObject({ dry_run: true, warnings });
    const made = await t.owner.call('POST', list(), { name: 'odd', text: odd });
    expect(made.body.warnings).toEqual(warnings);
    expect((await t.owner.call('GET', item('odd'))).body.warnings).toEqual(warnings);
    const fixed = await t.owner.call('PATCH', item('odd'), { text: limit('odd.example.com', 'odd') });
    expect(fixed.body.warnings).toEqual([]);
    const back = await t.owner.call('POST', item('odd').replace('?', '/restore?'), { revision: 1 });
    expect(back.body.warnings).toEqual(warnings);
  });

  it('are reported as refused if an earlier version stored what this one does not accept', async () => {
    await t.owner.call('POST', list(), { name: 'stale', text: limit('stale.example.com', 'stale') });
    const text = limit('stale.example.com', 'stale').replace('key: ip', 'key: planet');
    await t.database.db
      .updateTable('policies')
      .set({ text, digest: '0'.repeat(64) })
      .where('name', '=', 'stale')
      .execute();
    const { status, body } = await t.owner.call('GET', item('stale'));
    expect(status).toBe(200);
    expect(body.warnings).toEqual([
      expect.objectContaining({
        file: 'stale.yaml',
        line: 12,
        field: 'spec.domains[0].policy.engines.rate_limit.key',
        message: expect.stringMatching(/; this version refuses the policy, which an earlier one has stored$/),
      }),
    ]);
  });

  it('can be read by everybody in the project and written by admins and owners', async () => {
    for (const role of ['editor', 'viewer'] as const) {
      const member = await t.createMember(role);
      expect((await member.call('GET', list())).status).toBe(200);
      expect((await member.call('POST', list(), { name: 'x', text: limit('x.example.com', 'x') })).status).toBe(403);
      expect((await member.call('DELETE', item('limit'))).status).toBe(403);
    }
    const admin = await t.createMember('admin');
    expect((await admin.call('POST', list(), { name: 'x', text: limit('x.example.com', 'x') })).status).toBe(201);
  });

  it('may only send files that they name, at paths inside the bundle', async () => {
    const file = (path: string) => ({ path, content_base64: Buffer.from('x').toString('base64') });
    for (const path of ['/etc/x', '../x', 'a/../x', 'other.yaml', 'unnamed.pem']) {
      const answer = await t.owner.call('POST', list(), {
        name: 'files',
        text: limit('f.example.com', 'files'),
        files: [file(path)],
      });
      expect(answer.status, path).toBe(400);
      expect(answer.body.details[0].path).toBe('files[0].path');
    }
  });

  it('of one service may not cover a host twice, whichever is written last', async () => {
    await t.owner.call('POST', '/api/v3/xds/apply', {
      project: t.project,
      documents: [{ collection: 'bootstrap', name: 'boot', version: VERSION, resource: {} }],
    });
    await t.owner.call('POST', list(), { name: 'one', text: limit('one.example.com', 'one') });
    await t.owner.call('POST', list(), { name: 'two', text: limit('two.example.com', 'two') });
    await t.owner.call('POST', list(), { name: 'clash', text: limit('one.example.com', 'clash') });
    const services = `/api/op/services?project=${t.project}`;
    const service = (name: string, policies: string[]) => ({ name, version: VERSION, bootstrap: 'boot', policies });
    const refused = await t.owner.call('POST', services, service('bad', ['one', 'clash']));
    expect(refused.status).toBe(400);
    expect(refused.body.details[0]).toMatchObject({ path: 'policies[0]', rule: 'host.duplicate' });
    expect((await t.owner.call('POST', services, service('bad', ['one', 'none']))).body.details[0].path).toBe(
      'policies[1]',
    );
    const made = await t.owner.call('POST', services, service('good', ['one', 'two']));
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const clash = await t.owner.call('PUT', item('two'), { text: limit('one.example.com', 'two') });
    expect(clash.status).toBe(409);
    expect(clash.body.code).toBe('policy.clash');
    const inUse = await t.owner.call('DELETE', item('two'));
    expect(inUse.status).toBe(409);
    expect(inUse.body.users).toEqual([{ collection: 'services', id: made.body.id, name: 'good' }]);
    const fine = await t.owner.call('PUT', item('two'), { text: limit('three.example.com', 'two') });
    expect(fine.body.services).toEqual([{ id: made.body.id, name: 'good' }]);
    expect((await t.owner.call('GET', item('two'))).body.services).toEqual([{ id: made.body.id, name: 'good' }]);
    const { items } = (await t.owner.call('GET', list())).body;
    const usersOf = (name: string) => items.find((row: { name: string }) => row.name === name).services;
    expect(usersOf('one')).toEqual([{ id: made.body.id, name: 'good' }]);
    expect(usersOf('clash')).toEqual([]);
  });

  it('form one bundle per service, whose digest the filter reports', async () => {
    const { policyBundleFor } = t.controller.configuration;
    const bundle = await policyBundleFor({ projectId: t.project, policies: ['two', 'one'] });
    expect(bundle?.files.map(({ path }) => path)).toEqual(['one.yaml', 'two.yaml']);
    const again = await policyBundleFor({ projectId: t.project, policies: ['one', 'two'] });
    expect(again?.digest).toBe(bundle?.digest);
    expect(await policyBundleFor({ projectId: t.project, policies: [] })).toBeUndefined();
  });
});
