import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { on, TestCommands } from './testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, send, deploy } = commands;

beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

/** The audit entries about the end of this command, oldest first. */
function readEnds(id: string) {
  return t.database.db
    .selectFrom('audit_log')
    .select(['actor_kind', 'actor_name', 'project_id', 'resource_name', 'outcome', 'error_code', 'changes'])
    .where('action', '=', 'command.end')
    .where('resource_id', '=', id)
    .orderBy('at')
    .execute();
}

async function readStatus(id: string): Promise<string> {
  const { db } = t.database;
  return (await db.selectFrom('commands').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;
}

it('a completed command is recorded as done, by the client, once', async () => {
  const client = await t.createClient('ends-done');
  await connect(client, () => ({ outcome: fleet.Outcome.DONE }));
  const { service, result } = await deploy(client);
  expect(result.outcome).toBe('done');
  // The same result again.
  const again = create(fleet.CommandResultSchema, { commandId: result.command_id, outcome: fleet.Outcome.FAILED });
  expect(await t.controller.fleet.commands.delivery.recordResult(client, again, new Date())).toBe(false);
  expect(await readEnds(result.command_id)).toEqual([
    {
      actor_kind: 'client',
      actor_name: 'ends-done',
      project_id: t.project,
      resource_name: 'DEPLOY',
      outcome: 'done',
      error_code: null,
      changes: { status: 'done', client_id: client, service_id: service.id, created_by: t.owner.username },
    },
  ]);
});

it('a failed command is recorded as failed, with the code', async () => {
  const client = await t.createClient('ends-failed');
  await connect(client, () => ({ outcome: fleet.Outcome.FAILED, errorCode: 'disk.full' }));
  const { result } = await deploy(client);
  expect(result.outcome).toBe('failed');
  expect(await readEnds(result.command_id)).toMatchObject([
    { actor_kind: 'client', outcome: 'failed', error_code: 'disk.full', changes: { status: 'failed' } },
  ]);
});

it('a command without a result by its deadline is recorded by the program, and a late result by the client', async () => {
  const client = await t.createClient('ends-late');
  await connect(client, () => 'accept');
  const service = await t.createService();
  const { body } = await send(
    { type: 'DEPLOY', clients: on(client), command: { name: service.name } },
    { query: '&wait_ms=0' },
  );
  const id = body.results[0].command_id;
  await expect.poll(() => readStatus(id)).toBe('running');
  await t.controller.fleet.commands.sweep(new Date(Date.now() + 31 * 60_000));
  const late = create(fleet.CommandResultSchema, { commandId: id, outcome: fleet.Outcome.DONE });
  const after = new Date(Date.now() + 32 * 60_000);
  expect(await t.controller.fleet.commands.delivery.recordResult(client, late, after)).toBe(true);
  expect(await readEnds(id)).toMatchObject([
    { actor_kind: 'system', outcome: 'failed', error_code: 'command.deadline', changes: { status: 'unknown' } },
    { actor_kind: 'client', outcome: 'done', error_code: null, changes: { status: 'done' } },
  ]);
});

it('superseded commands and those of removed clients are recorded', async () => {
  const client = await t.createClient('ends-away');
  const { service, result } = await deploy(client);
  const undeploy = await send({ type: 'UNDEPLOY', clients: on(client), command: { name: service.name } });
  expect(await readEnds(result.command_id)).toMatchObject([
    { actor_kind: 'system', outcome: 'failed', error_code: 'command.superseded', changes: { status: 'refused' } },
  ]);
  const removed = await t.owner.call('DELETE', `/api/op/clients/${client}?force=true`);
  expect(removed.status).toBeLessThan(300);
  expect(await readEnds(undeploy.body.results[0].command_id)).toMatchObject([
    { actor_kind: 'system', outcome: 'failed', error_code: 'client.removed', changes: { status: 'failed' } },
  ]);
});

it('a question leaves no audit entry when it is answered', async () => {
  const client = await t.createClient('ends-asked');
  await connect(client, () => ({ outcome: fleet.Outcome.DONE, resultJson: Buffer.from('{}') }));
  const { body } = await send({ type: 'CLIENT_STATS', clients: on(client), command: {} });
  expect(body.results[0].outcome).toBe('done');
  expect(await readEnds(body.results[0].command_id)).toEqual([]);
});

it('an end that cannot be recorded has not happened: the client must send it again', async () => {
  const client = await t.createClient('ends-unrecorded');
  const { result } = await deploy(client);
  const word = create(fleet.CommandResultSchema, { commandId: result.command_id, outcome: fleet.Outcome.DONE });
  const tell = () => t.controller.fleet.commands.delivery.recordResult(client, word, new Date());
  await sql`alter table audit_log add constraint no_ends check (action <> 'command.end') not valid`.execute(
    t.database.owner,
  );
  try {
    await expect(tell()).rejects.toThrow('no_ends');
    expect(await readStatus(result.command_id)).toBe('pending');
  } finally {
    await sql`alter table audit_log drop constraint no_ends`.execute(t.database.owner);
  }
  expect(await tell()).toBe(true);
  expect(await readEnds(result.command_id)).toHaveLength(1);
});
