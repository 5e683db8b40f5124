import { beforeAll, describe, expect, it } from 'vitest';
import { createDelta } from '../inventory/testing/deltas.ts';
import { useInventoryWorld } from '../inventory/testing/inventory-world.ts';

const world = useInventoryWorld();
const ROOT = '/api/v3/inventory/ownership';

type Caller = { call: (typeof world)['viewer']['call'] };
const call = (method: string, path: string, body?: unknown, { by = world.t.owner as Caller, headers = {} } = {}) =>
  by.call(method, `${ROOT}${path}${path.includes('?') ? '&' : '?'}project=${world.t.project}`, body, headers);
const ofOperation = (method: string, id: string, path: string, body?: unknown, by: Caller = world.t.owner) =>
  by.call(method, `/api/v3/inventory/${id}/ownership${path}?project=${world.t.project}`, body);

const RULES = [
  {
    name: 'payments',
    match: { path_prefixes: ['/pay'] },
    set: { team: 'payments', criticality: 'critical', tags: ['pci'] },
  },
  { name: 'shop', match: { host_prefix: 'shop.example' }, set: { team: 'shop', owner: 'ann' } },
];

beforeAll(async () => {
  const atMs = Date.now() - 60_000;
  await world.apply([
    createDelta('POST shop.example/pay', { anonymousMs: atMs, flags: { brute_force_suspect: atMs }, threatMax: 10 }),
    createDelta('GET shop.example/cart', { pii: { email: atMs }, authenticatedMs: atMs }),
    createDelta('GET =HYPERLINK("x").example/free'),
    createDelta('GET shop.example/.env', { confirmed: false }),
  ]);
}, 120_000);

describe('rules', () => {
  it('are replaced as a whole under the revision that was read', async () => {
    expect((await call('GET', '/rules')).body).toMatchObject({ rules: [], revision: 0, updated_at: null });
    const made = await call('PUT', '/rules', { rules: RULES });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    expect(made.body).toMatchObject({ revision: 1, rules: [{ name: 'payments', enabled: true }, { name: 'shop' }] });
    expect((await call('PUT', '/rules', { rules: [] }, { headers: { 'if-match': '"0"' } })).status).toBe(412);
    expect((await call('PUT', '/rules', { rules: RULES })).body.revision).toBe(1);
    expect((await call('PUT', '/rules?dry_run=true', { rules: [] })).body.rules).toEqual([]);
    expect((await call('GET', '/rules')).body.rules).toHaveLength(2);
  });

  it('are for admins, and of one project', async () => {
    expect((await call('PUT', '/rules', { rules: [] }, { by: world.viewer })).status).toBe(403);
    expect((await call('GET', '/rules', undefined, { by: world.viewer })).status).toBe(200);
    const other = await world.createProject();
    const { body } = await world.t.owner.call('GET', `${ROOT}/rules?project=${other}`);
    expect(body.rules).toEqual([]);
  });

  it.each([
    ['an invalid host', [{ ...RULES[1], match: { host_prefix: 'https://x' } }], 'rules.0.match.host_prefix'],
    ['too many', Array(201).fill({ name: 'x', match: {}, set: {} }), 'rules'],
    ['control characters', [{ name: 'x', match: {}, set: { team: 'a\u001b[31m' } }], 'rules[0].set.team'],
  ])('are refused with %s', async (_, rules, path) => {
    const answer = await call('PUT', '/rules', { rules });
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path.replace(/\[(\d+)\]/, '.$1')).toBe(path.replace(/\[(\d+)\]/, '.$1'));
  });

  it('are previewed without a write, also by a viewer', async () => {
    const hidden = { name: 'hidden', match: { path_prefixes: ['/pay'] }, set: { team: 'x' } };
    const { status, body } = await call('POST', '/preview', { rules: [...RULES, hidden] }, { by: world.viewer });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      operation_count: 3,
      unowned: 1,
      rules: [
        { name: 'payments', matched: 1, effective: 1 },
        { name: 'shop', matched: 2, effective: 2 },
        { name: 'hidden', shadowed: true, shadowed_by: ['payments', 'shop'] },
      ],
    });
  });
});

describe('views', () => {
  it('sum operations by team', async () => {
    const { body } = await call('GET', '/teams', undefined, { by: world.viewer });
    expect(body.operation_count).toBe(3);
    expect(
      body.items.map(({ team, operation_count }: { team: string; operation_count: number }) => [team, operation_count]),
    ).toEqual([
      ['', 1],
      ['payments', 1],
      ['shop', 1],
    ]);
    expect(body.items[1]).toMatchObject({
      unauthenticated_writes: 1,
      criticality: { critical: 1 },
      without_owner: 0,
      riskiest: [{ path: '/pay' }],
    });
    expect(body.items[2]).toMatchObject({ personal_data: 1 });
  });

  it('list operations by filters, in pages', async () => {
    const names = async (query: string) =>
      (await call('GET', `/operations?${query}`)).body.items.map(({ path }: { path: string }) => path);
    expect(await names('')).toEqual(['/pay', '/cart', '/free']);
    expect(await names('team=')).toEqual(['/free']);
    expect(await names('team=shop&team=payments&tag=pci')).toEqual(['/pay']);
    expect(await names('owner=ann')).toEqual(['/pay', '/cart']);
    expect(await names('unauthenticated_write=true')).toEqual(['/pay']);
    expect(await names('q=CART')).toEqual(['/cart']);
    const { body } = await call('GET', '/operations?limit=2');
    expect(await names(`limit=2&cursor=${encodeURIComponent(body.next_cursor)}`)).toEqual(['/free']);
    expect(body.items[1]).toMatchObject({ suggested_data_classes: ['personal'], rules: ['shop'] });
  });

  it('are exported as CSV that no spreadsheet runs', async () => {
    const url = `${ROOT}/export?project=${world.t.project}`;
    const answer = await world.t.app.inject({ url, headers: { authorization: `Bearer ${world.viewer.token}` } });
    expect(answer.headers['content-type']).toContain('text/csv');
    const lines = answer.body.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'method,path,listener,host,protocol,team,owner,criticality,data_classes,tags,active_risk_score,active_exposure_score,last_seen,active_flags,pii_categories,id',
    );
    expect(lines).toHaveLength(4);
    expect(answer.body).not.toMatch(/(?:^|,|\n)"?\s*[=+\-@|%]/);
  });
});

describe('an override', () => {
  it('stands against the rules until it is cleared', async () => {
    const id = await world.idOf('GET shop.example/cart');
    const set = await ofOperation('PUT', id, '/override', { team: '', tags: ['mine'] }, world.admin);
    expect([set.status, set.body]).toEqual([200, { team: '', tags: ['mine'] }]);
    const { body } = await ofOperation('GET', id, '', undefined, world.viewer);
    expect(body).toMatchObject({
      operation: { team: '', owner: 'ann', tags: ['mine'], overridden: true },
      override: { team: '', tags: ['mine'] },
    });
    expect((await call('GET', '/overrides')).body.items).toMatchObject([
      { operation_id: id, operation: { path: '/cart' } },
    ]);
    expect((await ofOperation('PUT', id, '/override', {}, world.viewer)).status).toBe(403);
    expect((await ofOperation('DELETE', id, '/override')).status).toBe(204);
    expect((await ofOperation('DELETE', id, '/override')).status).toBe(404);
  });

  it('of an operation that does not exist is refused, and one that no longer exists is listed', async () => {
    expect((await ofOperation('PUT', 'f'.repeat(16), '/override', { team: 'x' })).status).toBe(404);
    const id = await world.idOf('GET shop.example/cart');
    await ofOperation('PUT', id, '/override', { team: 'kept' });
    await world.t.owner.call('DELETE', `/api/v3/inventory/${id}?project=${world.t.project}`);
    expect((await call('GET', '/overrides')).body.items).toMatchObject([{ operation_id: id, operation: null }]);
    await world.apply([createDelta('GET shop.example/cart')]);
    expect((await ofOperation('GET', id, '')).body.operation.team).toBe('kept');
  });

  it('follows an operation that became part of another one', async () => {
    const [from, to] = [await world.idOf('GET shop.example/cart'), await world.idOf('POST shop.example/pay')];
    await world.t.database.owner
      .insertInto('inventory_merges')
      .values({ project_id: world.t.project, operation_id: from, target_id: to, merged_at: new Date() })
      .execute();
    expect((await ofOperation('GET', to, '')).body.operation.team).toBe('kept');
    expect((await ofOperation('DELETE', to, '/override')).status).toBe(204);
    expect((await ofOperation('GET', to, '')).body.operation.team).toBe('payments');
  });
});
