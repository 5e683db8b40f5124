import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { MAIL_ACCOUNT, MailServer } from './testing/mail-server.ts';
import { Receiver } from './testing/receiver.ts';

const SECRET = 'a-secret-of-sixteen-and-more';
const WEBHOOK = { kind: 'webhook', url: 'https://hooks.example.com/alerts', secret: SECRET };
const OFFLINE = { kind: 'client_offline' };

let t: TestController;
let admin: TestCaller;
let editor: TestCaller;
let viewer: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  admin = await t.createMember('admin');
  editor = await t.createMember('editor');
  viewer = await t.createMember('viewer');
});
afterAll(() => t?.close());

let made = 0;
let name = '';
beforeEach(() => {
  made += 1;
  name = `name-${made}`;
});

const url = (path: string, project = t.project) => `/api/v3/${path}${path.includes('?') ? '&' : '?'}project=${project}`;

async function create(path: 'alert-channels' | 'alert-rules', body: object, by = admin) {
  const answer = await by.call('POST', url(path), { name, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

async function addAlert(of: { rule?: string; subject?: string; project?: string } = {}): Promise<string> {
  const id = createId();
  await t.database.db
    .insertInto('alerts')
    .values({
      id,
      project_id: of.project ?? t.project,
      rule_id: of.rule ?? null,
      rule_name: 'rule',
      condition: 'client_offline',
      severity: 'critical',
      fingerprint: id,
      state: 'firing',
      subject_kind: 'client',
      subject_id: createId(),
      subject_name: of.subject ?? 'edge',
      summary: 'The agent is not connected.',
      since: new Date(),
      fired_at: new Date(),
      acknowledged_by: null,
      silenced_by: null,
    })
    .execute();
  return id;
}

describe('an alert rule', () => {
  it('is created with defaults, replaced, changed, silenced and deleted', async () => {
    const channel = await create('alert-channels', { target: WEBHOOK });
    const rule = await create('alert-rules', { condition: OFFLINE, channels: [channel.id] });
    expect(rule).toMatchObject({
      enabled: true,
      for_s: 60,
      severity: 'warning',
      quiet_hours: null,
      firing: 0,
      revision: 1,
    });
    const path = `alert-rules/${rule.id}`;
    const again = await admin.call('PUT', url(path), rule, { 'if-match': '"1"' });
    expect([again.status, again.body.revision], JSON.stringify(again.body)).toEqual([200, 1]);
    const patched = await admin.call('PATCH', url(path), { enabled: false, severity: 'info' }, { 'if-match': '"1"' });
    expect(patched.body).toMatchObject({ enabled: false, severity: 'info', revision: 2 });
    expect((await admin.call('PATCH', url(path), { for_s: 1 }, { 'if-match': '"1"' })).status).toBe(412);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const silenced = await admin.call('POST', url(`${path}/silence`), { until });
    expect(silenced.body).toMatchObject({ silenced_until: until, silenced_by: admin.username });
    expect((await editor.call('POST', url(`${path}/silence`), { until })).status).toBe(403);
    const inUse = await admin.call('DELETE', url(`alert-channels/${channel.id}`));
    expect(inUse.body).toMatchObject({ code: 'alert_channel.in_use', message: expect.stringContaining(rule.name) });
    expect((await admin.call('DELETE', url(path))).status).toBe(204);
    expect((await admin.call('DELETE', url(`alert-channels/${channel.id}`))).status).toBe(204);
  });

  it.each([
    ['an unknown condition', { condition: { kind: 'weather' } }, 'condition.kind'],
    ['a field of another condition', { condition: { ...OFFLINE, days: 3 } }, 'condition.days'],
    [
      'an unknown time zone',
      { quiet_hours: { time_zone: 'Mars/Base', weekdays: ['mon'], from: '22:00', to: '06:00' } },
      'quiet_hours.time_zone',
    ],
    [
      'a time that no clock shows',
      { quiet_hours: { time_zone: 'UTC', weekdays: ['mon'], from: '24:00', to: '06:00' } },
      'quiet_hours.from',
    ],
    ['a channel twice', { channels: Array(2).fill(createId()) }, 'channels'],
  ])('cannot have %s', async (_, values, path) => {
    const answer = await admin.call('POST', url('alert-rules'), { name, condition: OFFLINE, ...values });
    expect([answer.status, answer.body.details?.[0]?.path], JSON.stringify(answer.body)).toEqual([400, path]);
  });

  it('cannot use a channel of another project', async () => {
    const other = await t.createProject(`other-${made}`);
    const theirs = await t.owner.call('POST', url('alert-channels', other), { name, target: WEBHOOK });
    const answer = await admin.call('POST', url('alert-rules'), {
      name,
      condition: OFFLINE,
      channels: [theirs.body.id],
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'alert_rule.unknown_channel']);
    expect((await admin.call('GET', url(`alert-channels/${theirs.body.id}`))).status).toBe(404);
  });

  it('is read by viewers and written by admins only', async () => {
    const rule = await create('alert-rules', { condition: OFFLINE });
    expect((await viewer.call('GET', url(`alert-rules/${rule.id}`))).status).toBe(200);
    for (const by of [viewer, editor]) {
      expect((await by.call('POST', url('alert-rules'), { name, condition: OFFLINE })).status).toBe(403);
      expect((await by.call('GET', url('alert-channels'))).status).toBe(403);
      expect((await by.call('GET', url('alert-deliveries'))).status).toBe(403);
    }
  });

  it('ends its alerts when it is deleted, and they stay in the history', async () => {
    const rule = await create('alert-rules', { condition: OFFLINE });
    const alert = await addAlert({ rule: rule.id });
    expect((await admin.call('DELETE', url(`alert-rules/${rule.id}`))).status).toBe(204);
    const { body } = await viewer.call('GET', url(`alerts/${alert}`));
    expect(body).toMatchObject({ state: 'resolved', rule: { id: null } });
  });

  it('is not created by a dry run', async () => {
    const answer = await admin.call('POST', `${url('alert-rules')}&dry_run=true`, { name, condition: OFFLINE });
    expect(answer).toMatchObject({ status: 200, body: { name, dry_run: true } });
    expect((await admin.call('GET', url(`alert-rules?q=${name}`))).body.items).toEqual([]);
  });
});

describe('an alert channel', () => {
  it('never returns its secret, keeps it when it is left out, and stores it encrypted', async () => {
    const channel = await create('alert-channels', { target: WEBHOOK });
    expect(JSON.stringify(channel)).not.toContain(SECRET);
    expect(channel.target).toEqual({ kind: 'webhook', url: WEBHOOK.url });
    expect(channel.private).toEqual([{ path: 'target.secret', set: true, updated_at: expect.any(String) }]);
    const replaced = await admin.call('PUT', url(`alert-channels/${channel.id}`), { ...channel, name: `${name}-new` });
    expect([replaced.status, replaced.body.private], JSON.stringify(replaced.body)).toEqual([200, channel.private]);
    const { rows } = await sql<{ row: string }>`select row_to_json(alert_channels)::text as row from alert_channels
      where id = ${channel.id}`.execute(t.database.db);
    expect(rows[0]?.row).not.toContain(SECRET);
    const log = await sql`select changes::text from audit_log where resource_id = ${channel.id}`.execute(t.database.db);
    expect(log.rows.length).toBe(2);
    expect(JSON.stringify(log.rows)).not.toContain(SECRET);
  });

  it('needs its secret again if its kind changes', async () => {
    const channel = await create('alert-channels', { target: WEBHOOK });
    const target = { kind: 'slack' };
    const answer = await admin.call('PUT', url(`alert-channels/${channel.id}`), { ...channel, target });
    expect([answer.status, answer.body.code], JSON.stringify(answer.body)).toEqual([
      400,
      'alert_channel.secret_needed',
    ]);
  });

  it.each([
    { kind: 'webhook', url: 'http://127.0.0.1:8099/', secret: SECRET },
    { kind: 'webhook', url: 'http://169.254.169.254/', secret: SECRET },
    { kind: 'slack', url: 'http://[::1]/' },
    { kind: 'slack', url: 'http://10.0.0.1/' },
  ])('cannot send to an address inside: $url', async (target) => {
    const answer = await admin.call('POST', url('alert-channels'), { name, target });
    expect([answer.status, answer.body.code]).toEqual([400, 'alert_channel.address']);
  });

  it.each([
    [{ kind: 'webhook', url: 'https://user:password@hooks.example.com/', secret: SECRET }],
    [{ kind: 'webhook', url: 'ftp://hooks.example.com/', secret: SECRET }],
    [{ kind: 'email', recipients: ['one@example.com\r\nBcc: all@example.com'] }],
    [{ kind: 'email', recipients: ['"x" <one@example.com>, two@example.com'] }],
    [{ kind: 'email', recipients: [] }],
  ])('cannot be %j', async (target) => {
    expect((await admin.call('POST', url('alert-channels'), { name, target })).status).toBe(400);
  });

  it('is tested with the real outcome, which the history shows', async () => {
    const receiver = await Receiver.open((path) => ({ status: path === '/bad' ? 503 : 200 }));
    const allowed = { allowed_networks: ['127.0.0.0/8'] };
    const set = await t.owner.call('PUT', '/api/v3/setting/documents/outgoing', allowed);
    expect(set.status, JSON.stringify(set.body)).toBe(200);
    const target = { kind: 'webhook', url: `${receiver.url}/good`, secret: SECRET };
    const channel = await expect
      .poll(async () => (await admin.call('POST', url('alert-channels'), { name, target })).body)
      .toMatchObject({ name })
      .then(async () => (await admin.call('GET', url(`alert-channels?q=${name}`))).body.items[0]);
    const tested = await admin.call('POST', url(`alert-channels/${channel.id}/test`));
    expect(tested).toMatchObject({
      status: 200,
      body: { ok: true, message: 'the receiver accepted the test message' },
    });
    const bad = { ...channel, target: { kind: 'webhook', url: `${receiver.url}/bad` } };
    expect((await admin.call('PUT', url(`alert-channels/${channel.id}`), bad)).status).toBe(200);
    const failed = await admin.call('POST', url(`alert-channels/${channel.id}/test`));
    expect(failed).toMatchObject({ status: 200, body: { ok: false, message: 'the receiver answers 503' } });
    const { items } = (await admin.call('GET', url(`alert-deliveries?channel_id=${channel.id}`))).body;
    expect(items.map(({ kind, status, error }: Record<string, string>) => [kind, status, error])).toEqual([
      ['test', 'failed', 'the receiver answers 503'],
      ['test', 'delivered', null],
    ]);
    expect((await admin.call('GET', url(`alert-channels/${channel.id}`))).body).toMatchObject({ state: 'failing' });
    await receiver.close();
  });

  it('of kind email uses the mail server in the settings, whose own test signs in', async () => {
    const server = await MailServer.open();
    const value = {
      enabled: true,
      host: 'localhost',
      port: server.port,
      sender: 'flotilla@example.com',
      ca_cert: server.ca,
    };
    const test = '/api/v3/setting/documents/smtp/test';
    const wrong = await t.owner.call('POST', test, { ...value, ...MAIL_ACCOUNT, password: 'wrong-password' });
    expect(wrong.body, JSON.stringify(wrong.body)).toMatchObject({ ok: false });
    expect(JSON.stringify(wrong.body)).not.toContain('wrong-password');
    expect((await t.owner.call('POST', test, { ...value, ...MAIL_ACCOUNT })).body).toMatchObject({ ok: true });
    await t.owner.call('PUT', '/api/v3/setting/documents/smtp', { ...value, ...MAIL_ACCOUNT });
    const channel = await create('alert-channels', { target: { kind: 'email', recipients: ['ops@example.com'] } });
    await expect
      .poll(async () => (await admin.call('POST', url(`alert-channels/${channel.id}/test`))).body)
      .toMatchObject({ ok: true });
    expect(server.received.at(-1)).toMatchObject({ recipients: ['ops@example.com'], isEncrypted: true });
    await server.close();
  });
});

describe('an alert', () => {
  it('is listed, counted, acknowledged and silenced', async () => {
    const alert = await addAlert({ subject: `edge-${made}` });
    const listed = await viewer.call('GET', url(`alerts?q=edge-${made}&state=firing&with_total=true`));
    expect(listed.body).toMatchObject({ total: 1, items: [{ id: alert, severity: 'critical' }] });
    const before = (await viewer.call('GET', url('alerts/summary'))).body;
    expect(before.firing).toBeGreaterThan(0);
    const acknowledge = (by: TestCaller, acknowledged: boolean) =>
      by.call('POST', url(`alerts/${alert}/acknowledge`), { acknowledged });
    expect((await acknowledge(viewer, true)).status).toBe(403);
    expect((await acknowledge(editor, true)).body).toMatchObject({ acknowledged_by: editor.username });
    const after = (await viewer.call('GET', url('alerts/summary'))).body;
    expect(after).toMatchObject({ firing: before.firing, acknowledged: before.acknowledged + 1 });
    expect((await acknowledge(editor, false)).body).toMatchObject({ acknowledged_by: null, acknowledged_at: null });
    const silence = (until: string | null) => editor.call('POST', url(`alerts/${alert}/silence`), { until });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect((await silence(until)).body).toMatchObject({ silenced_until: until, silenced_by: editor.username });
    for (const wrong of ['2020-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'])
      expect((await silence(wrong)).body.code).toBe('alert.silence_range');
    expect((await silence(null)).body).toMatchObject({ silenced_until: null });
  });

  it('answers a repeated request with the stored answer, changes nothing again, and audits once', async () => {
    const alert = await addAlert();
    const twice = async (by: TestCaller, path: string, body: object) => {
      const ask = () => by.call('POST', url(path), body, { 'idempotency-key': `alerts-${path}-${made}` });
      const first = await ask();
      expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
      const again = await ask();
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      return first.body;
    };
    const channel = await twice(admin, 'alert-channels', { name, target: WEBHOOK });
    expect(JSON.stringify(channel)).not.toContain(SECRET);
    const rule = await twice(admin, 'alert-rules', { name, condition: OFFLINE, channels: [channel.id] });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await twice(admin, `alert-rules/${rule.id}/silence`, { until });
    await twice(editor, `alerts/${alert}/silence`, { until });
    await twice(editor, `alerts/${alert}/acknowledge`, { acknowledged: true });
    const others = { name, target: { kind: 'email', recipients: ['ops@example.com'] } };
    const changed = await admin.call('POST', url('alert-channels'), others, {
      'idempotency-key': `alerts-alert-channels-${made}`,
    });
    expect(changed.status).toBeGreaterThanOrEqual(400);
    for (const [path, found] of [
      ['alert-channels', channel],
      ['alert-rules', rule],
    ] as const) {
      const { items } = (await admin.call('GET', url(`${path}?q=${name}`))).body;
      expect(items.map(({ id }: { id: string }) => id)).toEqual([found.id]);
    }
    const audited = await t.database.db
      .selectFrom('audit_log')
      .select('action')
      .where('outcome', '=', 'done')
      .where('resource_id', 'in', [alert, rule.id, channel.id])
      .execute();
    expect(audited.map(({ action }) => action).toSorted()).toEqual([
      'alert.acknowledge',
      'alert.silence',
      'alert_channel.create',
      'alert_rule.create',
      'alert_rule.silence',
    ]);
  });

  it('of another project is not found', async () => {
    const other = await t.createProject(`theirs-${made}`);
    const alert = await addAlert({ project: other });
    expect((await admin.call('GET', url(`alerts/${alert}`))).status).toBe(404);
    expect((await editor.call('POST', url(`alerts/${alert}/acknowledge`), { acknowledged: true })).status).toBe(404);
  });

  it('about something that a member may not see does not exist for that member', async () => {
    const restricted = await t.createProject(`restricted-${made}`);
    await t.owner.call('PUT', url('setting/resource-access', restricted), { resource_access: 'listed' });
    const member = await t.createMember('editor', restricted);
    const alert = await addAlert({ project: restricted });
    expect((await member.call('GET', url('alerts', restricted))).body.items).toEqual([]);
    expect((await member.call('GET', url('alerts/summary', restricted))).body).toMatchObject({ firing: 0, first: [] });
    const answer = await member.call('POST', url(`alerts/${alert}/acknowledge`, restricted), { acknowledged: true });
    expect(answer.status).toBe(404);
    const owner = await t.owner.call('GET', url('alerts', restricted));
    expect(owner.body.items).toMatchObject([{ id: alert, acknowledged_at: null }]);
  });
});
