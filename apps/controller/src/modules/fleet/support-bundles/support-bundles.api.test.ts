import { createHash } from 'node:crypto';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openController, type TestCaller } from '../../../testing/controller.ts';
import { TEST_FLEET_ENV, type TestFleet, TestStreams } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from '../commands/testing/commands.ts';
import { HostFile } from './testing/host-file.ts';

const MIB = 1024 ** 2;
let t: TestFleet;
let address: string;
let admin: TestCaller;
const commands = new TestCommands();
beforeAll(async () => {
  t = await commands.open();
  address = await t.app.listen({ port: 0, host: '127.0.0.1' });
  admin = await t.createMember('admin');
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

/** A connected client with a bundle. */
async function openHost(bytes = 1.5 * MIB) {
  const client = await t.createClient(`edge ${createId()}"\r\n`);
  const file = new HostFile(bytes);
  const asked: unknown[] = [];
  await commands.connect(client, (command) => {
    asked.push(payloadOf(command));
    const result = command.subType === 'SUB_BUNDLE_READ' ? file.read(payloadOf(command)) : { artifacts: [] };
    return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(result)) };
  });
  return { client, file, asked };
}

interface Asking {
  readonly by?: TestCaller;
  readonly headers?: Record<string, string>;
  readonly project?: string;
  readonly at?: string;
}

function download(
  client: string,
  id: string,
  { by = admin, headers = {}, project = t.project, at = address }: Asking = {},
) {
  return fetch(`${at}/api/op/clients/${client}/support-bundles/${id}/file?project=${project}`, {
    headers: { authorization: `Bearer ${by.token}`, ...headers },
  });
}

describe('the file of a support bundle', () => {
  it('is sent to an admin with its name, length and digest, is recorded, and leaves no commands behind', async () => {
    const { client, file } = await openHost();
    const answer = await download(client, file.id);
    const body = Buffer.from(await answer.arrayBuffer());
    expect(body.equals(file.content)).toBe(true);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(file.content.length),
      'accept-ranges': 'bytes',
      etag: `"${file.sha256}"`,
      'repr-digest': `sha-256=:${createHash('sha256').update(file.content).digest('base64')}:`,
      'content-disposition': expect.stringMatching(
        /^attachment; filename="support-bundle-edge-[0-9a-f-]+-abababababab\.tar\.gz"$/,
      ),
    });
    const rows = await t.database.db.selectFrom('commands').select('id').where('client_id', '=', client).execute();
    expect(rows).toEqual([]);
    const { body: log } = await t.owner.call(
      'GET',
      `/api/v3/audit/logs?project=${t.project}&action=support_bundle.download`,
    );
    expect(log.items[0]).toMatchObject({
      action: 'support_bundle.download',
      outcome: 'done',
      actor: { name: admin.username },
      resource: { id: client },
      changes: { bundle: file.id, from_byte: 0 },
    });
  });

  it('continues an interrupted download, and begins again if the file is another one', async () => {
    const { client, file } = await openHost();
    const range = `bytes=${MIB + 5}-`;
    const rest = await download(client, file.id, { headers: { range, 'if-range': `"${file.sha256}"` } });
    expect([rest.status, rest.headers.get('content-range')]).toEqual([
      206,
      `bytes ${MIB + 5}-${file.content.length - 1}/${file.content.length}`,
    ]);
    expect(Buffer.from(await rest.arrayBuffer()).equals(file.content.subarray(MIB + 5))).toBe(true);
    const other = await download(client, file.id, { headers: { range, 'if-range': `"${'f'.repeat(64)}"` } });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, file.content.length]);
    const beyond = await download(client, file.id, { headers: { range: `bytes=${file.content.length}-` } });
    expect([beyond.status, await beyond.json()]).toMatchObject([416, { code: 'support_bundle.range' }]);
  });

  it('is sent by a controller to which the client is not connected', async () => {
    const { client, file } = await openHost();
    const far = await openController(t.database, TEST_FLEET_ENV);
    try {
      far.controller.fleet.attach(new TestStreams());
      const at = await far.controller.app.listen({ port: 0, host: '127.0.0.1' });
      const answer = await download(client, file.id, { at });
      expect(Buffer.from(await answer.arrayBuffer()).equals(file.content)).toBe(true);
    } finally {
      await far.close();
    }
  });

  it.each(['editor', 'viewer'] as const)(
    'is not sent to a member with the role %s, also not in chunks',
    async (role) => {
      const { client, file, asked } = await openHost();
      const by = await t.createMember(role);
      expect((await download(client, file.id, { by })).status).toBe(403);
      for (const sub_type of ['SUB_BUNDLE_READ', 'SUB_BUNDLE_CREATE', 'SUB_BUNDLE_DELETE']) {
        const command = sub_type === 'SUB_BUNDLE_CREATE' ? {} : { artifact_id: file.id };
        const answer = await commands.send({ type: 'APPLIANCE', sub_type, clients: on(client), command }, { by });
        expect(answer).toMatchObject({ status: 403, body: { code: 'command.forbidden' } });
      }
      expect(asked).toEqual([]);
      const listed = await commands.send(
        { type: 'APPLIANCE', sub_type: 'SUB_BUNDLE_LIST', clients: on(client) },
        { by },
      );
      expect(listed.body.results).toMatchObject([{ outcome: 'done' }]);
    },
  );

  it('is not sent to an admin of another project', async () => {
    const { client, file, asked } = await openHost();
    const elsewhere = await t.createProject(`elsewhere-${createId()}`);
    const stranger = await t.createMember('admin', elsewhere);
    expect((await download(client, file.id, { by: stranger })).status).toBe(403);
    expect((await download(client, file.id, { by: stranger, project: elsewhere })).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it.each(['x', '../secret', 'AB'.repeat(16), `${'ab'.repeat(16)}0`])('has no such id as %s', async (id) => {
    const { client, asked } = await openHost();
    const answer = await download(client, encodeURIComponent(id));
    expect([400, 404]).toContain(answer.status);
    expect(asked).toEqual([]);
  });

  it('is not sent by a client that is not connected', async () => {
    const client = await t.createClient(`away-${createId()}`);
    const answer = await download(client, 'ab'.repeat(16));
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'client.offline' }]);
  });
});

describe('a chunk of a support bundle that is read with a command', () => {
  it('is recorded in the audit log', async () => {
    const { client, file } = await openHost();
    const command = { artifact_id: file.id, offset: 5, length: 10 };
    const sent = await commands.send({ type: 'APPLIANCE', sub_type: 'SUB_BUNDLE_READ', clients: on(client), command });
    const { data, eof } = sent.body.results[0].result;
    expect([Buffer.from(data, 'base64'), eof]).toEqual([file.content.subarray(5, 15), false]);
    const { body: log } = await t.owner.call('GET', `/api/v3/audit/logs?project=${t.project}&action=command.dispatch`);
    expect(log.items[0]).toMatchObject({
      changes: { command: 'APPLIANCE SUB_BUNDLE_READ', request: command, clients: [{ client_id: client }] },
    });
  });

  it.each([
    [{ artifact_id: 'x' }, 'artifact_id'],
    [{}, 'artifact_id'],
    [{ artifact_id: 'ab'.repeat(16), offset: -1 }, 'offset'],
    [{ artifact_id: 'ab'.repeat(16), offset: 0.5 }, 'offset'],
    [{ artifact_id: 'ab'.repeat(16), length: 0 }, 'length'],
    [{ artifact_id: 'ab'.repeat(16), length: MIB + 1 }, 'length'],
    [{ artifact_id: 'ab'.repeat(16), path: '/etc/shadow' }, 'path'],
  ])('is refused with the body %j, and the answer names the field', async (command, field) => {
    const { client, asked } = await openHost();
    const answer = await commands.send({
      type: 'APPLIANCE',
      sub_type: 'SUB_BUNDLE_READ',
      clients: on(client),
      command,
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
    expect(asked).toEqual([]);
  });

  it('is asked of one client at a time', async () => {
    const [a, b] = [await openHost(), await openHost()];
    const command = { artifact_id: a.file.id };
    const clients = on(a.client, b.client);
    const answer = await commands.send({ type: 'APPLIANCE', sub_type: 'SUB_BUNDLE_READ', clients, command });
    expect(answer).toMatchObject({ status: 400, body: { code: 'command.invalid' } });
  });
});
