import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createId, withDeadline } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

const HOLDS = '/api/v3/audit/holds';
const PATIENT = { timeout: 90_000 };
let t: TestController;
let admin: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('owner');
});
afterAll(() => t.close());

const recorded = async (action: string) =>
  (await t.owner.call('GET', `/api/v3/audit/logs?action=${action}&outcome=done`)).body.items;

it('owners of the installation create and release holds, each with a recorded reason', async () => {
  const asked = { project: t.project, from: '2026-01-01T00:00:00.000Z', to: null, reason: 'case 7' };
  expect((await admin.call('POST', HOLDS, asked)).status).toBe(403);
  const made = await t.owner.call('POST', HOLDS, asked);
  expect(made).toMatchObject({ status: 201, body: { ...asked, created_by: t.owner.username, released_at: null } });
  expect(await recorded('audit_hold.create')).toMatchObject([{ resource: { id: made.body.id }, changes: asked }]);
  const released = await t.owner.call('POST', `${HOLDS}/${made.body.id}/release`);
  expect(released).toMatchObject({ status: 200, body: { released_by: t.owner.username } });
  expect((await t.owner.call('POST', `${HOLDS}/${made.body.id}/release`)).body.code).toBe('audit.hold_released');
  expect((await t.owner.call('POST', `${HOLDS}/${createId()}/release`)).status).toBe(404);
  expect((await t.owner.call('GET', HOLDS)).body.items).toEqual([released.body]);
  expect(await recorded('audit_hold.release')).toHaveLength(1);
});

it('a hold needs a reason, and a time span in order', async () => {
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  for (const bad of [{}, { reason: ' ' }, { reason: 'x', from: late, to: early }, { reason: 'x', project: 'p' }])
    expect((await t.owner.call('POST', HOLDS, bad)).status).toBe(400);
});

it('forwarding follows the settings as soon as they are written, and reports its lag', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk) => seen.push(String(chunk)));
    request.on('end', () => response.writeHead(204, { connection: 'close' }).end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const sinks = async () => (await t.owner.call('GET', '/api/v3/audit/sinks')).body.items;
    expect(await sinks()).toMatchObject([
      { name: 'syslog', state: 'off' },
      { name: 'webhook', state: 'off' },
    ]);
    expect((await admin.call('GET', '/api/v3/audit/sinks')).status).toBe(403);
    const set = { enabled: true, url, secret: 'shared' };
    const written = await t.owner.call('PUT', '/api/v3/setting/documents/webhook', set);
    expect(written.status).toBe(200);
    await expect.poll(async () => (await sinks())[1].state, PATIENT).toBe('working');
    const name = `seen-${createId()}`;
    // The first entries may still be older than the start of the sink.
    const create = async () => {
      await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, { name, role: 'viewer' });
      return seen.some((body) => body.includes(name));
    };
    await expect.poll(create, PATIENT).toBe(true);
    await expect.poll(async () => (await sinks())[1], PATIENT).toMatchObject({ lag_entries: 0, last_error: null });
    const metrics = await t.app.inject({ url: '/metrics' });
    expect(metrics.body).toMatch(/^flotilla_audit_sink_lag_entries\{sink="webhook"\} \d+$/m);
  } finally {
    server.close();
  }
});

it('metrics do not wait for a database that hangs: only those of the sinks are missing', async () => {
  await t.database.owner.transaction().execute(async (tx) => {
    await sql`lock table audit_sinks in access exclusive mode`.execute(tx);
    const read = async () => (await withDeadline(t.app.inject('/metrics'), 10_000, 'the metrics hang')).body;
    await expect.poll(read, PATIENT).not.toMatch(/^flotilla_audit_sink_lag_entries\{/m);
    expect(await read()).toContain('flotilla_authority_end_timestamp_seconds ');
  });
});

describe('a syslog test line', () => {
  const TEST = '/api/v3/setting/syslog-config/test';
  const unsaved = (port: number) => ({ enabled: true, host: '127.0.0.1', port, protocol: 'tcp', tag: 'trial' });

  it('is sent to the destination in the request, and nothing of it is stored', async () => {
    const seen: Buffer[] = [];
    const server = createTcpServer((socket) => socket.on('data', (chunk) => seen.push(chunk)));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const { port } = server.address() as AddressInfo;
      const tried = await t.owner.call('POST', TEST, unsaved(port));
      expect(tried.body).toEqual({ success: true, latency_ms: expect.any(Number) });
      expect(Buffer.concat(seen).toString()).toMatch(/^\d+ <134>1 \S+ \S+ trial - trial .*/);
      expect(await recorded('setting.test')).toMatchObject([
        { resource: { name: 'syslog' }, changes: { ok: true, stored: false } },
      ]);
    } finally {
      server.close();
    }
    const stored = await t.owner.call('GET', '/api/v3/setting/syslog-config');
    expect(stored.body).toMatchObject({ revision: 0, value: { enabled: false, host: '' } });
  });

  it('that no receiver accepts is reported with status 200 and the reason', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const tried = await t.owner.call('POST', TEST, unsaved(port));
    expect(tried).toMatchObject({
      status: 200,
      body: { success: false, error: expect.stringContaining('ECONNREFUSED') },
    });
  });

  it('is sent nowhere without a host, least of all to this machine', async () => {
    for (const protocol of ['tcp', 'udp', 'tcp+tls'] as const) {
      const tried = await t.owner.call('POST', TEST, { protocol });
      expect(tried.body).toMatchObject({ success: false, error: 'no host is set' });
    }
    expect((await t.owner.call('POST', TEST)).body).toMatchObject({ success: false, error: 'no host is set' });
  });

  it('is for owners of the installation, and for valid settings only', async () => {
    expect((await admin.call('POST', TEST, unsaved(514))).status).toBe(403);
    expect((await t.owner.call('POST', TEST, { ...unsaved(514), port: 0 })).status).toBe(400);
    expect((await t.owner.call('POST', TEST, { ...unsaved(514), relay: 'x' })).status).toBe(400);
  });
});
