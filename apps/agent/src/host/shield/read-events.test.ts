import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fleet } from '@flotilla/proto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serviceSocket } from '../service-socket.ts';
import { parseShieldEvents, readShieldEvents } from './read-events.ts';
import { parseShieldHealth } from './read-health.ts';

const good = {
  seq: 7,
  time: '2026-03-01T12:00:00.123Z',
  request_id: 'r',
  node: 'n',
  host: 'api.example.com',
  method: 'GET',
  path: '/v1',
  policy: 'guard',
  route: '',
  engine: 'api_key',
  reason: 'apikey.missing',
  severity: 'high',
  verdict: 'blocked',
  status: 403,
  subject: '',
  source_ip: '203.0.113.7',
  digest: 'd',
  detail: '',
};

let dir: string;
let server: Server;
/** The findings and the run of the filter. */
let filter = { epoch: 'e1', events: [good] };
const asked: string[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fe-'));
  asked.length = 0;
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const after = Number(new URL(request.url ?? '', 'http://filter').searchParams.get('after'));
    const events = filter.events.filter(({ seq }) => seq > after);
    response.end(JSON.stringify({ epoch: filter.epoch, next: filter.events.at(-1)?.seq ?? 0, dropped: 0, events }));
  });
  await new Promise<void>((resolve) => server.listen(join(dir, 's'), resolve));
});
afterEach(async () => {
  server.close();
  await rm(dir, { recursive: true, force: true });
});

it('readShieldEvents reads the findings after the cursor, and all findings of a new run', async () => {
  const read = (epoch: string, seq: number) =>
    readShieldEvents(serviceSocket(join(dir, 's'), undefined), 'svc', { epoch, seq });
  filter = { epoch: 'e1', events: [good, { ...good, seq: 9 }] };
  expect(await read('', 0)).toMatchObject({
    message: { serviceId: 'svc', epoch: 'e1', events: [{ seq: 7n }, { seq: 9n }] },
  });
  expect(await read('e1', 7)).toMatchObject({ message: { events: [{ seq: 9n }] }, next: { epoch: 'e1', seq: 9 } });
  expect((await read('e1', 9))?.message.events).toEqual([]);
  filter = { epoch: 'e2', events: [{ ...good, seq: 1 }] };
  asked.length = 0;
  expect(await read('e1', 9)).toMatchObject({ message: { events: [{ seq: 1n }] }, next: { epoch: 'e2', seq: 1 } });
  expect(asked).toEqual(['/events?after=9&limit=200', '/events?after=0&limit=200']);
  expect(
    await readShieldEvents(serviceSocket(join(dir, 'nobody'), undefined), 'svc', { epoch: '', seq: 0 }),
  ).toBeUndefined();
  filter = { epoch: 'e3', events: [{ ...good, detail: 'x'.repeat(9 * 1024 * 1024) }] };
  expect(await read('', 0)).toBeUndefined();
});

it('parseShieldEvents omits malformed findings and truncates long texts', () => {
  const bad = [
    null,
    7,
    { ...good, seq: -1 },
    { ...good, seq: 0.5 },
    { ...good, seq: '8' },
    { ...good, verdict: 'allowed' },
    { ...good, verdict: undefined },
  ];
  const page = parseShieldEvents({ epoch: 'e', next: 12, dropped: 5, events: [good, ...bad] }, 'svc');
  expect(page?.next).toEqual({ epoch: 'e', seq: 12 });
  expect(page?.message.events).toMatchObject([
    { seq: 7n, timeMs: BigInt(Date.parse(good.time)), verdict: fleet.ShieldVerdict.BLOCKED, sourceIp: '203.0.113.7' },
  ]);
  const huge = { ...good, path: '/'.repeat(100_000), subject: 5, time: 'never', detail: '\ud800' };
  const [event] = parseShieldEvents({ epoch: 'e', next: 'x', events: [huge] }, 's')?.message.events ?? [];
  expect(event).toMatchObject({ path: '/'.repeat(1024), subject: '', timeMs: 0n, detail: '\ufffd' });
  const many = Array.from({ length: 1000 }, (_, i) => ({ ...good, seq: i + 1 }));
  expect(parseShieldEvents({ epoch: 'e', next: 3, events: many }, 's')).toMatchObject({ next: { seq: 200 } });
  for (const nonsense of ['no', null, {}, { epoch: 'e' }, { epoch: 1, events: [] }])
    expect(parseShieldEvents(nonsense, 's')).toBeUndefined();
});

it('parseShieldHealth reads the self-test of a filter that reports one', () => {
  const failing = { state: 'failing', problems: ['no bodies', 5, 'x'.repeat(9999)] };
  expect(parseShieldHealth({ version: 'd', self_test: failing })).toMatchObject({
    selfTest: fleet.SelfTest.FAILING,
    problems: ['no bodies', 'x'.repeat(500)],
  });
  expect(parseShieldHealth({ self_test: { state: 'ok' } })).toMatchObject({
    selfTest: fleet.SelfTest.OK,
    problems: [],
  });
  for (const older of [{}, { self_test: null }, { self_test: { state: 'fine' } }, null])
    expect(parseShieldHealth(older)).toBeUndefined();
});
