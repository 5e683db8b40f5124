import { createEventWorld, type EventWorld } from '@flotilla/controller/testing/traffic-events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let w: EventWorld;
let terminal: TestTerminal;
const CONSUMER = '00000000000000c1';

beforeAll(async () => {
  w = await createEventWorld();
  terminal = await openOwnersTerminal(w.t);
  await w.append([
    ...Array.from({ length: 700 }, (_, index) => w.event({ timeMs: w.nowMs - index, path: '/orders/{id}' })),
    w.event({ path: '/failed', status: 500, country: 'BR' }),
    w.event({ path: '/=cmd()\u001b[31mred\u202e', route: 'hostile', status: 404 }),
  ]);
}, 120_000);
afterAll(async () => {
  await terminal?.close();
  await w?.close();
});

async function run(...argv: string[]) {
  const answer = await terminal.run(argv);
  expect([answer.code, answer.err]).toEqual([EXIT.ok, '']);
  return answer.out;
}

describe('requests', () => {
  it('are listed, more than a page of them, with filters and as JSON', async () => {
    expect((await run('requests', 'list', '--limit', '650')).trim().split('\n')).toHaveLength(651);
    expect(await run('requests', 'list', '--status-class', '5xx')).toContain('/failed');
    const { items } = JSON.parse(
      await run('requests', 'list', '--country', 'BR', '--service', w.service.name, '--json'),
    );
    expect(items).toMatchObject([{ normalized_path: '/failed', service_name: w.service.name }]);
  });

  it('print nothing that a terminal would obey', async () => {
    for (const argv of [
      ['requests', 'list', '--status', '404'],
      ['requests', 'top', 'path', '--status', '404'],
      ['requests', 'overview'],
      ['requests', 'series', '--by', 'path'],
    ]) {
      const out = await run(...argv);
      expect(out).toContain('/=cmd()');
      expect(out).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    }
  });

  it('are ranked, shown over time and summed up', async () => {
    expect(await run('requests', 'top', 'operation')).toContain('GET api.example.com/orders/{id}');
    const series = await run('requests', 'series', '--step', '1h');
    expect(series).toContain('702 requests, p95');
    const overview = await run('requests', 'overview');
    expect(overview).toContain('requests   702');
    expect(overview).toContain('2xx 700');
    expect(overview).toContain(w.service.name);
  });

  it('are compared with the time before, and counted by time and latency', async () => {
    const compared = await run('requests', 'compare', '--since', '1h');
    expect(compared).toContain('702 requests');
    expect(compared).toMatch(/operations: 1 new, 0 gone\n[\s\S]*new .* GET api\.example\.com\/orders\/\{id\}/);
    expect(await run('requests', 'compare', '--base-since', '2001-01-01', '--base-until', '2001-01-02')).toContain(
      'nothing is known of it',
    );
    expect(await run('requests', 'latency', '--since', '1h')).toMatch(/702 requests\n.*<= 16\.384 ms/i);
    expect(await run('requests', 'latency', '--since', '1h', '--max-latency', '1')).toMatch(/: 0 requests\n$/);
  });

  it('are followed as they arrive', async () => {
    const abort = new AbortController();
    const tail = terminal.follow(['requests', 'tail', '--method', 'DELETE'], abort.signal);
    await expect
      .poll(
        async () => {
          await w.append([w.event({ timeMs: Date.now(), method: 'DELETE', path: '/followed' })]);
          return tail.out();
        },
        { interval: 200 },
      )
      .toContain('/followed');
    abort.abort();
    expect(await tail.code).toBe(EXIT.ok);
  });

  it('that were lost or wait on a host are shown', async () => {
    expect(await run('requests', 'gaps')).toContain('no requests were lost');
    const { db } = w.t.database;
    await db
      .insertInto('inventory_gaps')
      .values({
        project_id: w.t.project,
        minute: new Date(w.nowMs - 120_000),
        service_id: w.service.id,
        client_id: w.client,
        batches: 3,
      })
      .execute();
    const spool = { service_id: w.service.id, batches: 41, bytes: 4096, oldest_at: null, dropped_batches: 2 };
    const stats = JSON.stringify({ log_spools: [spool] });
    await db
      .insertInto('client_stats')
      .values({ client_id: w.client, at: new Date(), load_percent: 1, memory_percent: 1, stats })
      .execute();
    const out = await run('requests', 'gaps', '--service', w.service.name);
    expect(out).toContain('1 minutes with lost requests');
    expect(out).toMatch(/shop-of-events +edge-of-events +3\n/);
    expect(out).toMatch(/shop-of-events +edge-of-events +41 +4096 +- +2 /);
    expect((await run('requests', 'gaps', '--json')).includes('"waiting"')).toBe(true);
  });

  it('are refused with the reason when there is no store', async () => {
    const { store } = w.access;
    Object.assign(w.access, { store: undefined, reason: 'It is off.' });
    const answer = await terminal.run(['requests', 'list']);
    Object.assign(w.access, { store, reason: undefined });
    expect(answer.code).not.toBe(EXIT.ok);
    expect(answer.err).toContain('It is off.');
  });
});

describe('consumers', () => {
  it('are listed and shown', async () => {
    expect(await run('consumers', 'list')).toContain(CONSUMER);
    expect(await run('consumers', 'get', CONSUMER)).toContain('normalized_path: /orders/{id}');
  });
});
