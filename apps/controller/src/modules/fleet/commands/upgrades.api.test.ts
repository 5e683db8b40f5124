import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Reaction, TestAgent, TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';

const [FROM, TO, OTHER] = ['1.40.0', '1.39.3', '1.38.3'];
const FAILED: Reaction = {
  outcome: fleet.Outcome.FAILED,
  errorCode: 'upgrade.not_live',
  errorMessage: 'no such filter',
  resultJson: Buffer.from('{"name":"x"}'),
};
const WAIT = { interval: 20 };
let t: TestFleet;
const commands = new TestCommands();
const { connect, send, deploy } = commands;

beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const isUpgrade = ({ type }: fleet.Command) => type === 'UPGRADE_LISTENER';
const upgrade = (service: { name: string }, more: Record<string, unknown> = {}) => ({
  type: 'UPGRADE_LISTENER',
  command: { name: service.name, from_version: FROM, to_version: TO, ...more },
});
const targetsOf = async (service: { id: string }) =>
  (await t.owner.call('GET', `/api/op/services/${service.id}?project=${t.project}`)).body.targets;
const desiredOf = (agent: TestAgent) => agent.desired.at(-1)?.services[0];
const setVersion = (service: { name: string }, version: string, client: string) =>
  send({
    type: 'DATAPLANE_VERSION',
    clients: on(client),
    command: { operation: 'SET_VERSION', name: service.name, version },
  });
/** Answers upgrades as given, and everything else at once. */
const reactTo = (reaction: Reaction) => (command: fleet.Command) =>
  isUpgrade(command) ? reaction : { outcome: fleet.Outcome.DONE };

it('UPGRADE_LISTENER changes version and drain time before the command, and a repeat changes nothing more', async () => {
  const client = await t.createClient('moved');
  const agent = await connect(client);
  const { service } = await deploy(client);
  const { body } = await send({ ...upgrade(service, { drain_time_seconds: 45 }), clients: on(client) });
  expect(body.results).toMatchObject([{ outcome: 'done', service_id: service.id }]);
  expect(desiredOf(agent)).toMatchObject({ envoyVersion: TO, drainTimeS: 45 });
  const sent = payloadOf(agent.commands.find(isUpgrade));
  expect(sent).toMatchObject({
    service: service.name,
    from_version: FROM,
    to_version: TO,
    graceful: true,
    drain_time_seconds: 45,
  });
  expect(BigInt(sent.generation)).toBeLessThanOrEqual(desiredOf(agent)?.generation ?? 0n);
  expect(await targetsOf(service)).toMatchObject([{ envoy_version: TO, drain_time_seconds: 45 }]);
  // Without a drain time, the earlier one stays.
  const again = await send({ ...upgrade(service), clients: on(client) });
  expect(again.body.results).toMatchObject([{ outcome: 'done' }]);
  expect(payloadOf(agent.commands.findLast(isUpgrade)).drain_time_seconds).toBe(45);
  expect(desiredOf(agent)).toMatchObject({ envoyVersion: TO, drainTimeS: 45 });
});

it('UPGRADE_LISTENER refuses only the clients that should run a third version, and says which', async () => {
  const [ready, third] = [await t.createClient('ready'), await t.createClient('third')];
  const agents = [await connect(ready), await connect(third)];
  const { service } = await deploy(ready);
  await send({ type: 'DEPLOY', clients: on(third), command: { name: service.name } });
  await setVersion(service, OTHER, third);
  const { body } = await send({ ...upgrade(service), clients: on(third, ready) });
  expect(body.results).toMatchObject([
    { client_id: third, command_id: null, outcome: 'refused', error: { code: 'upgrade.other_version' } },
    { client_id: ready, outcome: 'done' },
  ]);
  expect(body.results[0].error.message).toContain(`should run Envoy ${OTHER}`);
  expect(agents[1]?.commands.some(isUpgrade)).toBe(false);
  const versions = (await targetsOf(service)).map((one: { envoy_version: string }) => one.envoy_version);
  expect(versions.toSorted()).toEqual([OTHER, TO]);
});

it('UPGRADE_LISTENER lets a client whose upgrade fails want its earlier version again', async () => {
  const client = await t.createClient('returning');
  const agent = await connect(client, reactTo(FAILED));
  const { service } = await deploy(client);
  const before = desiredOf(agent)?.generation ?? 0n;
  const { body } = await send({ ...upgrade(service), clients: on(client) });
  expect(body.results).toMatchObject([
    {
      outcome: 'failed',
      error: { code: 'upgrade.not_live', message: `no such filter. The client goes back to Envoy ${FROM}.` },
      result: { name: 'x', rolled_back: true },
    },
  ]);
  expect(await targetsOf(service)).toMatchObject([{ envoy_version: FROM }]);
  await vi.waitFor(() => expect(desiredOf(agent)?.envoyVersion).toBe(FROM), WAIT);
  expect(desiredOf(agent)?.generation).toBeGreaterThan(before);
  // A late copy of the result changes nothing.
  await setVersion(service, TO, client);
  await agent.session.result(
    create(fleet.CommandResultSchema, { commandId: body.results[0].command_id, ...(FAILED as object) }),
  );
  expect(await targetsOf(service)).toMatchObject([{ envoy_version: TO }]);
});

it('UPGRADE_LISTENER leaves the version of a newer change alone when it fails', async () => {
  const client = await t.createClient('newer');
  const agent = await connect(client, reactTo('accept'));
  const { service } = await deploy(client);
  const first = await send({ ...upgrade(service), clients: on(client) }, { query: '&wait_ms=0' });
  await agent.settled();
  await setVersion(service, TO, client);
  const id = first.body.results[0].command_id;
  await agent.session.result(create(fleet.CommandResultSchema, { commandId: id, ...(FAILED as object) }));
  expect(await targetsOf(service)).toMatchObject([{ envoy_version: TO }]);
  const ended = await t.owner.call('GET', `/api/op/commands/${id}`);
  expect(ended.body).toMatchObject({ outcome: 'failed', result: { rolled_back: false } });
});

it('UPGRADE_LISTENER that fails after its service was deleted still ends', async () => {
  const client = await t.createClient('deleted');
  const agent = await connect(client, reactTo('accept'));
  const { service } = await deploy(client);
  const first = await send({ ...upgrade(service), clients: on(client) }, { query: '&wait_ms=0' });
  await agent.settled();
  await send({ type: 'UNDEPLOY', clients: on(client), command: { name: service.name } });
  await agent.session.nodeReport(create(fleet.NodeReportSchema, { serviceId: service.id, removed: true }));
  const removed = await t.owner.call('DELETE', `/api/op/services/${service.id}?project=${t.project}`);
  expect(removed.status, JSON.stringify(removed.body)).toBeLessThan(300);
  const id = first.body.results[0].command_id;
  await agent.session.result(create(fleet.CommandResultSchema, { commandId: id, ...(FAILED as object) }));
  const ended = await t.owner.call('GET', `/api/op/commands/${id}`);
  expect(ended.body).toMatchObject({ outcome: 'failed', error: { message: 'no such filter' } });
});

it('UPGRADE_LISTENER that is repeated keeps a client that has arrived, and takes one that has not back', async () => {
  const client = await t.createClient('repeated');
  const agent = await connect(client);
  const { service } = await deploy(client);
  await send({ ...upgrade(service), clients: on(client) });
  agent.react = reactTo(FAILED);
  const repeated = await send({ ...upgrade(service), clients: on(client) });
  expect(repeated.body.results[0].error).toEqual({ code: 'upgrade.not_live', message: 'no such filter' });
  expect(await targetsOf(service)).toMatchObject([{ envoy_version: TO }]);

  const other = await t.createClient('on-its-way');
  const slow = await connect(other, reactTo('accept'));
  await send({ type: 'DEPLOY', clients: on(other), command: { name: service.name } });
  await send({ ...upgrade(service), clients: on(other) }, { query: '&wait_ms=0' });
  await slow.settled();
  slow.react = reactTo(FAILED);
  const second = await send({ ...upgrade(service), clients: on(other) });
  expect(second.body.results[0].result.rolled_back).toBe(true);
  const target = (await targetsOf(service)).find((one: { client_id: string }) => one.client_id === other);
  expect(target.envoy_version).toBe(FROM);
});

it('UPGRADE_LISTENER for an offline client waits for it, and the way back replaces what was not sent', async () => {
  const client = await t.createClient('away');
  const agent = await connect(client);
  const { service } = await deploy(client);
  await commands.disconnect();
  const forth = await send({ ...upgrade(service), clients: on(client) });
  expect(forth.body.results).toMatchObject([{ outcome: 'pending' }]);
  const back = await send({
    ...upgrade(service, { from_version: TO, to_version: FROM }),
    clients: on(client),
  });
  const first = await t.owner.call('GET', `/api/op/commands/${forth.body.results[0].command_id}`);
  expect(first.body).toMatchObject({ outcome: 'refused', error: { code: 'command.superseded' } });
  const again = await connect(client);
  await again.settled();
  expect(again.commands.map(({ commandId }) => commandId)).toEqual([back.body.results[0].command_id]);
  expect(desiredOf(again)?.envoyVersion).toBe(FROM);
  expect(agent.commands.some(isUpgrade)).toBe(false);
});

it('UPGRADE_LISTENER is for owners and admins of the project', async () => {
  const client = await t.createClient('guarded');
  const agent = await connect(client);
  const { service } = await deploy(client);
  const body = { ...upgrade(service), clients: on(client) };
  for (const role of ['editor', 'viewer'] as const) {
    const by = await t.createMember(role);
    expect((await send(body, { by })).body.code).toBe('command.forbidden');
    // Neither a sub_type nor an operation of a harmless command opens a way.
    const mixed = { ...body, sub_type: 'SUB_STATUS' };
    expect((await send(mixed, { by })).body.code).toBe('command.sub_type');
    const read = { ...body, command: { ...body.command, operation: 'GET_VERSIONS' } };
    expect((await send(read, { by })).status).toBeGreaterThanOrEqual(400);
  }
  const foreign = await t.createProject('foreign-upgrade');
  const elsewhere = await t.owner.call('POST', `/api/op/clients?project=${foreign}`, body);
  expect(elsewhere.status).toBe(404);
  expect(agent.commands.some(isUpgrade)).toBe(false);
  const admin = await t.createMember('admin');
  expect((await send(body, { by: admin })).body.results[0].outcome).toBe('done');
});

it.each([
  [{ to_version: FROM }, 'command.to_version: must be another version'],
  [{ to_version: 'v1.39.3' }, 'command.to_version'],
  [{ to_version: '1.39.3\n' }, 'command.to_version'],
  [{ from_version: undefined }, 'command.from_version'],
  [{ from_version: '../../etc' }, 'command.from_version'],
  [{ graceful: false }, 'command.graceful: must be true or left out: every upgrade hands the connections over'],
  [{ drain_time_seconds: 0 }, 'command.drain_time_seconds'],
  [{ drain_time_seconds: 3601 }, 'command.drain_time_seconds'],
  [{ drain_time_seconds: 1.5 }, 'command.drain_time_seconds'],
  [{ drain_time_seconds: '30' }, 'command.drain_time_seconds'],
  [{ port: 0 }, 'command.port'],
  [{ port: 65_536 }, 'command.port'],
  [{ returns: false }, 'returns'],
  [{ archive: { url: 'https://x.example.com', sha256: 'a' } }, 'archive'],
])('UPGRADE_LISTENER refuses the body %j', async (more, reason) => {
  const service = await t.createService();
  const { status, body } = await send(upgrade(service, more));
  expect([status, body.code]).toEqual([400, 'command.invalid']);
  expect(JSON.stringify(body)).toContain(reason);
});

it('UPGRADE_LISTENER refuses a version whose documents cannot be checked, and a port that no listener has', async () => {
  const client = await t.createClient('checked');
  await connect(client);
  const documents = [
    {
      collection: 'listeners',
      name: 'real-port',
      version: FROM,
      resource: { address: { socket_address: { address: '127.0.0.1', port_value: 18_200 } } },
    },
  ];
  const applied = await t.owner.call('POST', `/api/v3/xds/apply?project=${t.project}`, {
    project: t.project,
    documents,
  });
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  const { service } = await deploy(client, { listeners: ['real-port'] });
  const unknown = await send({ ...upgrade(service, { to_version: '9.99.0' }), clients: on(client) });
  expect([unknown.status, unknown.body.code]).toEqual([400, 'version.unknown']);
  const wrong = await send({ ...upgrade(service, { port: 18_201 }), clients: on(client) });
  expect([wrong.status, wrong.body.code]).toEqual([400, 'command.invalid']);
  expect(wrong.body.message).toContain('uses port 18201; they use 18200');
  expect(await targetsOf(service)).toMatchObject([{ envoy_version: FROM }]);
  const right = await send({ ...upgrade(service, { port: 18_200 }), clients: on(client) });
  expect(right.body.results).toMatchObject([{ outcome: 'done' }]);
});

it('UPGRADE_LISTENER in waves stops at a client that fails, which goes back, and leaves the others as they were', async () => {
  const ids = [await t.createClient('wave-0'), await t.createClient('wave-1'), await t.createClient('wave-2')];
  const agents = await Promise.all(ids.map((id) => connect(id)));
  const { service } = await deploy(ids[0] ?? '');
  await send({ type: 'DEPLOY', clients: on(...ids), command: { name: service.name } });
  const [, broken] = agents;
  if (broken) broken.react = reactTo(FAILED);
  const started = await t.owner.call('POST', `/api/op/clients/rollouts?project=${t.project}`, {
    ...upgrade(service),
    clients: ids,
    wave_size: 1,
  });
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  await vi.waitFor(async () => {
    const { body } = await t.owner.call('GET', `/api/v3/jobs/${started.body.job.id}?project=${t.project}`);
    expect(body.status).toBe('done_with_errors');
  }, WAIT);
  const targets: Array<{ client_id: string; envoy_version: string }> = await targetsOf(service);
  const versions = ids.map((id) => targets.find((one) => one.client_id === id)?.envoy_version);
  expect(versions).toEqual([TO, FROM, FROM]);
  expect(agents[2]?.commands.some(isUpgrade)).toBe(false);
});

it('UPGRADE_LISTENER as a dry run changes nothing', async () => {
  const client = await t.createClient('dry');
  const agent = await connect(client);
  const { service } = await deploy(client);
  const { body } = await send({ ...upgrade(service), clients: on(client) }, { query: '&dry_run=true' });
  expect(body).toMatchObject({ dry_run: true, results: [{ client_id: client }] });
  expect(await targetsOf(service)).toMatchObject([{ envoy_version: FROM }]);
  expect(agent.commands.some(isUpgrade)).toBe(false);
});
