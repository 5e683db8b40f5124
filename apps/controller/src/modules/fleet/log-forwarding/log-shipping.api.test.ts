import { createServerCertificate } from '@flotilla/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from '../commands/testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, send } = commands;

beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const HOST = 'https://search.example.com:9200';
const SECRET = 'pass-word-of-the-search-engine';
const USER = { username: 'shipper', password: SECRET };

type Body = Record<string, unknown>;
const elastic = (more: Body = {}, config: Body = {}) => ({
  filebeat: { ...config, filebeat_output: { elasticsearch: { hosts: [HOST], ...more } } },
});
const update = (client: string, command: Body) => ({
  type: 'LOGSHIPPER',
  sub_type: 'UPDATE_FILEBEAT_CONFIG',
  clients: on(client),
  command,
});
const sentOutput = (command: Parameters<typeof payloadOf>[0]) =>
  payloadOf(command).filebeat.filebeat_output.elasticsearch;

describe('UPDATE_FILEBEAT_CONFIG', () => {
  it('gives the configuration with its secrets to the agent, and to nobody else', async () => {
    const client = await t.createClient('secret');
    const agent = await connect(client);
    const { certificatePem, privateKeyPem } = await createServerCertificate('logs.example.com');
    const tls = { ca_cert: certificatePem, client_cert: certificatePem, client_key: privateKeyPem };
    const answer = await send(update(client, elastic({ basic_auth: USER, tls })));
    expect(answer.body.results[0]).toMatchObject({ outcome: 'done' });
    expect(sentOutput(agent.commands[0])).toMatchObject({
      basic_auth: USER,
      api_key: null,
      tls: { client_key: privateKeyPem },
    });
    const id = answer.body.results[0].command_id;
    const record = await t.owner.call('GET', `/api/op/commands/${id}?project=${t.project}`);
    const audit = await t.owner.call('GET', `/audit/logs?project=${t.project}&limit=50`);
    const rows = await t.database.db.selectFrom('commands').selectAll().where('id', '=', id).execute();
    for (const text of [answer.body, record.body, audit.body, rows])
      for (const secret of [SECRET, 'PRIVATE KEY']) expect(JSON.stringify(text)).not.toContain(secret);
    const stored = await t.database.db
      .selectFrom('forwarder_configs')
      .select(['kind', 'sealed'])
      .where('client_id', '=', client)
      .execute();
    expect(stored).toEqual([{ kind: 'logshipper', sealed: expect.any(Buffer) }]);
    for (const word of [SECRET, 'search.example.com']) expect(stored[0]?.sealed?.includes(word)).toBe(false);
  });

  it('fills in defaults, so that a host and a program are enough', async () => {
    const client = await t.createClient('defaults');
    const agent = await connect(client);
    await send(update(client, elastic()));
    expect(payloadOf(agent.commands[0]).filebeat).toMatchObject({
      driver: null,
      service_logs: true,
      inputs: [],
      filebeat_output: {
        elasticsearch: { hosts: [HOST], loadbalance: true, index: 'flotilla-logs', skip_ssl_verify: false },
      },
    });
  });

  it.each(['***', undefined])('keeps the stored secrets if the update says %s', async (kept) => {
    const client = await t.createClient(`keeps-${String(kept === undefined)}`);
    const agent = await connect(client);
    await send(update(client, elastic({ basic_auth: USER })));
    await send(update(client, elastic({ basic_auth: { username: 'other', password: kept }, index: 'more' })));
    expect(sentOutput(agent.commands[1])).toMatchObject({ basic_auth: { username: 'other', password: SECRET } });
    await send(update(client, elastic({ api_key: 'id:key' })));
    expect(sentOutput(agent.commands[2])).toMatchObject({ api_key: 'id:key', basic_auth: null });
    await send(update(client, elastic({ api_key: kept, index: 'again' })));
    expect(sentOutput(agent.commands[3])).toMatchObject({ api_key: 'id:key' });
    await send(update(client, elastic({ basic_auth: USER })));
    expect(sentOutput(agent.commands[4])).toMatchObject({ api_key: null, basic_auth: USER });
    await send(update(client, elastic()));
    expect(sentOutput(agent.commands[5])).toMatchObject({ api_key: null, basic_auth: null });
  });

  it.each<[string, Body]>([
    ['another host', { hosts: ['https://thief.example.com'] }],
    ['one more host', { hosts: [HOST, 'https://thief.example.com'] }],
    ['the same host in the clear', { hosts: [HOST.replace('https', 'http')] }],
    ['another port', { hosts: [HOST.replace('9200', '9201')] }],
    ['a host whose certificate is not checked', { skip_ssl_verify: true }],
  ])('sends no stored secret to %s', async (_, change) => {
    const client = await t.createClient('redirected');
    const agent = await connect(client);
    for (const [set, keep] of [
      [{ basic_auth: USER }, { basic_auth: { username: 'shipper' } }],
      [{ basic_auth: USER }, { basic_auth: { username: 'shipper', password: '***' } }],
      [{ api_key: 'id:key' }, {}],
      [{ api_key: 'id:key' }, { api_key: '***' }],
    ]) {
      await send(update(client, elastic(set)));
      const before = agent.commands.length;
      const answer = await send(update(client, elastic({ ...keep, ...change })));
      expect(answer.body.results[0]).toMatchObject({
        outcome: 'failed',
        error: { code: 'command.invalid', message: expect.stringContaining('give it again, or null') },
      });
      expect(agent.commands).toHaveLength(before);
    }
    const typed = await send(update(client, elastic({ ...change, api_key: 'id:key' })));
    expect(typed.body.results[0]).toMatchObject({ outcome: 'done' });
  });

  it('an offline client gets only the newest configuration, and a removal as null', async () => {
    const client = await t.createClient('offline');
    await send(update(client, elastic({ basic_auth: USER })));
    const second = await send(update(client, { filebeat: null }));
    expect(second.body.results[0]).toMatchObject({ outcome: 'pending' });
    const agent = await connect(client);
    await expect.poll(() => agent.commands.length).toBe(1);
    expect(payloadOf(agent.commands[0])).toEqual({ filebeat: null, revision: expect.any(Number) });
  });

  it('leaves the configuration of syslog alone', async () => {
    const client = await t.createClient('both');
    const agent = await connect(client);
    const rsyslog_output = { target: 'logs.example.com', port: 514, protocol: 'udp' };
    await send({
      type: 'SYSLOG_FWD',
      sub_type: 'UPDATE_RSYSLOG_CONFIG',
      clients: on(client),
      command: { rsyslog_config: { rsyslog_output } },
    });
    await send(update(client, elastic()));
    expect(payloadOf(agent.commands[0]).rsyslog_config.rsyslog_output.target).toBe('logs.example.com');
    expect(payloadOf(agent.commands[1])).not.toHaveProperty('rsyslog_config');
  });

  const LONG = 'a'.repeat(1024 * 1024);
  const AWKWARD: readonly [string, string][] = [
    ['a line break', 'a\nb'],
    ['a carriage return', 'a\rb'],
    ['a NUL', 'a\u0000b'],
    ['a line separator', 'a\u2028b'],
    ['half a character', 'a\ud800b'],
    ['1 MiB', LONG],
  ];
  const SYNTAX: readonly [string, string][] = [
    ['a quote', 'a"b'],
    ['a statement', 'a;$(id)'],
    ['a placeholder', `a${'$'}{HOME}`],
    ['nothing', ''],
  ];
  const FIELDS: readonly [string, (text: string) => Body, readonly (readonly [string, string])[]][] = [
    ['hosts', (text) => elastic({ hosts: [`https://${text}`] }), SYNTAX],
    ['index', (text) => elastic({ index: text }), SYNTAX],
    ['api_key', (text) => elastic({ api_key: `id:${text}` }), SYNTAX],
    ['username', (text) => elastic({ basic_auth: { ...USER, username: text } }), []],
    ['password', (text) => elastic({ basic_auth: { ...USER, password: text } }), []],
    ['ca_cert', (text) => elastic({ tls: { ca_cert: text } }), SYNTAX],
    ['client_key', (text) => elastic({ tls: { client_key: text } }), SYNTAX],
    ['server_name', (text) => elastic({ tls: { server_name: text } }), SYNTAX],
    ['the id of an input', (text) => elastic({}, { inputs: [{ id: text, paths: ['/var/log/a'] }] }), SYNTAX],
    ['the path of an input', (text) => elastic({}, { inputs: [{ id: 'a', paths: [`/var/log/${text}`] }] }), SYNTAX],
    ['the field of a time', (text) => elastic({}, { timestamp_processor: { field: text, layouts: ['a'] } }), SYNTAX],
    ['the layout of a time', (text) => elastic({}, { timestamp_processor: { field: 'a', layouts: [text] } }), []],
    ['a dropped field', (text) => elastic({}, { drop_fields_processor: { fields: [text] } }), SYNTAX],
    [
      'the hosts of Logstash',
      (text) => ({ filebeat: { filebeat_output: { logstash: { hosts: [`${text}:5044`] } } } }),
      SYNTAX,
    ],
    ['the driver', (text) => elastic({}, { driver: text }), SYNTAX],
  ];
  it.each(FIELDS)('refuses awkward texts as %s', async (_, body, more) => {
    const client = await t.createClient('refusing');
    const agent = await connect(client);
    for (const [what, text] of [...AWKWARD, ...more]) {
      const answer = await send(update(client, body(text)));
      expect([400, 413], what).toContain(answer.status);
      expect(JSON.stringify(answer.body).length).toBeLessThan(10_000);
    }
    expect(agent.commands).toEqual([]);
  });

  it.each<[string, Body]>([
    ['an agent file', elastic({}, { inputs: [{ id: 'a', paths: ['/var/lib/flotilla/agent/identity.key'] }] })],
    ['a way out of the folder', elastic({}, { inputs: [{ id: 'a', paths: ['/var/log/../../etc/shadow'] }] })],
    ['a relative path', elastic({}, { inputs: [{ id: 'a', paths: ['var/log/x'] }] })],
    ['the folder itself', elastic({}, { inputs: [{ id: 'a', paths: ['/var/log'] }] })],
    ['the name of our own input', elastic({}, { inputs: [{ id: 'envoy', paths: ['/var/log/a'] }] })],
    ['two inputs of the same id', elastic({}, { inputs: [1, 2].map(() => ({ id: 'a', paths: ['/var/log/a'] })) })],
    ['an input of another type', elastic({}, { inputs: [{ type: 'exec', id: 'a', paths: ['/var/log/a'] }] })],
    ['no input at all', elastic({}, { service_logs: false })],
    ['a user in the address', elastic({ hosts: ['https://user:pass@search.example.com'] })],
    ['a query in the address', elastic({ hosts: ['https://search.example.com/?a=b'] })],
    ['another protocol', elastic({ hosts: ['file:///etc/shadow'] })],
    ['no host', elastic({ hosts: [] })],
    ['TLS without https', elastic({ hosts: ['http://search.example.com'], tls: {} })],
    ['both credentials', elastic({ api_key: 'id:key', basic_auth: USER })],
    ['a colon in the user', elastic({ basic_auth: { username: 'a:b', password: 'x' } })],
    ['a dropped time', elastic({}, { drop_fields_processor: { fields: ['@timestamp'] } })],
    ['no output', { filebeat: { filebeat_output: {} } }],
    [
      'both outputs',
      { filebeat: { filebeat_output: { elasticsearch: { hosts: [HOST] }, logstash: { hosts: ['a:1'] } } } },
    ],
    ['port 0 of Logstash', { filebeat: { filebeat_output: { logstash: { hosts: ['a:0'] } } } }],
    ['an unknown member', elastic({ proxy_url: 'http://thief.example.com' })],
    ['the body of syslog', { rsyslog_config: null }],
  ])('refuses %s', async (_, command) => {
    const client = await t.createClient('refusing-more');
    const agent = await connect(client);
    const answer = await send(update(client, command));
    expect([answer.status, answer.body.code]).toEqual([400, 'command.invalid']);
    expect(agent.commands).toEqual([]);
  });

  it('refuses to keep a secret that is not stored, a user without a password and a certificate without its key', async () => {
    const client = await t.createClient('no-secret');
    await connect(client);
    const { certificatePem } = await createServerCertificate('logs.example.com');
    for (const [output, message] of [
      [{ api_key: '***' }, 'no stored secret'],
      [{ basic_auth: { username: 'u' } }, 'basic_auth.password: is needed'],
      [{ tls: { client_cert: certificatePem, client_key: null } }, 'client_key: is needed'],
    ] as const) {
      const answer = await send(update(client, elastic(output)));
      expect(answer.body.results[0].error).toMatchObject({
        code: 'command.invalid',
        message: expect.stringContaining(message),
      });
    }
  });
});

describe('rights', () => {
  it.each(['editor', 'viewer'] as const)(
    'no mix of type, sub_type and operation lets a %s change a log shipper',
    async (role) => {
      const client = await t.createClient(`rights-${role}`);
      const agent = await connect(client);
      const by = await t.createMember(role);
      const writes = ['UPDATE_FILEBEAT_CONFIG', 'SUB_START', 'SUB_STOP', 'SUB_RESTART'];
      for (const type of ['LOGSHIPPER', 'logshipper', 'SYSLOG_FWD', 'CLIENT_LOGS']) {
        for (const sub_type of [...writes, 'GET_FILEBEAT_STATUS UPDATE_FILEBEAT_CONFIG']) {
          for (const operation of [undefined, 'GET_FILEBEAT_STATUS', 'READ']) {
            const command = { ...elastic(), ...(operation && { operation }) };
            const answer = await send({ type, sub_type, clients: on(client), command }, { by });
            expect([400, 403], `${type} ${sub_type} ${operation}`).toContain(answer.status);
          }
        }
      }
      const read = { type: 'LOGSHIPPER', sub_type: 'GET_FILEBEAT_STATUS', clients: on(client) };
      expect((await send({ ...read, command: elastic() }, { by })).status).toBe(400);
      expect(agent.commands).toEqual([]);
      expect((await send({ ...read, command: {} }, { by })).body.results[0].outcome).toBe('done');
    },
  );
});
