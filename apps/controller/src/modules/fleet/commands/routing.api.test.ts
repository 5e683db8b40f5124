import { COMMAND_BODIES, COMMAND_SPECS, hasSecret } from '@flotilla/contract';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';
import { ROUTING_BODIES as BODIES, BGP_CONFIG as CONFIG, BGP_NEIGHBOR as neighbor } from './testing/routing-bodies.ts';

const PASSWORD = 'bgp-password-4711';
let t: TestFleet;
const commands = new TestCommands();
const { connect, send } = commands;

beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

describe('ROUTING', () => {
  it('lets everybody read and only owners and admins write, whatever type, sub_type and operation they send', async () => {
    const client = await t.createClient('router');
    const agent = await connect(client);
    const routing = COMMAND_SPECS.filter(({ type }) => type === 'ROUTING');
    const reads = routing.filter(({ effect }) => effect === 'read').map(({ subType }) => subType);
    const writes = routing.filter(({ effect }) => effect !== 'read').map(({ subType }) => subType);
    const sent = () => agent.commands.filter(({ type }) => type === 'ROUTING').map(({ subType }) => subType);
    for (const role of ['viewer', 'editor'] as const) {
      const by = await t.createMember(role);
      const before = sent().length;
      for (const sub_type of reads) {
        const body = { type: 'ROUTING', sub_type, clients: on(client), command: BODIES[sub_type] ?? {} };
        expect((await send(body, { by })).body.results?.[0].outcome, sub_type).toBe('done');
      }
      for (const sub_type of writes) {
        const command = BODIES[sub_type] ?? {};
        const attempts = [
          { type: 'ROUTING', sub_type },
          { type: 'ROUTING', sub_type: 'BGP_GET_CONFIG', command: { ...command, operation: sub_type } },
          { type: 'ROUTING', sub_type: 'BGP_GET_CONFIG', command },
          { type: 'ROUTING', sub_type: '', command: { ...command, operation: sub_type } },
          { type: 'ROUTING', sub_type: sub_type.toLowerCase() },
          { type: 'ROUTING_LOGS', sub_type },
          { type: 'CLIENT_STATS', sub_type },
          { type: 'routing', sub_type },
        ];
        for (const attempt of attempts) {
          const { status } = await send({ clients: on(client), command, ...attempt }, { by });
          expect([400, 403], JSON.stringify(attempt)).toContain(status);
        }
      }
      expect(sent().slice(before)).toEqual(reads);
    }
    const admin = await t.createMember('admin');
    for (const sub_type of writes) {
      const body = { type: 'ROUTING', sub_type, clients: on(client), command: BODIES[sub_type] ?? {} };
      expect((await send(body, { by: admin })).body.results?.[0].outcome, sub_type).toBe('done');
    }
    expect(sent().slice(-writes.length)).toEqual(writes);
  });

  it('refuses a document with a value that leaves its field, and one that contradicts itself', async () => {
    const client = await t.createClient('checked');
    const agent = await connect(client);
    const refuse = async (config: object) => {
      const body = { type: 'ROUTING', sub_type: 'BGP_SET_CONFIG', clients: on(client), command: { config } };
      return (await send(body)).body;
    };
    const description = 'x\n exit\nrouter bgp 1';
    expect(await refuse({ ...CONFIG, neighbors: [{ ...neighbor, description }] })).toMatchObject({
      code: 'command.invalid',
      details: [{ path: 'command.config.neighbors[0].description' }],
    });
    expect(await refuse({ ...CONFIG, neighbors: [{ ...neighbor, peer_group: 'NO' }] })).toMatchObject({
      code: 'command.invalid',
      details: [{ path: 'command.config.neighbors[0].peer_group' }],
    });
    const large = { ...CONFIG, neighbors: [{ ...neighbor, password: 'x'.repeat(1024 * 1024) }] };
    expect((await refuse(large)).code).toMatch(/too_large/);
    expect(agent.commands.filter(({ type }) => type === 'ROUTING')).toEqual([]);
  });

  it('reaches a client that was offline when it reconnects, and only those writes that are desired state', async () => {
    const client = await t.createClient('away');
    const config = { ...CONFIG, neighbors: [{ ...neighbor, password: PASSWORD }] };
    const set = { type: 'ROUTING', sub_type: 'BGP_SET_CONFIG', clients: on(client), command: { config } };
    expect((await send(set)).body.results[0].outcome).toBe('pending');
    const clear = { ...set, sub_type: 'BGP_CLEAR_ROUTES', command: { clear: { neighbor: '*' } } };
    expect((await send(clear)).body.results[0].outcome).toBe('failed');
    const agent = await connect(client);
    await agent.settled();
    const [received] = agent.commands.filter(({ type }) => type === 'ROUTING');
    expect(received).toMatchObject({ subType: 'BGP_SET_CONFIG' });
    expect(payloadOf(received)).toMatchObject({ config });
  });

  it('keeps no password in the database or an answer, whichever command contains it', async () => {
    const client = await t.createClient('quiet');
    const agent = await connect(client);
    const config = { ...CONFIG, neighbors: [{ ...neighbor, password: PASSWORD }] };
    const peer_group = { name: 'UP', password: PASSWORD };
    const bodies: Record<string, Record<string, unknown>> = {
      BGP_DIFF_CONFIG: { config: { ...config, peer_groups: [peer_group] } },
      BGP_SET_CONFIG: { config: { ...config, peer_groups: [peer_group] } },
      BGP_ADD_NEIGHBOR: { neighbor: config.neighbors[0] },
      BGP_UPDATE_NEIGHBOR: { neighbor: config.neighbors[0] },
    };
    const withSecret = COMMAND_SPECS.filter(({ name, type }) => type === 'ROUTING' && hasSecret(COMMAND_BODIES[name]));
    expect(withSecret.map(({ subType }) => subType).sort()).toEqual(Object.keys(bodies).sort());
    const answers: unknown[] = [];
    for (const [sub_type, command] of Object.entries(bodies)) {
      const body = { type: 'ROUTING', sub_type, clients: on(client), command };
      answers.push((await send(body)).body);
      expect(JSON.stringify(payloadOf(agent.commands.at(-1))), sub_type).toContain(PASSWORD);
      const rollout = { ...body, clients: [client] };
      if (sub_type !== 'BGP_DIFF_CONFIG')
        answers.push((await t.owner.call('POST', `/api/op/clients/rollouts?project=${t.project}`, rollout)).body);
    }
    const { db } = t.database;
    const { rows: tables } = await sql<{ table_name: string }>`
      select distinct table_name from information_schema.table_privileges
      where table_schema = 'public' and privilege_type = 'SELECT'`.execute(db);
    expect(tables).toContainEqual({ table_name: 'commands' });
    for (const { table_name } of tables) {
      answers.push((await sql`select t::text as row from ${sql.table(table_name)} t`.execute(db)).rows);
    }
    expect(JSON.stringify(answers)).not.toContain(PASSWORD);
  });

  it('is left out for a payload that a backup without secrets lost, and never sent without it', async () => {
    const client = await t.createClient('restored');
    const set = { type: 'ROUTING', sub_type: 'BGP_SET_CONFIG', clients: on(client), command: { config: CONFIG } };
    const id = (await send(set)).body.results[0].command_id;
    await t.database.db.updateTable('commands').set({ payload_sealed: null }).where('id', '=', id).execute();
    const agent = await connect(client);
    await agent.settled();
    expect(agent.commands).toEqual([]);
  });
});
