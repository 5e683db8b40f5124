import { create } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFleet, hostFacts, type TestAgent, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t?.close());

const CROWD = 60;

async function connectMany(count: number, project = t.project): Promise<TestAgent[]> {
  const ids = await Promise.all(Array.from({ length: count }, (_, n) => t.createClient(`crowd-${n}`, project)));
  return Promise.all(ids.map((id) => t.connect(id)));
}

async function ask(agents: readonly TestAgent[]) {
  const clients = agents.map(({ clientId }) => ({ client_id: clientId }));
  const { status, body } = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=20000`, {
    type: 'CLIENT_STATS',
    clients,
    command: {},
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.results as Array<{ client_id: string; outcome: string; result: unknown; command_id: string }>;
}

/** Holds the lock of a row while the work runs. */
async function whileLocked(table: 'clients' | 'commands', id: string, work: () => Promise<void>): Promise<void> {
  await t.database.db.transaction().execute(async (tx) => {
    await sql`select from ${sql.table(table)} where id = ${id} for update`.execute(tx);
    await work();
  });
}

it('each client of a crowd that connects at once gets its own project, facts and epoch', async () => {
  const other = await t.createProject('other crowd');
  const [ours, theirs] = await Promise.all([connectMany(CROWD), connectMany(CROWD, other)]);
  for (const [project, agents] of [
    [t.project, ours],
    [other, theirs],
  ] as const) {
    for (const [n, { session }] of agents.entries()) {
      expect(session.connection.projectId).toBe(project);
      const row = await t.database.db
        .selectFrom('clients')
        .select(['name', 'connection_epoch', 'connected_to', 'arch'])
        .where('id', '=', session.connection.clientId)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({
        name: `crowd-${n}`,
        arch: 'linux-amd64',
        connection_epoch: session.connection.epoch,
      });
      expect(row.connected_to).not.toBeNull();
    }
  }
  await Promise.all([...ours, ...theirs].map((agent) => t.disconnect(agent)));
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from clients where connected_to is not null
    and name like 'crowd-%'`.execute(t.database.db);
  expect(rows[0]?.n).toBe(0);
});

it('a client whose row is locked waits for it, and holds up no other client', async () => {
  const [locked, ...free] = await Promise.all([1, 2, 3].map((n) => t.createClient(`waits-${n}`)));
  if (locked === undefined) throw new Error('no client');
  let waiting: Promise<TestAgent> | undefined;
  let isConnected = false;
  await whileLocked('clients', locked, async () => {
    waiting = t.connect(locked);
    waiting.then(
      () => {
        isConnected = true;
      },
      () => undefined,
    );
    const others = await Promise.all(free.map((id) => t.connect(id)));
    await Promise.all(others.map((agent) => t.disconnect(agent)));
    expect(isConnected).toBe(false);
  });
  expect((await waiting)?.session.connection.clientId).toBe(locked);
});

it('facts that the database refuses fail one client of a crowd and none of the others', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => t.createClient(`facts-${n}`)));
  const opened = await Promise.allSettled(
    ids.map((clientId, n) =>
      t.controller.fleet.sessions.opened(
        { clientId },
        create(fleet.HelloSchema, {
          facts: hostFacts({ name: `facts-${n}`, ...(n === 3 && { cores: 4_000_000_000 }) }),
        }),
      ),
    ),
  );
  expect(opened.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(7);
  for (const [n, { status }] of opened.entries()) if (n !== 3) expect(status, `client ${n}`).toBe('fulfilled');
});

it('a client that was deleted is refused in the middle of a crowd', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => t.createClient(`mixed-${n}`)));
  const hello = create(fleet.HelloSchema, { facts: hostFacts() });
  const all = [...ids.slice(0, 2), createId(), ...ids.slice(2)];
  const opened = await Promise.allSettled(
    all.map((clientId) => t.controller.fleet.sessions.opened({ clientId }, hello)),
  );
  expect(opened.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(opened[2]).toMatchObject({ reason: { code: 'client.not_found' } });
});

it('each client of a crowd gets its own question and its own result', async () => {
  const agents = await connectMany(CROWD);
  for (const agent of agents) {
    agent.react = () => ({
      outcome: fleet.Outcome.DONE,
      resultJson: Buffer.from(JSON.stringify({ host: agent.clientId })),
    });
  }
  const results = await ask(agents);
  expect(results.map(({ client_id, outcome, result }) => [client_id, outcome, result])).toEqual(
    agents.map(({ clientId }) => [clientId, 'done', { host: clientId }]),
  );
  expect(agents.every(({ commands }) => commands.length === 1)).toBe(true);
  await Promise.all(agents.map((agent) => t.disconnect(agent)));
});

it('results of every kind in one crowd are stored as they are', async () => {
  const agents = await connectMany(6);
  const large = 'x'.repeat(64 * 1024);
  const reactions = [
    { outcome: fleet.Outcome.DONE, resultJson: Buffer.from('{"n":1}') },
    { outcome: fleet.Outcome.FAILED, errorCode: 'disk.full', errorMessage: 'no room' },
    { outcome: fleet.Outcome.REFUSED, errorCode: 'agent.busy', errorMessage: 'later' },
    { outcome: fleet.Outcome.DONE, resultJson: Buffer.from('not json') },
    { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify({ large })) },
    { outcome: fleet.Outcome.DONE },
  ];
  for (const [n, agent] of agents.entries()) agent.react = () => reactions[n] ?? 'silent';
  const results = await ask(agents);
  expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'failed', 'refused', 'failed', 'done', 'done']);
  expect(results.map(({ result }) => result)).toEqual([
    { n: 1 },
    undefined,
    undefined,
    undefined,
    { large },
    undefined,
  ]);
  await Promise.all(agents.map((agent) => t.disconnect(agent)));
});

it('a client cannot end the command of another one, in a crowd either', async () => {
  const [victim, attacker] = await connectMany(2);
  if (!victim || !attacker) throw new Error('no agents');
  victim.react = () => 'accept';
  const asking = ask([victim]);
  await expect.poll(() => victim.commands.length).toBe(1);
  const commandId = victim.commands[0]?.commandId ?? '';
  const result = (body: object) =>
    create(fleet.CommandResultSchema, {
      commandId,
      outcome: fleet.Outcome.DONE,
      resultJson: Buffer.from(JSON.stringify(body)),
    });
  await Promise.all([attacker.session.accepted(commandId), attacker.session.result(result({ by: 'attacker' }))]);
  await victim.session.result(result({ by: 'victim' }));
  expect((await asking).map(({ outcome, result: body }) => [outcome, body])).toEqual([['done', { by: 'victim' }]]);
  await Promise.all([t.disconnect(victim), t.disconnect(attacker)]);
});

it('a command whose row is locked is ended when it is free, and holds up no other command', async () => {
  const [slow, quick] = await connectMany(2);
  if (!slow || !quick) throw new Error('no agents');
  slow.react = () => 'accept';
  const asking = ask([slow]);
  await expect.poll(() => slow.commands.length).toBe(1);
  const commandId = slow.commands[0]?.commandId ?? '';
  await slow.settled();
  let ended: Promise<void> | undefined;
  await whileLocked('commands', commandId, async () => {
    ended = slow.session.result(create(fleet.CommandResultSchema, { commandId, outcome: fleet.Outcome.DONE }));
    expect((await ask([quick])).map(({ outcome }) => outcome)).toEqual(['done']);
  });
  await ended;
  expect((await asking).map(({ outcome }) => outcome)).toEqual(['done']);
  await Promise.all([t.disconnect(slow), t.disconnect(quick)]);
});
