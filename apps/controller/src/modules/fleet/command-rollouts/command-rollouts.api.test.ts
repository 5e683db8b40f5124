import { create } from '@bufbuild/protobuf';
import type { CommandRollout, CommandRolloutInput } from '@flotilla/contract';
import { fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import type { TestAgent, TestFleet } from '../../../testing/fleet.ts';
import { TestCommands } from '../commands/testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const WAIT = { interval: 50 };
const RESTART = { type: 'SERVICE', sub_type: 'SUB_RESTART' };
const FAILED = { outcome: fleet.Outcome.FAILED, errorCode: 'agent.test', errorMessage: 'It broke.' };

beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

/** A service on `count` connected clients, which count their restarts. */
async function createRing(count: number) {
  const agents: TestAgent[] = [];
  for (let i = 0; i < count; i += 1) agents.push(await commands.connect(await t.createClient(`ring-${i}`)));
  const service = await t.createService();
  const clients = agents.map(({ clientId }) => ({ client_id: clientId }));
  await commands.send({ type: 'DEPLOY', clients, command: { name: service.name } });
  const restarts = () =>
    agents.map((agent) => agent.commands.filter(({ subType }) => subType === 'SUB_RESTART').length);
  return { agents, service, ids: agents.map(({ clientId }) => clientId), restarts };
}

const start = (
  body: Partial<CommandRolloutInput>,
  { by = t.owner, query = '' }: { by?: TestCaller; query?: string } = {},
) => by.call('POST', `/api/op/clients/rollouts?project=${t.project}${query}`, body);

const readJob = async (id: string) => (await t.owner.call('GET', `/api/v3/jobs/${id}?project=${t.project}`)).body;

async function waitForEnd({ job }: CommandRollout) {
  return vi.waitFor(async () => {
    const body = await readJob(job?.id ?? '');
    expect(body.ended_at).not.toBeNull();
    return body;
  }, WAIT);
}

it('sends a command wave by wave, and the next wave only after the last has ended', async () => {
  const { agents, service, ids, restarts } = await createRing(3);
  for (const agent of agents) agent.react = ({ subType }) => (subType === 'SUB_RESTART' ? 'accept' : { outcome: 1 });
  const command = { name: service.name };
  const { status, body } = await start({ ...RESTART, command, clients: ids, first_wave: 1, wave_size: 2 });
  expect(status).toBe(202);
  expect(body.command).toBe('SERVICE SUB_RESTART');
  expect(body.waves.map((wave: CommandRollout['waves'][number]) => wave.clients.length)).toEqual([1, 2]);
  await vi.waitFor(() => expect(restarts()).toEqual([1, 0, 0]), WAIT);
  const first = agents[0]?.commands.at(-1)?.commandId ?? '';
  await agents[0]?.session.accepted(first);
  for (const agent of agents) agent.react = () => ({ outcome: fleet.Outcome.DONE });
  await agents[0]?.session.result(create(fleet.CommandResultSchema, { commandId: first, outcome: fleet.Outcome.DONE }));
  const job = await waitForEnd(body);
  expect(job).toMatchObject({ status: 'done', progress: { done: 3, total: 3, failed: 0 }, errors: [] });
  expect(restarts()).toEqual([1, 1, 1]);
});

it('stops at the first failure, and repeats the failed or the untried clients alone', async () => {
  const { agents, service, ids, restarts } = await createRing(3);
  const [broken] = agents;
  if (broken) broken.react = () => FAILED;
  const { body } = await start({ ...RESTART, command: { name: service.name }, clients: ids, wave_size: 1 });
  const job = await waitForEnd(body);
  expect(job.status).toBe('done_with_errors');
  expect(job.errors).toEqual([
    { target: 'ring-0', message: 'It broke.' },
    ...['ring-1', 'ring-2'].map((target) => ({
      target,
      message: 'The rollout stopped before its wave.',
      pending: true,
    })),
  ]);
  expect(restarts()).toEqual([1, 0, 0]);
  const retry = async (retry_type: string) => {
    const answer = await t.owner.call('POST', `/api/v3/jobs/${job.id}/retry?project=${t.project}`, { retry_type });
    return waitForEnd(answer.body);
  };
  expect(await retry('pending_only')).toMatchObject({ status: 'done', progress: { done: 2, total: 2 } });
  expect(restarts()).toEqual([1, 1, 1]);
  if (broken) broken.react = () => ({ outcome: fleet.Outcome.DONE });
  expect(await retry('failed_only')).toMatchObject({ status: 'done', progress: { done: 1, total: 1 } });
  expect(restarts()).toEqual([2, 1, 1]);
});

it('continues below the limit of failures, and reports every client that failed', async () => {
  const { agents, service, ids, restarts } = await createRing(4);
  const [broken] = agents;
  if (broken) broken.react = () => FAILED;
  const command = { name: service.name };
  const { body } = await start({ ...RESTART, command, clients: ids, wave_size: 2, stop_at_failed_percent: 51 });
  const job = await waitForEnd(body);
  expect(job.errors.map(({ target }: { target: string }) => target)).toEqual(['ring-0']);
  expect(job.progress).toMatchObject({ done: 4, total: 4, failed: 1 });
  expect(restarts()).toEqual([1, 1, 1, 1]);
});

it('does not send a desired change to an offline client, not even when it is back', async () => {
  const { agents, service, ids } = await createRing(2);
  const [away] = agents;
  if (!away) throw new Error('a ring has agents');
  await t.disconnect(away);
  const { body } = await start({
    type: 'SERVICE',
    sub_type: 'SUB_STOP',
    command: { name: service.name },
    clients: ids,
    wave_size: 2,
  });
  const job = await waitForEnd(body);
  expect(job.errors).toEqual([{ target: 'ring-0', message: 'Client ring-0 is not connected, so it cannot answer.' }]);
  const back = await commands.connect(away.clientId);
  await back.settled();
  expect(back.desired.at(-1)?.services[0]?.runState).toBe(fleet.RunState.RUNNING);
});

it('cancels a rollout between its waves and sends nothing more', async () => {
  const { service, ids, restarts } = await createRing(2);
  const command = { name: service.name };
  const { body } = await start({ ...RESTART, command, clients: ids, wave_size: 1, pause_s: 3600 });
  const { id } = body.job;
  await vi.waitFor(async () => expect((await readJob(id)).progress.done).toBe(1), WAIT);
  expect((await start({ ...RESTART, command, clients: ids })).body.code).toBe('job.busy');
  await t.owner.call('POST', `/api/v3/jobs/${id}/cancel?project=${t.project}`);
  expect((await waitForEnd(body)).status).toBe('cancelled');
  expect(restarts()).toEqual([1, 0]);
});

it('takes the clients of labels, fixed at the start, and all clients of a service without any', async () => {
  const { service, ids, restarts } = await createRing(3);
  const label = (id: string) =>
    t.owner.call('PATCH', `/api/op/clients/${id}/labels?project=${t.project}`, { labels: { ring: service.name } });
  for (const id of ids.slice(0, 2)) expect((await label(id)).status).toBe(200);
  const command = { name: service.name };
  const labels = [`ring=${service.name}`];
  const names = (body: CommandRollout) => body.waves.flatMap((wave) => wave.clients.map(({ name }) => name));
  const { body } = await start({ ...RESTART, command, labels, wave_size: 1 });
  expect(names(body)).toEqual(['ring-0', 'ring-1']);
  await waitForEnd(body);
  expect(restarts()).toEqual([1, 1, 0]);
  const plan = await start({ ...RESTART, command, wave_percent: 50 }, { query: '&dry_run=true' });
  expect(plan.body).toMatchObject({ dry_run: true, job: null });
  expect(plan.body.waves.map((wave: CommandRollout['waves'][number]) => wave.clients.length)).toEqual([2, 1]);
  expect(restarts()).toEqual([1, 1, 0]);
});

it('refuses what it cannot roll out, and names the field', async () => {
  const { service, ids } = await createRing(1);
  const command = { name: service.name };
  const foreign = await t.createClient('elsewhere', await t.createProject('rollouts-elsewhere'));
  for (const [body, code, path] of [
    [{ type: 'CLIENT_STATS', clients: ids }, 'command.invalid', 'type'],
    [{ ...RESTART, command, clients: ids, labels: ['a=b'] }, 'command.invalid', 'labels'],
    [{ ...RESTART, command, clients: ids, wave_size: 1, wave_percent: 1 }, 'command.invalid', 'wave_percent'],
    [{ ...RESTART, command, labels: ['nobody=here'] }, 'command.invalid', 'labels'],
    [{ ...RESTART, command, clients: [foreign] }, 'client.not_found', undefined],
    [{ ...RESTART, clients: ids }, 'service.ambiguous', undefined],
    [{ ...RESTART, sub_type: 'SUB_NONE', command, clients: ids }, 'command.sub_type', undefined],
    [{ ...RESTART, command, clients: ids, wave_size: 0 }, 'request.invalid', 'wave_size'],
    [{ ...RESTART, command, clients: ids, wave_percent: 101 }, 'request.invalid', 'wave_percent'],
    [{ ...RESTART, command, clients: ids, pause_s: -1 }, 'request.invalid', 'pause_s'],
    [{ ...RESTART, command, clients: [] }, 'request.invalid', 'clients'],
    [
      { type: 'DATAPLANE_VERSION', command: { operation: 'SET_VERSION', version: '../x' }, clients: ids },
      'command.invalid',
      'command.version',
    ],
  ] as const) {
    const answer = await start(body as Partial<CommandRolloutInput>);
    expect([answer.body.code, answer.body.details?.[0]?.path], JSON.stringify(body)).toEqual([code, path]);
  }
  for (const role of ['editor', 'viewer'] as const) {
    const answer = await start({ ...RESTART, command, clients: ids }, { by: await t.createMember(role) });
    expect(answer.status, role).toBe(403);
  }
});

it('stops when the person who started it may not send commands any more', async () => {
  const { service, ids, restarts } = await createRing(2);
  const admin = await t.createMember('admin');
  const body = { ...RESTART, command: { name: service.name }, clients: ids, wave_size: 1, pause_s: 2 };
  const started = await start(body, { by: admin });
  await vi.waitFor(() => expect(restarts()).toEqual([1, 0]), WAIT);
  await t.database.db.updateTable('memberships').set({ role: 'viewer' }).where('user_id', '=', admin.userId).execute();
  const job = await waitForEnd(started.body);
  expect(job).toMatchObject({ status: 'failed', error: { code: 'job.forbidden' } });
  expect(restarts()).toEqual([1, 0]);
});

it('keeps the fields of the command encrypted', async () => {
  const { service, ids } = await createRing(1);
  const { body } = await start({ ...RESTART, command: { name: service.name }, clients: ids });
  const row = await t.database.db
    .selectFrom('jobs')
    .select(['params', 'params_sealed'])
    .where('id', '=', body.job.id)
    .executeTakeFirstOrThrow();
  expect(row.params).not.toHaveProperty('command');
  expect(row.params_sealed).not.toBeNull();
  await waitForEnd(body);
});
