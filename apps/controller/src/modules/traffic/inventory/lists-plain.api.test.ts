import { Buffer } from 'node:buffer';
import {
  INVENTORY_AUTH_POSTURES,
  INVENTORY_AUTH_SCHEMES,
  INVENTORY_ENDPOINT_CATEGORIES,
  INVENTORY_METHODS,
  INVENTORY_PII_CATEGORIES,
  INVENTORY_PROTOCOLS,
  RISK_ACTIVE_DAYS,
} from '@flotilla/contract';
import { RISK_FLAG_NAMES, RISK_FLAGS } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import { Random } from '@flotilla/testkit/random';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OperationRow } from './model/row.ts';
import { useInventoryWorld } from './testing/inventory-world.ts';
import { CLIENTS, createRandomDelta, HOSTS, LISTENERS, PATHS, SERVICES, some } from './testing/random-operations.ts';

const SEED = 20_261_128;
const DAY_MS = 86_400_000;
const world = useInventoryWorld();
const random = new Random(SEED);
let started = 0;

/** Requests of random operations; some are reset, deleted or get a new baseline. */
async function change(batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    const deltas = Array.from({ length: 60 }, () => createRandomDelta(random, Date.now()));
    await world.apply(deltas);
    const ids = (await readRows()).map(({ id }) => id);
    const chosen = some(random, ids, 8);
    const act = (path: string) =>
      world.admin.call('POST', `/api/v3/inventory/${path}?project=${world.t.project}`, { operations: chosen });
    if (chosen.length > 0 && batch % 3 === 0) expect((await act('reset')).status).toBe(200);
    if (chosen.length > 0 && batch % 3 === 1) expect((await act('delete')).status).toBe(200);
  }
}

async function readRows(project = world.t.project): Promise<OperationRow[]> {
  const { rows } = await sql<OperationRow>`select * from inventory_operations where project_id = ${project}`.execute(
    world.t.database.owner,
  );
  return rows;
}

beforeAll(async () => {
  await change(9);
  started = Date.now();
}, 120_000);

type Matches = (row: OperationRow) => boolean;
type Filter = readonly [name: string, value: string, matches: Matches];

const has = (bits: number, bit: number) => Math.floor(bits / 2 ** bit) % 2 === 1;
/** One or two values of a set; the operation must have one of them. */
function ofSet<T extends string>(
  name: string,
  values: readonly T[],
  hasOne: (row: OperationRow, value: T) => boolean,
): Filter[] {
  const chosen = [random.pick(values), ...(random.chance(0.3) ? [random.pick(values)] : [])];
  return [...new Set(chosen)].map((value) => [name, value, (row) => chosen.some((one) => hasOne(row, one))]);
}

const activeSince = () => started - RISK_ACTIVE_DAYS * DAY_MS;
const FILTERS: readonly (() => readonly Filter[])[] = [
  () => ofSet('method', INVENTORY_METHODS, (row, method) => row.method === method),
  () => ofSet('protocol', INVENTORY_PROTOCOLS, (row, one) => has(row.protocols, INVENTORY_PROTOCOLS.indexOf(one))),
  () => ofSet('risk_flag', RISK_FLAG_NAMES, (row, flag) => has(row.flags, RISK_FLAGS[flag].bit)),
  () => [
    ...ofSet('risk_flag', RISK_FLAG_NAMES, (row, flag) => has(row.active_flags, RISK_FLAGS[flag].bit)),
    ['active', 'true', () => true],
  ],
  () =>
    ofSet('pii_category', INVENTORY_PII_CATEGORIES, (row, one) => has(row.pii, INVENTORY_PII_CATEGORIES.indexOf(one))),
  () =>
    ofSet('endpoint_category', INVENTORY_ENDPOINT_CATEGORIES, (row, one) =>
      has(row.categories, INVENTORY_ENDPOINT_CATEGORIES.indexOf(one)),
    ),
  () =>
    ofSet('auth_scheme', INVENTORY_AUTH_SCHEMES, (row, one) => has(row.schemes, INVENTORY_AUTH_SCHEMES.indexOf(one))),
  () => ofSet('auth_posture', INVENTORY_AUTH_POSTURES, (row, one) => row.auth_posture === one),
  () => ofSet('service_id', [...SERVICES, createId()], (row, one) => row.services.includes(one)),
  () => ofSet('client_id', CLIENTS, (row, one) => row.clients.includes(one)),
  () => prefix('host', HOSTS, (row, start) => row.host.startsWith(start)),
  () => prefix('normalized_path', PATHS, (row, start) => row.path.startsWith(start)),
  () =>
    prefix('listener_name', [...LISTENERS, 'nowhere'], (row, start) =>
      row.listeners.some((one) => one.startsWith(start)),
    ),
  () => least('min_seen', [0, 1, 2, 3, 8, 101, 5000, 5001], (row) => row.seen),
  () => least('min_risk_score', [0, 4, 9, 255], (row) => row.risk),
  () => least('min_active_risk_score', [1, 5], (row) => row.active_risk),
  () => [most('max_risk_score', random.pick([0, 4, 9]), (row) => row.risk)],
  () => [from('last_seen_from', (row) => row.last_seen)],
  () => [before('last_seen_to', (row) => row.last_seen)],
  () => [from('first_seen_from', (row) => row.first_seen)],
  () => [before('first_seen_to', (row) => row.first_seen)],
  () => [['active', 'true', (row) => row.last_seen.getTime() >= activeSince()]],
  () => [['active', 'false', (row) => row.last_seen.getTime() < activeSince()]],
  () => [search(random.pick(['THINGS-1', 'orders', '%', '_', 'example/', 'nowhere']))],
];

function prefix(
  name: string,
  values: readonly string[],
  matches: (row: OperationRow, start: string) => boolean,
): Filter[] {
  const value = random.pick(values);
  const start = value.slice(0, 1 + random.below(value.length));
  return [[name, start, (row) => matches(row, start)]];
}
function least(name: string, bounds: readonly number[], of: (row: OperationRow) => number): Filter[] {
  const bound = random.pick(bounds);
  return [[name, String(bound), (row) => of(row) >= bound]];
}
function most(name: string, bound: number, of: (row: OperationRow) => number): Filter {
  return [name, String(bound), (row) => of(row) <= bound];
}
/** A time close to those of operations, or that of one. */
function someTime(): number {
  return (
    Math.floor(started / 1000) * 1000 -
    random.pick([0, 1000, 600_000, 3_600_000, 8 * DAY_MS, 25 * DAY_MS]) +
    random.below(3) -
    1
  );
}
function from(name: string, of: (row: OperationRow) => Date): Filter {
  const at = someTime();
  return [name, new Date(at).toISOString(), (row) => of(row).getTime() >= at];
}
function before(name: string, of: (row: OperationRow) => Date): Filter {
  const at = someTime();
  return [name, new Date(at).toISOString(), (row) => of(row).getTime() < at];
}
function search(text: string): Filter {
  return ['q', text, (row) => `${row.host}${row.path}\n${row.operation}`.toLowerCase().includes(text.toLowerCase())];
}

const SORTS: Readonly<Record<string, (row: OperationRow) => number | string>> = {
  last_seen: (row) => row.last_seen.getTime(),
  first_seen: (row) => row.first_seen.getTime(),
  seen_count: (row) => row.seen,
  error_rate: (row) => row.error_rate,
  latency_max_ms: (row) => row.latency_max_ms,
  max_risk_score: (row) => row.risk,
  max_posture_score: (row) => row.posture_risk,
  active_risk_score: (row) => row.active_risk,
  active_posture_score: (row) => row.active_posture_risk,
  host: (row) => row.host,
  normalized_path: (row) => row.path,
};

/** By the bytes of UTF-8, like the database. */
function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
}

function inOrder(rows: readonly OperationRow[], sort: string): string[] {
  const keys = sort
    .split(',')
    .map((part) => ({ of: SORTS[part.replace('-', '')], sign: part.startsWith('-') ? -1 : 1 }));
  keys.push({ of: (row) => row.id, sign: keys.at(-1)?.sign ?? 1 });
  return rows
    .toSorted((a, b) => keys.reduce((order, { of, sign }) => order || sign * compare(of?.(a) ?? 0, of?.(b) ?? 0), 0))
    .map(({ id }) => id);
}

const OF_GROUPS: Readonly<Record<string, (rows: readonly OperationRow[]) => number | string>> = {
  last_seen: (rows) => Math.max(...rows.map(({ last_seen }) => last_seen.getTime())),
  first_seen: (rows) => Math.min(...rows.map(({ first_seen }) => first_seen.getTime())),
  total_seen: sumSeen,
  operation_count: (rows) => rows.length,
  max_risk_score: (rows) => Math.max(...rows.map(({ risk }) => risk)),
  max_posture_score: (rows) => Math.max(...rows.map(({ posture_risk }) => posture_risk)),
  active_risk_score: (rows) => Math.max(...rows.map(({ active_risk }) => active_risk)),
  active_posture_score: (rows) => Math.max(...rows.map(({ active_posture_risk }) => active_posture_risk)),
  host: ([first]) => first?.host ?? '',
  normalized_path: ([first]) => first?.path ?? '',
};

function sumSeen(rows: readonly OperationRow[]): number {
  return rows.reduce((sum, { seen }) => sum + seen, 0);
}

function groupsInOrder(groups: Iterable<readonly [string, readonly OperationRow[]]>, sort: string): string[] {
  const [name, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1];
  const placed = [...groups].map(([id, rows]) => ({ id, at: OF_GROUPS[name]?.(rows) ?? 0 }));
  return placed.toSorted((a, b) => sign * (compare(a.at, b.at) || compare(a.id, b.id))).map(({ id }) => id);
}

interface Asked {
  readonly query: string;
  readonly matches: Matches;
}

function chooseFilters(): Asked {
  const chosen = new Map(
    some(random, FILTERS, 3).map((create) => {
      const filters = create();
      return [filters[0]?.[0] ?? '', filters] as const;
    }),
  );
  // Two filters that say something about `active` would mean something else together.
  if (chosen.has('risk_flag') || chosen.has('pii_category')) chosen.delete('active');
  const filters = [...chosen.values()].flat();
  const isActive = filters.some(([name, value]) => name === 'active' && value === 'true');
  const categories = filters.flatMap(([name, value]) => (name === 'pii_category' ? [value] : []));
  const query = filters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
  return {
    query,
    matches: (row) =>
      filters.every(([name, , matches]) =>
        name === 'pii_category' && isActive
          ? categories.some((one) => has(row.active_pii, (INVENTORY_PII_CATEGORIES as readonly string[]).indexOf(one)))
          : matches(row),
      ),
  };
}

interface Listed {
  readonly id: string;
  readonly host: string;
  readonly normalized_path: string;
}

async function readPages(
  path: string,
  limit: number,
  idOf = ({ id }: Listed) => id,
): Promise<{ ids: string[]; totals: number[] }> {
  const [ids, totals]: [string[], number[]] = [[], []];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { items: Listed[]; next_cursor: string | null; total: number } = await world.read(
      `${path}&with_total=true&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    ids.push(...page.items.map(idOf));
    totals.push(page.total);
    cursor = page.next_cursor;
  }
  return { ids, totals };
}

const chooseSort = () => {
  const names = some(random, Object.keys(SORTS), 2);
  return (names.length === 0 ? ['last_seen'] : names).map((name) => (random.chance(0.6) ? `-${name}` : name)).join(',');
};

describe('lists with indexes', () => {
  it('have the rows of a plain scan in the same order, for random filters, orders and pages', async () => {
    const rows = await readRows();
    expect(rows.length).toBeGreaterThan(200);
    let found = 0;
    for (let round = 0; round < 150; round += 1) {
      const { query, matches } = chooseFilters();
      const sort = chooseSort();
      const isConfirmed = random.chance(0.8);
      const wanted = inOrder(
        rows.filter((row) => row.confirmed === isConfirmed && matches(row)),
        sort,
      );
      const path = `${isConfirmed ? '' : '/attack-surface'}?sort=${sort}${query}`;
      const { ids, totals } = await readPages(path, random.pick([7, 40, 1000]));
      expect({ path, ids }).toEqual({ path, ids: wanted });
      expect(new Set(totals)).toEqual(new Set([wanted.length]));
      found += wanted.length > 0 ? 1 : 0;
    }
    expect(found).toBeGreaterThan(50);
  }, 180_000);

  it('have the groups of a plain scan in the same order, for every order and random filters and pages', async () => {
    const rows = (await readRows()).filter(({ confirmed }) => confirmed);
    const all = { query: '', matches: () => true };
    for (const sort of Object.keys(OF_GROUPS).flatMap((name) => [`-${name}`, name]))
      for (const { query, matches } of [all, chooseFilters()]) {
        // These are about the sums of a group.
        if (/&(min_seen|min_risk_score|max_risk_score|min_active_risk_score)=/.test(query)) continue;
        const least = random.pick([0, 101, 5001]);
        const path = `/operations?sort=${sort}${query}&min_seen=${least}`;
        const groups = Map.groupBy(rows.filter(matches), (row) => `${row.host}\n${row.path}`);
        const wanted = groupsInOrder(
          [...groups].filter(([, members]) => sumSeen(members) >= least),
          sort,
        );
        const limit = random.pick([3, 10]);
        const { ids, totals } = await readPages(path, limit, (group) => `${group.host}\n${group.normalized_path}`);
        expect({ path, limit, ids }).toEqual({ path, limit, ids: wanted });
        expect(new Set(totals)).toEqual(new Set([wanted.length]));
      }
  }, 180_000);

  it('have every row once that does not change while others do', async () => {
    for (const sort of ['-last_seen', '-seen_count', '-error_rate', '-latency_max_ms', '-max_risk_score']) {
      const before = new Map((await readRows()).map((row) => [row.id, row]));
      const ids: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: { items: { id: string }[]; next_cursor: string | null } = await world.read(
          `?sort=${sort}&limit=60${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
        await world.apply(Array.from({ length: 20 }, () => createRandomDelta(random, Date.now())));
      }
      const after = (await readRows()).filter((row) => row.confirmed);
      const same = after.filter((row) => JSON.stringify(row) === JSON.stringify(before.get(row.id)));
      expect(same.length).toBeGreaterThan(50);
      const times = Map.groupBy(ids, (id) => id);
      expect(same.filter(({ id }) => times.get(id)?.length !== 1)).toEqual([]);
    }
  }, 120_000);
});

describe('counts of operations', () => {
  const readCounts = async () => {
    const key = sql.raw(
      'project_id, confirmed, is_other, terms, listeners, risk, posture_risk, active_risk, active_posture_risk',
    );
    const { rows: kept } = await sql`select ${key}, operations from inventory_counts order by ${key}`.execute(
      world.t.database.owner,
    );
    const { rows: plain } = await sql`
      select ${key}, count(*)::int as operations from inventory_operations group by ${key} order by ${key}`.execute(
      world.t.database.owner,
    );
    return { kept, plain };
  };

  it('are those of the rows after every kind of change', async () => {
    const other = await world.createProject();
    await world.apply([createRandomDelta(random, Date.now())], { projectId: other });
    await change(6);
    const { kept, plain } = await readCounts();
    expect(kept.length).toBeGreaterThan(50);
    expect(kept).toEqual(plain);
    await world.t.database.db.deleteFrom('projects').where('id', '=', other).execute();
    const rest = await readCounts();
    expect(rest.kept).toEqual(rest.plain);
    const url = `/api/v3/inventory/rebaseline-scores?project=${world.t.project}`;
    expect((await world.admin.call('POST', url)).status).toBe(200);
    const rebased = await readCounts();
    expect(rebased.kept).toEqual(rebased.plain);
  }, 120_000);

  it('answer dashboards like a plain scan, with filters and without', async () => {
    await change(3);
    const confirmed = (await readRows()).filter((row) => row.confirmed);
    const isWrite = (row: OperationRow) => ['POST', 'PUT', 'PATCH', 'DELETE', 'OTHER'].includes(row.method);
    for (const [query, matches] of [
      ['?', () => true],
      ['?method=POST&', (row) => row.method === 'POST'],
      ['?listener_name=edge&', (row) => row.listeners.some((one) => one.startsWith('edge'))],
      ['?host=a.&', (row) => row.host.startsWith('a.')],
    ] as readonly (readonly [string, Matches])[]) {
      const rows = confirmed.filter(matches);
      const summary = await world.read(`/risk-summary${query}`);
      expect(summary.total_operations).toBe(rows.length);
      for (const { flag, operations, active_operations } of summary.by_flag as {
        flag: (typeof RISK_FLAG_NAMES)[number];
        operations: number;
        active_operations: number;
      }[])
        expect({ flag, operations, active_operations }).toEqual({
          flag,
          operations: rows.filter((row) => has(row.flags, RISK_FLAGS[flag].bit)).length,
          active_operations: rows.filter((row) => has(row.active_flags, RISK_FLAGS[flag].bit)).length,
        });
      const { counts } = await world.read(`/auth-coverage${query}`);
      expect(counts.operations).toBe(rows.filter(isWrite).length);
      expect(counts.unauthenticated).toBe(
        rows.filter((row) => isWrite(row) && row.auth_posture === 'anonymous').length,
      );
      const { categories } = await world.read(`/pii${query}`);
      expect(categories).toEqual(
        INVENTORY_PII_CATEGORIES.flatMap((category, bit) => {
          const found = rows.filter((row) => has(row.pii, bit));
          const newest = found.toSorted((a, b) => b.last_seen.getTime() - a.last_seen.getTime() || compare(a.id, b.id));
          const samples = newest
            .slice(0, 5)
            .map(({ id, method, host, path }) => ({ id, method, host, normalized_path: path }));
          const active_count = found.filter((row) => has(row.active_pii, bit)).length;
          return found.length === 0 ? [] : [{ category, operation_count: found.length, active_count, samples }];
        }),
      );
    }
  }, 120_000);

  it('have a number for every method and posture', async () => {
    const { rows } = await sql<{ terms: (number | null)[] }>`
      select inventory_terms(0, 0, 0, 0, 0, 0, 0, method, posture) as terms
      from unnest(${[...INVENTORY_METHODS]}::text[]) method, unnest(${[...INVENTORY_AUTH_POSTURES]}::text[]) posture`.execute(
      world.t.database.owner,
    );
    expect(rows.flatMap(({ terms }) => terms).includes(null)).toBe(false);
    expect(new Set(rows.map(({ terms }) => terms.join())).size).toBe(
      INVENTORY_METHODS.length * INVENTORY_AUTH_POSTURES.length,
    );
  });

  it('keep the columns of sets below their numbers', async () => {
    const { rows } = await sql<{ terms: number[] }>`
      select inventory_terms(${2 ** 52 + 1}, 2, ${2 ** 30}, 1, 4, 8, 16, 'GET', 'mixed') as terms`.execute(
      world.t.database.owner,
    );
    expect(rows[0]?.terms.toSorted((a, b) => a - b)).toEqual([0, 52, 101, 230, 300, 402, 503, 604, 700, 803]);
  });
});
