import { createServerCertificate } from '@flotilla/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from '../commands/testing/commands.ts';

let t: TestFleet;
let tls: { ca_cert: string; client_cert: string; client_key: string };
const commands = new TestCommands();
const { connect, send } = commands;

beforeAll(async () => {
  t = await commands.open();
  const { certificatePem, privateKeyPem } = await createServerCertificate('logs.example.com');
  tls = { ca_cert: certificatePem, client_cert: certificatePem, client_key: privateKeyPem };
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const configOf = (output: Record<string, unknown> = {}) => ({
  rsyslog_config: { rsyslog_output: { target: 'logs.example.com', port: 6514, protocol: 'tcp', ...output } },
});
const update = (client: string, command: Record<string, unknown>) => ({
  type: 'SYSLOG_FWD',
  sub_type: 'UPDATE_RSYSLOG_CONFIG',
  clients: on(client),
  command,
});
const sentOutput = (command: Parameters<typeof payloadOf>[0]) => payloadOf(command).rsyslog_config.rsyslog_output;

describe('UPDATE_RSYSLOG_CONFIG', () => {
  it('gives the configuration with its secrets to the agent, and to nobody else', async () => {
    const client = await t.createClient('secret');
    const agent = await connect(client);
    const answer = await send(update(client, configOf({ tls })));
    expect(answer.body.results[0]).toMatchObject({ outcome: 'done' });
    expect(sentOutput(agent.commands[0]).tls).toEqual({ ...tls, server_name: null });
    const id = answer.body.results[0].command_id;
    const record = await t.owner.call('GET', `/api/op/commands/${id}?project=${t.project}`);
    const audit = await t.owner.call('GET', `/audit/logs?project=${t.project}&limit=50`);
    const rows = await t.database.db.selectFrom('commands').selectAll().where('id', '=', id).execute();
    for (const text of [answer.body, record.body, audit.body, rows])
      expect(JSON.stringify(text)).not.toContain('PRIVATE KEY');
  });

  it('stores the configuration encrypted', async () => {
    const client = await t.createClient('at-rest');
    await send(update(client, configOf({ tls })));
    const [row] = await t.database.db
      .selectFrom('forwarder_configs')
      .selectAll()
      .where('client_id', '=', client)
      .execute();
    expect(row?.sealed).toBeInstanceOf(Buffer);
    for (const word of ['PRIVATE KEY', 'logs.example.com']) expect(row?.sealed?.includes(word)).toBe(false);
  });

  it('waits for an offline client, which then gets only the newest configuration', async () => {
    const client = await t.createClient('offline');
    const first = await send(update(client, configOf()));
    const second = await send(update(client, configOf({ port: 7000 })));
    expect(second.body.results[0]).toMatchObject({ outcome: 'pending' });
    const id = first.body.results[0].command_id;
    const superseded = await t.owner.call('GET', `/api/op/commands/${id}?project=${t.project}`);
    expect(superseded.body).toMatchObject({ outcome: 'refused', error: { code: 'command.superseded' } });
    const agent = await connect(client);
    await expect.poll(() => agent.commands.length).toBe(1);
    expect(sentOutput(agent.commands[0]).port).toBe(7000);
  });

  it.each(['***', undefined])('keeps the stored key if the update says %s', async (client_key) => {
    const client = await t.createClient(`keeps-${String(client_key === undefined)}`);
    const agent = await connect(client);
    await send(update(client, configOf({ tls })));
    await send(update(client, configOf({ port: 7001, tls: { ...tls, client_key } })));
    expect(sentOutput(agent.commands[1])).toMatchObject({ port: 7001, tls: { client_key: tls.client_key } });
  });

  it('refuses to keep a key that is not stored, and a certificate without its key', async () => {
    const client = await t.createClient('no-key');
    await connect(client);
    const kept = await send(update(client, configOf({ tls: { ...tls, client_key: '***' } })));
    expect(kept.body.results[0].error).toMatchObject({
      code: 'command.invalid',
      message: expect.stringContaining('no stored secret'),
    });
    const alone = await send(update(client, configOf({ tls: { ...tls, client_key: null } })));
    expect(alone.body.results[0].error.message).toContain('client_key: is needed');
  });

  it('sends a removal as null', async () => {
    const client = await t.createClient('removed');
    const agent = await connect(client);
    await send(update(client, configOf({ tls })));
    await send(update(client, { rsyslog_config: null }));
    expect(payloadOf(agent.commands[1])).toEqual({ rsyslog_config: null, revision: expect.any(Number) });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a line break in the host', { target: 'logs.example.com\nmodule(load="omprog")' }],
    ['a quote in the host', { target: 'logs"example' }],
    ['a statement in the host', { target: 'a;$(id)' }],
    ['a NUL in the host', { target: 'a\u0000b' }],
    ['a host of 1 MiB', { target: 'a'.repeat(1024 * 1024) }],
    ['an option in the host', { target: '-oProxyCommand' }],
    ['a port as a text', { port: '514' }],
    ['port 0', { port: 0 }],
    ['an unknown protocol', { protocol: 'relp' }],
    ['TLS over UDP', { protocol: 'udp', tls: {} }],
    [
      'text around a certificate',
      { tls: { ca_cert: '$(id)\n-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n' } },
    ],
    ['a NUL in a key', { tls: { client_key: '-----BEGIN KEY-----\nAA\u0000==\n-----END KEY-----\n' } }],
    ['a line break in the name of the server', { tls: { server_name: 'a\nb' } }],
    ['an unknown member', { queue: 'Direct' }],
  ])('refuses %s', async (_, output) => {
    const client = await t.createClient('refusing');
    const agent = await connect(client);
    const answer = await send(update(client, configOf(output)));
    expect([400, 413]).toContain(answer.status);
    expect(JSON.stringify(answer.body).length).toBeLessThan(10_000);
    expect(agent.commands).toEqual([]);
  });
});

describe('rights', () => {
  it.each(['editor', 'viewer'] as const)('no mix of type, sub_type and operation lets a %s write', async (role) => {
    const client = await t.createClient(`rights-${role}`);
    const agent = await connect(client);
    const by = await t.createMember(role);
    const writes = ['UPDATE_RSYSLOG_CONFIG', 'SUB_START', 'SUB_STOP', 'SUB_RESTART'];
    for (const type of ['SYSLOG_FWD', 'syslog_fwd', 'SYSLOG_FWD ', 'SERVICE', 'ROUTING_LOGS', 'CLIENT_LOGS']) {
      for (const sub_type of [
        ...writes,
        ...writes.map((one) => one.toLowerCase()),
        'GET_RSYSLOG_STATUS UPDATE_RSYSLOG_CONFIG',
      ]) {
        for (const operation of [undefined, 'GET_RSYSLOG_STATUS', 'READ', 'GET_VERSIONS', ...writes]) {
          const command = { ...configOf(), ...(operation && { operation }) };
          const answer = await send({ type, sub_type, clients: on(client), command }, { by });
          expect([400, 403], `${type} ${sub_type} ${operation}`).toContain(answer.status);
        }
        const plain = await send({ type, sub_type, clients: on(client), command: {} }, { by });
        expect([400, 403], `${type} ${sub_type}`).toContain(plain.status);
      }
    }
    // A read with the body of a write stays a read.
    const read = await send(
      { type: 'SYSLOG_FWD', sub_type: 'GET_RSYSLOG_STATUS', clients: on(client), command: configOf() },
      { by },
    );
    expect(read.status).toBe(400);
    expect(agent.commands).toEqual([]);
    const status = await send(
      { type: 'SYSLOG_FWD', sub_type: 'GET_RSYSLOG_STATUS', clients: on(client), command: {} },
      { by },
    );
    expect(status.body.results[0].outcome).toBe('done');
  });
});
