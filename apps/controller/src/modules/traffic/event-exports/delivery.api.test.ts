import { createHmac } from 'node:crypto';
import { toProjectId } from '@flotilla/event-store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { applyBatches } from '../inventory/index.ts';
import { pruneArrivals } from './arrival-store.ts';
import { createExportWorld, EXPORTS, type ExportWorld, SIGNING_SECRET } from './testing/export-world.ts';
import { HttpsReceiver } from './testing/https-receiver.ts';
import { createIdentity, type Identity } from './testing/identity.ts';
import { type SyslogManner, SyslogServer } from './testing/syslog-server.ts';

const WAIT = { interval: 50 };
const ALL = { decisions: ['allowed', 'blocked', 'detected'], min_risk: null };

let world: ExportWorld;
let identity: Identity;
beforeAll(async () => {
  world = await createExportWorld();
  identity = await createIdentity();
});
afterAll(() => world.close());

async function openSyslog(manner: SyslogManner = 'read', more: object = {}) {
  const server = await SyslogServer.open({ ...identity, ...more });
  server.manner = manner;
  onTestFinished(() => server.close());
  return server;
}
async function openTcp(manner: SyslogManner) {
  const server = await SyslogServer.open();
  server.manner = manner;
  onTestFinished(() => server.close());
  return server;
}
const tcp = ({ port }: { readonly port: number }) => ({ kind: 'syslog', host: '127.0.0.1', port, protocol: 'tcp' });
const tls = ({ port }: { readonly port: number }) => ({
  kind: 'syslog',
  host: 'localhost',
  port,
  ca_cert: identity.cert,
});

/** Deleted at the end of the test, so that each test sees its own events. */
async function create(target: object, selection: object | null = ALL, project?: string): Promise<string> {
  const name = `export-${crypto.randomUUID()}`;
  const id = await world.create(name, { target, ...(selection && { selection }) }, project);
  onTestFinished(async () => {
    await world.t.owner.call('DELETE', `${EXPORTS}/${id}?project=${project ?? world.t.project}`);
  });
  return id;
}

describe('a syslog server', () => {
  it('gets what was blocked, detected or risky, and findings, by TLS and in the order of arrival', async () => {
    const server = await openSyslog();
    const id = await create(tls(server), null);
    const [hour, now] = [3_600_000, world.nowMs];
    const first = await world.arrive([
      world.event({ timeMs: now - 10, action: 'block', engine: 'waf' }),
      world.event({ timeMs: now - 9, action: 'detect' }),
      world.event({ timeMs: now - 8, action: 'allow' }),
    ]);
    const findings = await world.find(2);
    // From a host that was away: older than everything that was sent.
    const late = await world.arrive([world.event({ timeMs: now - 20 * hour, risk: 80 })]);
    await expect.poll(() => server.ids, WAIT).toEqual([...first.slice(0, 2), ...findings, ...late]);
    expect(server.problems).toEqual([]);
    const [blocked, , finding] = server.messages;
    expect(blocked).toMatchObject({
      priority: 16 * 8 + 4,
      kind: 'request',
      time: new Date(now - 10).toISOString(),
      elements: {
        'request@32473': { decision: 'blocked', engine: 'waf', host: 'api.example.com', path: '/orders/{id}' },
      },
    });
    expect(finding).toMatchObject({
      kind: 'finding',
      elements: { 'finding@32473': { decision: 'blocked', policy: 'guard', reason: 'apikey.missing' } },
    });
    // Nothing that a request says of people leaves the installation.
    expect(JSON.stringify(server.messages)).not.toMatch(/203\.0\.113\.7|anna@example|4711/);
    await expect
      .poll(() => world.read(id), WAIT)
      .toMatchObject({
        state: 'working',
        sent_events: 5,
        skipped_events: 1,
        backlog_events: 0,
        lost_events: 0,
      });
  });

  it('gets one well-formed message for each event, whatever its fields say', async () => {
    const server = await openSyslog();
    await create(tls(server));
    const hostile = [
      '"] <34>1 - - forged',
      'a\\',
      '\r\n17 <1>1 - - - - - - x',
      '=cmd()|x',
      '<script>alert(1)</script>',
      '\u2028\u202e[x]',
      'é🙂'.repeat(400),
      '[request@32473 id="1"]',
    ];
    await world.arrive(hostile.map((text) => world.event({ host: text, path: text, route: text, cluster: text })));
    await expect.poll(() => server.messages.length + server.problems.length, WAIT).toBe(hostile.length);
    expect(server.problems).toEqual([]);
    for (const { elements } of server.messages) expect(Object.keys(elements)).toEqual(['request@32473']);
    expect(server.messages.map(({ elements }) => elements['request@32473']?.host)).toContain('"] <34>1 - - forged');
  });

  it('with another name in its certificate gets nothing, and the error says so', async () => {
    const other = await createIdentity('elsewhere.example.com');
    const server = await openSyslog('read', other);
    const id = await create({ ...tls(server), ca_cert: other.cert });
    await world.arrive([world.event()]);
    await expect.poll(async () => (await world.read(id)).last_error, WAIT).toMatch(/altnames|does not match/i);
    expect(await world.read(id)).toMatchObject({ state: 'failing', sent_events: 0, backlog_events: 1 });
    expect(server.messages).toEqual([]);
  });

  it('that asks for a client certificate gets that of the export', async () => {
    const mine = await createIdentity('controller.example.com');
    const server = await openSyslog('read', { requestCert: true, rejectUnauthorized: true, ca: mine.cert });
    const without = await create(tls(server));
    await world.arrive([world.event()]);
    await expect.poll(async () => (await world.read(without)).state, WAIT).toBe('failing');
    const withKey = { ...tls(server), client_cert: mine.cert, client_key: mine.key };
    await create(withKey);
    const ids = await world.arrive([world.event()]);
    await expect.poll(() => server.ids, WAIT).toEqual(ids);
  });

  it.each<SyslogManner>(['crawl', 'mute', 'reset'])(
    'that does not take events (%s) delays no other export',
    async (manner) => {
      const [bad, good] = [await openTcp(manner), await openSyslog()];
      const failing = await create(tcp(bad));
      await create(tls(good));
      const ids: string[] = [];
      for (let i = 0; i < 3; i += 1)
        ids.push(...(await world.arrive([world.event({ timeMs: world.nowMs - 100 + i })])));
      await expect.poll(() => good.ids, WAIT).toEqual(ids);
      await expect.poll(async () => (await world.read(failing)).state, WAIT).toBe('failing');
      expect(await world.read(failing)).toMatchObject({ sent_events: 0, backlog_events: 3 });
    },
  );

  it('that was away gets everything after it is back, once', async () => {
    const server = await openSyslog();
    const { port } = server;
    await server.close();
    const id = await create(tls({ port }));
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) ids.push(...(await world.arrive([world.event({ timeMs: world.nowMs - 50 + i })])));
    await expect.poll(async () => (await world.read(id)).last_error, WAIT).toMatch('ECONNREFUSED');
    expect((await world.read(id)).lag_s).toBeGreaterThan(0);
    const back = await SyslogServer.open(identity, port);
    onTestFinished(() => back.close());
    await expect.poll(() => back.ids, WAIT).toEqual(ids);
    await expect.poll(async () => (await world.read(id)).state, WAIT).toBe('working');
  });
});

describe('a webhook', () => {
  async function openReceiver() {
    const receiver = await HttpsReceiver.open(identity);
    onTestFinished(() => receiver.close());
    return receiver;
  }
  const hook = ({ url }: HttpsReceiver, more: object = {}) => ({
    kind: 'webhook',
    url: `${url}/events`,
    secret: SIGNING_SECRET,
    ca_cert: identity.cert,
    ...more,
  });

  it.each(['json', 'ndjson'])('gets signed documents as %s', async (format) => {
    const receiver = await openReceiver();
    await create(hook(receiver, { format }));
    const ids = await world.arrive([
      world.event({ timeMs: world.nowMs - 2 }),
      world.event({ timeMs: world.nowMs - 1 }),
    ]);
    await expect.poll(() => receiver.received.length, WAIT).toBe(1);
    const [{ headers, body, path } = { headers: {}, body: '', path: '' }] = receiver.received;
    const timestamp = String(headers['x-flotilla-timestamp']);
    const signature = createHmac('sha256', SIGNING_SECRET).update(`${timestamp}.${body}`).digest('hex');
    expect([path, headers['x-flotilla-signature']]).toEqual(['/events', `v1=${signature}`]);
    const documents =
      format === 'json'
        ? JSON.parse(body).events
        : body
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line));
    expect(documents.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(documents[0]).toMatchObject({
      version: 1,
      kind: 'request',
      decision: 'allowed',
      project_id: world.t.project,
    });
  });

  it('is not followed to where it redirects, and shows no secret in the error', async () => {
    const receiver = await openReceiver();
    receiver.answer = { status: 307, location: `${receiver.url}/elsewhere` };
    const id = await create(hook(receiver));
    await world.arrive([world.event()]);
    await expect.poll(async () => (await world.read(id)).last_error, WAIT).toMatch(/redirects \(307\)/);
    expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/events']));
    expect(JSON.stringify(await world.read(id))).not.toContain(SIGNING_SECRET);
  });

  it('on a network that the owners do not allow any more is refused before anything is sent', async () => {
    const receiver = await openReceiver();
    const id = await create(hook(receiver));
    const allow = (networks: readonly string[]) =>
      world.t.owner.call('PUT', '/api/v3/setting/documents/outgoing', { allowed_networks: networks });
    const tryIt = async () =>
      (await world.t.owner.call('POST', `${EXPORTS}/${id}/test?project=${world.t.project}`)).body.message;
    await allow([]);
    onTestFinished(async () => {
      await allow(['127.0.0.0/8', '::1/128']);
    });
    await expect.poll(tryIt, WAIT).toMatch(/is not public/);
    const before = receiver.received.length;
    expect(await tryIt()).toMatch(/is not public/);
    expect(receiver.received).toHaveLength(before);
  });
});

describe('an export', () => {
  it('selects by flags, services and hosts, and leaves findings out if asked', async () => {
    const server = await openSyslog();
    const id = await create(tls(server), {
      decisions: ['blocked'],
      min_risk: null,
      hosts: ['pay.example.com'],
      service_ids: [world.service.id],
      findings: false,
    });
    const events = [
      world.event({ action: 'block', host: 'pay.example.com' }),
      world.event({ action: 'block', host: 'other.example.com' }),
      world.event({ action: 'block', host: 'pay.example.com', service: 'another' }),
      world.event({ action: 'allow', host: 'pay.example.com', risk: 90 }),
    ];
    await world.find(1, { host: 'pay.example.com' });
    await world.arrive(events);
    await expect.poll(async () => (await world.read(id)).backlog_events, WAIT).toBe(0);
    expect(server.messages).toHaveLength(1);
    expect(await world.read(id)).toMatchObject({ sent_events: 1, skipped_events: 4 });
  });

  it('counts events that the retention deleted before they were sent as a gap', async () => {
    const server = await openTcp('reset');
    const id = await create(tcp(server));
    await world.arrive([world.event(), world.event(), world.event()]);
    await expect.poll(async () => (await world.read(id)).state, WAIT).toBe('failing');
    await world.store.deleteProject(toProjectId(world.t.project));
    server.manner = 'read';
    const ids = await world.arrive([world.event()]);
    await expect.poll(() => server.ids, WAIT).toEqual(ids);
    await expect.poll(() => world.read(id), WAIT).toMatchObject({ lost_events: 3, sent_events: 1, backlog_events: 0 });
    expect((await world.read(id)).lost_at).not.toBeNull();
  });

  it('gets nothing of another project', async () => {
    const [mine, theirs] = [await openSyslog(), await openSyslog()];
    const other = await world.t.createProject(`other-${crypto.randomUUID().slice(0, 8)}`);
    await create(tls(mine));
    await create(tls(theirs), ALL, other);
    const own = await world.arrive([world.event()]);
    const foreign = await world.arrive([world.event()], other);
    const found = await world.find(1, { project: other });
    await expect.poll(() => [mine.ids, theirs.ids], WAIT).toEqual([own, [...foreign, ...found]]);
  });

  it('counts arrivals beyond the limit of the list as a gap, and continues after them', async () => {
    const server = await openTcp('reset');
    const id = await create(tcp(server));
    for (let i = 0; i < 3; i += 1) await world.arrive([world.event(), world.event()]);
    await expect.poll(async () => (await world.read(id)).state, WAIT).toBe('failing');
    await pruneArrivals(world.t.database.db, new Date(), 1);
    expect(await world.read(id)).toMatchObject({ lost_events: 4, backlog_events: 2 });
    server.manner = 'read';
    await expect.poll(() => server.ids.length, WAIT).toBe(2);
    await expect.poll(() => world.read(id), WAIT).toMatchObject({ sent_events: 2, lost_events: 4, backlog_events: 0 });
  });

  it('gets a batch of an agent once, however often the agent sends it', async () => {
    const id = await create(tcp({ port: 9 }));
    await world.t.owner.call('PATCH', `${EXPORTS}/${id}?project=${world.t.project}`, { enabled: false });
    const span = { batch: '00000000000000b1', events: 5, fromMs: world.nowMs, toMs: world.nowMs + 1 };
    const batch = { projectId: world.t.project, clientId: world.client, serviceId: world.service.id, epoch: 'e1' };
    const input = { ...batch, sequence: 1, deltas: [], span, now: new Date() };
    for (let i = 0; i < 2; i += 1) await applyBatches(world.t.database.db, [input]);
    await applyBatches(world.t.database.db, [{ ...input, sequence: 2, span: undefined }]);
    expect(await world.read(id)).toMatchObject({ backlog_events: 5 });
  });

  it('that is switched off keeps its place', async () => {
    const server = await openSyslog();
    const id = await create(tls(server));
    const set = (enabled: boolean) =>
      world.t.owner.call('PATCH', `${EXPORTS}/${id}?project=${world.t.project}`, { enabled });
    await set(false);
    const ids = await world.arrive([world.event()]);
    expect(await world.read(id)).toMatchObject({ state: 'off', backlog_events: 1 });
    await set(true);
    await expect.poll(() => server.ids, WAIT).toEqual(ids);
  });

  it('waits while there is no event store', async () => {
    const server = await openSyslog();
    const id = await create(tls(server));
    const { store } = world.access;
    world.access.store = undefined;
    const ids = await world.arrive([world.event()]);
    expect(await world.read(id)).toMatchObject({ backlog_events: 1, sent_events: 0 });
    world.access.store = store;
    await expect.poll(() => server.ids, WAIT).toEqual(ids);
  });
});
