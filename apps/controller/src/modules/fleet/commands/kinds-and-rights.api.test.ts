import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, type SentCommand, TestCommands } from './testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, send, deploy } = commands;

beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

describe('SERVICE and DATAPLANE_VERSION', () => {
  it('START, STOP and SET_VERSION change the desired state of the client', async () => {
    const client = await t.createClient('runner');
    const agent = await connect(client);
    const { service } = await deploy(client);
    const command = { name: service.name };
    await send({ type: 'SERVICE', sub_type: 'SUB_STOP', clients: on(client), command });
    expect(agent.desired.at(-1)?.services[0]?.runState).toBe(fleet.RunState.STOPPED);
    await send({ type: 'SERVICE', sub_type: 'SUB_START', clients: on(client), command });
    expect(agent.desired.at(-1)?.services[0]?.runState).toBe(fleet.RunState.RUNNING);
    await send({
      type: 'DATAPLANE_VERSION',
      clients: on(client),
      command: { name: service.name, operation: 'SET_VERSION', version: '1.39.2' },
    });
    expect(agent.desired.at(-1)?.services[0]?.envoyVersion).toBe('1.39.2');
    const generations = agent.desired.flatMap((state) => state.services.map(({ generation }) => generation));
    expect(generations).toEqual(generations.toSorted((a, b) => Number(a - b)));
    expect(new Set(generations).size).toBe(generations.length);
  });

  it('SET_VERSION without a service installs on the host, even if the host connects later', async () => {
    const client = await t.createClient('installer');
    const command = { operation: 'SET_VERSION', version: '1.36.4', force_download: true };
    const { body } = await send({ type: 'DATAPLANE_VERSION', clients: on(client), command });
    expect(body.results[0].outcome).toBe('pending');
    const agent = await connect(client);
    await agent.settled();
    expect(agent.commands[0]).toMatchObject({ type: 'DATAPLANE_VERSION', serviceId: '' });
    expect(payloadOf(agent.commands[0])).toEqual(command);
  });

  it('a wrong body is refused with its field', async () => {
    const client = await t.createClient('fields');
    const wrong = async (body: SentCommand) => (await send({ clients: on(client), ...body })).body;
    expect((await wrong({ type: 'DEPLOY', command: { name: 'x', nonsense: 1 } })).details[0].path).toBe(
      'command.nonsense',
    );
    expect((await wrong({ type: 'DEPLOY' })).code).toBe('service.ambiguous');
    expect((await wrong({ type: 'DEPLOY', command: { name: 'no-such' } })).code).toBe('record.not_found');
    const operation = { operation: 'SET_VERSION', version: '../../x' };
    expect((await wrong({ type: 'DATAPLANE_VERSION', command: operation })).details[0].path).toBe('command.version');
    expect((await wrong({ type: 'CLIENT_STATS', clients: [] })).details[0].path).toBe('clients');
    expect((await wrong({ type: 'NOWHERE', sub_type: 'SUB_NETPLAN_APPLY' })).code).toBe('command.unsupported');
  });
});

describe('PROXY', () => {
  const proxy = (clientId: string, command: Record<string, unknown>) => ({
    type: 'PROXY',
    clients: on(clientId),
    command,
  });

  it('lets everybody read and only owners and admins write, whatever method, sub_type or spelling they send', async () => {
    const client = await t.createClient('proxied');
    const agent = await connect(client);
    const { service } = await deploy(client);
    const { name } = service;
    const sent = () => agent.commands.filter(({ type }) => type === 'PROXY');
    for (const role of ['viewer', 'editor', 'admin'] as const) {
      const by = await t.createMember(role);
      const read = await send(proxy(client, { name, path: '/stats', queries: { usedonly: 'true' } }), { by });
      expect(read.body.results[0].outcome).toBe('done');
      const write = await send(proxy(client, { name, path: '/healthcheck/fail' }), { by });
      if (role === 'admin') expect(write.body.results[0].outcome).toBe('done');
      else expect(write.body.code).toBe('command.forbidden');
      const before = sent().length;
      for (const command of [
        { name, path: '/healthcheck/fail', method: 'GET' },
        { name, path: '/stats', method: 'POST' },
        { name, path: '/logging', queries: { level: 'trace' }, operation: 'READ' },
        { name, path: '/stats', operation: 'READ' },
        { name, path: '/stats?x' },
        { name, path: '/stats', queries: { format: 'html' } },
        { name, path: '/Healthcheck/fail' },
        { name, path: '/stats/../healthcheck/fail' },
        { name, path: '/quitquitquit', method: 'POST' },
        { name, path: ['/stats'] },
        { name },
      ]) {
        const { status, body } = await send(proxy(client, command), { by });
        expect([status, body.code], JSON.stringify(command)).toEqual([400, 'command.invalid']);
      }
      const typed = { ...proxy(client, { name, path: '/healthcheck/fail' }), sub_type: 'READ' };
      expect((await send(typed, { by })).body.code).toBe('command.sub_type');
      expect(sent()).toHaveLength(before);
    }
    expect(sent().map((one) => payloadOf(one).path)).toEqual(['/stats', '/stats', '/stats', '/healthcheck/fail']);
  });

  it('records a write with its path and parameters, and no read', async () => {
    const client = await t.createClient('recorded');
    await connect(client);
    const { service } = await deploy(client);
    const by = await t.createMember('admin');
    await send(proxy(client, { name: service.name, path: '/clusters' }), { by });
    await send(proxy(client, { name: service.name, path: '/logging', queries: { level: 'debug' } }), { by });
    const entries = await t.database.db
      .selectFrom('audit_log')
      .select(['outcome', 'changes'])
      .where('action', '=', 'command.dispatch')
      .where('actor_id', '=', by.userId)
      .execute();
    expect(entries).toEqual([
      {
        outcome: 'done',
        changes: expect.objectContaining({
          command: 'PROXY WRITE',
          request: { path: '/logging', queries: { level: 'debug' } },
        }),
      },
    ]);
  });

  it('needs a service that is deployed to the client, and a client of the project that is connected', async () => {
    const client = await t.createClient('alone');
    const { service } = await deploy(client);
    const other = await t.createClient('idle');
    await connect(other);
    const code = async (clientId: string) => {
      const { body } = await send(proxy(clientId, { name: service.name, path: '/ready' }));
      return body.results[0].error.code;
    };
    expect(await code(client)).toBe('client.offline');
    expect(await code(other)).toBe('command.not_deployed');
    expect(await code(await t.createClient('abroad', await t.createProject(`abroad-${createId()}`)))).toBe(
      'client.not_found',
    );
    expect((await send(proxy(client, { path: '/ready' }))).body.code).toBe('service.ambiguous');
    const stranger = await t.createMember('admin', await t.createProject(`strange-${createId()}`));
    const hidden = await stranger.call('POST', '/api/op/clients', proxy(client, { path: '/ready' }));
    expect(hidden.body.results[0].error.code).toBe('client.not_found');
  });

  it('reads from at most 16 clients at once, because each may send megabytes', async () => {
    const service = await t.createService();
    const clients = Array.from({ length: 17 }, () => ({ client_id: createId() }));
    const command = { name: service.name, path: '/stats' };
    const many = await send({ type: 'PROXY', clients, command });
    expect(many.body).toMatchObject({ code: 'command.invalid', details: [{ path: 'clients' }] });
    expect((await send({ type: 'PROXY', clients: clients.slice(1), command })).body.results).toHaveLength(16);
    const write = await send({ type: 'PROXY', clients, command: { ...command, path: '/reopen_logs' } });
    expect(write.body.results).toHaveLength(17);
  });
});

describe('rights on commands', () => {
  it('let an editor deploy but set no versions, let a viewer ask but change nothing, and record a denial', async () => {
    const client = await t.createClient('guarded');
    await connect(client);
    const [editor, viewer] = [await t.createMember('editor'), await t.createMember('viewer')];
    const service = await t.createService();
    const deployment = { type: 'DEPLOY', clients: on(client), command: { name: service.name } };
    const setVersion = {
      type: 'DATAPLANE_VERSION',
      clients: on(client),
      command: { operation: 'SET_VERSION', version: '1.40.0' },
    };
    expect((await send(deployment, { by: viewer })).body.code).toBe('command.forbidden');
    expect((await send(deployment, { by: editor })).body.results[0].outcome).toBe('done');
    for (const by of [editor, viewer]) {
      expect((await send(setVersion, { by })).body.code).toBe('command.forbidden');
      const stats = await send({ type: 'CLIENT_STATS', clients: on(client), command: { count: 1 } }, { by });
      expect(stats.body.results[0].outcome).toBe('done');
    }
    const unscoped = await viewer.call('POST', '/api/op/clients', setVersion);
    expect(unscoped.body.code).toBe('command.forbidden');
    const denials = () =>
      t.database.db
        .selectFrom('audit_log')
        .select(['outcome', 'error_code', 'project_id', 'actor_role'])
        .where('action', '=', 'command.dispatch')
        .where('actor_id', '=', viewer.userId)
        .execute();
    await expect.poll(denials).toHaveLength(3);
    const audits = await denials();
    expect(new Set(audits.map((one) => one.outcome))).toEqual(new Set(['denied']));
    expect(new Set(audits.map((one) => one.project_id))).toEqual(new Set([t.project]));
    expect(new Set(audits.map((one) => one.actor_role))).toEqual(new Set(['viewer']));
    const deployed = await t.database.db
      .selectFrom('audit_log')
      .select(['outcome', 'actor_role', 'project_id'])
      .where('actor_id', '=', editor.userId)
      .where('outcome', '=', 'done')
      .execute();
    expect(deployed).toEqual([{ outcome: 'done', actor_role: 'editor', project_id: t.project }]);
  });

  it('do not record a command for a foreign project in that project, which learns nothing about the caller (attack 15)', async () => {
    const client = await t.createClient('foreign');
    const stranger = await t.createMember('admin', await t.createProject(`stranger-${createId()}`));
    const stats = { type: 'CLIENT_STATS', clients: on(client) };
    expect((await send(stats, { by: stranger })).body.code).toBe('project.forbidden');
    const hidden = await stranger.call('POST', '/api/op/clients', stats);
    expect(hidden.body.results[0].error.code).toBe('client.not_found');
    const denials = () =>
      t.database.db
        .selectFrom('audit_log')
        .select(['outcome', 'project_id'])
        .where('actor_id', '=', stranger.userId)
        .execute();
    await expect.poll(denials).toEqual([
      { outcome: 'denied', project_id: null },
      { outcome: 'denied', project_id: null },
    ]);
  });

  it('allow a command for 1,000 clients with three addresses each, and refuse one larger than 256 KiB', async () => {
    const listClients = (addressCount: number) =>
      Array.from({ length: 1000 }, () => ({
        client_id: createId(),
        addresses: Array.from(
          { length: addressCount },
          (_, n) => `2001:db8:aaaa:bbbb:cccc:dddd:eeee:${(n + 4096).toString(16)}`,
        ),
      }));
    const service = await t.createService();
    const deployTo = (addressCount: number) =>
      send({ type: 'DEPLOY', clients: listClients(addressCount), command: { name: service.name } });
    const answer = await deployTo(3);
    expect(answer.status).toBe(200);
    expect(answer.body.results).toHaveLength(1000);
    expect((await deployTo(64)).status).toBe(413);
  });

  it('let only members of its project read a command', async () => {
    const client = await t.createClient('private');
    const { result } = await deploy(client);
    const other = await t.createProject(`elsewhere-${createId()}`);
    const stranger = await t.createMember('admin', other);
    expect((await stranger.call('GET', `/api/op/commands/${result.command_id}`)).status).toBe(404);
    const viewer = await t.createMember('viewer');
    expect((await viewer.call('GET', `/api/op/commands/${result.command_id}`)).status).toBe(200);
  });
});
