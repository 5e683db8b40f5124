import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExportWorld, EXPORTS, type ExportWorld, SIGNING_SECRET } from './testing/export-world.ts';
import { createIdentity } from './testing/identity.ts';
import { SyslogServer } from './testing/syslog-server.ts';

const WEBHOOK = { kind: 'webhook', url: 'https://siem.example.com/events', secret: SIGNING_SECRET };
const SYSLOG = { kind: 'syslog', host: 'logs.example.com', port: 6514 };

let world: ExportWorld;
beforeAll(async () => {
  world = await createExportWorld();
});
afterAll(() => world.close());

const at = (path = '', project = world.t.project) => `${EXPORTS}${path}?project=${project}`;
const call = (method: string, path: string, body?: unknown) => world.t.owner.call(method, at(path), body);

describe('the exports of a project', () => {
  it('select blocked, detected and risky requests by default, and never return secrets', async () => {
    const made = await call('POST', '', { name: 'siem', target: WEBHOOK });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body).toMatchObject({
      enabled: true,
      target: { kind: 'webhook', url: WEBHOOK.url, format: 'json', ca_cert: null },
      selection: {
        decisions: ['blocked', 'detected'],
        min_risk: 50,
        flags: [],
        service_ids: [],
        hosts: [],
        findings: true,
      },
      private: [{ path: 'target.secret', set: true }],
      state: 'unused',
      backlog_events: 0,
    });
    const { id } = made.body;
    const changed = await call('PATCH', `/${id}`, { selection: { decisions: ['blocked'], min_risk: null } });
    expect(changed.body.selection).toMatchObject({ decisions: ['blocked'], min_risk: null });
    const { secret: _secret, ...shown } = WEBHOOK;
    const kept = await call('PUT', `/${id}`, { ...toValues(changed.body), name: 'siem-2', target: shown });
    expect(kept.body).toMatchObject({ name: 'siem-2', private: [{ set: true }] });
    const answers = JSON.stringify([made.body, changed.body, kept.body, (await call('GET', '')).body]);
    const { rows } = await sql<{ text: string }>`select row_to_json(audit_log)::text as text from audit_log
      where action like 'event_export.%'`.execute(world.t.database.db);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect(`${answers}${JSON.stringify(rows)}`).not.toContain(SIGNING_SECRET);
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
  });

  it('keep nothing of a dry run', async () => {
    const { status, body } = await world.t.owner.call('POST', `${at()}&dry_run=true`, { name: 'dry', target: WEBHOOK });
    expect([status, body.name]).toEqual([200, 'dry']);
    expect((await call('GET', '')).body.items).toEqual([]);
    const heads = await world.t.database.db.selectFrom('event_export_heads').selectAll().execute();
    expect(heads).toEqual([]);
  });

  it.each([
    ['an address without TLS', { target: { ...WEBHOOK, url: 'http://siem.example.com/' } }, 'request.invalid'],
    ['credentials in the address', { target: { ...WEBHOOK, url: 'https://a:b@siem.example.com/' } }, 'request.invalid'],
    ['no secret', { target: { kind: 'webhook', url: WEBHOOK.url } }, 'event_export.secret_needed'],
    ['an address of the host', { target: { ...WEBHOOK, url: 'https://10.1.2.3/' } }, 'event_export.address'],
    ['metadata of the cloud', { target: { ...WEBHOOK, url: 'https://169.254.169.254/' } }, 'event_export.address'],
    ['a private syslog server', { target: { ...SYSLOG, host: '192.168.1.1' } }, 'event_export.address'],
    ['an IPv6 spelling of a private one', { target: { ...SYSLOG, host: '::ffff:10.0.0.1' } }, 'event_export.address'],
    ['a line break in the host', { target: { ...SYSLOG, host: 'logs.example.com\r\nx' } }, 'request.invalid'],
    ['a space in the tag', { target: { ...SYSLOG, app_name: 'a b' } }, 'request.invalid'],
    ['a line break in the tag', { target: { ...SYSLOG, app_name: 'a\n<1>1' } }, 'request.invalid'],
    ['a text as authority', { target: { ...SYSLOG, ca_cert: 'trust me' } }, 'request.invalid'],
    [
      'an authority that is no certificate',
      { target: { ...SYSLOG, ca_cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' } },
      'event_export.certificate',
    ],
    ['UDP', { target: { ...SYSLOG, protocol: 'udp' } }, 'request.invalid'],
    ['a selection of nothing', { target: SYSLOG, selection: { decisions: [], min_risk: null } }, 'request.invalid'],
    ['an unknown flag', { target: SYSLOG, selection: { flags: ['nope'] } }, 'request.invalid'],
  ])('refuse %s', async (_, values, code) => {
    const { body } = await call('POST', '', { name: 'refused', ...values });
    expect(body.code).toBe(code);
  });

  it('need the key of a client certificate, and refuse the key of another one', async () => {
    const [one, other] = [await createIdentity(), await createIdentity()];
    const target = { ...SYSLOG, client_cert: one.cert };
    expect((await call('POST', '', { name: 'mutual', target })).body.code).toBe('event_export.secret_needed');
    const wrong = await call('POST', '', { name: 'mutual', target: { ...target, client_key: other.key } });
    expect(wrong.body.code).toBe('event_export.certificate');
    expect(JSON.stringify(wrong.body)).not.toContain(other.key.split('\n')[1]);
    const made = await call('POST', '', { name: 'mutual', target: { ...target, client_key: one.key } });
    expect(made.body.private).toMatchObject([{ path: 'target.client_key' }]);
    expect(JSON.stringify(made.body)).not.toContain('PRIVATE KEY');
    await call('DELETE', `/${made.body.id}`);
  });

  it('are ten at most, have names of their own, and are only for admins of the project', async () => {
    for (let i = 0; i < 10; i += 1) await world.create(`number-${i}`, { target: SYSLOG });
    expect((await call('POST', '', { name: 'one-more', target: SYSLOG })).body.code).toBe('event_export.too_many');
    const [first, second] = (await call('GET', '')).body.items;
    expect((await call('PATCH', `/${first.id}`, { name: second.name.toUpperCase() })).body.code).toBe('record.exists');
    const editor = await world.t.createMember('editor');
    for (const [method, path] of [
      ['GET', ''],
      ['GET', `/${first.id}`],
      ['POST', `/${first.id}/test`],
      ['DELETE', `/${first.id}`],
    ] as const)
      expect((await editor.call(method, at(path))).status, method).toBe(403);
    const other = await world.t.createProject('elsewhere');
    for (const method of ['GET', 'DELETE'])
      expect((await world.t.owner.call(method, at(`/${first.id}`, other))).body.code).toBe('record.not_found');
    for (const { id } of (await call('GET', '')).body.items) await call('DELETE', `/${id}`);
    const { db } = world.t.database;
    expect(await db.selectFrom('event_export_heads').selectAll().execute()).toEqual([]);
  });

  it('send one marked message for a test, and none for a dry run', async () => {
    const server = await SyslogServer.open();
    const id = await world.create('tried', {
      target: { ...SYSLOG, host: '127.0.0.1', port: server.port, protocol: 'tcp' },
    });
    const dry = await world.t.owner.call('POST', `${at(`/${id}/test`)}&dry_run=true`);
    expect(dry.body).toMatchObject({ ok: true, dry_run: true });
    expect(server.connections).toBe(0);
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({ ok: true });
    expect(server.problems).toEqual([]);
    expect(server.messages).toMatchObject([
      { kind: 'test', app: 'flotilla', elements: { 'test@32473': { version: '1' } } },
    ]);
    await server.close();
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({
      ok: false,
      message: expect.stringMatching('ECONNREFUSED'),
    });
    await call('DELETE', `/${id}`);
  });
});

function toValues({ name, enabled, target, selection }: Record<string, unknown>) {
  return { name, enabled, target, selection };
}
