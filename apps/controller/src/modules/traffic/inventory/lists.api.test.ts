import { RISK_ACTIVE_DAYS } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDelta, daysAgo } from './testing/deltas.ts';
import { ROOT, useInventoryWorld } from './testing/inventory-world.ts';

const world = useInventoryWorld();
const OTHER_SERVICE = createId();

beforeAll(async () => {
  const lately = Date.now() - 60_000;
  const deltas = [
    createDelta('GET a.example/orders', {
      seen: 50,
      statuses: { 200: 49, 500: 1 },
      latencyMaxMs: 30,
      protocols: ['http/1.1'],
    }),
    createDelta('POST a.example/orders', {
      seen: 4,
      flags: { unauthenticated: lately },
      exposureMax: 4,
      anonymousMs: lately,
      schemes: { none: lately },
    }),
    createDelta('GET a.example/orders/{id}', {
      seen: 20,
      flags: { bola_suspect: lately, pii_observed: daysAgo(RISK_ACTIVE_DAYS + 1) },
      threatMax: 8,
      pii: { email: daysAgo(RISK_ACTIVE_DAYS + 1) },
      authenticatedMs: lately,
      schemes: { jwt: lately },
      listeners: ['edge-1', 'web'],
    }),
    createDelta('DELETE b.example/users/{id}', {
      seen: 2000,
      atMs: daysAgo(40),
      categories: ['account_management'],
      services: [OTHER_SERVICE],
      listeners: ['edge-2'],
    }),
    createDelta('POST api.a.example/login', {
      seen: 7,
      categories: ['auth_endpoint'],
      flags: { brute_force_suspect: lately },
      threatMax: 10,
      pii: { email: lately, phone: lately },
      authenticatedMs: lately,
      anonymousMs: lately,
      refusedMs: lately,
      protocols: ['http/2', 'grpc'],
    }),
    createDelta('GET A%25_.example/100%25_\\', { seen: 1 }),
    createDelta('GET a.example/.git', { confirmed: false, flags: { vuln_probe_path: lately }, threatMax: 7 }),
  ];
  await world.apply(deltas);
}, 120_000);

const FILTERS: readonly (readonly [query: string, names: readonly string[]])[] = [
  ['method=POST', ['POST a.example/orders', 'POST api.a.example/login']],
  ['method=DELETE&method=POST&host=b', ['DELETE b.example/users/{id}']],
  ['protocol=http/1.1', ['GET a.example/orders']],
  ['protocol=grpc&protocol=http/1.1', ['GET a.example/orders', 'POST api.a.example/login']],
  ['risk_flag=pii_observed', ['GET a.example/orders/{id}']],
  ['risk_flag=pii_observed&active=true', []],
  ['risk_flag=bola_suspect&active=true', ['GET a.example/orders/{id}']],
  ['pii_category=phone', ['POST api.a.example/login']],
  ['pii_category=email', ['GET a.example/orders/{id}', 'POST api.a.example/login']],
  ['pii_category=email&active=true', ['POST api.a.example/login']],
  ['endpoint_category=account_management', ['DELETE b.example/users/{id}']],
  ['auth_scheme=jwt', ['GET a.example/orders/{id}']],
  ['auth_posture=inconsistent', ['POST api.a.example/login']],
  ['auth_posture=anonymous&auth_posture=authenticated', ['GET a.example/orders/{id}', 'POST a.example/orders']],
  ['host=b.ex', ['DELETE b.example/users/{id}']],
  ['host=api.', ['POST api.a.example/login']],
  // Anchored and case-sensitive, and nothing is a wildcard.
  ['host=example', []],
  ['host=B.EX', []],
  ['host=%25', []],
  ['host=A%2525_', ['GET A%25_.example/100%25_\\']],
  ['normalized_path=/orders/', ['GET a.example/orders/{id}']],
  ['normalized_path=orders', []],
  ['listener_name=edge', ['DELETE b.example/users/{id}', 'GET a.example/orders/{id}']],
  [`service_id=${OTHER_SERVICE}`, ['DELETE b.example/users/{id}']],
  [`client_id=${createId()}`, []],
  ['min_seen=50', ['DELETE b.example/users/{id}', 'GET a.example/orders']],
  ['min_risk_score=8', ['GET a.example/orders/{id}', 'POST api.a.example/login']],
  ['min_risk_score=8&max_risk_score=8', ['GET a.example/orders/{id}']],
  ['min_active_risk_score=10', ['POST api.a.example/login']],
  [`last_seen_to=${new Date(daysAgo(1)).toISOString()}`, ['DELETE b.example/users/{id}']],
  [
    `last_seen_from=${new Date(daysAgo(41)).toISOString()}&last_seen_to=${new Date(daysAgo(39)).toISOString()}`,
    ['DELETE b.example/users/{id}'],
  ],
  [`first_seen_to=${new Date(daysAgo(1)).toISOString()}`, ['DELETE b.example/users/{id}']],
  ['active=false', ['DELETE b.example/users/{id}']],
  ['q=LOGIN', ['POST api.a.example/login']],
  ['q=25_%5C', ['GET A%25_.example/100%25_\\']],
  ['q=2_%5C', []],
];

describe('the list of operations', () => {
  it.each(FILTERS)('filters by %s', async (query, names) => {
    expect((await world.names(`?${query}`)).toSorted()).toEqual([...names]);
  });

  it.each(FILTERS)('counts what it filters by %s', async (query, names) => {
    expect((await world.read(`?${query}&with_total=true`)).total).toBe(names.length);
  });

  it('says which filters apply', async () => {
    const { applied, truncated, risk_active_days } = await world.read('?method=GET&method=POST&min_seen=5&active=true');
    expect(applied).toEqual({ method: ['GET', 'POST'], min_seen: 5, active: true });
    expect([truncated, risk_active_days]).toEqual([false, RISK_ACTIVE_DAYS]);
  });

  it.each([
    'last_seen',
    'first_seen',
    'seen_count',
    'error_rate',
    'latency_max_ms',
    'max_risk_score',
    'max_posture_score',
    'active_risk_score',
    'active_posture_score',
    'host',
    'normalized_path',
  ])('sorts by %s in both directions, and pages have every operation once', async (field) => {
    for (const sort of [field, `-${field}`]) {
      const whole = await world.names(`?sort=${sort}`);
      const pages: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: { items: { id: string }[]; next_cursor: string | null } = await world.read(
          `?sort=${sort}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        pages.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(new Set(pages).size).toBe(6);
      expect(whole).toHaveLength(6);
      const values = (await world.read(`?sort=${sort}`)).items.map((item: Record<string, unknown>) => item[field]);
      const sorted = values.toSorted((a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0));
      expect(values).toEqual(sort.startsWith('-') ? sorted.toReversed() : sorted);
    }
  });

  it.each([
    'sort=password',
    'min_risk_score=256',
    'min_seen=-1',
    'risk_flag=nonsense',
    'country=de',
    'asn=AS1',
    'source_ip=host',
    'cursor=abc',
    'unknown=1',
    'method=get',
  ])('refuses %s', async (query) => {
    const { status } = await world.viewer.call('GET', `${ROOT}?project=${world.t.project}&${query}`);
    expect(status).toBe(400);
  });

  it.each(['country=DE', 'asn=64500', 'source_ip=192.0.2.1', 'user_agent=curl'])(
    'answers 503 for %s without an event store, in every view',
    async (query) => {
      for (const view of ['', '/attack-surface', '/operations', '/listeners', '/pii']) {
        const url = `${ROOT}${view}?project=${world.t.project}&${query}`;
        const { status, body } = await world.viewer.call('GET', url);
        expect([status, body.code]).toEqual([503, 'inventory.store_off']);
      }
    },
  );
});

describe('the list by host and path', () => {
  it('sums operations, and has the worst scores', async () => {
    const { items } = await world.read('/operations?host=a.example&sort=normalized_path');
    expect(items).toMatchObject([
      {
        host: 'a.example',
        normalized_path: '/orders',
        methods: ['GET', 'POST'],
        protocols: ['http/1.1', 'http/2'],
        operation_count: 2,
        total_seen: 54,
        error_count: 1,
        error_rate: 1 / 54,
        max_posture_score: 4,
        posture_band: 'medium',
        operations: [
          { method: 'GET', seen_count: 50 },
          { method: 'POST', seen_count: 4, risk_flags: ['unauthenticated'], auth_posture: 'anonymous' },
        ],
        operations_omitted: 0,
      },
      { normalized_path: '/orders/{id}', max_risk_score: 8, risk_band: 'medium' },
    ]);
  });

  it('has the filters of the flat list; maturity and scores are those of the group', async () => {
    const paths = async (query: string) =>
      (await world.read(`/operations?${query}&sort=host`)).items.map(
        (item: { host: string; normalized_path: string }) => `${item.host}${item.normalized_path}`,
      );
    expect(await paths('method=POST')).toEqual(['a.example/orders', 'api.a.example/login']);
    expect(await paths('min_seen=54')).toEqual(['a.example/orders', 'b.example/users/{id}']);
    expect(await paths('min_risk_score=10')).toEqual(['api.a.example/login']);
    expect(await paths('max_risk_score=7&host=a.')).toEqual(['a.example/orders']);
    expect(await paths('risk_flag=vuln_probe_path')).toEqual([]);
    const narrowed = await world.read('/operations?method=POST&host=a.example');
    expect(narrowed.items[0].operations).toHaveLength(1);
  });

  it('pages by every order', async () => {
    for (const sort of ['-total_seen', 'operation_count', '-max_risk_score', '-last_seen', 'normalized_path']) {
      const seen = new Set<string>();
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: { items: { host: string; normalized_path: string }[]; next_cursor: string | null } =
          await world.read(
            `/operations?sort=${sort}&limit=1&with_total=true${cursor === '' ? '' : `&cursor=${cursor}`}`,
          );
        expect(page).toMatchObject({ total: 5 });
        for (const { host, normalized_path } of page.items) seen.add(host + normalized_path);
        cursor = page.next_cursor;
      }
      expect(seen.size).toBe(5);
    }
  });
});

describe('the list of listeners', () => {
  it('sums the operations that each has served', async () => {
    const { items } = await world.read('/listeners?sort=listener');
    expect(items).toMatchObject([
      { listener: 'edge-1', operation_count: 1, total_seen: 20, hosts: ['a.example'] },
      { listener: 'edge-2', operation_count: 1, hosts: ['b.example'] },
      {
        listener: 'web',
        operation_count: 6,
        confirmed_count: 5,
        hosts: ['A%25_.example', 'a.example', 'api.a.example'],
        hosts_omitted: 0,
        max_risk_score: 17,
        status_dist: { '5xx': 1 },
      },
    ]);
    expect(items[2].risk_flags[0]).toBe('brute_force_suspect');
    const edges = await world.read('/listeners?listener_name=edge&with_total=true');
    expect(edges.items.map((item: { listener: string }) => item.listener).toSorted()).toEqual(['edge-1', 'edge-2']);
    expect(edges.total).toBe(2);
  });
});

describe('the views of the inventory', () => {
  it('show what appeared within a window', async () => {
    const found = await world.read('/discoveries?window_hours=48');
    expect(found).toMatchObject({ window_hours: 48, items: expect.any(Array) });
    expect(found.items).toHaveLength(5);
    expect(await world.names(`/discoveries?window_hours=${41 * 24}&host=b`)).toEqual(['DELETE b.example/users/{id}']);
  });

  it('show operations that were busy once', async () => {
    expect(await world.names('/zombies')).toEqual(['DELETE b.example/users/{id}']);
    expect(await world.names('/zombies?inactive_days=45')).toEqual([]);
    expect(await world.names('/zombies?min_seen_count=2001')).toEqual([]);
    expect(await world.read('/zombies')).toMatchObject({ inactive_days: 30, min_seen_count: 1000 });
  });

  it('show which operations accept anonymous requests', async () => {
    const coverage = await world.read('/auth-coverage');
    expect(coverage).toMatchObject({
      mode: 'unauthenticated',
      scope: 'write_methods',
      counts: { operations: 3, authenticated: 0, unauthenticated: 1, inconsistent: 1, mixed: 0, unknown: 1 },
    });
    expect(await world.names('/auth-coverage')).toEqual(['POST api.a.example/login', 'POST a.example/orders']);
    expect(await world.names('/auth-coverage?mode=inconsistent')).toEqual(['POST api.a.example/login']);
    const all = await world.read('/auth-coverage?include_read=true');
    expect(all.counts).toMatchObject({ operations: 6, authenticated: 1, unknown: 3 });
  });

  it('show personal data by category', async () => {
    const { categories, items } = await world.read('/pii');
    expect(items).toHaveLength(2);
    expect(categories).toMatchObject([
      { category: 'email', operation_count: 2, active_count: 1 },
      {
        category: 'phone',
        operation_count: 1,
        active_count: 1,
        samples: [{ method: 'POST', normalized_path: '/login' }],
      },
    ]);
  });

  it('count operations by flag, class, severity and band, without the attack surface', async () => {
    const summary = await world.read('/risk-summary');
    const count = (flag: string) => summary.by_flag.find((row: { flag: string }) => row.flag === flag);
    expect(summary).toMatchObject({ total_operations: 6, flagged_operations: 3, active_flagged_operations: 3 });
    expect(count('pii_observed')).toMatchObject({ operations: 1, active_operations: 0, axis: 'threat' });
    expect(count('auth_inconsistent')).toMatchObject({ operations: 1, active_operations: 1 });
    expect(count('vuln_probe_path')).toMatchObject({ operations: 0 });
    expect(summary.by_severity[0]).toEqual({ severity: 'critical', operations: 1, active_operations: 1 });
    const bands = summary.by_band.reduce((sum: number, row: { threat: number }) => sum + row.threat, 0);
    expect(bands).toBe(6);
    expect(await world.read('/risk-summary?host=b')).toMatchObject({ total_operations: 1, flagged_operations: 0 });
  });
});

describe('a member of a restricted project', () => {
  it('sees the operations of the services that permissions name', async () => {
    const { db } = world.t.database;
    const project = await world.createProject();
    const [mine, theirs] = [createId(), createId()];
    await world.apply(
      [
        createDelta('GET a.example/mine', { services: [mine] }),
        createDelta('GET a.example/theirs', { services: [theirs] }),
        createDelta('GET a.example/both', { services: [mine, theirs] }),
      ],
      { projectId: project },
    );
    const viewer = await world.t.createMember('viewer', project);
    const hidden = await world.idOf('GET a.example/theirs', project);
    const shared = await world.idOf('GET a.example/both', project);
    await db.updateTable('projects').set({ resource_access: 'listed' }).where('id', '=', project).execute();
    await db
      .insertInto('permissions')
      .values({
        id: createId(),
        project_id: project,
        resource_kind: 'service',
        resource_id: mine,
        user_id: viewer.userId,
        group_id: null,
        level: 'view',
        granted_by: null,
        granted_at: new Date(),
      })
      .execute();
    const read = (path: string) => viewer.call('GET', `${ROOT}${path}project=${project}`);
    const { items } = (await read('?sort=normalized_path&')).body;
    expect(items.map((item: { normalized_path: string }) => item.normalized_path)).toEqual(['/both', '/mine']);
    expect((await read(`/${hidden}?`)).status).toBe(404);
    expect((await read(`/${shared}?`)).body).toMatchObject({ services: [], clients: [] });
    expect((await read('/operations?')).body.items).toHaveLength(2);
    expect((await read('/openapi?')).body).not.toContain('/theirs');
    expect((await read('/risk-summary?')).body.total_operations).toBe(2);
  });
});
