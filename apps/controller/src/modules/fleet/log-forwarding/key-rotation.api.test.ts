import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { rotateDataKey } from '../../operations/keys/testing/secrets.ts';
import { on, payloadOf, TestCommands } from '../commands/testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const PASSWORD = 'kept-through-the-rotation';
const SYSLOG = { rsyslog_config: { rsyslog_output: { target: 'logs.example.com', port: 514, protocol: 'tcp' } } };
const shipper = (basic_auth: Record<string, unknown>) => ({
  filebeat: { filebeat_output: { elasticsearch: { hosts: ['https://search.example.com'], basic_auth } } },
});

it('the rotation of the data key encrypts the configurations of forwarders again, and clients still get them', async () => {
  const client = await t.createClient('rotated');
  const send = (type: string, sub_type: string, command: Record<string, unknown>) =>
    commands.send({ type, sub_type, clients: on(client), command });
  await send('SYSLOG_FWD', 'UPDATE_RSYSLOG_CONFIG', SYSLOG);
  await send('LOGSHIPPER', 'UPDATE_FILEBEAT_CONFIG', shipper({ username: 'u', password: PASSWORD }));
  const keysOf = async () => {
    const rows = await t.database.db
      .selectFrom('forwarder_configs')
      .select(['kind', 'sealed'])
      .orderBy('kind')
      .execute();
    return rows.map(({ kind, sealed }) => [kind, sealed?.readUInt32BE(1)]);
  };
  const before = await keysOf();
  const key = await rotateDataKey(t.owner);
  expect(before.map(([kind]) => kind)).toEqual(['logshipper', 'syslog']);
  expect(before.map(([, id]) => id)).not.toContain(key);
  expect(await keysOf()).toEqual([
    ['logshipper', key],
    ['syslog', key],
  ]);
  const agent = await commands.connect(client);
  await expect.poll(() => agent.commands.length).toBe(2);
  const payloads = agent.commands.map(payloadOf);
  expect(payloads).toContainEqual({ ...SYSLOG, rsyslog_config: expect.anything(), revision: expect.any(Number) });
  const kept = await send('LOGSHIPPER', 'UPDATE_FILEBEAT_CONFIG', shipper({ username: 'u', password: '***' }));
  expect(kept.body.results[0]).toMatchObject({ outcome: 'done' });
  expect(payloadOf(agent.commands[2]).filebeat.filebeat_output.elasticsearch.basic_auth.password).toBe(PASSWORD);
});
