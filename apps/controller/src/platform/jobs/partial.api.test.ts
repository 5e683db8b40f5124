import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createTestController, type TestController } from '../../testing/controller.ts';
import type { JobType } from './model.ts';

const params = z.object({ targets: z.array(z.string()) });
/** Processes the targets in turn and stops at the first unreachable one. */
const type: JobType<z.infer<typeof params>> = {
  type: 'test.partial',
  title: 'Does some of it',
  params,
  route: null,
  onlyFor: (_, targets) => ({ targets: [...targets] }),
  steps: [
    {
      name: 'all',
      effects: 'repeatable',
      run: async (ctx) => {
        const { targets } = ctx.params;
        const stop = targets.indexOf('away');
        if (stop < 0) return { kind: 'done', result: { targets } };
        await ctx.progress(stop, targets.length, 1);
        const rest = targets.slice(stop + 1);
        return {
          kind: 'with_errors',
          errors: [
            { target: 'away', message: 'does not answer' },
            ...rest.map((target) => ({ target, message: 'was not tried', pending: true as const })),
          ],
        };
      },
    },
  ],
};

const WAIT = { interval: 50 };
let t: TestController;
const received: string[] = [];
const server = createServer((request, response) => {
  request.on('data', (chunk) => received.push(String(chunk)));
  request.on('end', () => response.writeHead(204, { connection: 'close' }).end());
});

beforeAll(async () => {
  t = await createTestController();
  t.controller.jobs.register(type);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(async () => {
  await t.close();
  server.close();
});

const url = (rest: string) => `/api/v3/jobs${rest}${rest.includes('?') ? '&' : '?'}project=${t.project}`;

async function start(targets: string[]): Promise<string> {
  const actor = { kind: 'user', id: t.owner.userId, name: t.owner.username } as const;
  const order = { params: { targets }, project: t.project, actor };
  return (await t.database.db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, order))).id;
}

const untilOver = (id: string) =>
  vi.waitFor(async () => {
    const { body } = await t.owner.call('GET', url(`/${id}`));
    expect(body.ended_at).not.toBeNull();
    return body;
  }, WAIT);

/** The lines about the end of a job that the webhook received. */
const endsOf = (id: string) =>
  received
    .join('')
    .split('\n')
    .filter((line) => line.includes(id) && line.includes('"job.end"'))
    .map((line) => JSON.parse(line).entry);

it('partial success is shown by the list, the statistics, the event stream, the audit log and the webhook', async () => {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const set = { enabled: true, url: address, secret: 'shared' };
  expect((await t.owner.call('PUT', '/api/v3/setting/documents/webhook', set)).status).toBe(200);
  const sink = async () => (await t.owner.call('GET', '/api/v3/audit/sinks')).body.items[1];
  await vi.waitFor(
    async () => expect(await sink()).toMatchObject({ state: 'working', position: expect.anything() }),
    WAIT,
  );

  const id = await start(['near', 'away', 'far', 'farther']);
  const job = await untilOver(id);
  expect(job).toMatchObject({ status: 'done_with_errors', progress: { done: 1, total: 4, failed: 1 } });
  const listed = (await t.owner.call('GET', url('?status=done_with_errors'))).body.items;
  expect(listed.map((one: { id: string }) => one.id)).toEqual([id]);
  expect((await t.owner.call('GET', url('/stats?type=test.partial'))).body.jobs_by_status).toEqual({
    done_with_errors: 1,
  });
  const stream = await t.app.inject({
    url: url(`/${id}/events`),
    headers: { authorization: `Bearer ${t.owner.token}` },
  });
  const events = stream.body
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {"seq"') ? [JSON.parse(line.slice(6))] : []));
  expect(events.at(-1)).toMatchObject({ kind: 'ended', data: { status: 'done_with_errors' } });
  await vi.waitFor(() => expect(endsOf(id)).toHaveLength(1), WAIT);
  expect(endsOf(id)).toMatchObject([
    { action: 'job.end', outcome: 'done', changes: { type: 'test.partial', status: 'done_with_errors' } },
  ]);
});

it('failed and untried targets can be repeated separately', async () => {
  const id = await start(['near', 'away', 'far']);
  expect((await untilOver(id)).errors).toEqual([
    { target: 'away', message: 'does not answer' },
    { target: 'far', message: 'was not tried', pending: true },
  ]);
  const retry = async (of: string, kind: string) => t.owner.call('POST', url(`/${of}/retry`), { retry_type: kind });
  const rest = await retry(id, 'pending_only');
  expect(rest.status, JSON.stringify(rest.body)).toBe(202);
  expect(await untilOver(rest.body.job.id)).toMatchObject({ status: 'done', retry_of: id });
  const again = await retry(id, 'failed_only');
  expect((await untilOver(again.body.job.id)).errors).toEqual([{ target: 'away', message: 'does not answer' }]);
  expect((await retry(again.body.job.id, 'pending_only')).body.code).toBe('job.nothing_failed');
  expect((await retry(rest.body.job.id, 'failed_only')).body.code).toBe('job.nothing_failed');
});

it('if more targets have failed than are stored, the job says so, and a repetition does not silently skip the rest', async () => {
  const many = Array.from({ length: 1200 }, (_, i) => `target ${i}`);
  const retry = async (of: string, kind: string) => t.owner.call('POST', url(`/${of}/retry`), { retry_type: kind });
  const id = await start(['away', ...many]);
  const job = await untilOver(id);
  expect([job.status, job.errors.length, job.errors_left_out]).toEqual(['done_with_errors', 1000, 201]);
  const refused = await retry(id, 'pending_only');
  expect([refused.status, refused.body.code]).toEqual([409, 'job.targets_left_out']);
  expect(refused.body.message).toContain('Only the first 999 of 1200 such targets');
  // Both the failed targets and the total are known.
  for (const [kind, total] of [
    ['failed_only', 1],
    ['full', 1201],
  ] as const) {
    const again = await retry(id, kind);
    expect(again.status, JSON.stringify(again.body)).toBe(202);
    expect((await untilOver(again.body.job.id)).progress.total).toBe(total);
  }
  const exact = await untilOver(await start(['away', ...many.slice(0, 999)]));
  expect([exact.errors.length, exact.errors_left_out]).toEqual([1000, 0]);
  expect((await retry(exact.id, 'pending_only')).status).toBe(202);
});
