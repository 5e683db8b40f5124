import { create } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Reaction, TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, send, deploy } = commands;

beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());
const done = (result: unknown): Reaction => ({
  outcome: fleet.Outcome.DONE,
  resultJson: Buffer.from(JSON.stringify(result)),
});
const readCommand = (id: string) => t.owner.call('GET', `/api/op/commands/${id}`);

describe('DEPLOY', () => {
  it('adds the client to the service, sends its desired state before the command, and answers done', async () => {
    const client = await t.createClient('alpha');
    const agent = await connect(client, () => done({ phase: 'running' }));
    const service = await t.createService();
    const answer = await send({
      type: 'DEPLOY',
      clients: [{ client_id: client, downstream_address: '192.0.2.7' }],
      command: { name: service.name, project: t.project, version: '1.40.0' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.results).toEqual([
      {
        client_id: client,
        client_name: 'alpha',
        command_id: expect.any(String),
        service_id: service.id,
        service_name: service.name,
        outcome: 'done',
        duration_ms: expect.any(Number),
        result: { phase: 'running' },
      },
    ]);
    const desired = agent.desired.at(-1)?.services[0];
    expect(desired).toMatchObject({
      serviceId: service.id,
      nodeId: `${service.name}::${t.project}::${client}`,
      envoyVersion: '1.40.0',
      adminPort: expect.any(Number),
      runState: fleet.RunState.RUNNING,
      listenerPorts: [18_000],
    });
    expect(JSON.parse(Buffer.from(desired?.bootstrapJson ?? '{}').toString()).node.id).toBe(desired?.nodeId);
    expect(BigInt(payloadOf(agent.commands[0]).generation)).toBeLessThanOrEqual(desired?.generation ?? 0n);
    const read = await t.owner.call('GET', `/api/op/services/${service.id}?project=${t.project}`);
    expect(read.body).toMatchObject({
      status: 'Live',
      clients: [{ client_id: client, addresses: ['192.0.2.7'] }],
      targets: [{ deployed: true, connected: true, admin_port: desired?.adminPort }],
    });
  });

  it('for a connected client is running at once, never pending, even if nobody waits for it', async () => {
    const client = await t.createClient('prompt');
    const agent = await connect(client, () => 'silent');
    const service = await t.createService();
    const body = { type: 'DEPLOY', clients: on(client), command: { name: service.name } };
    const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, body);
    expect(answer.body.results[0].outcome).toBe('running');
    const { command_id: id } = answer.body.results[0];
    await agent.settled();
    // As if its stream had not sent it yet.
    const unsent = { status: 'pending', sent_at: null } as const;
    await t.database.db.updateTable('commands').set(unsent).where('id', '=', id).execute();
    expect((await readCommand(id)).body.outcome).toBe('running');
    await t.disconnect(agent);
    expect((await readCommand(id)).body.outcome).toBe('pending');
  });

  it('for an offline client is pending and converges when the client reconnects', async () => {
    const client = await t.createClient('away');
    const { service, result } = await deploy(client);
    expect(result).toMatchObject({ outcome: 'pending', client_id: client });
    expect((await readCommand(result.command_id)).body).toMatchObject({ outcome: 'pending', deadline_at: null });
    const agent = await connect(client);
    await agent.settled();
    expect(agent.desired[0]?.services.map((one) => one.serviceId)).toEqual([service.id]);
    expect(agent.commands.map((command) => command.commandId)).toEqual([result.command_id]);
    expect((await readCommand(result.command_id)).body).toMatchObject({ outcome: 'done' });
  });

  it('of many services to one client at once gives each its own port', async () => {
    const client = await t.createClient('crowd');
    const services = await Promise.all(Array.from({ length: 8 }, () => t.createService()));
    const answers = await Promise.all(
      services.map((service) => send({ type: 'DEPLOY', clients: on(client), command: { service_id: service.id } })),
    );
    expect(answers.map(({ body }) => body.results[0].outcome)).toEqual(Array(8).fill('pending'));
    const rows = await t.database.db.selectFrom('admin_ports').selectAll().where('client_id', '=', client).execute();
    expect(new Set(rows.map(({ port }) => port)).size).toBe(8);
  });

  it('of one service twice at once leaves one target, two commands and rising fences', async () => {
    const client = await t.createClient('twice');
    const service = await t.createService();
    const body = { type: 'DEPLOY', clients: on(client), command: { name: service.name } };
    await Promise.all([send(body), send(body)]);
    const agent = await connect(client);
    await agent.settled();
    expect(agent.commands).toHaveLength(2);
    const [first, second] = agent.commands;
    expect(second?.fence ?? 0n).toBeGreaterThan(first?.fence ?? 0n);
    expect(agent.desired.at(-1)?.services).toHaveLength(1);
  });

  it('answers each target separately: one fails, one is offline, one is unknown, one is done', async () => {
    const [good, bad, away] = [
      await t.createClient('good'),
      await t.createClient('bad'),
      await t.createClient('away2'),
    ];
    await connect(good);
    await connect(bad, () => ({
      outcome: fleet.Outcome.FAILED,
      errorCode: 'port_conflict',
      errorMessage: 'port 80 is taken',
    }));
    const service = await t.createService();
    const ghost = createId();
    const { body } = await send({
      type: 'DEPLOY',
      clients: on(good, ghost, bad, away, 'not-even-an-id'),
      command: { name: service.name },
    });
    expect(
      body.results.map((result: { client_id: string; outcome: string }) => [result.client_id, result.outcome]),
    ).toEqual([
      [good, 'done'],
      [ghost, 'failed'],
      [bad, 'failed'],
      [away, 'pending'],
      ['not-even-an-id', 'failed'],
    ]);
    expect(body.results[1].error.code).toBe('client.not_found');
    expect(body.results[2].error).toEqual({ code: 'port_conflict', message: 'port 80 is taken' });
  });

  it('finds no client of another project by any kind of request', async () => {
    const other = await t.createProject(`other-${createId()}`);
    const foreign = await t.createClient('foreign', other);
    const service = await t.createService();
    const { body } = await send({ type: 'DEPLOY', clients: on(foreign), command: { name: service.name } });
    expect(body.results[0]).toMatchObject({
      outcome: 'failed',
      client_name: null,
      error: { code: 'client.not_found' },
    });
    const editor = await t.createMember('editor');
    const unscoped = await editor.call('POST', '/api/op/clients', { type: 'CLIENT_STATS', clients: on(foreign) });
    expect(unscoped.body.results[0]).toMatchObject({ outcome: 'failed', error: { code: 'client.not_found' } });
    const scoped = await editor.call('POST', `/api/op/clients?project=${other}`, {
      type: 'CLIENT_STATS',
      clients: on(foreign),
    });
    expect(scoped.body.code).toBe('project.forbidden');
    const byService = await editor.call('POST', '/api/op/clients', {
      type: 'DEPLOY',
      clients: on(foreign),
      command: { service_id: service.id, project: other },
    });
    expect(byService.body.code).toBe('project.forbidden');
  });

  it('fails with the reason if the service cannot be built, instead of timing out', async () => {
    const client = await t.createClient('nobundle');
    await connect(client);
    const service = await t.createService();
    await t.database.db.updateTable('services').set({ bootstrap: 'gone' }).where('id', '=', service.id).execute();
    const { body } = await send({ type: 'DEPLOY', clients: on(client), command: { name: service.name } });
    // Written to the table without checks; it cannot be built.
    expect(body.results[0]).toMatchObject({ outcome: 'failed', error: { code: 'service.invalid' } });
    const detail = await t.owner.call('GET', `/api/op/services/proxies/${service.id}?project=${t.project}`);
    expect(detail.body.errors[0]).toMatchObject({ status: 'active', resource: { name: 'gone' } });
  });

  it('changes nothing in a dry run', async () => {
    const client = await t.createClient('dry');
    const service = await t.createService();
    const body = { type: 'DEPLOY', clients: on(client), command: { name: service.name } };
    const answer = await send(body, { query: '&dry_run=true' });
    expect(answer.body).toMatchObject({ dry_run: true, results: [{ outcome: 'pending' }] });
    const rows = await t.database.db.selectFrom('commands').selectAll().where('client_id', '=', client).execute();
    expect(rows).toEqual([]);
  });

  it('with one Idempotency-Key happens once and returns the outcome of that run', async () => {
    const client = await t.createClient('idem');
    const agent = await connect(client);
    const service = await t.createService();
    const body = { type: 'DEPLOY', clients: on(client), command: { name: service.name } };
    const headers = { 'idempotency-key': createId() };
    const url = `/api/op/clients?project=${t.project}`;
    const first = await t.owner.call('POST', url, body, headers);
    const second = await t.owner.call('POST', url, body, headers);
    expect(second.body.results[0]).toMatchObject({ command_id: first.body.results[0].command_id, outcome: 'done' });
    expect(agent.commands).toHaveLength(1);
  });
});

describe('UNDEPLOY', () => {
  it('removes the client from the service and frees its port when the client reports that nothing is left', async () => {
    const client = await t.createClient('leaver');
    const agent = await connect(client);
    const { service } = await deploy(client);
    await agent.session.nodeReport(
      create(fleet.NodeReportSchema, { serviceId: service.id, generation: 1n, phase: fleet.NodePhase.RUNNING }),
    );
    const { body } = await send({ type: 'UNDEPLOY', clients: on(client), command: { name: service.name } });
    expect(body.results[0].outcome).toBe('done');
    await agent.settled();
    expect(agent.desired.at(-1)?.services).toEqual([]);
    const ports = () => t.database.db.selectFrom('admin_ports').selectAll().where('client_id', '=', client).execute();
    expect(await ports()).toHaveLength(1);
    await agent.session.nodeReport(create(fleet.NodeReportSchema, { serviceId: service.id, removed: true }));
    expect(await ports()).toEqual([]);
    const read = await t.owner.call('GET', `/api/op/services/${service.id}?project=${t.project}`);
    expect(read.body).toMatchObject({ status: 'Not Deployed', clients: [] });
    expect((await t.owner.call('DELETE', `/api/op/services/${service.id}?project=${t.project}`)).status).toBe(204);
  });

  it('replaces a DEPLOY that was never sent', async () => {
    const client = await t.createClient('changed-mind');
    const { service, result } = await deploy(client);
    const { body } = await send({ type: 'UNDEPLOY', clients: on(client), command: { name: service.name } });
    expect(body.results[0].outcome).toBe('pending');
    expect((await readCommand(result.command_id)).body).toMatchObject({
      outcome: 'refused',
      error: { code: 'command.superseded' },
    });
    const agent = await connect(client);
    await agent.settled();
    expect(agent.commands.map(({ type }) => type)).toEqual(['UNDEPLOY']);
    // The Hello named no services: nothing is left there, so the port is free.
    expect(await t.database.db.selectFrom('admin_ports').selectAll().where('client_id', '=', client).execute()).toEqual(
      [],
    );
  });

  it('fails for a client without the service', async () => {
    const client = await t.createClient('empty');
    const service = await t.createService();
    const { body } = await send({ type: 'UNDEPLOY', clients: on(client), command: { name: service.name } });
    expect(body.results[0]).toMatchObject({ outcome: 'failed', error: { code: 'command.not_deployed' } });
  });
});

describe('results of agents', () => {
  it('are accepted once, and only from the client of the command', async () => {
    const [one, other] = [await t.createClient('one'), await t.createClient('other')];
    const agent = await connect(one, () => 'accept');
    const intruder = await connect(other);
    const service = await t.createService();
    const sent = await send(
      { type: 'DEPLOY', clients: on(one), command: { name: service.name } },
      { query: '&wait_ms=150' },
    );
    const { command_id: commandId, outcome } = sent.body.results[0];
    expect(outcome).toBe('running');
    const result = (more: object) =>
      create(fleet.CommandResultSchema, { commandId, outcome: fleet.Outcome.DONE, ...more });
    await intruder.session.result(result({}));
    await intruder.session.progress(create(fleet.CommandProgressSchema, { commandId, step: 'mine' }));
    expect((await readCommand(commandId)).body).toMatchObject({ outcome: 'running', step: null });
    await agent.session.progress(
      create(fleet.CommandProgressSchema, { commandId, step: 'starting', message: 'Envoy' }),
    );
    expect((await readCommand(commandId)).body.step).toBe('starting: Envoy');
    await agent.session.result(result({ resultJson: Buffer.from('{"n":1}') }));
    await agent.session.result(result({ outcome: fleet.Outcome.FAILED, resultJson: Buffer.from('{"n":2}') }));
    expect((await readCommand(commandId)).body).toMatchObject({ outcome: 'done', result: { n: 1 } });
    await agent.session.result(create(fleet.CommandResultSchema, { commandId: "x'; drop table commands" }));
    await agent.session.result(create(fleet.CommandResultSchema, { commandId: createId() }));
  });

  it('may contain anything: nonsense is reported as a failure of the agent', async () => {
    const client = await t.createClient('liar');
    const answers: Reaction[] = [
      { outcome: fleet.Outcome.DONE, resultJson: Buffer.from('{not json') },
      { outcome: fleet.Outcome.UNSPECIFIED },
      { outcome: fleet.Outcome.FAILED, errorMessage: 'nul \u0000 and more', errorCode: 'a\u0000b' },
      { outcome: fleet.Outcome.DONE, resultJson: Buffer.from('{"\\u0000":"\\u0000","half":"\\ud800"}') },
      { outcome: fleet.Outcome.DONE, resultJson: Buffer.from('['.repeat(100_000)) },
      { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(`${'['.repeat(500)}${']'.repeat(500)}`) },
    ];
    await connect(client, () => answers.shift() ?? 'silent');
    const outcomes: unknown[] = [];
    for (let i = 0; i < 6; i += 1) {
      const { body } = await send({ type: 'CLIENT_STATS', clients: on(client), command: { count: 1 } });
      outcomes.push([body.results[0].outcome, body.results[0].error?.code]);
    }
    expect(outcomes).toEqual([
      ['failed', 'command.agent'],
      ['failed', 'command.agent'],
      ['failed', 'ab'],
      ['done', undefined],
      ['failed', 'command.agent'],
      ['failed', 'command.agent'],
    ]);
  });

  it('that come after the deadline still replace unknown', async () => {
    const client = await t.createClient('late');
    const agent = await connect(client, () => 'accept');
    const service = await t.createService();
    const sent = await send(
      { type: 'DEPLOY', clients: on(client), command: { name: service.name } },
      { query: '&wait_ms=100' },
    );
    const { command_id: commandId } = sent.body.results[0];
    const { commands } = t.controller.fleet;
    await commands.sweep(new Date(Date.now() + 29 * 60_000));
    expect((await readCommand(commandId)).body.outcome).toBe('running');
    await commands.sweep(new Date(Date.now() + 31 * 60_000));
    expect((await readCommand(commandId)).body).toMatchObject({
      outcome: 'unknown',
      error: { code: 'command.deadline' },
    });
    await agent.session.result(create(fleet.CommandResultSchema, { commandId, outcome: fleet.Outcome.DONE }));
    expect((await readCommand(commandId)).body.outcome).toBe('done');
  });

  it('are not needed if the client reports the wanted generation', async () => {
    const client = await t.createClient('mute');
    const agent = await connect(client, () => 'silent');
    const service = await t.createService();
    const sent = await send(
      { type: 'DEPLOY', clients: on(client), command: { name: service.name } },
      { query: '&wait_ms=50' },
    );
    await agent.settled();
    const generation = agent.desired.at(-1)?.services[0]?.generation ?? 0n;
    await agent.session.nodeReport(
      create(fleet.NodeReportSchema, { serviceId: service.id, generation, phase: fleet.NodePhase.RUNNING }),
    );
    await t.controller.fleet.commands.sweep(new Date(Date.now() + 31 * 60_000));
    expect((await readCommand(sent.body.results[0].command_id)).body.outcome).toBe('done');
  });
});

describe('a lost stream', () => {
  it('gets its unfinished commands again, under the same ids and in the same order', async () => {
    const client = await t.createClient('flaky');
    const first = await connect(client, () => 'accept');
    const { service } = { service: await t.createService() };
    await send({ type: 'DEPLOY', clients: on(client), command: { name: service.name } }, { query: '&wait_ms=50' });
    await send(
      { type: 'UPDATE_BOOTSTRAP', clients: on(client), command: { name: service.name } },
      { query: '&wait_ms=50' },
    );
    await first.settled();
    const ids = first.commands.map(({ commandId }) => commandId);
    expect(ids).toHaveLength(2);
    await commands.disconnect();
    const second = await connect(client);
    await second.settled();
    expect(second.commands.map(({ commandId }) => commandId)).toEqual(ids);
    for (const id of ids) expect((await readCommand(id)).body.outcome).toBe('done');
  });

  it('of an older epoch that ends late does not mark the client as offline', async () => {
    const client = await t.createClient('presence');
    const older = await t.connect(client);
    const newer = await connect(client);
    await older.session.closed('displaced');
    const read = () => t.owner.call('GET', `/api/op/clients/${client}?project=${t.project}`);
    expect((await read()).body).toMatchObject({ status: 'Live', connected: true });
    await newer.session.closed('gone');
    expect((await read()).body).toMatchObject({ status: 'Offline', disconnect_reason: 'gone' });
  });
});

describe('queries and actions', () => {
  it('for an offline client fail at once and leave nothing to be done later', async () => {
    const client = await t.createClient('off');
    const { service } = await deploy(client);
    for (const [type, sub_type, command] of [
      ['CLIENT_STATS', '', { count: 1 }],
      ['SERVICE', 'SUB_STATUS', { name: service.name }],
      ['SERVICE', 'SUB_LOGS', { name: service.name, count: 10 }],
      ['SERVICE', 'SUB_RESTART', { name: service.name }],
      ['SERVICE', 'SUB_RELOAD', { name: service.name }],
      ['SHIELD', 'GET_SHIELD_STATUS', {}],
      ['DATAPLANE_VERSION', '', { operation: 'GET_VERSIONS' }],
    ] as const) {
      const { body } = await send({ type, sub_type, clients: on(client), command });
      expect(body.results, `${type} ${sub_type}`).toMatchObject([
        { outcome: 'failed', command_id: null, error: { code: 'client.offline' } },
      ]);
    }
  });

  it('go to the clients of the named service if no client is named', async () => {
    const client = await t.createClient('implied');
    const agent = await connect(client, (command) => done({ type: command.type, payload: payloadOf(command) }));
    const { service } = await deploy(client);
    const { body } = await send({ type: 'SERVICE', sub_type: 'SUB_LOGS', command: { name: service.name, count: 7 } });
    expect(body.results).toMatchObject([
      { client_id: client, outcome: 'done', result: { type: 'SERVICE', payload: { count: 7, service: service.name } } },
    ]);
    expect(agent.commands.at(-1)).toMatchObject({ subType: 'SUB_LOGS', serviceId: service.id });
  });

  it('of the filter go to every service of the client', async () => {
    const client = await t.createClient('several');
    await connect(client);
    const [a, b] = [await deploy(client), await deploy(client)];
    const { body } = await send({ type: 'SHIELD', sub_type: 'GET_SHIELD_STATUS', clients: on(client) });
    const names = body.results.map((result: { service_name: string }) => result.service_name).toSorted();
    expect(names).toEqual([a.service.name, b.service.name].toSorted());
  });

  it('that were never sent end as failed, not as unknown', async () => {
    const client = await t.createClient('vanishing');
    await (await connect(client)).settled();
    t.streams.agents.delete(client);
    const { body } = await send({ type: 'CLIENT_STATS', clients: on(client) }, { query: '&wait_ms=20' });
    await t.controller.fleet.commands.sweep(new Date(Date.now() + 31_000));
    expect((await readCommand(body.results[0].command_id)).body).toMatchObject({
      outcome: 'failed',
      error: { code: 'client.offline' },
    });
  });
});

describe('a controller that stops', () => {
  it('answers requests that wait for clients instead of blocking them', async () => {
    const client = await t.createClient('patient');
    await connect(client, () => 'accept');
    const service = await t.createService();
    const waiting = send({ type: 'DEPLOY', clients: on(client), command: { name: service.name } });
    await expect.poll(() => t.streams.agents.get(client)?.commands.length).toBe(1);
    t.controller.fleet.stopWaiting();
    expect((await waiting).body.results[0]).toMatchObject({ outcome: 'running' });
  });
});
