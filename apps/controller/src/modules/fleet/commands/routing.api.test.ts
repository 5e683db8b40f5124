import { COMMAND_SPECS } from '@flotilla/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';
import { ROUTING_BODIES as BODIES, BGP_CONFIG as CONFIG, BGP_NEIGHBOR as neighbor } from './testing/routing-bodies.ts';

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
    const set = { type: 'ROUTING', sub_type: 'BGP_SET_CONFIG', clients: on(client), command: { config: CONFIG } };
    expect((await send(set)).body.results[0].outcome).toBe('pending');
    const clear = { ...set, sub_type: 'BGP_CLEAR_ROUTES', command: { clear: { neighbor: '*' } } };
    expect((await send(clear)).body.results[0].outcome).toBe('failed');
    const agent = await connect(client);
    await agent.settled();
    const [received] = agent.commands.filter(({ type }) => type === 'ROUTING');
    expect(received).toMatchObject({ subType: 'BGP_SET_CONFIG' });
    expect(payloadOf(received)).toMatchObject({ config: CONFIG });
  });
});
