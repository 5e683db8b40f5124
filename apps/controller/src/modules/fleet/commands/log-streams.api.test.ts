import type { LogPage } from '@flotilla/contract';
import { createId, createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openController, type TestCaller } from '../../../testing/controller.ts';
import { TEST_FLEET_ENV, type TestFleet, TestStreams } from '../../../testing/fleet.ts';
import { LogStreams } from './index.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, deploy } = commands;
let address: string;
const readers: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  t = await commands.open();
  address = await t.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.stop()));
  await commands.disconnect();
});
afterAll(() => commands.close());

/** A cursor as the agent makes them: the controller only checks its letters. */
const cursorOf = (n: number) => Buffer.from(`{"n":${n}}`).toString('base64url');

/** An agent whose log grows by one line with each answer. */
async function openLog() {
  const client = await t.createClient(`follow-${createId()}`);
  const asked: Array<Record<string, unknown>> = [];
  let n = 0;
  await connect(client, (command) => {
    if (command.type === 'DEPLOY') return { outcome: fleet.Outcome.DONE };
    asked.push(payloadOf(command));
    n += 1;
    const page: LogPage = {
      logs: [
        { timestamp: null, level: 'info', source: 'envoy', component: '', message: `line ${n}\n`, file: 'envoy.log' },
      ],
      older_cursor: null,
      newer_cursor: cursorOf(n),
      complete: true,
      gap: false,
      notes: [],
    };
    return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(page)) };
  });
  return { client, asked };
}

interface OpenOptions {
  readonly query?: string;
  readonly by?: TestCaller;
  readonly headers?: Record<string, string>;
  readonly project?: string;
  readonly at?: string;
}

async function open(
  client: string,
  { query = 'type=CLIENT_LOGS', by = t.owner, headers = {}, project = t.project, at = address }: OpenOptions = {},
) {
  const abort = new AbortController();
  const url = `${at}/api/op/clients/${client}/logs/events?project=${project}&${query}`;
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${by.token}`, ...headers },
    signal: abort.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  const stop = async () => {
    abort.abort();
    await reading;
  };
  const reader = { status: response.status, type: response.headers.get('content-type'), text: () => text, stop };
  readers.push(reader);
  return reader;
}

describe('a stream of a log', () => {
  it('begins with the newest lines and continues with each answer after its cursor', async () => {
    const { client, asked } = await openLog();
    const { service } = await deploy(client);
    const query = `type=SERVICE&service_id=${service.id}&log_type=ENVOY&count=7&level=WARN&search=a%26b`;
    const reader = await open(client, { query });
    expect([reader.status, reader.type]).toEqual([200, 'text/event-stream']);
    await expect.poll(reader.text).toContain('line 2');
    expect(reader.text()).toMatch(new RegExp(`^id: ${cursorOf(1)}\nevent: log\ndata: {.*line 1\\\\n.*\n\n`));
    expect(asked[0]).toMatchObject({ count: 7, level: 'warn', search: 'a&b', log_type: 'ENVOY', max_bytes: 131_072 });
    expect(asked[0]).not.toHaveProperty('cursor');
    expect(asked[1]).toMatchObject({ cursor: cursorOf(1), wait_ms: 10_000, level: 'warn', search: 'a&b' });
  });

  it('continues after the last event of the reader', async () => {
    const { client, asked } = await openLog();
    await open(client, { headers: { 'last-event-id': cursorOf(99) } });
    const named = await open(client, {
      query: `type=CLIENT_LOGS&last_event_id=${cursorOf(98)}`,
    });
    expect(named.status, named.text()).toBe(200);
    await expect
      .poll(() => asked.map(({ cursor }) => cursor))
      .toEqual(expect.arrayContaining([cursorOf(99), cursorOf(98)]));
  });

  it('leaves no commands behind and ends when its reader is gone', async () => {
    const { client, asked } = await openLog();
    const reader = await open(client);
    await expect.poll(reader.text).toContain('line 2');
    await reader.stop();
    const rows = () => t.database.db.selectFrom('commands').select('id').where('client_id', '=', client).execute();
    // The command that was running then is forgotten when it has ended.
    await expect.poll(rows).toEqual([]);
    const before = asked.length;
    const another = await open(client);
    await expect.poll(another.text).toContain('event: log');
    expect(asked.length).toBeLessThanOrEqual(before + 2);
  });

  it('works on a controller to which the client is not connected', async () => {
    const { client } = await openLog();
    const far = await openController(t.database, TEST_FLEET_ENV);
    try {
      far.controller.fleet.attach(new TestStreams());
      const at = await far.controller.app.listen({ port: 0, host: '127.0.0.1' });
      const reader = await open(client, { at });
      await expect.poll(reader.text).toContain('line 2');
      await reader.stop();
    } finally {
      await far.close();
    }
  });

  it('is limited per user, and a closed one makes room', async () => {
    const { client } = await openLog();
    const by = await t.createMember('viewer');
    const opened = await Promise.all(Array.from({ length: 8 }, () => open(client, { by })));
    expect(opened.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    await opened.find(({ status }) => status === 200)?.stop();
    await expect.poll(async () => (await open(client, { by })).status).toBe(200);
  });

  it('says why a client does not answer, and ends if that cannot change', async () => {
    const offline = await open(await t.createClient('off'));
    await expect.poll(offline.text).toMatch(/^event: problem\ndata: {"code":"client.offline","message":".+"}\n\n$/);
    const unknown = await open(createId());
    await expect.poll(unknown.text).toMatch(/"client.not_found".*\n\nevent: end\ndata: {"reason":"done"}\n\n$/s);
  });

  it('ends after its time and when the role of its reader changes', async () => {
    const { client } = await openLog();
    const parts = { commands: t.controller.fleet.commands, db: t.database.db, logger: createSilentLogger() };
    const follow = async (by: TestCaller, lifetimeMs: number) => {
      const streams = new LogStreams(parts, { lifetimeMs, pauseMs: 10 });
      const session = await t.database.db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', by.userId)
        .executeTakeFirstOrThrow();
      const actor = { kind: 'user', id: by.userId, name: by.username, isOwner: false, sessionId: session.id } as never;
      const body = { type: 'CLIENT_LOGS', sub_type: '', clients: on(client), command: {} };
      const request = { project: t.project, role: 'editor', body, cursor: undefined, noteRefusal: () => undefined };
      let text = '';
      (await streams.open(actor, request as never)).on('data', (chunk) => {
        text += String(chunk);
      });
      return { text: () => text, streams };
    };
    const short = await follow(await t.createMember('editor'), 0);
    await expect.poll(short.text).toContain('event: end\ndata: {"reason":"time"}');
    await expect.poll(() => short.streams.size).toBe(0);
    const by = await t.createMember('editor');
    const demoted = await follow(by, 600_000);
    await expect.poll(demoted.text).toContain('line');
    await t.database.db.updateTable('memberships').set({ role: 'viewer' }).where('user_id', '=', by.userId).execute();
    await expect.poll(demoted.text).toContain('event: end\ndata: {"reason":"session"}');
  });
});

describe('the right to follow a log', () => {
  it('is that of the command: viewers follow an agent, and only admins the journal of a host', async () => {
    const { client, asked } = await openLog();
    const [viewer, admin] = [await t.createMember('viewer'), await t.createMember('admin')];
    const query = 'type=CLIENT_LOGS&log_type=HOST';
    expect((await open(client, { by: viewer })).status).toBe(200);
    const before = asked.length;
    expect((await open(client, { by: viewer, query })).status).toBe(403);
    expect(asked.filter(({ log_type }) => log_type === 'HOST')).toEqual([]);
    expect(before).toBeGreaterThan(0);
    expect((await open(client, { by: admin, query })).status).toBe(200);
  });

  it('ends at the project', async () => {
    const { client, asked } = await openLog();
    const elsewhere = await t.createProject(`strange-${createId()}`);
    const stranger = await t.createMember('owner', elsewhere);
    expect((await open(client, { by: stranger })).status).toBe(403);
    const hidden = await open(client, { by: stranger, project: elsewhere });
    await expect.poll(hidden.text).toContain('client.not_found');
    expect(asked).toEqual([]);
  });

  it.each([
    'type=DEPLOY',
    'type=PROXY',
    'type=SERVICE',
    'type=CLIENT_LOGS&log_type=host',
    'type=CLIENT_LOGS&log_type=ALL',
    'type=CLIENT_LOGS&last_event_id=..%2F..%2Fetc%2Fpasswd',
    'type=CLIENT_LOGS&level=loud',
    'type=CLIENT_LOGS&levels=loud',
    'type=CLIENT_LOGS&count=1001',
    'type=CLIENT_LOGS&wait_ms=1',
    'type=CLIENT_LOGS&service_id=01900000-0000-7000-8000-000000000000',
    `type=CLIENT_LOGS&search=${'x'.repeat(1025)}`,
    '',
  ])('does not extend to %s', async (query) => {
    const { client, asked } = await openLog();
    expect((await open(client, { query })).status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('does not accept an invalid id of an event', async () => {
    const { client } = await openLog();
    for (const id of ['x', '--help', 'a'.repeat(9000)]) {
      const { status } = await open(client, { headers: { 'last-event-id': id } });
      expect([400, 431]).toContain(status);
    }
  });
});
