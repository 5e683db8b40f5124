// Measures writing a host sample and four counters of each client, and reading a day of counters over the API for a
// number of nodes with one sample per minute: `node bench/src/series.ts [CLIENTS] [NODES] [ROUNDS]`.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { createTestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { median } from './table.ts';

const [clients = 1000, nodes = 500, rounds = 5] = process.argv.slice(2).map(Number);
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const BATCH = 5000;
const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec: { domains: [{ hosts: [a.example.com], policy: { engines: { rate_limit: { requests_per_second: 1 } } } }] }
`;

const t = await createTestFleet();
const { db } = t.database;
const project = `project=${t.project}`;

async function ask(method: string, path: string, body?: object) {
  const answer = await t.owner.call(method, `${path}${path.includes('?') ? '&' : '?'}${project}`, body);
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function summary(taken: readonly number[]) {
  return { median: Math.round(median(taken)), longest: Math.round(Math.max(...taken)) };
}

async function measureWrites(): Promise<number[]> {
  await ask('POST', '/api/v3/shield/policies', { name: 'guard', text: POLICY });
  const ids: string[] = [];
  for (let n = 0; n < clients; n += 1) ids.push(await t.createClient(`edge-${n}`));
  const service = await t.createService({ clients: ids.map((client_id) => ({ client_id })), policies: ['guard'] });
  await ask('POST', '/api/op/clients', {
    type: 'DEPLOY',
    clients: ids.map((client_id) => ({ client_id })),
    command: { name: service.name },
  });
  const epochs = ids.map(() => randomUUID());
  const taken: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const [n, id] of ids.entries()) tellOf(id, { serviceId: service.id, epoch: epochs[n] ?? '', round });
    taken.push(await measure(() => t.controller.fleet.metrics.flush()));
  }
  const counted = await db.selectFrom('shield_counts').select('count').execute();
  const sum = counted.reduce((total, { count }) => total + Number(count), 0);
  if (sum !== clients * rounds * 4) throw new Error(`${sum} requests were counted`);
  return taken;
}

/** Each of four totals has grown by one since the previous round. */
function tellOf(client: string, { serviceId, epoch, round }: { serviceId: string; epoch: string; round: number }) {
  const { metrics } = t.controller.fleet;
  const sample = { atMs: BigInt(Date.now()), load1: 1, cores: 2, cpuPercent: 10, networkRxBytes: BigInt(round) };
  metrics.noteStats(client, create(fleet.HostStatsSchema, sample));
  const total = BigInt(round);
  const counters = [
    { verdict: fleet.ShieldVerdict.ALLOWED },
    ...[fleet.ShieldVerdict.BLOCKED, fleet.ShieldVerdict.DETECTED].map((verdict) => ({
      engine: 'rate_limit',
      reason: 'ratelimit.exceeded',
      verdict,
    })),
    { engine: 'rate_limit', reason: 'engine.error', verdict: fleet.ShieldVerdict.ERROR },
  ].map((counter) => ({ policy: 'guard', total, ...counter }));
  void metrics.noteCounters(client, create(fleet.ShieldCountersSchema, { serviceId, epoch, counters }));
}

async function fillDay(): Promise<number> {
  await db.deleteFrom('shield_counts').execute();
  const now = Date.now() - (Date.now() % MINUTE_MS);
  const [service, of] = [randomUUID(), Array.from({ length: nodes }, () => randomUUID())];
  const shared = { project_id: t.project, service_id: service, policy: 'guard', engine: '', reason: '', count: 7 };
  const rows = Array.from({ length: DAY_MINUTES }, (_, n) => new Date(now - n * MINUTE_MS)).flatMap((minute) =>
    of.map((client_id) => ({ ...shared, client_id, minute, verdict: 'allowed' as const })),
  );
  for (let from = 0; from < rows.length; from += BATCH)
    await db
      .insertInto('shield_counts')
      .values(rows.slice(from, from + BATCH))
      .execute();
  return rows.length;
}

const writes = await measureWrites();
console.log(`${clients} clients: a host sample and four counters of each`);
console.table({ 'written (ms)': summary(writes) });
console.log(`${await fillDay()} rows of counters: ${nodes} nodes, a day`);
const since = (minutes: number) => `from=${new Date(Date.now() - minutes * MINUTE_MS).toISOString()}`;
const QUESTIONS = {
  'series, an hour': `/api/v3/shield/series?${since(60)}`,
  'counters, an hour': `/api/v3/shield/counters?${since(60)}`,
  'series, a day': `/api/v3/shield/series?${since(DAY_MINUTES)}`,
  'counters, a day': `/api/v3/shield/counters?${since(DAY_MINUTES)}`,
};
const table: Record<string, ReturnType<typeof summary>> = {};
for (const [name, path] of Object.entries(QUESTIONS)) {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) taken.push(await measure(() => ask('GET', path)));
  table[`${name} (ms)`] = summary(taken);
}
console.table(table);
await t.close();
