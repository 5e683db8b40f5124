import { connect, type Socket } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { publish } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openController, type TestCaller } from '../../testing/controller.ts';
import { createTestFleet, hostFacts, TEST_FLEET_ENV, TEST_VERSION, type TestFleet } from '../../testing/fleet.ts';
import { EventReader } from './testing/event-reader.ts';

let t: TestFleet;
let address: string;
const readers: EventReader[] = [];
beforeAll(async () => {
  t = await createTestFleet();
  address = await t.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
});
afterAll(() => t.close());

interface Listening {
  readonly as?: Pick<TestCaller, 'token'>;
  readonly project?: string;
  readonly at?: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

async function listen({ as = t.owner, project = t.project, at = address, query = '', headers }: Listening = {}) {
  const url = `${at}/api/v3/events?project=${project}${query}`;
  const reader = await EventReader.open(url, { authorization: `Bearer ${as.token}`, ...headers });
  readers.push(reader);
  return reader;
}

let counter = 0;
function uniqueName(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}`;
}

async function writeDocument(name: string, project = t.project) {
  const body = { name, version: TEST_VERSION, resource: { type: 'STATIC', connect_timeout: '1s' } };
  const answer = await t.owner.call('POST', `/api/v3/xds/clusters?project=${project}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return { topic: 'document', collection: 'clusters', name, version: TEST_VERSION };
}

async function openListening(): Promise<Awaited<ReturnType<typeof openController>> & { readonly url: string }> {
  const opened = await openController(t.database, TEST_FLEET_ENV);
  return { ...opened, url: await opened.controller.app.listen({ port: 0, host: '127.0.0.1' }) };
}

/** Requests events and never reads one. */
function openDeaf(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const head = [`GET /api/v3/events?project=${t.project} HTTP/1.1`, 'host: test'];
  socket.write(`${[...head, `authorization: Bearer ${t.owner.token}`].join('\r\n')}\r\n\r\n`);
  return socket.pause();
}

describe('a stream of events', () => {
  it('starts with hello, and is neither cached, compressed nor buffered on the way', async () => {
    const reader = await listen({ headers: { 'accept-encoding': 'gzip, br' } });
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(reader.response.headers.get('x-accel-buffering')).toBe('no');
    expect(reader.response.headers.get('content-encoding')).toBeNull();
    expect(reader.events).toEqual([
      {
        id: expect.any(String),
        event: 'hello',
        data: {
          id: reader.events[0]?.id,
          role: 'owner',
          resumed: false,
          user_id: expect.any(String),
          projects: [t.project],
        },
      },
    ]);
  });

  it('announces every write on another controller', async () => {
    const second = await openListening();
    try {
      const reader = await listen({ at: second.url });
      await reader.hears(await writeDocument(uniqueName('far')));
      const clientId = await t.createClient('far');
      await reader.hears({ topic: 'client', client_id: clientId, change: 'facts' });
      const agent = await t.connect(clientId);
      await reader.hears({ topic: 'client', client_id: clientId, change: 'connected' });
      const service = await t.createService();
      await reader.hears({ topic: 'service', service_id: service.id });
      const command = { type: 'DEPLOY', clients: [{ client_id: clientId }], command: { name: service.name } };
      const sent = await t.owner.call('POST', `/api/op/clients?project=${t.project}`, command);
      const ids = { command_id: sent.body.results[0].command_id, client_id: clientId, service_id: service.id };
      await reader.hears({ topic: 'command', ...ids, outcome: 'done' });
      await agent.session.nodeReport(
        create(fleet.NodeReportSchema, { serviceId: service.id, phase: fleet.NodePhase.FAILED, error: 'no such file' }),
      );
      await reader.hears({ topic: 'node', service_id: service.id, client_id: clientId });
      await reader.hears({ topic: 'config_error', service_id: service.id });
      await agent.session.hostStats(create(fleet.HostStatsSchema, { cores: 4, load5: 1 }));
      await reader.hears({ topic: 'client', client_id: clientId, change: 'stats' });
      await t.disconnect(agent);
      await reader.hears({ topic: 'client', client_id: clientId, change: 'disconnected' });
      const settings = `/api/v3/setting`;
      const apiToken = await t.owner.call('POST', `${settings}/tokens?project=${t.project}`, {
        name: uniqueName('token'),
        role: 'viewer',
      });
      await reader.hears({ topic: 'api_token', token_id: apiToken.body.id });
      const token = await t.owner.call('POST', `${settings}/enrolment-tokens?project=${t.project}`, {});
      expect(token.status, JSON.stringify(token.body)).toBe(201);
      await reader.hears({ topic: 'enrolment_token', token_id: token.body.id });
      const member = await t.createMember('viewer');
      await reader.hears({ topic: 'user', user_id: member.userId });
      const engines = { rate_limit: { key: 'ip', requests_per_second: 10, burst: 20 } };
      const name = uniqueName('far');
      const document = {
        apiVersion: 'flotilla.dev/v1',
        kind: 'SecurityPolicy',
        metadata: { name },
        spec: { domains: [{ hosts: [`${name}.example.com`], policy: { engines } }] },
      };
      const policy = { name, document };
      const written = await t.owner.call('POST', `/api/v3/shield/policies?project=${t.project}`, policy);
      expect(written.status, JSON.stringify(written.body)).toBe(201);
      await reader.hears({ topic: 'policy', name: policy.name });
      await reader.hears({ topic: 'audit' });
      await t.owner.call('PATCH', `${settings}/project/${t.project}`, { description: uniqueName('described') });
      await reader.hears({ topic: 'project', project_id: t.project });
      for (const change of reader.changes) expect(JSON.stringify(change).length).toBeLessThan(400);
      expect(JSON.stringify(reader.changes)).not.toMatch(/no such file|flt_/);
    } finally {
      await second.close();
    }
  });

  it('follows several projects at once, each event with its project, and none without a role there (screen bug 1)', async () => {
    const other = await t.createProject(uniqueName('also'));
    const foreign = await t.createProject(uniqueName('foreign'));
    const member = await t.createMember('viewer');
    const own = await listen({ query: `&also=${other}&also=${other.toUpperCase()}` });
    expect(own.events[0]?.data.projects).toEqual([t.project, other]);
    const refused = await listen({ as: member, query: `&also=${other}&also=${foreign}` });
    expect(refused.events[0]?.data).toMatchObject({ projects: [t.project], user_id: member.userId });
    const first = await writeDocument(uniqueName('first'));
    const second = await writeDocument(uniqueName('second'), other);
    await writeDocument(uniqueName('third'), foreign);
    const last = await writeDocument(uniqueName('last'));
    await own.hears({ ...first, project: t.project });
    await own.hears({ ...second, project: other });
    await own.hears({ ...last, project: t.project });
    await refused.hears(last);
    const heard = (reader: EventReader) =>
      reader.changes.flatMap((change) => ((change as { topic: string }).topic === 'document' ? [change] : []));
    expect(heard(own)).toHaveLength(3);
    expect(heard(refused)).toEqual([first, last]);
    const resumed = await listen({ query: `&also=${other}&last_event_id=${own.events[0]?.id}` });
    expect(resumed.events[0]?.data.resumed).toBe(true);
    expect(heard(resumed)).toEqual(heard(own));
  });

  it('ends when the role in any of its projects changes (screen bug 1)', async () => {
    const other = await t.createProject(uniqueName('lost'));
    const member = await t.createMember('viewer');
    const membership = `/api/v3/setting/users/${member.userId}/memberships/${other}`;
    expect((await t.owner.call('PUT', membership, { role: 'editor' })).status).toBeLessThan(300);
    const reader = await listen({ as: member, query: `&also=${other}` });
    expect(reader.events[0]?.data.projects).toEqual([t.project, other]);
    expect((await t.owner.call('PUT', membership, { role: 'viewer' })).status).toBeLessThan(300);
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'session' } });
  });

  it('contains nothing of another project', async () => {
    const other = await t.createProject(uniqueName('other'));
    const reader = await listen({ project: other });
    const mine = await writeDocument(uniqueName('mine'));
    await t.createClient('mine');
    const theirs = await writeDocument(uniqueName('theirs'), other);
    await reader.hears(theirs);
    expect(reader.changes).not.toContainEqual(mine);
    expect(reader.topics()).not.toContain('client');
    const outsider = await t.createMember('owner', other);
    expect((await listen({ as: outsider })).response.status).toBe(403);
  });

  it('screen bug 10: announces services and clients to viewers and editors, and nothing that only owners and admins may read', async () => {
    const [viewer, editor, admin] = await Promise.all(
      (['viewer', 'editor', 'admin'] as const).map(async (role) => listen({ as: await t.createMember(role) })),
    );
    const clientId = await t.createClient('seen');
    const service = await t.createService();
    const sample = { topic: 'client', client_id: clientId, change: 'stats' } as const;
    const agent = await t.connect(clientId);
    await agent.session.hostStats(create(fleet.HostStatsSchema, { cores: 4, load5: 1 }));
    await admin?.hears(sample);
    const document = await writeDocument(uniqueName('shown'));
    for (const reader of [viewer, editor, admin]) {
      await reader?.hears({ topic: 'client', client_id: clientId, change: 'facts' });
      await reader?.hears({ topic: 'service', service_id: service.id });
      await reader?.hears(document);
    }
    expect(admin?.topics()).toEqual(expect.arrayContaining(['audit', 'client', 'document', 'service']));
    for (const reader of [viewer, editor]) {
      expect(reader?.topics()).not.toContain('audit');
      expect(reader?.events.filter(({ data }) => data.change === 'stats')).toEqual([]);
    }
    await t.disconnect(agent);
  });

  it('merges equal concurrent changes, and replaces very many of one topic by a single one', async () => {
    const reader = await listen();
    const service = await t.createService();
    const clientIds = Array.from({ length: 300 }, () => createId());
    const now = new Date();
    await t.database.db.transaction().execute(async (tx) => {
      for (const [i, id] of clientIds.entries()) {
        const facts = hostFacts({ name: `burst-${i}` });
        await t.controller.fleet.clients.register(tx, { id, projectId: t.project, facts, now });
        await tx
          .insertInto('config_errors')
          .values({
            id: createId(),
            project_id: t.project,
            service_id: service.id,
            client_id: id,
            node_id: id,
            source: 'node',
            severity: 'error',
            resource_type: 'service',
            resource_name: service.name,
            message: 'broken',
            raw_message: 'broken',
            suggested_fix: null,
            status: 'active',
            first_seen: now,
            last_seen: now,
            occurrences: 1,
            resolved_by: null,
          })
          .execute();
      }
    });
    await reader.hears({ topic: 'client' });
    await reader.hears({ topic: 'config_error', service_id: service.id });
    const of = (topic: string) => reader.changes.filter((change) => (change as { topic: string }).topic === topic);
    // The events are read from the outbox in a few batches and sent in a few rounds, not one by one.
    expect(of('config_error').length).toBeLessThan(10);
    expect(of('client').length).toBeLessThan(150);
  });

  it('announces that clients may be offline when a controller appears or disappears without a row of theirs', async () => {
    const reader = await listen();
    await vi.waitFor(
      async () => {
        const now = new Date();
        const controller = { id: createId(), started_at: now, seen_at: now };
        await t.database.db.insertInto('controllers').values(controller).execute();
        // A change of accounts is checked at once, not after 15 seconds.
        await t.createMember('viewer');
        await vi.waitFor(() => expect(reader.changes).toContainEqual({ topic: 'client' }));
      },
      { timeout: 90_000 },
    );
    await reader.hears({ topic: 'service' });
  });

  it('does not make a HEAD request wait', async () => {
    const url = `${address}/api/v3/events?project=${t.project}`;
    const head = await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${t.owner.token}` } });
    expect(head.status).toBe(200);
    const metrics = await t.app.inject('/metrics');
    expect(metrics.body).toMatch(/flotilla_controller_event_streams 0\n/);
  });

  it('is limited to twenty per caller', async () => {
    const viewer = await t.createMember('viewer');
    for (let i = 0; i < 20; i += 1) await listen({ as: viewer });
    const refused = await listen({ as: viewer });
    expect(refused.response.status).toBe(429);
    expect(await refused.response.json()).toMatchObject({ code: 'events.too_many' });
    await readers[0]?.close();
    await vi.waitFor(async () => expect((await listen({ as: viewer })).response.status).toBe(200));
  });
});

describe('a listener that reconnects', () => {
  it('receives what it missed, by header or by query', async () => {
    const reader = await listen();
    const first = await writeDocument(uniqueName('before'));
    await reader.hears(first);
    await reader.close();
    const id = reader.lastId ?? '';
    const missed = await writeDocument(uniqueName('missed'));
    const watcher = await listen();
    await writeDocument(uniqueName('after')).then((after) => watcher.hears(after));
    for (const options of [{ headers: { 'last-event-id': id } }, { query: `&last_event_id=${id}` }]) {
      const again = await listen(options);
      await again.hears(missed);
      expect(again.events[0]).toEqual({
        id,
        event: 'hello',
        data: { id, role: 'owner', resumed: true, user_id: expect.any(String), projects: [t.project] },
      });
      expect(again.changes).not.toContainEqual(first);
      expect(again.events.map(({ event }) => event)).not.toContain('resync');
    }
    const newer = await listen({ headers: { 'last-event-id': watcher.lastId ?? '' }, query: `&last_event_id=${id}` });
    expect(newer.changes).not.toContainEqual(missed);
  });

  it('does not receive what its role may not read, on reconnecting either', async () => {
    const reader = await listen();
    await reader.close();
    const token = await t.owner.call('POST', `/api/v3/setting/enrolment-tokens?project=${t.project}`, {});
    const document = await writeDocument(uniqueName('missed'));
    const watcher = await listen();
    await writeDocument(uniqueName('later')).then((later) => watcher.hears(later));
    const viewer = await t.createMember('viewer');
    const again = await listen({ as: viewer, query: `&last_event_id=${reader.lastId}` });
    await again.hears(document);
    expect(JSON.stringify(again.changes)).not.toContain(token.body.id);
  });

  it('reads everything again after a restart, on another controller, or with an unknown id', async () => {
    const before = await openListening();
    const reader = await listen({ at: before.url });
    await reader.hears(await writeDocument(uniqueName('old')));
    await before.close();
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'closing' } });
    const after = await openListening();
    try {
      for (const id of [reader.lastId ?? '', 'rubbish', '000000000000-999', `${'9'.repeat(12)}-1`]) {
        for (const at of [after.url, address]) {
          const again = await listen({ at, query: `&last_event_id=${id}` });
          await vi.waitFor(() => expect(again.events.length).toBeGreaterThan(1));
          // A change may follow at once: controllers come and go here, and the one at `address` may only now read of `old`.
          const [hello, resync] = again.events;
          expect(hello).toMatchObject({ id: undefined, event: 'hello', data: { resumed: false } });
          expect(resync).toEqual({ id: hello?.data.id, event: 'resync', data: { id: hello?.data.id } });
        }
      }
    } finally {
      await after.close();
    }
  });
});

describe('a stream ends', () => {
  it('with the session', async () => {
    const member = await t.createMember('admin');
    const reader = await listen({ as: member });
    await member.call('POST', '/logout');
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'session' } });
  });

  it('with the role at its start, the membership and the account', async () => {
    const setting = '/api/v3/setting/users';
    const endings: Array<(userId: string) => Promise<{ status: number }>> = [
      (id) => t.owner.call('PUT', `${setting}/${id}/memberships/${t.project}`, { role: 'viewer' }),
      (id) => t.owner.call('DELETE', `${setting}/${id}/memberships/${t.project}`),
      (id) => t.owner.call('PATCH', `${setting}/${id}`, { active: false }),
    ];
    for (const end of endings) {
      const member = await t.createMember('admin');
      const reader = await listen({ as: member });
      expect((await end(member.userId)).status).toBeLessThan(300);
      await reader.ended;
      expect(reader.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'session' } });
    }
  });

  it('with the API token, and with the account that created it', async () => {
    const url = `/api/v3/setting/tokens`;
    const maker = await t.createMember('admin');
    const make = async (by: TestCaller) => {
      const body = { name: uniqueName('listener'), role: 'viewer' };
      return (await by.call('POST', `${url}?project=${t.project}`, body)).body as { id: string; token: string };
    };
    const [first, second] = [await make(t.owner), await make(maker)];
    const [one, two] = [await listen({ as: first }), await listen({ as: second })];
    expect(one.events[0]?.data.role).toBe('viewer');
    await t.owner.call('DELETE', `${url}/${first.id}?project=${t.project}`);
    await one.ended;
    await t.owner.call('PATCH', `/api/v3/setting/users/${maker.userId}`, { active: false });
    await two.ended;
    expect(two.events.at(-1)).toMatchObject({ event: 'end' });
  });

  it('with an API token that is suspended because its holder is gone from their directory', async () => {
    const maker = await t.createMember('admin');
    const body = { name: uniqueName('listener'), role: 'viewer' };
    const made = await maker.call('POST', `/api/v3/setting/tokens?project=${t.project}`, body);
    const reader = await listen({ as: made.body as { token: string } });
    const now = new Date();
    const identity = { issuer: 'ldap', subject: maker.userId, realm: 'ldap', created_at: now, last_seen_at: now };
    await t.database.db
      .insertInto('external_identities')
      .values({ ...identity, user_id: maker.userId, gone_at: now })
      .execute();
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'session' } });
  });

  it('if its reader does not read, and no other stream does', async () => {
    const reader = await listen();
    const deaf = openDeaf(address);
    try {
      const metrics = async () => (await t.app.inject('/metrics')).body;
      await vi.waitFor(async () => expect(await metrics()).toContain('flotilla_controller_event_streams 2\n'));
      const ended = 'event_streams_ended_total{reason="slow"} 1';
      // Sockets buffer several megabytes themselves.
      for (let round = 0; round < 300 && !(await metrics()).includes(ended); round += 1) {
        const keys = Array.from({ length: 90 }, (_, i) => `clusters/${round}-${i}-${'x'.repeat(2000)}`);
        const payload = { project: t.project, version: TEST_VERSION, ids: [], keys };
        await t.database.db.transaction().execute((tx) => publish(tx, 'documents.changed', payload, new Date()));
        const [, name = ''] = keys.at(-1)?.split('/') ?? [];
        await reader.hears({ topic: 'document', collection: 'clusters', name, version: TEST_VERSION });
        reader.events.length = 0;
      }
      expect(await metrics()).toContain(ended);
    } finally {
      deaf.destroy();
    }
  });

  it('with the controller, whether or not its reader reads', async () => {
    const second = await openListening();
    const reader = await listen({ at: second.url });
    const deaf = openDeaf(second.url);
    const isClosed = new Promise((resolve) => deaf.once('close', resolve));
    const count = async () => (await second.controller.app.inject('/metrics')).body;
    await vi.waitFor(async () => expect(await count()).toContain('flotilla_controller_event_streams 2\n'));
    await second.close();
    await reader.ended;
    deaf.resume();
    await isClosed;
    expect(reader.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'closing' } });
  });
});
