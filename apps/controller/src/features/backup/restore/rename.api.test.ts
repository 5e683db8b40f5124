import { Buffer } from 'node:buffer';
import { beforeEach, expect, it } from 'vitest';
import { TEST_VERSION } from '../../../test-fleet.ts';
import { BASE, SECRET_POLICY } from '../test-restore.ts';
import { stageProjects } from '../test-stage.ts';

const here = stageProjects({ documents: true });
const POLICIES = '/api/v3/shield/policies';
const HCM = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const version = `&version=${TEST_VERSION}`;
let backup: string;

const policy = (rate: number) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
# Who may come, and how often.
metadata: { name: guard } # its name
spec:
  domains:
    - hosts: [guard.example.com]
      policy: { engines: { rate_limit: { key: ip, requests_per_second: ${rate} } } }
`;

/** Of the site: each refers to the next by its name. */
function siteOf(timeout: string) {
  const chain = {
    filters: [
      {
        name: 'http',
        typed_config: {
          '@type': HCM,
          stat_prefix: 'site',
          rds: { route_config_name: 'main' },
          http_filters: [{ $ref: 'filters/router' }],
        },
      },
    ],
  };
  const address = { socket_address: { address: '127.0.0.1', port_value: 18_200 } };
  const host = {
    domains: ['www.example.com'],
    routes: [{ match: { prefix: '/' }, route: { cluster: 'shop', timeout } }],
  };
  const all: Record<string, Record<string, object>> = {
    listeners: { site: { address, listener_filters_timeout: timeout, filter_chains: [chain] } },
    routes: { main: { max_direct_response_body_size_bytes: Number.parseInt(timeout, 10) } },
    virtual_hosts: { 'main/www': host, 'main/api': { domains: ['api.example.com'] } },
    clusters: { shop: { type: 'EDS', connect_timeout: timeout } },
    endpoints: { shop: {} },
    filters: { router: {} },
  };
  return Object.entries(all).flatMap(([collection, documents]) =>
    Object.entries(documents).map(([name, resource]) => ({
      collection,
      name,
      version: TEST_VERSION,
      resource,
      ...(collection === 'filters' && { type: 'envoy.extensions.filters.http.router.v3.Router' }),
    })),
  );
}

const apply = (documents: readonly object[]) =>
  here.ask('POST', '/api/v3/xds/apply', { project: here.project, documents }, { of: '' });
const read = (collection: string, name: string) =>
  here.ask('GET', `/api/v3/xds/${collection}/${encodeURIComponent(name)}`, undefined, { more: version });
const rename = (name: string) => ({ section: 'documents', record: `${TEST_VERSION}/${name}`, choice: 'rename' });

async function restore(choices: object) {
  const planned = await here.plan({ backup, ...choices });
  const done = await here.restore({ backup, ...choices, digest: planned.digest });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  return { planned, restored: done.body.restored };
}

beforeEach(async () => {
  await apply(siteOf('1s'));
  await here.ask('POST', POLICIES, { name: 'guard', text: policy(1) });
  const service = { name: 'site', version: TEST_VERSION, bootstrap: 'boot', listeners: ['site'], policies: ['guard'] };
  const { id } = await here.ask('POST', '/api/op/services', service);
  const group = await here.ask('POST', '/api/v3/setting/groups', { name: 'team', description: null });
  const given = { subject: { kind: 'group', id: group.id }, resource: { kind: 'service', id }, level: 'change' };
  await here.ask('POST', '/api/v3/setting/permissions', given);
  backup = (await here.makeBackup({})).id;
  await apply(siteOf('2s'));
  await here.ask('PUT', `${POLICIES}/guard`, { text: policy(2) });
  await here.ask('PATCH', `/api/v3/setting/groups/${group.id}`, { description: 'others' });
  await here.ask('PATCH', `/api/op/services/${id}`, { listeners: ['site', 'one'] });
});

it('a whole site comes back beside the one that is here: everything of it refers to its own', async () => {
  const choices = {
    by_section: { documents: 'rename', policies: 'rename', services: 'rename', groups: 'rename' },
    suffix: '-old',
  };
  const { planned, restored } = await restore(choices);
  const renamed = planned.conflicts.map(({ name, as }: { name: string; as: string }) => [name, as]);
  const documents = ['clusters/shop', 'listeners/site', 'routes/main'];
  expect(renamed).toEqual(
    expect.arrayContaining([
      ...documents.map((name) => [`${TEST_VERSION}/${name}`, `${TEST_VERSION}/${name}-old`]),
      // Virtual hosts go with their routes, also the one that has not changed.
      ...['www', 'api'].map((name) => [
        `${TEST_VERSION}/virtual_hosts/main/${name}`,
        `${TEST_VERSION}/virtual_hosts/main-old/${name}`,
      ]),
      ['guard', 'guard-old'],
      ['site', 'site-old'],
      ['team', 'team-old'],
    ]),
  );
  expect(renamed).toHaveLength(8);

  const listener = await read('listeners', 'site-old');
  expect(listener.resource).toMatchObject({ name: 'site-old', listener_filters_timeout: '1s' });
  const manager = listener.resource.filter_chains[0].filters[0].typed_config;
  expect(manager.rds.route_config_name).toBe('main-old');
  // What is the same here is used as it is.
  expect(manager.http_filters).toEqual([{ $ref: 'filters/router' }]);
  expect((await read('routes', 'main-old')).resource.name).toBe('main-old');
  const host = (await read('virtual_hosts', 'main-old/www')).resource;
  expect(host).toMatchObject({ name: 'www', routes: [{ route: { cluster: 'shop-old', timeout: '1s' } }] });
  // Its endpoints are still those that it had: they have not changed, so they are not there twice.
  expect((await read('clusters', 'shop-old')).resource).toMatchObject({
    name: 'shop-old',
    connect_timeout: '1s',
    eds_cluster_config: { service_name: 'shop' },
  });
  const guard = (await here.ask('GET', `${POLICIES}/guard-old`)).text;
  expect(guard).toBe(policy(1).replace('{ name: guard }', '{ name: "guard-old" }'));

  const { items: services } = await here.ask('GET', '/api/op/services');
  const old = services.find(({ name }: { name: string }) => name === 'site-old');
  expect(await here.ask('GET', `/api/op/services/${old.id}`)).toMatchObject({
    bootstrap: 'boot',
    listeners: ['site-old'],
    policies: ['guard-old'],
    clients: [],
  });
  const rows = await here.t.database.owner
    .selectFrom('permissions as p')
    .innerJoin('groups as g', 'g.id', 'p.group_id')
    .select(['g.name', 'p.resource_id', 'p.level'])
    .where('p.project_id', '=', here.project)
    .where('p.resource_id', '=', old.id)
    .execute();
  expect(rows).toEqual([{ name: 'team-old', resource_id: old.id, level: 'change' }]);
  expect(restored.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['site-old', 'guard-old']));

  // Nothing that was here refers to it.
  expect(
    (await read('listeners', 'site')).resource.filter_chains[0].filters[0].typed_config.rds.route_config_name,
  ).toBe('main');
  expect((await read('virtual_hosts', 'main/www')).resource).toMatchObject({
    routes: [{ route: { cluster: 'shop', timeout: '2s' } }],
  });
  expect((await here.ask('GET', `${POLICIES}/guard`)).text).toBe(policy(2));
});

it('what replaces something here refers to what was renamed with it, and what stays does not', async () => {
  await restore({
    by_record: [
      { ...rename('clusters/shop'), name: 'shop-of-before' },
      { ...rename('virtual_hosts/main/www'), choice: 'replace' },
    ],
  });
  expect((await read('virtual_hosts', 'main/www')).resource).toMatchObject({
    routes: [{ route: { cluster: 'shop-of-before' } }],
  });
  expect((await read('clusters', 'shop')).resource).toMatchObject({ connect_timeout: '2s' });
  expect((await read('listeners', 'site')).resource).toMatchObject({ listener_filters_timeout: '2s' });
});

it('what is renamed begins without its history, as the plan says', async () => {
  await apply(siteOf('3s'));
  backup = (await here.makeBackup({})).id;
  await apply(siteOf('4s'));
  const { planned } = await restore({ by_record: [rename('clusters/shop')] });
  const told = planned.not_taken.find(({ reason }: { reason: string }) => reason.startsWith('what is renamed'));
  expect(told).toMatchObject({ kind: 'revisions', count: 2 });
  const { items } = await here.ask('GET', '/api/v3/xds/clusters/shop-restored/revisions', undefined, { more: version });
  expect(items).toHaveLength(1);
});

it('what would mean something else by another name is refused, and says why', async () => {
  await here.ask('PUT', '/api/v3/xds/filters/router', { resource: { start_child_span: true } }, { more: version });
  for (const [record, reason] of [
    [rename('filters/router'), 'what routes say of a filter they say by its name'],
    [rename('virtual_hosts/main/www'), 'a virtual host goes with its route configuration'],
  ] as const) {
    const answer = await here.owner.call('POST', `${BASE}/backup/plan${here.query}`, { backup, by_record: [record] });
    expect([answer.status, answer.body.code]).toEqual([400, 'backup.choice_refused']);
    expect(answer.body.message).toContain(reason);
  }
});

it('all that cannot have another name is told at once, with what can be done instead', async () => {
  await here.ask('PUT', '/api/v3/xds/filters/router', { resource: { start_child_span: true } }, { more: version });
  await apply(siteOf('1s').filter(({ collection }) => collection === 'routes'));
  const body = { backup, by_section: { documents: 'rename' } };
  const answer = await here.owner.call('POST', `${BASE}/backup/plan${here.query}`, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'backup.choice_refused']);
  expect(answer.body.message).toContain('what routes say of a filter they say by its name: skip or replace it');
  const host = `${TEST_VERSION}/virtual_hosts/main/www`;
  expect(answer.body.message).toMatch(/virtual_hosts\/main\/www/);
  expect(answer.body.message).toContain('its routes are the same here: skip or replace it');
  const by_record = [host, `${TEST_VERSION}/filters/router`].map((record) => ({
    section: 'documents',
    record,
    choice: 'replace',
  }));
  expect((await here.plan({ ...body, by_record })).conflicts).toContainEqual({
    kind: 'documents',
    name: host,
    choice: 'replace',
  });
});

it('a policy whose secret files are not in the backup can be replaced, and not be made by another name', async () => {
  const files = [{ path: 'keys/shared.key', content_base64: Buffer.alloc(32, 7).toString('base64') }];
  const text = SECRET_POLICY.replace('name: guard', 'name: sealed');
  await here.ask('POST', POLICIES, { name: 'sealed', text, files });
  backup = (await here.makeBackup({ secret_free: true })).id;
  await here.ask('PUT', `${POLICIES}/sealed`, { text: text.replace('guard.example.com', 'other.example.com') });
  const body = { backup, by_record: [{ section: 'policies', record: 'sealed', choice: 'rename' }] };
  const answer = await here.owner.call('POST', `${BASE}/backup/plan${here.query}`, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'backup.choice_refused']);
  expect(answer.body.message).toContain('policies sealed cannot be done: its secret files are not in the backup');
  await restore({ by_record: [{ section: 'policies', record: 'sealed', choice: 'replace' }] });
});

it('a permission is found by the name that it had before its group was renamed, as a plan had shown it', async () => {
  const exception = (name: string) => ({ section: 'permissions', record: name, choice: 'skip' });
  const team = { section: 'groups', record: 'team', choice: 'rename' };
  for (const who of ['team', 'team-restored']) {
    const by_record = [team, exception(`group ${who} may change service site`)];
    const planned = await here.plan({ backup, by_record });
    const given = planned.creates.find(({ kind }: { kind: string }) => kind === 'permissions');
    expect(given.names).toEqual(['group team-restored may change service site']);
  }
});

it('a policy that says its name in a way that others share keeps it', async () => {
  await here.ask('PUT', `${POLICIES}/guard`, { text: policy(1).replace('name: guard', 'name: &me guard') });
  backup = (await here.makeBackup({})).id;
  await here.ask('PUT', `${POLICIES}/guard`, { text: policy(5) });
  const body = { backup, by_section: { policies: 'rename' } };
  const answer = await here.owner.call('POST', `${BASE}/backup/plan${here.query}`, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'backup.choice_refused']);
});

it('what a backup is without is told by the name that its record gets', async () => {
  const resourceOf = (chain: string) => ({
    tls_certificate: { certificate_chain: { inline_string: chain }, private_key: { inline_string: 'a private key' } },
  });
  await here.ask('POST', '/api/v3/xds/secrets', { name: 'www', version: TEST_VERSION, resource: resourceOf('c') });
  backup = (await here.makeBackup({ secret_free: true })).id;
  await here.ask('PUT', '/api/v3/xds/secrets/www', { resource: resourceOf('d') }, { more: version });
  const namesOf = async (choices: object) =>
    (await here.plan({ backup, ...choices })).missing_secrets.map(({ name }: { name: string }) => name);
  expect(await namesOf({})).toEqual(['www']);
  expect(await namesOf({ by_record: [rename('secrets/www')] })).toEqual(['www-restored']);
});
