// Lists the inventory of a project with 100,000 confirmed operations and 10,000 of the attack surface beside another project of the same
// size, over the API and as the application's role under row-level security: `node bench/src/inventory-list.ts [OPERATIONS] [ROUNDS]`.
// Also says how fast batches are applied, with the indexes of lists and without them, and how a scan beyond the limit is counted.
import { readFile } from 'node:fs/promises';
import { createTestController } from '@flotilla/controller/testing/controller';
import { applyBatches, createDelta } from '@flotilla/controller/testing/inventory';
import type { OperationDelta } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { percentile } from './table.ts';

const [operations = 100_000, rounds = 9] = process.argv.slice(2).map(Number);
const GOAL_MS = 50;
const DAY_MS = 86_400_000;
const BATCH = 2000;

const now = Date.now();
const t = await createTestController();
const { project, owner } = t;
const other = await t.createProject('other');
const methods = ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'];
const services = Array.from({ length: 20 }, () => createId());
const clients = Array.from({ length: 40 }, () => createId());

/** Three quarters share a path with another one; every tenth has findings. */
function describe(i: number): OperationDelta {
  const path = `/v1/things-${Math.floor(i / 4) * 3 + (i % 4 === 3 ? 1 : 0)}/{id}/parts`;
  const atMs = now - ((i * 7919) % 60_000) * (60 * 24 * 30);
  const isRisky = i % 10 === 0;
  return createDelta(`${methods[i % 6]} host-${i % 97}.example${path}`, {
    atMs,
    seen: 1 + ((i * 31) % 5000),
    statuses: { 200: 10, 404: 2, ...(i % 50 === 0 && { 500: 1 }) },
    latencyMaxMs: (i * 17) % 3000,
    protocols: i % 5 === 0 ? ['http/1.1'] : ['http/2'],
    services: [services[i % 20] ?? ''],
    clients: [clients[i % 40] ?? ''],
    listeners: [`listener-${i % 30}`],
    clusters: [`cluster-${i % 200}`],
    routes: [`route-${i % 300}`],
    contentTypes: ['application/json'],
    consumers: Array.from({ length: 6 }, (_, at) => `${i}${at}`.padStart(16, '0')),
    queryNames: ['page', 'size', 'sort'],
    schemes: i % 3 === 0 ? { none: atMs } : { jwt: atMs },
    authenticatedMs: i % 3 === 0 ? 0 : atMs,
    anonymousMs: i % 3 === 0 ? atMs : 0,
    ...(isRisky && {
      flags: { missing_hsts: atMs, ...(i % 100 === 0 && { bola_suspect: atMs }) },
      exposureMax: 7,
      threatMax: i % 100 === 0 ? 7 : 0,
    }),
    ...(i % 1000 === 0 && { pii: { email: atMs }, categories: ['auth_endpoint'] }),
  });
}

let sequence = 0;
async function apply(projectId: string, deltas: readonly OperationDelta[]): Promise<number> {
  const began = performance.now();
  const place = { projectId, clientId: createId(), serviceId: createId(), epoch: 'bench' };
  for (let at = 0; at < deltas.length; at += BATCH) {
    sequence += 1;
    const batch = { ...place, sequence, now: new Date(), deltas: deltas.slice(at, at + BATCH) };
    await applyBatches(t.database.db, [batch]);
  }
  return performance.now() - began;
}

/** Copies the operations of the project under other hosts, or into another project: much faster than applying them. */
async function copy(target: string, copies: number): Promise<void> {
  const names = sql.raw(
    'confirmed, is_other, method, operation, first_seen, last_seen, seen, classes, error_rate, latency_max_ms, response_bytes, risk, ' +
      'posture_risk, active_risk, active_posture_risk, active_until, flags, active_flags, pii, active_pii, categories, schemes, ' +
      'protocols, auth_posture, services, clients, listeners',
  );
  const id = sql`substr(md5(${target} || o.id || copy), 1, 16)`;
  const from = sql`inventory_operations o cross join generate_series(1, ${copies}::int) copy where o.project_id = ${project} and o.host like 'host-%'`;
  await sql`insert into inventory_operations (project_id, id, host, path, ${names})
    select ${target}, ${id}, case when ${target} = ${project} then 'copy-' || copy || '-' else '' end || o.host,
      o.path, ${names} from ${from}`.execute(t.database.owner);
  await sql`update inventory_projects p set confirmed = (select count(*) from inventory_operations o
    where o.project_id = p.project_id and o.confirmed)`.execute(t.database.owner);
  await sql`insert into inventory_details (project_id, operation_id, state)
    select ${target}, ${id}, d.state from inventory_operations o cross join generate_series(1, ${copies}::int) copy
    join inventory_details d on d.project_id = o.project_id and d.operation_id = o.id
    where o.project_id = ${project} and o.host like 'host-%'`.execute(t.database.owner);
}

/** The indexes that serve lists in the order of traffic, and those of sets. */
const OF_LISTS = [
  'recent',
  'frequent',
  'failing',
  'slow',
  'risk',
  'active_risk',
  'posture',
  'active_posture',
  'by_path',
  'terms',
];

/** Batches as collectors send them: a few requests for each known operation, from `hour` hours later on. */
async function flush(hour: number, batches: number): Promise<string> {
  const [began, cpuMs] = [performance.now(), await readCpuMs()];
  for (let batch = 0; batch < batches; batch += 1) {
    const atMs = now + hour * 3_600_000 + batch * 10_000;
    const deltas = Array.from({ length: BATCH }, (_, i) => {
      const { seen, statuses, atMs: _at, ...rest } = { ...describe(i), atMs };
      const requests = 1 + ((i * 7 + batch * 13) % 20);
      const latencyMaxMs = (i * 29 + batch * 1013) % 2000;
      return { ...rest, seen: requests, statuses: { 200: requests }, firstMs: atMs, lastMs: atMs, latencyMaxMs };
    });
    await apply(project, deltas);
  }
  const perThousand = ((await readCpuMs()) - cpuMs) / (batches * (BATCH / 1000));
  const perSecond = perSecondOf(BATCH * batches, performance.now() - began);
  return `${perSecond} a second with ${Math.round(perThousand)} ms of processor time for 1,000`;
}

async function measureWrites(name: string, hour: number): Promise<void> {
  const updates = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(t.database.owner);
    const { rows } = await sql<{ updates: number; hot: number }>`
      select n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot from pg_stat_user_tables
      where relname = 'inventory_operations'`.execute(t.database.owner);
    return rows[0] ?? { updates: 0, hot: 0 };
  };
  const first = await flush(hour, 1);
  const before = await updates();
  const others = await flush(hour, 5);
  const after = await updates();
  const hot = Math.round((100 * (after.hot - before.hot)) / Math.max(1, after.updates - before.updates));
  const fresh = Array.from({ length: BATCH }, (_, i) => ({
    ...describe(i),
    key: { ...describe(i).key, host: `new-${hour}` },
  }));
  const created = perSecondOf(fresh.length, await apply(roomy, fresh));
  console.log(
    `${name}: known operations ${others} (${hot}% on their page), the first batch of ten minutes ${first}, ${created} new ones a second`,
  );
}

const perSecondOf = (rows: number, ms: number) => Math.round((rows / ms) * 1000);

const applied = Math.max(1, Math.floor(operations / 10));
/** Has room for new operations. */
const roomy = await t.createProject('roomy');
const all = Array.from({ length: applied }, (_, i) => describe(i));
console.log(`new operations: ${perSecondOf(all.length, await apply(project, all))} a second`);
console.log(`known operations: ${perSecondOf(all.length, await apply(project, all))} a second`);
await copy(project, 9);
await copy(other, 10);
await apply(
  project,
  Array.from({ length: 10_000 }, (_, i) => createDelta(`GET host-1.example/probe-${i}`, { confirmed: false })),
);
await sql`analyze`.execute(t.database.owner);

const daysAgo = (days: number) => new Date(now - days * DAY_MS).toISOString();
const LISTS: readonly (readonly [name: string, path: string])[] = [
  ['first page', ''],
  ['1,000 rows', '?limit=1000'],
  ['by threat', '?sort=-max_risk_score'],
  ['by active threat', '?sort=-active_risk_score'],
  ['by calls', '?sort=-seen_count'],
  ['by error rate', '?sort=-error_rate'],
  ['by host', '?sort=host'],
  ['method', '?method=DELETE'],
  ['two methods and mature', '?method=POST&method=PUT&min_seen=5'],
  ['protocol', '?protocol=http/1.1'],
  ['frequent flag', '?risk_flag=missing_hsts'],
  ['rare flag, active', '?risk_flag=bola_suspect&active=true'],
  ['flag that no operation has', '?risk_flag=brute_force_suspect'],
  ['rare personal data', '?pii_category=email'],
  ['category', '?endpoint_category=auth_endpoint'],
  ['host', '?host=host-42.'],
  ['host that does not exist', '?host=nowhere'],
  ['path', '?normalized_path=/v1/things-4711/'],
  ['listener', '?listener_name=listener-7'],
  ['service', `?service_id=${services[3]}`],
  ['score', '?min_risk_score=5&max_risk_score=20'],
  ['last seen', `?last_seen_from=${daysAgo(20)}&last_seen_to=${daysAgo(19)}`],
  ['authentication', '?auth_posture=anonymous'],
  ['by path', '?sort=normalized_path'],
  ['by longest latency', '?sort=-latency_max_ms'],
  ['method that no operation has', '?method=TRACE'],
  ['listener that does not exist', '?listener_name=nowhere'],
  ['two filters and an order', '?method=POST&risk_flag=missing_hsts&sort=-seen_count'],
  ['text', '?q=things-4711'],
  ['text that is everywhere', '?q=things'],
  ['text that is nowhere', '?q=qqqq'],
  ['total', '?with_total=true'],
  ['total of a flag', '?risk_flag=missing_hsts&with_total=true'],
  ['total of a host', '?host=host-42.&with_total=true'],
  ['total of a listener', '?listener_name=listener-7&with_total=true'],
  ['attack surface', '/attack-surface'],
  ['groups', '/operations'],
  ['groups by threat', '/operations?sort=-max_risk_score'],
  ['groups by calls', '/operations?sort=-total_seen'],
  ['groups of a host', '/operations?host=host-42.'],
  ['groups with a flag', '/operations?risk_flag=bola_suspect'],
  ['mature groups', '/operations?min_seen=5'],
  ['listeners', '/listeners'],
  ['discoveries', '/discoveries?window_hours=48'],
  ['zombies', '/zombies'],
  ['authentication of all', '/auth-coverage'],
  ['personal data', '/pii'],
  ['risk summary', '/risk-summary'],
];

/** Processor time of this process and of the database, which does not depend on other work of the machine. Linux counts that of others in steps of 10 ms. A connection that closes meanwhile takes its time along. */
async function readCpuMs(): Promise<number> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database()`.execute(t.database.owner);
  const { user, system } = process.cpuUsage();
  let sum = (user + system) / 1000;
  for (const { pid } of rows) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, , , , , , , , , , , inUser = 0, inKernel = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    sum += 10 * (inUser + inKernel);
  }
  return sum;
}

interface Measured {
  readonly 'p50 ms': number;
  readonly 'longest ms': number;
  readonly 'cpu ms': number | null;
  readonly found: number;
  readonly '': string;
}

const table: Record<string, Measured> = {};
for (const [name, path] of LISTS) {
  const times: number[] = [];
  let found = 0;
  let cpuMs = 0;
  for (let round = -2; round < rounds; round += 1) {
    if (round === 0) cpuMs = await readCpuMs();
    const began = performance.now();
    const url = `/api/v3/inventory${path}${path.includes('?') ? '&' : '?'}project=${project}`;
    const { status, body } = await owner.call('GET', url);
    if (status !== 200) throw new Error(`${url}: ${status} ${JSON.stringify(body)}`);
    if (round >= 0) times.push(performance.now() - began);
    found = body.items?.length ?? body.total_operations;
  }
  cpuMs = ((await readCpuMs()) - cpuMs) / rounds;
  const [p50, longest] = [percentile(times, 0.5), Math.max(...times)];
  const over = p50 <= GOAL_MS ? '' : `over ${GOAL_MS}`;
  table[name] = {
    'p50 ms': round1(p50),
    'longest ms': round1(longest),
    'cpu ms': cpuMs < 0 ? null : round1(cpuMs),
    found,
    '': over,
  };
}
console.table(table);

await measureWrites('with the indexes of lists', 2);
for (const name of OF_LISTS)
  await sql`drop index if exists ${sql.ref(`inventory_operations_${name}`)}`.execute(t.database.owner);
await measureWrites('without them', 3);

const scanned = 20_000;
const scan = Array.from({ length: scanned }, (_, i) =>
  createDelta(`GET host-1.example/scan-${i}`, { confirmed: false }),
);
console.log(`a scan beyond the limit: ${Math.round((scanned / (await apply(project, scan))) * 1000)} paths a second`);
const { rows } = await sql<{ rows: number; size: string }>`
  select count(*) as rows, pg_size_pretty(pg_total_relation_size('inventory_operations')
    + pg_total_relation_size('inventory_details')) as size from inventory_operations`.execute(t.database.owner);
console.log(`rows of both projects after it: ${rows[0]?.rows}, ${rows[0]?.size}`);
await t.close();

function round1(ms: number): number {
  return Math.round(ms * 10) / 10;
}
